//! Numeric annotation glyphs of PGN and the signs for them.

use super::pgn::moves;
use super::*;
use saavedra_formats::PgnError;

#[test]
fn evaluation_signs_are_nags() {
    for (nag, signs) in [
        (7, &["□"][..]),
        (10, &["="]),
        (13, &["~", "∞"]),
        (14, &["+=", "+/=", "⩲"]),
        (15, &["=+", "=/+", "⩱"]),
        (16, &["+/-", "±"]),
        (17, &["-/+", "∓"]),
        (18, &["+-", "+−", "+–"]),
        (19, &["-+", "−+", "–+"]),
        (22, &["⨀", "⊙"]),
        (32, &["⟳"]),
        (36, &["↑"]),
        (40, &["→"]),
        (132, &["⇆", "⇄"]),
        (138, &["⊕"]),
        (140, &["∆", "△"]),
        (142, &["⌓"]),
    ] {
        for sign in signs {
            // Also where the move ends in a check mark, letter or dash of its own.
            for (fen, m, san) in [
                ("4k3/4p3/8/8/8/8/3K4/8 b - - 0 1", "e5 ", "e5"),
                ("4k3/4p3/8/8/8/8/3K4/8 b - - 0 1", "e7-e5", "e5"),
                ("1n2k3/8/8/8/8/8/3K4/8 b - - 0 1", "Nc6", "Nc6"),
                ("1n2k3/8/8/8/8/8/3K4/8 b - - 0 1", "♞c6", "Nc6"),
                ("4k3/8/8/8/8/8/p2K4/8 b - - 0 1", "a1=Q", "a1=Q"),
                ("4k3/8/8/8/8/8/p2K4/8 b - - 0 1", "a1(Q)", "a1=Q"),
                ("4k2r/8/8/8/8/8/3K4/8 b k - 0 1", "O-O", "O-O"),
                ("4k2r/8/8/8/8/8/3K4/8 b k - 0 1", "0-0", "O-O"),
            ] {
                let text = format!("[FEN \"{fen}\"]\n\n1... {m}{sign} 2. Ke3 *");
                let document = import("pgn", &text).expect(&text);
                let marked = document.tree.mainline_nodes().next().expect(&text);
                assert_eq!(document.tree.node(marked).nags, [nag], "{text}");
                assert_eq!(moves(&document), format!("{san} Ke3"), "{text}");
                assert_eq!(document.errors, [], "{text}");
            }
        }
    }
}

/// A sign that means nothing is reported, and the game goes on.
#[test]
fn unknown_signs_are_reported() {
    for (text, column, sign) in [
        ("1. e4 e5 2. Nf3 Nc6--+ 3. Bb5 *", 20, "--+"),
        ("1. e4 e5 2. Nf3 Nc6-- 3. Bb5 *", 20, "--"),
        ("1. e4 e5 2. Nf3 Nc6– 3. Bb5 *", 20, "–"),
        ("1. e4 e5 2. Nf3 Nc6- 3. Bb5 *", 20, "-"),
        ("1. e4 e5 2. Nf3 ♞c6- 3. Bb5 *", 20, "-"),
        ("1. e4 e5 2. Nf3 Nc6 / 3. Bb5 *", 21, "/"),
        ("1. e4 e5 2. Nf3 Nc6^ 3. Bb5 *", 20, "^"),
        ("1. e4 e5 2. Nf3 Nc6 ☂ 3. Bb5 *", 21, "☂"),
        ("1. e4 e5 2. Nf3 Nc6 $ 3 3. Bb5 *", 21, "$"),
        ("1. e4 e5 2. Nf3 Nc6 $256 3. Bb5 *", 21, "$256"),
        ("1. e4 e5 2. Nf3 Nc6 3. Bb5 ({x} $1 ^ 3. Bc4) *", 36, "^"),
    ] {
        let document = import("pgn", text).expect(text);
        assert_eq!(moves(&document), "e4 e5 Nf3 Nc6 Bb5", "{text}");
        let location = Location { game: Some(1), ..Location::at(1, column) };
        let error = FormatError::new(location, PgnError::Token(sign.into()));
        assert_eq!(document.errors, [error], "{text}");
        let written = format("pgn").export(&document);
        assert_eq!(written.contains("{x}"), text.contains("{x}"), "{written}");
    }
}

#[test]
fn zeros_are_castling_or_a_null_move() {
    for (zeros, san) in [("00", "O-O"), ("000", "O-O-O"), ("0000", "--")] {
        let fen = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
        let text = format!("[FEN \"{fen}\"]\n\n1. {zeros} Ke7 *");
        assert_eq!(moves(&import("pgn", &text).expect(&text)), format!("{san} Ke7"), "{text}");
    }
}

#[test]
fn annotation_glyphs_are_nags() {
    let text =
        "1. e4! e5? 2. Nf3!! Nc6?? 3. Bc4!? Bc5?! 4. c3!!! Nf6??? 5. d4!?? exd4 ! 6. cxd4 ?? $10 *";
    let document = import("pgn", text).expect("read");
    let nodes = document.tree.mainline_nodes();
    let nags: Vec<_> = nodes.map(|node| &document.tree.node(node).nags[..]).collect();
    let expected: [&[u8]; 11] =
        [&[1], &[2], &[3], &[4], &[5], &[6], &[3], &[4], &[], &[1], &[4, 10]];
    assert!(nags.ends_with(&expected), "{nags:?}");
}

#[test]
fn nags_before_the_first_move_are_kept() {
    let text = "$1 1. e4 $2 ($142 $18 1. d4 $3 d5) ($142 {x} 1. c4) e5 *";
    let document = import("pgn", text).expect("read");
    let written = format("pgn").export(&document);
    let movetext = written.split_once("\n\n").expect("tags and movetext").1;
    let expected = "$1 1. e4 $2 ($142 $18 1. d4 $3 d5) ($142 {x} 1. c4) 1... e5 *\n";
    assert_eq!(movetext, expected);
}
