//! Material count, the simplest evaluation.

use crate::chess::{Board, PieceKind, Side};

/// The values of pawn, knight, bishop, rook, queen and king in centipawns
/// (<https://www.chessprogramming.org/Point_Value>).
const VALUES: [i32; 6] = [100, 300, 300, 500, 900, 0];

/// The material balance in centipawns from the side to move's view.
pub fn evaluate(board: &Board) -> i32 {
    let material = |side: &Side| -> i32 {
        PieceKind::ALL
            .into_iter()
            .zip(VALUES)
            .map(|(kind, value)| value * side.pieces(kind).count() as i32)
            .sum()
    };
    material(board.us()) - material(board.them())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn material_counts_on_every_square() {
        let cases = [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0),
            ("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1", 900),
            ("4k3/8/8/8/8/8/8/Q3K3 b - - 0 1", -900),
            ("r3k3/p7/8/8/8/8/8/1NB1K3 w - - 0 1", 0),
        ];
        for (fen, expected) in cases {
            assert_eq!(evaluate(&Board::from_fen(fen).unwrap()), expected, "{fen}");
        }
    }
}
