//! A reader that keeps everything of a game that has errors.

use super::*;

/// Texts of games of which something is refused, what is written for them, and the errors.
const KEPT: &[(&str, &str, &[&str])] = &[
    ("1. e4 e5 2. Nf3 Nf3 3. Bb5 1-0", "1. e4 e5 2. Nf3 {Nf3 3. Bb5} 1-0", &["no legal move"]),
    (
        "1. e4 Ke5 {oops} (1... e5 (1... c5 1-0) {x}) 2. d4! $14 <y> & 0-1",
        "1. e4 {Ke5 (oops) ( 1... e5 ( 1... c5 1-0 ) (x) ) 2. d4 ! $14 (<y>) &} 0-1",
        &["no legal move"],
    ),
    ("1. e4 Ke5 1-0 2. d4 1/2-1/2", "1. e4 {Ke5 2. d4} 1/2-1/2", &["no legal move"]),
    (
        "1. e4 ({why} 1. d4 {so} Ke5 2. c4) ({or} 1. Ke5 {x}) e5 *",
        "1. e4 {or Ke5 (x)} ({why} 1. d4 {so Ke5 2. c4}) 1... e5 *",
        &["no legal move", "no legal move"],
    ),
    ("(1. d4 d5) 1. e4 *", "{1. d4 d5} 1. e4 *", &["a variation before"]),
    (
        "1. e4 White e5 resigns 0-1",
        "1. e4 {White} 1... e5 {resigns} 0-1",
        &["\"White", "\"resigns"],
    ),
    ("1. e4 & e5 é 2. Nf3 *", "1. e4 {&} 1... e5 {é} 2. Nf3 *", &["\"&\"", "\"é\""]),
    ("1. e4 (1. d4 1-0) e5", "1. e4 (1. d4 {1-0}) 1... e5 *", &[]),
    ("1. e4 [D30] e5 <x y> [%clk 1:00]", "1. e4 {[D30]} 1... e5 {<x y> [%clk 1:00]} *", &[]),
    ("1. e4 ∆ e5 ⌓", "1. e4 $140 e5 $142 *", &[]),
    ("1. e4 {open", "1. e4 {open} *", &["comment is not closed"]),
    ("1. e4 ({why} 1. d4 (1. c4", "1. e4 ({why} 1. d4) (1. c4) *", &["variation", "variation"]),
    ("1. e4 ({why}", "1. e4 {why} *", &["variation is not closed"]),
    ("hello there", "{hello there} *", &["\"hello", "\"there"]),
    (
        "[FEN \"8/8 w\"]\n[A \"b\"]\n\n1. e4 (1. d4) e5 1-0",
        "{1. e4 ( 1. d4 ) e5} 1-0",
        &["malformed"],
    ),
    ("[Variant \"Atomic\"]\n\n1. e4", "{1. e4} *", &["unsupported variant"]),
];

#[test]
fn a_reader_that_keeps_everything_loses_nothing_of_a_refused_game() {
    let next = "[Event \"next\"]\n\n1. d4 *\n";
    for (text, expected, errors) in KEPT {
        let reader = |text: &str| -> Vec<Document> {
            let games = Reader::new(text.as_bytes()).keep_everything();
            games.map(|game| game.unwrap_or_else(|error| panic!("{text}: {error}"))).collect()
        };
        let games = reader(&format!("{text}\n\n{next}"));
        assert_eq!(games.len(), 2, "{text}");
        let found: Vec<_> = games[0].errors.iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), errors.len(), "{text}: {found:?}");
        for (found, error) in found.iter().zip(*errors) {
            assert!(found.contains(error), "{text}: {found}");
        }
        let written = saavedra_formats::pgn::write(&games[0]);
        let movetext = written.split_once("\n\n").expect("tags and movetext").1;
        assert_eq!(movetext.replace('\n', " ").trim(), *expected, "{text}");
        // Tags stay, a refused one too, and so does what is written.
        for (name, value) in &games[0].tags {
            assert!(written.contains(&format!("[{name} \"{value}\"]\n")), "{written}");
        }
        assert_eq!(saavedra_formats::pgn::write(&reader(&written)[0]), written);
    }
}

#[test]
fn any_text_that_is_kept_is_the_same_once_written() {
    let parts = [
        "e4",
        "e5 ",
        "1.",
        "1... ",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "[A \"",
        "\"]\n",
        "\n",
        "\n\n",
        "$5",
        "$",
        ";x\n",
        "%",
        "!",
        "--",
        "1-0",
        "*",
        "½",
        "0-0",
        "\\",
        "\"",
        "♔",
        "\u{feff}",
        "<",
        "@@@@",
        "é",
        "1/2",
        "-",
        "+-",
        "e.p.",
        "(Q)",
        "resigns ",
        "[FEN \"8/8 w\"]\n",
        "[Variant \"Atomic\"]\n",
    ];
    let mut random = Random::new(3);
    for _ in 0..3000 {
        let text: String = (0..random.below(40)).map(|_| *random.pick(&parts)).collect();
        let kept = |text: &str| {
            let games = Reader::new(text.as_bytes()).keep_everything();
            let games: Result<Vec<Document>, _> = games.collect();
            let games = games.unwrap_or_else(|error| panic!("{text:?}: {error}"));
            games.iter().map(saavedra_formats::pgn::write).collect::<Vec<_>>()
        };
        let written = kept(&text);
        assert_eq!(kept(&written.join("\n")), written, "{text:?}");
    }
}

#[test]
fn a_reader_that_keeps_everything_keeps_variations_of_any_depth() {
    let depth = 20_000;
    let text = format!("1. e4 {}1-0", "(1. d4 ".repeat(depth) + &")".repeat(depth) + " ");
    let game =
        Reader::new(text.as_bytes()).keep_everything().next().expect("a game").expect("read");
    assert_eq!((game.result, game.errors.len()), (Some(GameResult::WhiteWins), 1));
    let written = saavedra_formats::pgn::write(&game);
    assert_eq!(written.matches("d4").count(), depth);
}
