//! Single moves: whether a move is legal, why it is not, whether it gives check.

use super::castling;
use super::{Bitboard, Board, CastlingNotation, Move, MoveKind, PieceKind, Rank, Square, attacks};
use alloc::borrow::ToOwned;
use alloc::string::String;
use core::fmt;

/// Why a move is not legal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IllegalReason {
    /// The text is not a move.
    NotAMove,
    /// The origin square is empty.
    NoPiece,
    /// The piece on the origin square belongs to the opponent.
    NotYourPiece,
    /// A piece of this kind cannot move there.
    CannotReach,
    /// A piece stands in the way.
    Blocked,
    /// A piece of the same side stands on the target square.
    OwnPieceOnTarget,
    /// A pawn reaches the last rank, but the move names no piece to promote to.
    PromotionMissing,
    /// The move is no pawn move to the last rank, or a pawn cannot promote to this kind.
    PromotionWrong,
    /// No pawn can be captured en passant on the target square.
    EnPassantNotPossible,
    /// There is no castling right: king or rook has moved, or the rook was captured.
    CastlingRightLost,
    /// A piece stands on a square that king or rook crosses or reaches.
    CastlingBlocked,
    /// The king is in check.
    CastlingOutOfCheck,
    /// The king would cross an attacked square.
    CastlingThroughCheck,
    /// The king would reach an attacked square.
    CastlingIntoCheck,
    /// The king of the side to move would be in check after the move.
    LeavesKingInCheck,
}

impl fmt::Display for IllegalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            IllegalReason::NotAMove => "this is not the text of a move",
            IllegalReason::NoPiece => "no piece stands there",
            IllegalReason::NotYourPiece => "the piece belongs to the other side",
            IllegalReason::CannotReach => "that piece cannot move there",
            IllegalReason::Blocked => "a piece stands in the way",
            IllegalReason::OwnPieceOnTarget => "the target holds a piece of the same side",
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

/// An illegal move: the move, the position and the reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IllegalMoveError {
    /// The text of the move.
    pub text: String,
    /// The FEN of the position.
    pub fen: String,
    /// Why the move is illegal.
    pub reason: IllegalReason,
}

impl fmt::Display for IllegalMoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // More of a long text would hide the reason from those who see only the start of the
        // message.
        const MAX_SHOWN: usize = 20;
        let (shown, ellipsis) = match self.text.char_indices().nth(MAX_SHOWN) {
            Some((end, _)) => (&self.text[..end], "…"),
            None => (&*self.text, ""),
        };
        let (reason, fen) = (self.reason, &self.fen);
        write!(f, "illegal move {shown}{ellipsis}: {reason} ({fen})")
    }
}

impl core::error::Error for IllegalMoveError {}

impl Board {
    /// The position after a move that may be illegal.
    ///
    /// # Errors
    /// The move is not legal. The error contains move, position and reason.
    pub fn try_make(&self, m: Move) -> Result<Board, IllegalMoveError> {
        match self.illegal_reason(m) {
            None => Ok(self.make(m)),
            Some(reason) => {
                Err(self.illegal_move_error(&self.uci(m, CastlingNotation::KingTakesRook), reason))
            }
        }
    }

    /// The position after a move given in the notation of UCI: `e2e4`, `e7e8q`, castling as `e1g1`
    /// or as king takes own rook.
    ///
    /// # Errors
    /// The text is not a move, or the move is not legal. The error contains text, position and
    /// reason.
    ///
    /// ```
    /// use saavedra_chess::{Board, IllegalReason};
    /// let error = Board::startpos().try_make_uci("g1f4").unwrap_err();
    /// assert_eq!(error.reason, IllegalReason::CannotReach);
    /// ```
    pub fn try_make_uci(&self, text: &str) -> Result<Board, IllegalMoveError> {
        self.parse_uci(text).map(|m| self.make(m))
    }

