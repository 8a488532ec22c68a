//! Polyglot books: only legal moves are played.
#![no_main]

use libfuzzer_sys::fuzz_target;
use saavedra::book::Book;
use saavedra::chess::Board;

fuzz_target!(|bytes: &[u8]| {
    let book = Book::from_bytes(bytes);
    let mut board = Board::startpos();
    for _ in 0..20 {
        let moves = book.moves(&board, None);
        assert!(moves.iter().all(|known| board.is_legal(known.m)));
        let Some(first) = moves.first() else { break };
        board = board.make(first.m);
    }
});
