//! PGN: games that are read, written and refused.

use super::*;
use saavedra_formats::PgnError;

fn read(text: &str) -> Vec<Result<Document, FormatError>> {
    Reader::new(text.as_bytes()).collect()
}

pub(super) fn moves(document: &Document) -> String {
    let mut board = *document.tree.start();
    let mut words = Vec::new();
    for ply in document.tree.mainline() {
        words.push(match ply {
            Ply::Move(m) => board.san(m),
            Ply::Null => "--".into(),
        });
        board = ply.make(&board);
    }
    words.join(" ")
}

/// The moves of each game of a valid text.
fn all_moves(text: &str) -> Vec<String> {
    let documents = read(text).into_iter();
    documents.map(|d| moves(&d.unwrap_or_else(|e| panic!("{}", e.located(text))))).collect()
}

const E5: &str = "e4 e5";

/// Texts and their moves.
const SPELLINGS: &[(&str, &str)] = &[
    ("1. e4 e5 *", E5),
    ("1.e4 e5 *", E5),
    ("1 e4 e5", E5),
    ("e4 e5", E5),
    ("1. e2-e4 e7-e5", E5),
    ("1. e2e4 e7e5", E5),
    ("1. Pe4 Pe5", E5),
    ("1. e4! e5?! $14 !! +/- =", E5),
    ("1. e4 1... e5", E5),
    ("1. e4 ... e5", E5),
    ("1. e4 1. ... e5", E5),
    ("1. e4 1… e5", E5),
    ("{c} 1. {c} e4 {c} e5 {c} *", E5),
    ("1. e4 ; e6 is no move\ne5", E5),
    ("1. e4\n% e6 is no move\ne5", E5),
    ("1. e4 (1. d4 d5 (1... Nf6 {x (y)}) 2. c4) e5", E5),
    ("1. e4 <reserved> e5", E5),
    ("1. e4 [%clk 0:01:00] e5 [%clk 0:01:00]", E5),
    ("1. e4 e5 1-0 {resigns}", E5),
    ("1-0 1. e4 e5", E5),
    ("1. e4 1-0 e5", E5),
    ("1. e4\r\n\r\n1... e5\r\n", E5),
    ("1. e4\r1... e5\r", E5),
    ("\u{feff}1. e4 e5", E5),
    ("1.\u{a0}e4 \u{200b}e5\u{202f}1-0\u{a0}", E5),
    ("1\u{a0}e4 e5\u{2009}1/2-1/2", E5),
    ("1. e4 e5 2. ♘f3\u{a0}♞c6\u{2060}", "e4 e5 Nf3 Nc6"),
    ("1. e4 e5 2. ♘f3 ♞c6", "e4 e5 Nf3 Nc6"),
    ("1. g1f3 g8f6", "Nf3 Nf6"),
    ("1. Ng1-f3 Ng8f6", "Nf3 Nf6"),
    ("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. 0-0", "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O"),
    ("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. o-o", "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O"),
    ("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. e1g1", "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O"),
    ("1. e4 a6 2. e5 d5 3. exd6 e.p. *", "e4 a6 e5 d5 exd6"),
    ("1. e4 a6 2. e5 d5 3. exd6e.p. Nc6", "e4 a6 e5 d5 exd6 Nc6"),
    ("1. e4 a6 2. e5 d5 3. exd6ep Nc6", "e4 a6 e5 d5 exd6 Nc6"),
    ("1. e4 a6 2. e5 d5 3. e5xd6/ep Nc6", "e4 a6 e5 d5 exd6 Nc6"),
    ("1. e4 a6 2. e5 d5 3. exd6/e.p. Nc6", "e4 a6 e5 d5 exd6 Nc6"),
    ("1. e4 a6 2. e5 d5 3. exd6 ep Nc6", "e4 a6 e5 d5 exd6 Nc6"),
    ("1. e4 -- 2. d4 Z0 3. Nf3 0000 4. Nc3 @@@@", "e4 -- d4 -- Nf3 -- Nc3 --"),
    ("1. f3 e5 2. g4 Qh4++", "f3 e5 g4 Qh4#"),
    ("1. f3 e5 2. g4 Qh4 # 0-1", "f3 e5 g4 Qh4#"),
    (
        "1. e4 f5 2. exf5 g6 3. fxg6 Nf6 4. g7 Ne4 5. gxh8(Q)",
        "e4 f5 exf5 g6 fxg6 Nf6 g7 Ne4 gxh8=Q",
    ),
    (
        "1. e4 f5 2. exf5 g6 3. fxg6 Nf6 4. g7 Ne4 5. gxh8/N a6",
        "e4 f5 exf5 g6 fxg6 Nf6 g7 Ne4 gxh8=N a6",
    ),
    ("1. e4 f5 2. exf5 g6 3. fxg6 Nf6 4. g7 Ne4 5. gxh8Q", "e4 f5 exf5 g6 fxg6 Nf6 g7 Ne4 gxh8=Q"),
    ("1. e4!e5?2. Nf3!?Nc6?!", "e4 e5 Nf3 Nc6"),
    ("1. e4 e5 ( ) (1-0)", E5),
];