    pub(super) fn illegal_move_error(&self, text: &str, reason: IllegalReason) -> IllegalMoveError {
        IllegalMoveError { text: text.to_owned(), fen: self.to_fen(), reason }
    }

    /// Whether a move is legal in this position. Any move may be given, such as one from a hash
    /// table.
    #[inline]
    pub fn is_legal(&self, m: Move) -> bool {
        self.illegal_reason(m).is_none()
    }

    /// Why a move is illegal in this position; `None` if it is legal.
    pub fn illegal_reason(&self, m: Move) -> Option<IllegalReason> {
        let (from, to) = (m.from(), m.to());
        if !self.us().all.has(from) {
            return Some(if self.them().all.has(from) {
                IllegalReason::NotYourPiece
            } else {
                IllegalReason::NoPiece
            });
        }
        let kind = m.piece();
        if !self.us().pieces(kind).has(from) {
            // The piece cannot make a move of this kind.
            return Some(if m.is_promotion() {
                IllegalReason::PromotionWrong
            } else {
                IllegalReason::CannotReach
            });
        }
        if m.is_castling() {
            return self.castling_illegal_reason(to);
        }
        if self.us().all.has(to) {
            return Some(IllegalReason::OwnPieceOnTarget);
        }
        let not_pseudo_legal = match kind {
            PieceKind::Pawn => self.pawn_illegal_reason(m),
            _ => self.piece_illegal_reason(kind, from, to),
        };
        if not_pseudo_legal.is_some() {
            return not_pseudo_legal;
        }
        if m.is_en_passant() {
            // There is a legal en passant capture, but perhaps by another pawn.
            return (!self.is_en_passant_legal(from, to))
                .then_some(IllegalReason::LeavesKingInCheck);
        }
        (!self.keeps_king_safe(m)).then_some(IllegalReason::LeavesKingInCheck)
    }

    /// Whether the king is not in check after a pseudo-legal move, other than castling and en
    /// passant captures.
    #[inline]
    pub(super) fn keeps_king_safe(&self, m: Move) -> bool {
        let (from, to) = (m.from(), m.to());
        let occupied = (self.occupied() ^ from.bitboard()) | to.bitboard();
        let king = if m.piece() == PieceKind::King { to } else { self.us().king() };
        let attackers = self.them().attackers_to(!self.turn, king, occupied);
        (attackers & !to.bitboard()).is_empty()
    }

    fn castling_illegal_reason(&self, rook: Square) -> Option<IllegalReason> {
        if !(self.castling & self.turn.back_rank()).has(rook) {
            return Some(IllegalReason::CastlingRightLost);
        }
        castling::illegal_reason(self, rook)
    }

    /// Why a move of a piece other than a pawn is not pseudo-legal.
    fn piece_illegal_reason(
        &self,
        kind: PieceKind,
        from: Square,
        to: Square,
    ) -> Option<IllegalReason> {
        if attacks::of(kind, self.turn, from, self.occupied()).has(to) {
            None
        } else if attacks::of(kind, self.turn, from, Bitboard::EMPTY).has(to) {
            Some(IllegalReason::Blocked)
        } else {
            Some(IllegalReason::CannotReach)
        }
    }

