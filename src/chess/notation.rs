//! Moves as the text of UCI: `e2e4`, `e7e8q`, `e1g1`.

use super::castling::castled_squares;
use super::{Board, IllegalMoveError, IllegalReason, Move, MoveKind, PieceKind, Square};

impl Board {
    /// The UCI text of a move of this position.
    ///
    /// Castling is written as the king's step (`e1g1`) unless `chess960` is set or king and rook
    /// do not stand as in standard chess; then as king takes own rook (`e1h1`).
    pub fn uci(&self, m: Move, chess960: bool) -> String {
        let (from, mut to) = (m.from(), m.to());
        if m.is_castling() && !chess960 && from.file() == 4 && matches!(to.file(), 0 | 7) {
            to = castled_squares(from, to).0;
        }
        match m.promotion() {
            Some(kind) => format!("{from}{to}{}", kind.letter()),
            None => format!("{from}{to}"),
        }
    }

    /// Reads the UCI text of a legal move; castling in either spelling.
    ///
    /// # Errors
    /// Names the text, the position and why it is no legal move.
    pub fn parse_uci(&self, text: &str) -> Result<Move, IllegalMoveError> {
        let Some((from, to, promotion)) = split(text) else {
            return Err(self.refusal(text, IllegalReason::NotAMove));
        };
        let m = self.move_between(from, to, promotion);
        match self.illegal_reason(m) {
            None if m.is_promotion() != promotion.is_some() => {
                Err(self.refusal(text, IllegalReason::PromotionWrong))
            }
            None => Ok(m),
            Some(reason) => Err(self.refusal(text, reason)),
        }
    }

    /// What a move between two squares must be here, legal or not.
    fn move_between(&self, from: Square, to: Square, promotion: Option<PieceKind>) -> Move {
        let Some(kind) = self.us().piece_at(from) else {
            // Nothing of ours there: any kind will be refused for that.
            return Move::new(from, to, MoveKind::Normal(PieceKind::Queen));
        };
        let kind = match (kind, promotion) {
            (PieceKind::Pawn, Some(piece)) if PieceKind::PROMOTIONS.contains(&piece) => {
                MoveKind::Promotion(piece)
            }
            (PieceKind::King, _) => return self.king_move(from, to),
            (PieceKind::Pawn, _) if from.rank().abs_diff(to.rank()) == 2 => MoveKind::DoublePush,
            (PieceKind::Pawn, _)
                if from.file() != to.file()
                    && !self.occupied().has(to)
                    && self.passes(from, to) =>
            {
                MoveKind::EnPassant
            }
            (kind, _) => MoveKind::Normal(kind),
        };
        Move::new(from, to, kind)
    }

    /// Whether a pawn's step is a diagonal one from the rank where en passant happens.
    fn passes(&self, from: Square, to: Square) -> bool {
        from.relative_to(self.turn()).rank() == 4 && super::attacks::pawn(self.turn(), from).has(to)
    }

    /// A king's move: castling if it takes its own rook, or if it steps where castling ends and
    /// could not go there by itself.
    fn king_move(&self, from: Square, to: Square) -> Move {
        let step = Move::new(from, to, MoveKind::Normal(PieceKind::King));
        if self.us().pieces(PieceKind::Rook).has(to) {
            return Move::new(from, to, MoveKind::Castling);
        }
        let home = from.relative_to(self.turn()).rank() == 0 && from.rank() == to.rank();
        if !home || !matches!(to.file(), 2 | 6) || (from.distance(to) <= 1 && self.is_legal(step)) {
            return step;
        }
        let rights = self.castling_rights() & self.turn().back_rank();
        let wing = rights
            .into_iter()
            .find(|rook| castled_squares(from, *rook).0 == to);
        match wing {
            Some(rook) => Move::new(from, rook, MoveKind::Castling),
            // Without the right: name the rook that would be meant, so that the reason is exact.
            None if from.distance(to) > 1 && from.file() == 4 => {
                let file = if to.file() == 6 { 7 } else { 0 };
                Move::new(from, Square::at(file, from.rank()), MoveKind::Castling)
            }
            None => step,
        }
    }
}

/// Splits `e7e8q` into its squares and promotion.
fn split(text: &str) -> Option<(Square, Square, Option<PieceKind>)> {
    let from = text.get(0..2)?.parse().ok()?;
    let to = text.get(2..4)?.parse().ok()?;
    let promotion = match text.as_bytes().get(4..)? {
        [] => None,
        [letter] => Some(PieceKind::from_letter(
            char::from(*letter).to_ascii_lowercase(),
        )?),
        _ => return None,
    };
    Some((from, to, promotion))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn castling_is_written_as_the_gui_wants_it_and_read_both_ways() {
        let cases = [
            // FEN, rook, standard notation, Chess960.
            (
                "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
                Square::H1,
                "e1g1",
                "e1h1",
            ),
            (
                "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
                Square::A1,
                "e1c1",
                "e1a1",
            ),
            (
                "r3k2r/8/8/8/8/8/8/4K3 b kq - 0 1",
                Square::A8,
                "e8c8",
                "e8a8",
            ),
            // Standard notation has no word for these.
            (
                "4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1",
                Square::G1,
                "e1g1",
                "e1g1",
            ),
            (
                "4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1",
                Square::B1,
                "e1b1",
                "e1b1",
            ),
            (
                "2k5/8/8/8/8/8/8/R4K1R w HA - 0 1",
                Square::H1,
                "f1h1",
                "f1h1",
            ),
            (
                "2k5/8/8/8/8/8/8/RK5R w HA - 0 1",
                Square::A1,
                "b1a1",
                "b1a1",
            ),
        ];
        for (fen, rook, standard, chess960) in cases {
            let board = Board::from_fen(fen).unwrap();
            let m = Move::new(board.us().king(), rook, MoveKind::Castling);
            assert!(board.is_legal(m), "{fen}");
            assert_eq!(board.uci(m, false), standard, "{fen}");
            assert_eq!(board.uci(m, true), chess960, "{fen}");
            assert_eq!(board.parse_uci(standard), Ok(m), "{fen}");
            assert_eq!(board.parse_uci(chess960), Ok(m), "{fen}");
        }
    }

    #[test]
    fn a_step_of_the_king_is_a_step_wherever_it_can_go_there() {
        // From f1 the king both steps to g1 and castles there.
        let board = Board::from_fen("2k5/8/8/8/8/8/8/R4K1R w HA - 0 1").unwrap();
        let step = board.parse_uci("f1g1").unwrap();
        assert_eq!(step.kind(), MoveKind::Normal(PieceKind::King));
        assert!(board.parse_uci("f1h1").unwrap().is_castling());
    }

    #[test]
    fn promotions_have_their_letter_in_either_case() {
        let board = Board::from_fen("8/P6k/8/8/8/8/8/4K3 w - - 0 1").unwrap();
        let queen = Move::new(
            Square::A7,
            Square::A8,
            MoveKind::Promotion(PieceKind::Queen),
        );
        assert_eq!(board.uci(queen, false), "a7a8q");
        assert_eq!(board.parse_uci("a7a8q"), Ok(queen));
        assert_eq!(board.parse_uci("a7a8Q"), Ok(queen));
    }
}
