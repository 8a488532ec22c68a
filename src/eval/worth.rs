//! What each piece is worth: by how much the evaluation falls without it.

use super::wdl::normalised_cp;
use super::{Evaluation, Evaluator};
use crate::chess::{Board, Color, Piece, Square, parse_fen};
use std::fmt;

/// What a piece is worth where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Worth {
    /// Where it stands.
    pub square: Square,
    /// The piece.
    pub piece: Piece,
    /// By how much the evaluation falls for its owner without it, in normalised centipawns. Nothing
    /// for kings,
    /// and where the position without the piece would be impossible.
    pub value: Option<i32>,
}

impl fmt::Display for Worth {
    /// `Nf3 3.12`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = self.piece.kind.letter().to_ascii_uppercase();
        write!(f, "{letter}{}", self.square)?;
        match self.value {
            Some(value) => write!(f, " {:.2}", f64::from(value) / 100.0),
            None => Ok(()),
        }
    }
}

/// The worth of all pieces, from a1 to h8.
pub fn worths(board: &Board, evaluation: &Evaluation) -> Vec<Worth> {
    let mut evaluator = Evaluator::new(evaluation, 0);
    let mut white_score = |board: &Board| match board.turn() {
        Color::White => evaluator.evaluate(0, board),
        Color::Black => -evaluator.evaluate(0, board),
    };
    let whole = white_score(board);
    let mut worths = Vec::new();
    for square in board.occupied() {
        let Some(piece) = board.piece_at(square) else {
            continue;
        };
        let value = without(board, square).map(|less| {
            let fall = normalised_cp(whole - white_score(&less));
            match piece.color {
                Color::White => fall,
                Color::Black => -fall,
            }
        });
        worths.push(Worth {
            square,
            piece,
            value,
        });
    }
    worths
}

/// One side's pieces in a line, the most valuable first, without those that have no value.
pub fn worths_text(worths: &[Worth], color: Color) -> String {
    let own = |worth: &&Worth| worth.piece.color == color && worth.value.is_some();
    let mut valued: Vec<&Worth> = worths.iter().filter(own).collect();
    valued.sort_by_key(|worth| std::cmp::Reverse(worth.value));
    let texts: Vec<String> = valued.iter().map(|worth| worth.to_string()).collect();
    texts.join("  ")
}

/// The position without what stands on a square, if it is possible.
fn without(board: &Board, square: Square) -> Option<Board> {
    let mut setup = parse_fen(&board.to_fen()).ok()?;
    setup.set_piece(square, None);
    let (board, _) = setup.to_board().ok()?;
    Some(board)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::PieceKind;

    #[test]
    fn every_piece_is_worth_something_to_its_owner() {
        let worths = worths(&Board::startpos(), &Evaluation::PieceSquare);
        assert_eq!(worths.len(), 32);
        for worth in &worths {
            let is_king = worth.piece.kind == PieceKind::King;
            assert_eq!(worth.value.is_none(), is_king, "{}", worth.square);
            assert!(worth.value.is_none_or(|value| value > 0), "{worth}");
        }
        assert!(worths_text(&worths, Color::Black).starts_with("Qd8 "));
    }
}