#[test]
fn unusual_spellings_of_moves_are_read() {
    for (text, expected) in SPELLINGS {
        assert_eq!(all_moves(text), [*expected], "{text:?}");
    }
}

#[test]
fn results_are_read_in_all_their_spellings() {
    use GameResult::{BlackWins, Draw, WhiteWins};
    for (result, spellings) in [
        (Some(WhiteWins), &["1-0", "1:0", "1–0", "1-O", "(1-0)"][..]),
        (Some(BlackWins), &["0-1", "0:1", "0–1", "O-1", "(0-1)"]),
        (Some(Draw), &["1/2-1/2", "1/2", "1/2:1/2", "½-½", "½–½", "1/2–1/2", "(½–½)"]),
        (None, &["*"]),
    ] {
        for spelling in spellings {
            let text = format!("1. e4 e5 2. Nf3 {spelling}\n\n1. d4 d5 *");
            let games = read(&text);
            assert_eq!(games.len(), 2, "{spelling}");
            let game = games[0].as_ref().expect("read");
            let found = (game.result, moves(game));
            assert_eq!(found, (result, "e4 e5 Nf3".to_owned()), "{spelling}");
        }
    }
}

#[test]
fn games_without_tags_or_results_are_separated() {
    let cases: [(&str, &[&str]); 11] = [
        // A number with more than one dot continues a game.
        ("1. e4 e5 2. Nf3\n\n1… Nc6", &["e4 e5 Nf3 Nc6"]),
        ("1. e4 e5 2. Nf3\n\n1... Nc6", &["e4 e5 Nf3 Nc6"]),
        ("1. e4 e5\r\r1. d4 d5\r", &["e4 e5", "d4 d5"]),
        ("1. e4 e5\r\n\r\n1. d4 d5", &["e4 e5", "d4 d5"]),
        ("1. e4 *\n1. d4 *\n", &["e4", "d4"]),
        ("1. e4 1-0\n\n1. d4 0-1", &["e4", "d4"]),
        ("e4 1-0\nd4 0-1", &["e4", "d4"]),
        ("1. e4 e5\n\n1. d4 d5", &["e4 e5", "d4 d5"]),
        ("[Event \"a\"]\n\n1. e4\n[Event \"b\"]\n\n1. d4", &["e4", "d4"]),
        ("[Event \"a\"]\n\n[Event \"b\"]\n\n*\n\n[Event \"c\"]\n", &["", "", ""]),
        ("[Event \"a\"]\n\n[Site \"b\"]\n\n1. e4 *\n\n{the end}\n", &["e4"]),
    ];
    for (text, expected) in cases {
        assert_eq!(all_moves(text), expected, "{text:?}");
    }
    assert!(read("").is_empty());
    assert!(read("\n\n% nothing\n{nothing}\n").is_empty());
}