    /// Why a move of a pawn is not pseudo-legal.
    fn pawn_illegal_reason(&self, m: Move) -> Option<IllegalReason> {
        let (from, to) = (m.from(), m.to());
        let is_last_rank = (!self.turn).back_rank().has(to);
        let push = self.turn.pawn_push();
        let single_push = from.offset(push);
        let rank = from.rank().relative_to(self.turn);
        match m.kind() {
            MoveKind::EnPassant => {
                let is_target = self.en_passant() == Some(to);
                return if is_target && attacks::pawn(self.turn, from).has(to) {
                    None
                } else {
                    Some(IllegalReason::EnPassantNotPossible)
                };
            }
            MoveKind::DoublePush => {
                if rank != Rank::Second || to != single_push.offset(push) {
                    return Some(IllegalReason::CannotReach);
                }
                let occupied = self.occupied();
                return (occupied.has(single_push) || occupied.has(to))
                    .then_some(IllegalReason::Blocked);
            }
            MoveKind::Promotion(_) if !is_last_rank => return Some(IllegalReason::PromotionWrong),
            MoveKind::Normal(_) if is_last_rank => return Some(IllegalReason::PromotionMissing),
            _ => {}
        }
        if to == single_push && rank != Rank::Eighth {
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
        let kind = match m.kind() {
            MoveKind::Normal(kind) => kind,
            MoveKind::DoublePush => PieceKind::Pawn,
            _ => return self.make(m).in_check(),
        };
        let (from, to) = (m.from(), m.to());
        let king = self.them().king();
        let occupied = (self.occupied() ^ from.bitboard()) | to.bitboard();
        if attacks::of(kind, self.turn, to, occupied).has(king) {
            return true;
        }
        // Discovered check.
        let us = self.us();
        let others = !from.bitboard();
        let orthogonal = us.orthogonal_sliders() & others & attacks::rook_rays(king);
        let diagonal = us.diagonal_sliders() & others & attacks::bishop_rays(king);
        (orthogonal.any() && (attacks::rook(king, occupied) & orthogonal).any())
            || (diagonal.any() && (attacks::bishop(king, occupied) & diagonal).any())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    const CASTLING: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";

    #[test]
    fn the_message_about_a_long_text_gives_the_reason() {
        let text = "é".repeat(10_000);
        let error = Board::startpos().try_make_uci(&text).unwrap_err();
        let message = error.to_string();
        assert!(message.contains(&error.reason.to_string()), "{message}");
        assert!(message.chars().count() < 200, "{message}");
        assert_eq!(error.text, text);
    }

    #[test]
    fn illegal_moves_have_the_right_reason() {
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
            ("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", "e5d6", EnPassantNotPossible),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5f6", EnPassantNotPossible),
            ("8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1", "e5d6", EnPassantNotPossible),
            ("4r1k1/8/8/2PpP3/8/8/8/4K3 w - d6 0 1", "e5d6", LeavesKingInCheck),
            ("r3k2r/8/8/8/8/8/8/R3K2R w Qkq - 0 1", "e1g1", CastlingRightLost),
            ("r3k2r/8/8/8/8/8/8/R3K2R w Qkq - 0 1", "e1h1", CastlingRightLost),
            ("4k3/8/8/8/8/8/8/RN2K3 w Q - 0 1", "e1c1", CastlingBlocked),
            ("4r1k1/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", CastlingOutOfCheck),
            ("5rk1/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", CastlingThroughCheck),
            ("3r2k1/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1c1", CastlingThroughCheck),
            ("2k3r1/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", CastlingIntoCheck),
            ("4k3/8/8/8/8/8/8/qRK4R w BH - 0 1", "c1b1", CastlingIntoCheck),
            ("4r1k1/8/8/8/8/8/4R3/4K3 w - - 0 1", "e2d2", LeavesKingInCheck),
            ("4k3/8/8/8/8/8/r7/4K3 w - - 0 1", "e1e2", LeavesKingInCheck),
            ("4k3/8/8/8/8/8/4r3/4K2R w - - 0 1", "h1h2", LeavesKingInCheck),
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
    fn moves_of_other_positions_are_checked() {
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
            (other(Square::E1, Square::E2, MoveKind::DoublePush), Some(IllegalReason::CannotReach)),
            (
                other(Square::A1, Square::A8, MoveKind::Promotion(PieceKind::Queen)),
                Some(IllegalReason::PromotionWrong),
            ),
            (other(Square::A1, Square::A8, MoveKind::Normal(PieceKind::Rook)), None),
        ];
        for (m, reason) in cases {
            assert_eq!(board.illegal_reason(m), reason, "{m:?}");
            assert_eq!(board.try_make(m).map_err(|error| error.reason).err(), reason, "{m:?}");
        }
    }
}
