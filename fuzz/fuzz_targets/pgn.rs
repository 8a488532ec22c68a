//! PGN: what is written is read again as the same text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use saavedra::chess::Board;
use saavedra::formats::{by_name, pgn::Reader};

/// Control characters that stand for legal moves.
const MOVES: std::ops::RangeInclusive<u8> = 0x0E..=0x1F;

/// The PGN of an input in which control characters stand for legal moves of the main line or the
/// variation, so that short inputs have long games.
fn game(input: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    // The position and the one before it.
    let mut line = (Board::startpos(), Board::startpos());
    let mut outer = Vec::new();
    for byte in input {
        match byte {
            b'(' => {
                outer.push(line);
                line = (line.1, line.1);
            }
            b')' => line = outer.pop().unwrap_or(line),
            byte if MOVES.contains(byte) => {
                let (board, _) = line;
                let moves = board.legal_moves();
                let index = 7 * usize::from(byte - MOVES.start());
                if let Some(m) = moves.get(index % moves.len().max(1)) {
                    text.extend_from_slice(board.san(*m).as_bytes());
                    text.push(b' ');
                    line = (board.make(*m), board);
                }
                continue;
            }
            _ => {}
        }
        text.push(*byte);
    }
    text
}

fuzz_target!(|input: &[u8]| {
    let format = by_name("pgn").expect("a format");
    for document in Reader::new(game(input).as_slice()).take(20).flatten() {
        let written = format.export(&document);
        let again = format.import(&written).expect("own PGN");
        assert_eq!(format.export(&again), written);
    }
    // Games that are not refused for what is in them.
    let kept = |text: &[u8]| Reader::new(text).keep_everything().flatten().next();
    if let Some(document) = kept(input) {
        let written = format.export(&document);
        let again = kept(written.as_bytes()).expect("own PGN");
        assert_eq!(format.export(&again), written);
    }
});