#[test]
fn misspelled_tag_pairs_are_read() {
    let text = "[Event \"a \\\"b\\\" \\\\\"][Site \"c \"d\" e\"]\n[ Date  \"x\" ] [Round 7]\n\
                [White \"never closed]\n[Black \"M\u{fc}ller\"]\n[Result \"1/2-1/2\"]\n\n1. e4";
    let document = import("pgn", text).expect("read");
    let tags = ["Event", "Site", "Date", "Round", "White", "Black"].map(|t| document.tag(t));
    let expected = ["a \"b\" \\", "c \"d\" e", "x", "7", "never closed", "Müller"];
    assert_eq!(tags, expected.map(Some));
    assert_eq!(document.result, Some(GameResult::Draw));
    let latin = b"[White \"M\xfcller\"]\n\n1. e4 {\xe9}";
    let document = Reader::new(&latin[..]).next().expect("a game").expect("read");
    assert_eq!(document.tag("White"), Some("Müller"));
    assert_eq!(document.tree.node(document.tree.end()).comment, "é");
}

#[test]
fn chess960_is_recognised_by_tag_or_position() {
    let standard = import("pgn", "[Variant \"Chess960\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O");
    assert_eq!(
        format("uci").export(&standard.expect("read")),
        "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1h1\n"
    );
    let text = "[FEN \"1r2k1r1/1p4p1/8/8/8/8/1P4P1/1R2K1R1 w KQkq - 0 1\"]\n\n1. O-O O-O-O *";
    let document = import("pgn", text).expect("read");
    assert!(document.chess960);
    assert!(format("pgn").export(&document).contains("[Variant \"Chess960\"]"));
    for (variant, fine) in [("fischerandom", true), ("From Position", true), ("Atomic", false)] {
        let read = import("pgn", &format!("[Variant \"{variant}\"]\n\n1. e4"));
        assert_eq!(read.is_ok(), fine, "{variant}");
    }
}

/// Games that are refused: text, line, column and start of the message.
const BAD_GAMES: &[(&str, u64, u64, &str)] = &[
    ("[Event \"x\"]\n\n1. e4 e5 2. Ke3 Nf6 *\n", 3, 13, "illegal move: no legal move"),
    ("[Event \"x\"]\n\n1. e4 {é} e5 2. Nd2 *\n", 3, 17, "illegal move: no legal move"),
    ("[Event \"x\"]\n\n1. e4 Qd8-d5 *\n", 3, 7, "illegal move"),
    ("[Event \"x\"]\n\n1. e4 hello *\n", 3, 7, "illegal move: \"hello\" is not"),
    ("[Event \"x\"]\n\n1. d4 d5 2. Nf3 e6 3. Nd2 *\n", 3, 23, "illegal move: \"Nd2\" is ambiguous"),
    ("[Event \"x\"]\n\n1. e4 & e5 *\n", 3, 7, "\"&\" is not a move"),
    ("[Event \"x\"]\n[FEN \"8/8 w\"]\n\n1. e4 *\n", 2, 1, "malformed FEN: 2 ranks"),
    ("[Event \"x\"]\n[FEN \"8/8 w\"]\n\n", 2, 1, "malformed FEN: 2 ranks"),
    ("[Variant \"Atomic\"]\n\n1. e4 *\n", 1, 1, "unsupported variant \"Atomic\""),
    ("[Event \"x\"]\n\n1. e4 {never closed *\n", 3, 7, "comment is not closed"),
    ("[Event \"x\"]\n\n1. f3 e5 2. e4 Qh4+ 3. -- *\n", 3, 24, "illegal move: null move"),
];

