//! PGN with unclosed comments and variations, stray brackets, many errors.

use super::pgn::moves;
use super::*;

/// What is read of a text: the moves of each game with the errors in it, or the error.
fn summary(text: &str) -> Vec<String> {
    let located = |error: &FormatError| {
        let Location { line, column, .. } = error.location;
        let [line, column] = [line, column].map(Option::unwrap_or_default);
        format!("{line}:{column}: {error}")
    };
    let reader = Reader::new(text.as_bytes());
    let games = reader.map(|game| match game {
        Ok(document) => {
            let errors = document.errors.iter().map(located);
            errors.fold(moves(&document), |text, error| text + "; " + &error)
        }
        Err(error) => located(&error),
    });
    games.collect()
}

#[test]
fn what_is_not_closed_is_reported_and_swallows_no_game() {
    let open_variation = "e4 e5; 1:10: variation is not closed";
    for (text, expected) in [
        ("1. e4 {good 1-0", &["1:7: comment is not closed"][..]),
        ("1. e4 {good", &["1:7: comment is not closed"]),
        ("1. e4 e5 (1... c5 2. Nf3 1-0", &[open_variation]),
        (
            "1. e4 e5 (1... c5 2. Nf3 d6 1-0\n\n1. d4 d5 *\n\n1. c4 *",
            &[open_variation, "d4 d5", "c4"],
        ),
        (
            "1. e4 e5 (1... c5 (1... e6 *\n\n[Event \"x\"]\n\n1. d4 *",
            &["e4 e5; 1:10: variation is not closed; 1:19: variation is not closed", "d4"],
        ),
        // The first move number of a variation does not start a game.
        ("1. e4\n\n(\n\n1. d4 d5) 1... e5 *", &["e4 e5"]),
    ] {
        assert_eq!(summary(text), expected, "{text:?}");
    }
}

#[test]
fn brackets_within_a_line_of_moves_are_annotations() {
    for (text, expected) in [
        ("1. e4 e5 [0.35/12] 2. Nf3 *", &["e4 e5 Nf3"][..]),
        ("1. e4 e5 [White resigns] 1-0", &["e4 e5"]),
        ("1. e4 e5 2. Nf3 [D30] Nc6 1-0", &["e4 e5 Nf3 Nc6"]),
        ("1. e4 e5 [Event \"x\"] 1. d4 *", &["e4 e5", "d4"]),
        ("1. e4 e5 [Event \"x\" ] 1. d4 *", &["e4 e5", "d4"]),
        ("1. e4 e5\n[Event x]\n1. d4 *", &["e4 e5", "d4"]),
        ("1. e4 e5 * [Event x] 1. d4 *", &["e4 e5", "d4"]),
        ("[Event x] [Site y] 1. d4 *", &["d4"]),
    ] {
        assert_eq!(summary(text), expected, "{text:?}");
    }
}

#[test]
fn a_comment_in_a_variation_without_moves_is_kept() {
    let game = import("pgn", "1. e4 ({only a comment}) e5 *").expect("read");
    assert_eq!(game.tree.len(), 2);
    let text = format("pgn").export(&game);
    assert!(text.contains("1. e4 {only a comment} 1... e5"), "{text}");
}

#[test]
fn the_errors_of_a_game_are_limited() {
    for unit in [")", "(Kd4)"] {
        let of = |count| summary(&format!("1. e4 {}", unit.repeat(count)));
        let kept = of(1000);
        assert!(kept[0].starts_with("e4; "), "{kept:?}");
        let refused = of(1001);
        assert!(refused[0].contains("more than 1000 errors"), "{refused:?}");
    }
}

#[test]
fn errors_are_located_with_any_line_ends() {
    for line_end in ["\n", "\r\n", "\r"] {
        let text = "[Event \"x\"]\n\n1. e4 {a\nb\nc} e5\n2. Ke3 *\n".replace('\n', line_end);
        let found = summary(&text);
        assert!(found[0].contains("6:4"), "{line_end:?}: {found:?}");
    }
}

#[test]
fn a_drawing_is_written_on_the_last_position() {
    let mut game = import("pgn", "1. e4 e5 {x} *").expect("read");
    game.drawing = import("pgn", "{[%cal Re8e1]} *").expect("read").full_drawing();
    let text = format("pgn").export(&game);
    assert!(text.contains("e5 {x [%cal Re8e1]} *"), "{text}");
    let back = import("pgn", &text).expect("read").full_drawing();
    assert_eq!(back.to_comment(), game.drawing.to_comment());
}
