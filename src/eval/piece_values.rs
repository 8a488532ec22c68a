//! The value of each piece in a position: by how much the evaluation falls without it.

use super::wdl::normalised_cp;
use super::{Evaluation, Evaluator};
use crate::chess::{Board, Color, Piece, Setup, Square};
use std::fmt;

/// The value of a piece on its square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceValue {
    /// The piece's square.
    pub square: Square,
    /// The piece.
    pub piece: Piece,
    /// By how much the evaluation falls for its owner without it, in normalised centipawns. `None`
    /// for kings, and if the position without the piece is illegal.
    pub value: Option<i32>,
}

impl fmt::Display for PieceValue {
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

/// The values of all pieces, from a1 to h8.
pub fn piece_values(board: &Board, evaluation: &Evaluation) -> Vec<PieceValue> {
    let mut evaluator = Evaluator::new(evaluation, 0);
    let mut white_score = |board: &Board| match board.turn() {
        Color::White => evaluator.evaluate(0, board),
        Color::Black => -evaluator.evaluate(0, board),
    };
    let score = white_score(board);
    let mut values = Vec::new();
    for square in board.occupied() {
        let Some(piece) = board.piece_at(square) else {
            continue;
        };
        let value = without(board, square).map(|removed| {
            let fall = normalised_cp(score - white_score(&removed));
            match piece.color {
                Color::White => fall,
                Color::Black => -fall,
            }
        });
        values.push(PieceValue { square, piece, value });
    }
    values
}

/// One side's pieces on one line, the most valuable first; pieces without a value are left out.
pub fn piece_values_text(values: &[PieceValue], color: Color) -> String {
    let is_shown = |value: &&PieceValue| value.piece.color == color && value.value.is_some();
    let mut shown: Vec<&PieceValue> = values.iter().filter(is_shown).collect();
    shown.sort_by_key(|value| std::cmp::Reverse(value.value));
    let texts: Vec<String> = shown.iter().map(|value| value.to_string()).collect();
    texts.join("  ")
}

/// The position without the piece on `square`, if it is legal.
fn without(board: &Board, square: Square) -> Option<Board> {
    let mut setup = Setup::from(board);
    setup.set_piece(square, None);
    let (board, _) = setup.to_board().ok()?;
    Some(board)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::PieceKind;

    #[test]
    fn every_piece_has_a_positive_value() {
        let values = piece_values(&Board::startpos(), &Evaluation::PieceSquare);
        assert_eq!(values.len(), 32);
        for value in &values {
            let is_king = value.piece.kind == PieceKind::King;
            assert_eq!(value.value.is_none(), is_king, "{}", value.square);
            assert!(value.value.is_none_or(|value| value > 0), "{value}");
        }
        assert!(piece_values_text(&values, Color::Black).starts_with("Qd8 "));
    }
}