#[test]
fn errors_have_a_location_and_the_next_game_is_read() {
    let good = "[Event \"good\"]\n\n1. e4 *\n";
    for (bad, line, column, message) in BAD_GAMES {
        let games = read(&format!("{bad}\n{good}"));
        let error = games[0].as_ref().expect_err(bad);
        assert_eq!(error.location.line, Some(*line), "{bad}");
        assert_eq!(error.location.column, Some(*column), "{bad}");
        assert_eq!(error.location.game, Some(1), "{bad}");
        assert!(error.to_string().starts_with(message), "{bad}: {error}");
        let next = games[1].as_ref().expect("the next game");
        assert_eq!((next.tag("Event"), next.location.game), (Some("good"), Some(2)), "{bad}");
        assert_eq!(games.len(), 2, "{bad}");
    }
}

#[test]
fn a_comment_that_is_not_closed_ends_before_the_tags_of_the_next_game() {
    for (line_end, tag) in [("\n", "Event"), ("\r\n", "White"), ("\r", "Event"), ("\r", "White")] {
        // The text is read in parts, which may end anywhere.
        for length in (0..600).step_by(7) {
            let comment = "x".repeat(length);
            let text = format!("1. e4 {{{comment}\n\n[{tag} \"good\"]\n\n1. d4 {{closed}} *\n");
            let games = read(&text.replace('\n', line_end));
            let name = format!("{line_end:?} {tag} {length}");
            let error = games[0].as_ref().expect_err(&name).to_string();
            assert!(error.starts_with("comment is not closed"), "{name}: {error}");
            let next = games[1].as_ref().expect(&name);
            assert_eq!((next.tag(tag), games.len()), (Some("good"), 2), "{name}");
        }
    }
}

#[test]
fn the_rest_of_a_game_with_an_error_is_skipped_to_its_end() {
    let good = "[Event \"good\"]\n\n1. d4 d5 *\n";
    for (bad, rest) in [
        // An empty line without a result does not end the game.
        ("1. e4 Ke5 2. d4\n\n2... d5 3. c4 1-0\n\n", good),
        ("1. e4 Ke5\n\n2. d4 d5 1-0\n\n", good),
        // Nor does a result within the line, or before a later move.
        ("1. e4 Ke5 1-0 2. d4 d5\n\n", good),
        ("1. e4 Ke5 1-0\n2. d4 d5 *\n\n", good),
        ("1. e4 Ke5\n2. d4 d5 *\n", good),
        ("1. e4 Ke5 1-0\n", "1. d4 d5 *"),
        ("1. e4 Ke5 1-0\n\n", "1. d4 d5 *"),
        ("1. e4 Ke5 1-0\r\n\r\n", "d4 d5 *"),
        ("1. e4 Ke5 2. c4 *\n\n", "d4 d5 *"),
        // Lines may end with a carriage return.
        ("1. e4 Ke5 2. c4 *\r\r", "d4 d5 *"),
        ("1. e4 Ke5 2. c4\r1-0\r\r", "[Event \"good\"]\r\r1. d4 d5 *\r"),
    ] {
        let games = read(&format!("[Event \"bad\"]\n\n{bad}{rest}"));
        let read: Vec<_> = games.iter().map(|game| game.as_ref().ok().map(moves)).collect();
        assert_eq!(read, [None, Some("d4 d5".to_owned())], "{bad:?}");
    }
}

#[test]
fn comments_before_the_first_move_are_joined() {
    let text = "{a} {b} 1. e4 {c} {d} ({e} {f} 1. d4) *";
    let document = import("pgn", text).expect("read");
    let written = format("pgn").export(&document);
    let movetext = written.split_once("\n\n").expect("tags and movetext").1;
    assert_eq!(movetext, "{a b} 1. e4 {c d} ({e f} 1. d4) *\n");
}

#[test]
fn a_comment_among_the_tags_does_not_end_them() {
    let text = "[Event \"a\"]\n; exported\n[Site \"b\"]\n{twice}\n\n1. e4 *\n\n\
                [Event \"c\"]\n\n{no moves}\n[Event \"d\"]\n\n1. d4 *";
    let games: Vec<Document> = read(text).into_iter().collect::<Result<_, _>>().expect("read");
    let tags = |name| games.iter().map(|game| game.tag(name)).collect::<Vec<_>>();
    assert_eq!(tags("Event"), [Some("a"), Some("c"), Some("d")]);
    assert_eq!(tags("Site")[0], Some("b"));
    let comments = games.iter().map(|game| game.tree.node(NodeId::ROOT).comment.as_str());
    assert_eq!(comments.collect::<Vec<_>>(), ["exported twice", "no moves", ""]);
}

