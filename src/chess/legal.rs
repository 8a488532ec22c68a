//! Judging a single move: whether it is legal, why not, whether it gives check.

use super::castling::{self, CastlingFault};
use super::{Bitboard, Board, Color, Move, MoveKind, PieceKind, Square, attacks};
use std::fmt;

/// Why a move is not legal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IllegalReason {
    /// The text is not that of a move.
    NotAMove,
    /// Nothing stands on the square the move leaves.
    NoPiece,
    /// The piece belongs to the side that is not to move.
    NotYourPiece,
    /// The piece does not go there.
    CannotReach,
    /// A piece stands in the way.
    Blocked,
    /// A piece of the same side stands on the target.
    OwnPieceOnTarget,
    /// A pawn that arrives on the last rank must become something.
    PromotionMissing,
    /// The piece is no pawn arriving on the last rank, or a pawn cannot become this.
    PromotionWrong,
    /// No pawn has just passed there.
    EnPassantNotPossible,
    /// King or rook has moved, or the rook was captured.
    CastlingRightLost,
    /// A piece stands between king and rook or where they go.
    CastlingBlocked,
    /// The king is in check.
    CastlingOutOfCheck,
    /// The king would pass an attacked square.
    CastlingThroughCheck,
    /// The king would arrive in check.
    CastlingIntoCheck,
    /// The own king would be in check.
    LeavesKingInCheck,
}

impl fmt::Display for IllegalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            IllegalReason::NotAMove => "this is not the text of a move",
            IllegalReason::NoPiece => "no piece stands there",
            IllegalReason::NotYourPiece => "the piece belongs to the other side",
            IllegalReason::CannotReach => "the piece does not go there",
            IllegalReason::Blocked => "a piece stands in the way",
            IllegalReason::OwnPieceOnTarget => "an own piece stands on the target",
            IllegalReason::PromotionMissing => "the piece to promote to is missing",
            IllegalReason::PromotionWrong => "no such promotion is possible",
            IllegalReason::EnPassantNotPossible => "no pawn can be captured en passant there",
            IllegalReason::CastlingRightLost => "the right to castle is lost",
            IllegalReason::CastlingBlocked => "a piece stands in the way of castling",
            IllegalReason::CastlingOutOfCheck => "castling out of check",
            IllegalReason::CastlingThroughCheck => "castling through check",
            IllegalReason::CastlingIntoCheck => "castling into check",
            IllegalReason::LeavesKingInCheck => "it leaves the king in check",
        })
    }
}

/// A move that was refused: what, where and why. The position it was tried in is unchanged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IllegalMoveError {
    /// The move as text.
    pub text: String,
    /// The position, as FEN.
    pub fen: String,
    /// What is wrong with it.
    pub reason: IllegalReason,
}

impl fmt::Display for IllegalMoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "illegal move {}: {} ({})",
            self.text, self.reason, self.fen
        )
    }
}

impl std::error::Error for IllegalMoveError {}

impl Board {
    /// The position after a move, or why the move is not legal.
    ///
    /// # Errors
    /// Names the move, the position and the reason.
    pub fn try_make(&self, m: Move) -> Result<Board, IllegalMoveError> {
        match self.illegal_reason(m) {
            None => Ok(self.make(m)),
            Some(reason) => Err(self.refusal(&self.uci(m, true), reason)),
        }
    }

    /// The position after a move given as UCI text (`e2e4`, `e7e8q`; castling as `e1g1` or as king
    /// takes own rook).
    ///
    /// # Errors
    /// Names the move, the position and the reason.
    ///
    /// ```
    /// use saavedra::chess::{Board, IllegalReason};
    /// let refused = Board::startpos().try_make_uci("g1f4").unwrap_err();
    /// assert_eq!(refused.reason, IllegalReason::CannotReach);
    /// ```
    pub fn try_make_uci(&self, text: &str) -> Result<Board, IllegalMoveError> {
        self.parse_uci(text).map(|m| self.make(m))
    }

    pub(super) fn refusal(&self, text: &str, reason: IllegalReason) -> IllegalMoveError {
        IllegalMoveError {
            text: text.to_owned(),
            fen: self.to_fen(),
            reason,
        }
    }

    /// Whether a move, from wherever it may come, is legal here.
    #[inline]
    pub fn is_legal(&self, m: Move) -> bool {
        self.illegal_reason(m).is_none()
    }

