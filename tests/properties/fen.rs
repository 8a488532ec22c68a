//! Arbitrary texts as FEN and as moves.

use crate::support::board;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use saavedra::chess::perft::{perft, slow_perft};
use saavedra::chess::{Board, STARTPOS, Setup};

/// Checks that a board is consistent: FEN round trip, key, perft and children.
fn assert_consistent(board: &Board) {
    let fen = board.to_fen();
    assert_eq!(Board::from_fen(&fen).as_ref(), Ok(board), "{fen}");
    assert_eq!(board.key(), board.compute_key(), "{fen}");
    assert_eq!(perft(board, 2), slow_perft(board, 2), "{fen}");
    for (_, child) in board.children() {
        assert_eq!(child.key(), child.compute_key(), "{fen}");
        assert!(!child.is_in_check(board.turn()), "{fen}");
    }
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(20),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config(4_000))]

    #[test]
    fn reading_arbitrary_text_as_fen_does_not_panic(text in "\\PC*") {
        let _ = Setup::from_fen(&text);
    }

    #[test]
    fn texts_similar_to_fen_are_errors_or_consistent_boards(
        text in "([1-8kqrbnpKQRBNP]{1,8}/){7}[1-8kqrbnpKQRBNP]{1,8} [wb] [KQkqA-Ha-h]{1,4} (-|[a-h][36]) [0-9]{1,9} [0-9]{1,9}"
    ) {
        if let Ok(setup) = Setup::from_fen(&text)
            && let Ok((board, _)) = setup.to_board()
        {
            assert_consistent(&board);
        }
    }

    #[test]
    fn changed_fens_are_errors_or_consistent_boards(
        fen in prop::sample::select(&FENS[..]),
        changes in prop::collection::vec((any::<prop::sample::Index>(), prop::char::range(' ', 'z')), 1..4),
    ) {
        let mut chars: Vec<char> = fen.chars().collect();
        for (index, c) in changes {
            let at = index.index(chars.len());
            chars[at] = c;
        }
        let text: String = chars.into_iter().collect();
        if let Ok(board) = Board::from_fen(&text) {
            assert_consistent(&board);
        }
    }

    #[test]
    fn reading_arbitrary_text_as_a_move_does_not_panic(text in "\\PC{0,8}", san in "[KQRBNPO0a-h][a-h1-8x=O0-]{0,5}[QRBN1-8]?[+#!?]?") {
        for fen in FENS {
            let board = board(fen);
            for text in [&text, &san] {
                if let Ok(m) = board.parse_san(text) {
                    prop_assert!(board.is_legal(m));
                }
                if let Ok(m) = board.parse_uci(text) {
                    prop_assert!(board.is_legal(m));
                }
            }
        }
    }
}

const FENS: [&str; 4] = [
    STARTPOS,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "nrk2rnb/pp1ppppp/6b1/q1p5/3P2Q1/1N3N2/1P2PPPP/1R1K1RB1 w FBfb - 0 9",
    "8/8/8/K2pP2r/8/8/6p1/4k3 w - d6 0 2",
];
