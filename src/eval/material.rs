//! Counting pieces, the least an evaluation can know.

use crate::chess::{Board, PieceKind, Side};

/// What pawn, knight, bishop, rook, queen and king count, in centipawns
/// (<https://en.wikipedia.org/wiki/Chess_piece_relative_value>).
const VALUES: [i32; 6] = [100, 300, 300, 500, 900, 0];

/// Centipawns for the side to move.
pub fn evaluate(board: &Board) -> i32 {
    let count = |side: &Side| -> i32 {
        PieceKind::ALL
            .into_iter()
            .zip(VALUES)
            .map(|(kind, value)| value * side.pieces(kind).count() as i32)
            .sum()
    };
    count(board.us()) - count(board.them())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_count_for_their_side_wherever_they_stand() {
        let cases = [
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                0,
            ),
            ("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1", 900),
            ("4k3/8/8/8/8/8/8/Q3K3 b - - 0 1", -900),
            ("r3k3/p7/8/8/8/8/8/1NB1K3 w - - 0 1", 0),
        ];
        for (fen, expected) in cases {
            assert_eq!(evaluate(&Board::from_fen(fen).unwrap()), expected, "{fen}");
        }
    }
}