    /// What is wrong with a move; `None` if it is legal.
    pub fn illegal_reason(&self, m: Move) -> Option<IllegalReason> {
        let (from, to) = (m.from(), m.to());
        if !self.us().all.has(from) {
            return Some(match self.them().all.has(from) {
                true => IllegalReason::NotYourPiece,
                false => IllegalReason::NoPiece,
            });
        }
        let kind = m.piece();
        if !self.us().pieces(kind).has(from) {
            // The move was made for another piece.
            return Some(match m.is_promotion() {
                true => IllegalReason::PromotionWrong,
                false => IllegalReason::CannotReach,
            });
        }
        if m.is_castling() {
            return self.castling_illegality(to);
        }
        if self.us().all.has(to) {
            return Some(IllegalReason::OwnPieceOnTarget);
        }
        let unreachable = match kind {
            PieceKind::Pawn => self.pawn_fault(m),
            _ => self.piece_fault(kind, from, to),
        };
        if unreachable.is_some() {
            return unreachable;
        }
        if m.is_en_passant() {
            // The en passant square is kept only for a legal capture, but perhaps not by this pawn.
            return (!self.en_passant_is_safe(from, to))
                .then_some(IllegalReason::LeavesKingInCheck);
        }
        let occupied = (self.occupied() ^ from.bitboard()) | to.bitboard();
        let king = if kind == PieceKind::King {
            to
        } else {
            self.us().king()
        };
        let attackers = self.them().attackers_to(!self.turn, king, occupied) & !to.bitboard();
        attackers.any().then_some(IllegalReason::LeavesKingInCheck)
    }

    fn castling_illegality(&self, rook: Square) -> Option<IllegalReason> {
        if !(self.castling & self.turn.back_rank()).has(rook) {
            return Some(IllegalReason::CastlingRightLost);
        }
        castling::fault(self, rook).map(|fault| match fault {
            CastlingFault::Blocked => IllegalReason::CastlingBlocked,
            CastlingFault::OutOfCheck => IllegalReason::CastlingOutOfCheck,
            CastlingFault::ThroughCheck => IllegalReason::CastlingThroughCheck,
            CastlingFault::IntoCheck => IllegalReason::CastlingIntoCheck,
        })
    }

    /// Whether a piece other than a pawn does not get there.
    fn piece_fault(&self, kind: PieceKind, from: Square, to: Square) -> Option<IllegalReason> {
        if attacks::of(kind, self.turn, from, self.occupied()).has(to) {
            None
        } else if attacks::of(kind, self.turn, from, Bitboard::EMPTY).has(to) {
            Some(IllegalReason::Blocked)
        } else {
            Some(IllegalReason::CannotReach)
        }
    }

    /// Whether a pawn does not get there, or not by this kind of move.
    fn pawn_fault(&self, m: Move) -> Option<IllegalReason> {
        let (from, to) = (m.from(), m.to());
        let last = (!self.turn).back_rank().has(to);
        let step: i8 = if self.turn == Color::White { 8 } else { -8 };
        let ahead = from.offset(step);
        let relative = from.relative_to(self.turn);
        match m.kind() {
            MoveKind::EnPassant => {
                let there = self.en_passant() == Some(to);
                return match there && attacks::pawn(self.turn, from).has(to) {
                    true => None,
                    false => Some(IllegalReason::EnPassantNotPossible),
                };
            }
            MoveKind::DoublePush => {
                if relative.rank() != 1 || to != ahead.offset(step) {
                    return Some(IllegalReason::CannotReach);
                }
                let occupied = self.occupied();
                return (occupied.has(ahead) || occupied.has(to)).then_some(IllegalReason::Blocked);
            }
            MoveKind::Promotion(_) if !last => return Some(IllegalReason::PromotionWrong),
            MoveKind::Normal(_) if last => return Some(IllegalReason::PromotionMissing),
            _ => {}
        }
        if to == ahead && relative.rank() < 7 {
            self.occupied().has(to).then_some(IllegalReason::Blocked)
        } else if attacks::pawn(self.turn, from).has(to) && self.them().all.has(to) {
            None
        } else {
            Some(IllegalReason::CannotReach)
        }
    }

