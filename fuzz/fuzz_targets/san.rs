//! Moves in SAN and UCI notation, one a line, after a FEN in the first line or from the start
//! position: a move that is accepted is legal and is written so that it is read as itself.
#![no_main]

use libfuzzer_sys::fuzz_target;
use saavedra::chess::Board;

fuzz_target!(|text: &str| {
    let (first, moves) = text.split_once('\n').unwrap_or(("", text));
    let mut board = Board::from_fen(first).unwrap_or_else(|_| Board::startpos());
    for line in moves.lines().take(100) {
        let parsed = board.parse_san(line).ok().or_else(|| board.parse_uci(line).ok());
        let Some(m) = parsed else { continue };
        assert!(board.is_legal(m), "{line}");
        assert_eq!(board.parse_san(&board.san(m)), Ok(m), "{line}");
        for chess960 in [false, true] {
            let uci = board.uci(m, chess960);
            assert_eq!(board.parse_uci(&uci).ok(), Some(m), "{line}: {uci}");
        }
        board = board.make(m);
    }
});
