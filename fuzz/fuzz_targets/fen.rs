//! FEN: a board that is accepted is written as a FEN of the same board.
#![no_main]

use libfuzzer_sys::fuzz_target;
use saavedra::chess::Board;

fuzz_target!(|text: &str| {
    if let Ok(board) = Board::from_fen(text) {
        let written = board.to_fen();
        let again = Board::from_fen(&written).expect("a written FEN is read");
        assert_eq!(again, board, "{written}");
        assert_eq!(board.key(), board.compute_key());
        assert!(board.legal_moves().len() <= 256);
    }
});