    /// Whether a legal move gives check.
    #[inline]
    pub fn gives_check(&self, m: Move) -> bool {
        let MoveKind::Normal(kind) = m.kind() else {
            return self.make(m).in_check();
        };
        let (from, to) = (m.from(), m.to());
        let king = self.them().king();
        let occupied = (self.occupied() ^ from.bitboard()) | to.bitboard();
        if attacks::of(kind, self.turn, to, occupied).has(king) {
            return true;
        }
        let us = self.us();
        let stay = !from.bitboard();
        let straight = us.orthogonal_sliders() & stay & attacks::rook_rays(king);
        let diagonal = us.diagonal_sliders() & stay & attacks::bishop_rays(king);
        (straight.any() && (attacks::rook(king, occupied) & straight).any())
            || (diagonal.any() && (attacks::bishop(king, occupied) & diagonal).any())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASTLING: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table")]
    fn each_illegal_move_is_refused_for_its_reason() {
        use IllegalReason::*;
        let start = Board::startpos().to_fen();
        let cases = [
            (&*start, "e2", NotAMove),
            (&start, "", NotAMove),
            (&start, "0000", NotAMove),
            (&start, "e2e9", NotAMove),
            (&start, "e2e4x", NotAMove),
            (&start, "e2e4qq", NotAMove),
            (&start, "é2e4", NotAMove),
            (&start, "e4e5", NoPiece),
            (&start, "e7e5", NotYourPiece),
            (&start, "g1f4", CannotReach),
            (&start, "e2d3", CannotReach),
            (&start, "e2e5", CannotReach),
            (&start, "e2e2", OwnPieceOnTarget),
            (&start, "a1a2", OwnPieceOnTarget),
            (&start, "a1a4", Blocked),
            (&start, "f1b5", Blocked),
            (&start, "e2e4q", PromotionWrong),
            (&start, "g1f3q", PromotionWrong),
            (&start, "e1g1", CastlingBlocked),
            ("4k3/8/8/8/8/4p3/4P3/4K3 w - - 0 1", "e2e3", Blocked),
            ("4k3/8/8/8/8/4p3/4P3/4K3 w - - 0 1", "e2e4", Blocked),
            ("4k3/8/8/8/4p3/8/4P3/4K3 w - - 0 1", "e2e4", Blocked),
            ("4k3/8/8/8/8/4P3/8/4K3 w - - 0 1", "e3e5", CannotReach),
            ("8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a7a8", PromotionMissing),
            ("8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a7a8k", PromotionMissing),
            (
                "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1",
                "e5d6",
                EnPassantNotPossible,
            ),
            (
                "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
                "e5f6",
                EnPassantNotPossible,
            ),
            (
                "8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1",
                "e5d6",
                EnPassantNotPossible,
            ),
            (
                "4r1k1/8/8/2PpP3/8/8/8/4K3 w - d6 0 1",
                "e5d6",
                LeavesKingInCheck,
            ),
            (
                "r3k2r/8/8/8/8/8/8/R3K2R w Qkq - 0 1",
                "e1g1",
                CastlingRightLost,
            ),
            (
                "r3k2r/8/8/8/8/8/8/R3K2R w Qkq - 0 1",
                "e1h1",
                CastlingRightLost,
            ),
            ("4k3/8/8/8/8/8/8/RN2K3 w Q - 0 1", "e1c1", CastlingBlocked),
            (
                "4r1k1/8/8/8/8/8/8/R3K2R w KQ - 0 1",
                "e1g1",
                CastlingOutOfCheck,
            ),
            (
                "5rk1/8/8/8/8/8/8/R3K2R w KQ - 0 1",
                "e1g1",
                CastlingThroughCheck,
            ),
            (
                "3r2k1/8/8/8/8/8/8/R3K2R w KQ - 0 1",
                "e1c1",
                CastlingThroughCheck,
            ),
            (
                "2k3r1/8/8/8/8/8/8/R3K2R w KQ - 0 1",
                "e1g1",
                CastlingIntoCheck,
            ),
            (
                "4k3/8/8/8/8/8/8/qRK4R w BH - 0 1",
                "c1b1",
                CastlingIntoCheck,
            ),
            (
                "4r1k1/8/8/8/8/8/4R3/4K3 w - - 0 1",
                "e2d2",
                LeavesKingInCheck,
            ),
            ("4k3/8/8/8/8/8/r7/4K3 w - - 0 1", "e1e2", LeavesKingInCheck),
            (
                "4k3/8/8/8/8/8/4r3/4K2R w - - 0 1",
                "h1h2",
                LeavesKingInCheck,
            ),
        ];
        for (fen, text, reason) in cases {
            let board = Board::from_fen(fen).unwrap();
            let error = board.try_make_uci(text).unwrap_err();
            assert_eq!(error.reason, reason, "{text}: {fen}");
            assert_eq!((error.text.as_str(), &error.fen), (text, &board.to_fen()));
            let message = error.to_string();
            assert!(
                message.contains(&reason.to_string()) && message.contains(&board.to_fen()),
                "{message}"
            );
        }
    }

    #[test]
    fn moves_of_other_positions_are_judged_for_this_one() {
        let board = Board::from_fen(CASTLING).unwrap();
        let other = |from, to, kind| Move::new(from, to, kind);
        let cases = [
            (other(Square::E1, Square::H1, MoveKind::Castling), None),
            (
                other(Square::E1, Square::G1, MoveKind::Castling),
                Some(IllegalReason::CastlingRightLost),
            ),
            (
                other(Square::A1, Square::B1, MoveKind::Normal(PieceKind::Queen)),
                Some(IllegalReason::CannotReach),
            ),
            (
                other(Square::E1, Square::E2, MoveKind::DoublePush),
                Some(IllegalReason::CannotReach),
            ),
            (
                other(
                    Square::A1,
                    Square::A8,
                    MoveKind::Promotion(PieceKind::Queen),
                ),
                Some(IllegalReason::PromotionWrong),
            ),
            (
                other(Square::A1, Square::A8, MoveKind::Normal(PieceKind::Rook)),
                None,
            ),
        ];
        for (m, reason) in cases {
            assert_eq!(board.illegal_reason(m), reason, "{m:?}");
            assert_eq!(
                board.try_make(m).map_err(|error| error.reason).err(),
                reason,
                "{m:?}"
            );
        }
    }
}