#[test]
fn an_illegal_move_in_a_variation_ends_only_the_variation() {
    let text = "1. e4 (1. d4 d5 2. Ke7 {lost} (2. c4) Nf6) e5 (1... Nf6 2. e5) 2. Nf3 *";
    let document = import("pgn", text).expect("read");
    assert_eq!(moves(&document), "e4 e5 Nf3");
    assert_eq!(document.errors.len(), 1);
    assert_eq!(document.errors[0].location, Location { game: Some(1), ..Location::at(1, 20) });
    assert_eq!(document.tree.len(), 7);
    let stray = import("pgn", "1. e4 ) e5 *").expect("read");
    assert_eq!((moves(&stray).as_str(), stray.errors.len()), ("e4 e5", 1));
}

#[test]
fn a_binary_file_gives_one_error() {
    let bytes: Vec<u8> = (0..100_000u64).map(|n| (n * n / 7 + n) as u8).collect();
    let read: Vec<_> = Reader::new(bytes.as_slice()).collect();
    assert_eq!(read.len(), 1);
    assert!(read[0].is_err());
}

#[test]
fn written_games_round_trip() {
    let text = "[Event \"a \\\"b\\\"\"]\n[White \"x\"]\n[Annotator \"y\"]\n[Result \"1-0\"]\n\n\
        {before} 1. e4 $1 {one} ({why} 1. d4 d5 (1... Nf6 2. c4) 2. c4) ({or} 1. c4) e5 $14 $2 \
        2. Nf3 (2. f4 exf4 {a {b c; d}) 2... Nc6 3. Bb5 -- {end of a long comment that has to be \
        broken over lines, since it has very many words, %odd ones too} 1-0";
    let document = import("pgn", text).expect("read");
    let written = format("pgn").export(&document);
    assert!(written.lines().all(|line| line.chars().count() < 80), "{written}");
    assert!(!written.lines().any(|line| line.starts_with('%')));
    let mut back = import("pgn", &written).expect("read back");
    back.location = document.location;
    for (name, _) in &document.tags {
        assert_eq!(back.tag(name), document.tag(name));
    }
    assert_eq!(back.result, document.result);
    assert_eq!(
        back.tree.mainline().collect::<Vec<_>>(),
        document.tree.mainline().collect::<Vec<_>>()
    );
    assert_eq!(format("pgn").export(&back), written);
}

#[test]
fn quotes_and_backslashes_of_tags_are_escaped() {
    let text = "[Event \"a \\\"b\\\" \\\\\"]\n\n*";
    let document = import("pgn", text).expect("read");
    assert_eq!(document.tag("Event"), Some("a \"b\" \\"));
    let written = format("pgn").export(&document);
    let first = written.lines().next();
    assert_eq!(first, Some("[Event \"a \\\"b\\\" \\\\\"]"));
}

#[test]
fn the_first_value_of_a_repeated_tag_counts() {
    let text = "[Event \"a\"]\n[Opening \"x\"]\n[Event \"b\"]\n[Opening \"y\"]\n\n1. e4 *";
    let document = import("pgn", text).expect("read");
    let tags = [("Event", "a"), ("Opening", "x")];
    assert_eq!(document.tags, tags.map(|(name, value)| (name.into(), value.into())));
}

