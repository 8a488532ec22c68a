//! Numeric annotation glyphs of PGN and the signs for them.

use super::pgn::moves;
use super::*;

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
        (18, &["+-", "+−"]),
        (19, &["-+", "−+"]),
        (22, &["⨀", "⊙"]),
        (36, &["↑"]),
        (40, &["→"]),
        (132, &["⇆", "⇄"]),
    ] {
        for sign in signs {
            let document = import("pgn", &format!("1. e4 e5 {sign} 2. Nf3 *")).expect(sign);
            let mut nodes = document.tree.mainline_nodes();
            let marked = nodes.find(|node| !document.tree.node(*node).nags.is_empty());
            let marked = document.tree.node(marked.expect(sign));
            assert_eq!(marked.nags, [nag], "{sign}");
            assert_eq!(moves(&document), "e4 e5 Nf3", "{sign}");
        }
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
