//! The optional features `serde` and `arbitrary` of `saavedra-chess`.

use arbitrary::{Arbitrary, Unstructured};
use saavedra::chess::{Board, UciMove};

#[test]
fn boards_are_fens_and_moves_are_uci_text_in_serde() {
    let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 7";
    let board: Board = serde_json::from_value(fen.into()).expect("a position");
    assert_eq!(board.to_fen(), fen);
    assert_eq!(serde_json::to_value(board).expect("a value"), fen);
    for text in ["e1g1", "a1a8", "a7a8q"] {
        let m: Result<UciMove, _> = serde_json::from_value(text.into());
        let written = m.map(|m| serde_json::to_value(m).expect("a value"));
        assert_eq!(written.ok(), Some(text.into()), "{text}");
    }
    for refused in ["", "8/8/8/8/8/8/8/8 w - - 0 1", "k7/8/8/8/8/8/8/K6 w - - 0 1"] {
        let error = serde_json::from_value::<Board>(refused.into()).expect_err("refused");
        assert_eq!(Some(error.to_string()), Board::from_fen(refused).err().map(|e| e.to_string()));
    }
    serde_json::from_value::<UciMove>("e9e4".into()).expect_err("no square");
}

proptest::proptest! {
    #[test]
    fn arbitrary_boards_are_valid(bytes: Vec<u8>) {
        if let Ok(board) = Board::arbitrary(&mut Unstructured::new(&bytes)) {
            let again = Board::from_fen(&board.to_fen());
            assert_eq!(again.as_ref(), Ok(&board));
        }
    }
}