#[test]
fn moves_of_games_are_read_as_san_or_uci() {
    let mut random = Random::new(7);
    for board in random_boards(300, 1) {
        let moves = board.legal_moves();
        for m in &moves {
            let fen = board.to_fen();
            let text = format!("[FEN \"{fen}\"]\n\n{} *", board.san(m));
            let document = import("pgn", &text).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(document.tree.mainline().next(), Some(Ply::Move(m)), "{text}");
        }
        // Random texts, most of them illegal.
        for _ in 0..40 {
            let sign = |random: &mut Random, set: &str| {
                let signs: Vec<char> = set.chars().collect();
                random.pick(&signs).to_string().trim().to_owned()
            };
            let mut word = sign(&mut random, "NBRQKST  O");
            for set in ["abcdefgh  ", "12345678  ", "x  ", "abcdefgh", "12345678"] {
                word += &sign(&mut random, set);
            }
            word += *random.pick(&["", "", "=Q", "=K", "=", "Q", "=n"]);
            if word.starts_with(|c: char| c.is_ascii_digit()) {
                continue; // a move number
            }
            let text = format!("[FEN \"{}\"]\n\n{word} *", board.to_fen());
            let fast = import("pgn", &text).ok().and_then(|d| d.tree.mainline().next());
            // A `=` at the end is the sign for an equal position.
            let bare = word.trim_end_matches('=');
            let slow = board.parse_san(bare).or_else(|_| board.parse_uci(bare).map_err(|_| ()));
            assert_eq!(fast, slow.ok().map(Ply::Move), "{text}");
        }
    }
}

#[test]
fn tokens_across_reads_are_whole() {
    /// Returns a few bytes at a time.
    struct ShortReads<'a>(&'a [u8], usize);
    impl std::io::Read for ShortReads<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let n = self.1.min(self.0.len()).min(buffer.len());
            buffer[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }
    let game = "[Event \"some event\"]\n[Site \"there\"]\n\n1. e4 {a comment\nof two lines} e5 \
                (1... c5 $1) 2. Nf3 Nc6 ; to the end of the line\n3. Bb5 a6 1/2-1/2\n\n";
    let text = game.repeat(2000);
    let whole: Vec<_> = read(&text).into_iter().map(|d| d.expect("read")).collect();
    assert_eq!(whole.len(), 2000);
    for size in [1, 7, 4096, 131_071] {
        let games = Reader::new(ShortReads(text.as_bytes(), size));
        assert!(games.map(|d| d.expect("read")).eq(whole.iter().cloned()), "{size}");
    }
}

/// Printed texts have long dashes, and blanks around them.
#[test]
fn dashes_and_blanks_in_moves_and_results_are_read() {
    for dash in ["-", "‐", "‑", "–", "—", "−"] {
        let text =
            format!("1. e2{dash}e4 e7{dash}e5 2. Ng1{dash}f3 Nb8{dash}c6 3. Bc4 Bc5 4. O{dash}O *");
        assert_eq!(moves(&import("pgn", &text).expect(&text)), "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O");
        let text =
            format!("[FEN \"r3k3/8/8/8/8/8/8/R3K3 w Qq - 0 1\"]\n\n1. 0{dash}0{dash}0+ Ke7 *");
        assert_eq!(moves(&import("pgn", &text).expect(&text)), "O-O-O Ke7");
        for (white, black, result) in [
            ("1", "0", GameResult::WhiteWins),
            ("0", "1", GameResult::BlackWins),
            ("1/2", "1/2", GameResult::Draw),
            ("0.5", "0.5", GameResult::Draw),
        ] {
            for blank in ["", " "] {
                let text = format!("1. e4 e5 {white}{blank}{dash}{blank}{black}\n\n1. d4 *");
                let games = read(&text);
                let found = games[0].as_ref().expect(&text).result;
                assert_eq!((found, games.len()), (Some(result), 2), "{text}");
            }
        }
    }
}

/// The result after the moves overrules the tag, but `*` does not: it only says that the text ends.
#[test]
fn the_result_is_that_after_the_moves_or_else_of_the_tag() {
    use saavedra_chess::GameResult::{BlackWins, Draw, WhiteWins};
    for (tag, end, result) in [
        ("1-0", "1-0", Some(WhiteWins)),
        ("1-0", "*", Some(WhiteWins)),
        ("1-0", "", Some(WhiteWins)),
        ("*", "0-1", Some(BlackWins)),
        ("1-0", "1/2-1/2", Some(Draw)),
        ("*", "*", None),
        ("?", "*", None),
    ] {
        let text = format!("[Result \"{tag}\"]\n\n1. e4 e5 {end}\n");
        let document = import("pgn", &text).expect("read");
        assert_eq!(document.result, result, "{text}");
        // A contradiction is reported.
        let differ = tag == "1-0" && end == "1/2-1/2";
        let location = Location { game: Some(1), ..Location::at(3, 10) };
        let error = PgnError::Results(WhiteWins, Draw);
        let errors = if differ { vec![FormatError::new(location, error)] } else { vec![] };
        assert_eq!(document.errors, errors, "{text}");
    }
}

#[test]
fn a_text_in_utf_16_is_named() {
    let text = "1. e4 *\n";
    for name in ["pgn", "fen"] {
        for bytes in [
            [
                &[0xff, 0xfe][..],
                &text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>(),
            ],
            [
                &[0xfe, 0xff][..],
                &text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<_>>(),
            ],
        ] {
            let bytes = bytes.concat();
            let mut documents = format(name).read(Box::new(&bytes[..]));
            let error = documents.next().expect("an error").expect_err("no text");
            assert!(error.to_string().contains("UTF-16"), "{name}: {error}");
            assert!(documents.next().is_none(), "{name}");
        }
    }
}

#[test]
fn a_carriage_return_does_not_end_the_value_of_a_tag() {
    for (tags, names) in [
        ("[FEN \"4k3/8/8/8/8/8/8/4K2R\r w K - 0 1\"]\n", &["FEN"][..]),
        ("[FEN \"4k3/8/8/8/8/8/8/4K2R w\rK - 0 1\"]\r\n", &["FEN"]),
        (
            "[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\r[White \"Ann\r[Black \"Bob\"]\r",
            &["FEN", "White", "Black"],
        ),
    ] {
        let text = format!("{tags}\n1. O-O *\n");
        let games = read(&text);
        assert_eq!(games.len(), 1, "{text:?}");
        let game = games[0].as_ref().unwrap_or_else(|error| panic!("{text:?}: {error}"));
        assert_eq!(moves(game), "O-O", "{text:?}");
        let found: Vec<&str> = game.tags.iter().map(|(name, _)| &**name).collect();
        assert_eq!(found, names, "{text:?}");
        assert!(game.tags.iter().all(|(_, value)| !value.contains('\r')), "{text:?}");
    }
}

/// Tags come out as they went in: their names, the variant, the spelling of the start position.
#[test]
fn tags_keep_their_names_and_spelling() {
    let fen = "4k3/8/8/8/8/8/8/R3K2R w AH - 0 1";
    let tags = [("C:d-e+f#g=h.1", "x"), ("Variant", "fischerandom"), ("SetUp", "1"), ("FEN", fen)];
    let mut text: String =
        tags.iter().map(|(name, value)| format!("[{name} \"{value}\"]\n")).collect();
    text += "\n1. Ke2 *\n";
    let game = read(&text).remove(0).expect("a game");
    let written = saavedra_formats::pgn::write(&game);
    for (name, value) in tags {
        assert!(written.contains(&format!("[{name} \"{value}\"]\n")), "{written}");
    }
    let standard = read("[Variant \"Standard\"]\n\n1. e4 *\n").remove(0).expect("a game");
    assert!(saavedra_formats::pgn::write(&standard).contains("[Variant \"Standard\"]\n"));
    // A tag that contradicts the game is replaced.
    let mut other = Document::new(*standard.tree.start());
    other.tags = vec![("FEN".into(), fen.into()), ("Variant".into(), "Chess960".into())];
    let written = saavedra_formats::pgn::write(&other);
    assert!(!written.contains("FEN") && !written.contains("Variant"), "{written}");
}
