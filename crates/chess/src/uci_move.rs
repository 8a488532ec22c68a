//! Moves as the text of UCI: `e2e4`, `e7e8q`, `e1g1`.

use super::castling::castled_squares;
use super::{
    Board, File, IllegalMoveError, IllegalReason, Move, MoveKind, PieceKind, Rank, Square, attacks,
};
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::string::ToString;
use core::fmt;
use core::str::FromStr;

/// How castling is written in UCI notation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum CastlingNotation {
    /// As the king's move (`e1g1`), unless king and rook do not stand as in standard chess.
    #[default]
    Standard,
    /// As king takes own rook (`e1h1`), as in Chess960.
    KingTakesRook,
}

impl From<bool> for CastlingNotation {
    /// The notation of Chess960, or of standard chess.
    fn from(chess960: bool) -> CastlingNotation {
        if chess960 { CastlingNotation::KingTakesRook } else { CastlingNotation::Standard }
    }
}

/// A move as UCI writes it: origin, target and promotion. Whether it is legal in a position is
/// checked by [`Board::find_move`].
///
/// ```
/// use saavedra_chess::{Board, PieceKind, UciMove};
/// let uci: UciMove = "e7e8q".parse()?;
/// assert_eq!(uci.promotion, Some(PieceKind::Queen));
/// assert_eq!(uci.to_string(), "e7e8q");
/// assert!(Board::startpos().find_move(uci).is_err());
/// # Ok::<(), saavedra_chess::ParseUciMoveError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct UciMove {
    /// The origin square.
    pub from: Square,
    /// The target square. For castling, the king's (`e1g1`) or the rook's (`e1h1`).
    pub to: Square,
    /// The kind that the pawn promotes to.
    pub promotion: Option<PieceKind>,
}

impl UciMove {
    /// The UCI form of a move.
    pub const fn new(m: Move, castling: CastlingNotation) -> UciMove {
        let (from, mut to) = (m.from(), m.to());
        let is_standard = matches!(castling, CastlingNotation::Standard)
            && matches!((from.file(), to.file()), (File::E, File::A | File::H));
        if m.is_castling() && is_standard {
            to = m.destination();
        }
        UciMove { from, to, promotion: m.promotion() }
    }
}

impl fmt::Display for UciMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from, self.to)?;
        match self.promotion {
            Some(kind) => write!(f, "{}", kind.letter()),
            None => Ok(()),
        }
    }
}

/// A text that is not a move in the notation of UCI.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseUciMoveError {
    /// The text.
    pub text: String,
}

impl fmt::Display for ParseUciMoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not a move in UCI notation", self.text)
    }
}

impl core::error::Error for ParseUciMoveError {}

impl FromStr for UciMove {
    type Err = ParseUciMoveError;

    /// Reads `e2e4` or `e7e8q`; the promotion may be upper case.
    fn from_str(text: &str) -> Result<UciMove, ParseUciMoveError> {
        split(text).ok_or_else(|| ParseUciMoveError { text: text.to_owned() })
    }
}

/// Splits `e7e8q` into its squares and promotion.
fn split(text: &str) -> Option<UciMove> {
    let from = text.get(0..2)?.parse().ok()?;
    let to = text.get(2..4)?.parse().ok()?;
    let promotion = match text.as_bytes().get(4..)? {
        [] => None,
        [letter] => Some(PieceKind::from_letter(char::from(*letter))?),
        _ => return None,
    };
    Some(UciMove { from, to, promotion })
}

impl Board {
    /// The UCI text of a move of this position. The castling notation may be given as whether it is
    /// that of Chess960.
    ///
    /// ```
    /// use saavedra_chess::{Board, CastlingNotation};
    /// let board = Board::from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1")?;
    /// let castling = board.parse_san("O-O")?;
    /// assert_eq!(board.uci(castling, CastlingNotation::Standard), "e1g1");
    /// assert_eq!(board.uci(castling, CastlingNotation::KingTakesRook), "e1h1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn uci(&self, m: Move, castling: impl Into<CastlingNotation>) -> String {
        UciMove::new(m, castling.into()).to_string()
    }

    /// Reads the UCI text of a legal move; castling as the king's move or as king takes own rook.
    ///
    /// # Errors
    /// The text is not a move, or the move is not legal. The error contains text, position and
    /// reason.
    pub fn parse_uci(&self, text: &str) -> Result<Move, IllegalMoveError> {
        let Ok(uci) = text.parse() else {
            return Err(self.illegal_move_error(text, IllegalReason::NotAMove));
        };
        self.find(uci).map_err(|reason| self.illegal_move_error(text, reason))
    }

    /// The legal move with this UCI form; castling as the king's move or as king takes own rook.
    ///
    /// # Errors
    /// The move is not legal. The error contains move, position and reason.
    pub fn find_move(&self, uci: UciMove) -> Result<Move, IllegalMoveError> {
        self.find(uci).map_err(|reason| self.illegal_move_error(&uci.to_string(), reason))
    }

    fn find(&self, uci: UciMove) -> Result<Move, IllegalReason> {
        let m = self.move_between(uci);
        match self.illegal_reason(m) {
            None if m.is_promotion() != uci.promotion.is_some() => {
                Err(IllegalReason::PromotionWrong)
            }
            None => Ok(m),
            Some(reason) => Err(reason),
        }
    }

    /// The move with the kind that it has in this position, legal or not.
    fn move_between(&self, uci: UciMove) -> Move {
        let UciMove { from, to, promotion } = uci;
        let Some(kind) = self.us().piece_at(from) else {
            // No piece of the side to move: a move of any kind is illegal for that reason.
            return Move::new(from, to, MoveKind::Normal(PieceKind::Queen));
        };
        match kind {
            PieceKind::Pawn => self.pawn_move(from, to, promotion),
            PieceKind::King => self.king_move(from, to),
            kind => Move::new(from, to, MoveKind::Normal(kind)),
        }
    }

    /// The move of a pawn with the kind that it has in this position, legal or not.
    #[inline]
    pub(super) fn pawn_move(&self, from: Square, to: Square, promotion: Option<PieceKind>) -> Move {
        let kind = match promotion {
            Some(piece) if PieceKind::PROMOTIONS.contains(&piece) => MoveKind::Promotion(piece),
            _ if from.rank().distance(to.rank()) == 2 => MoveKind::DoublePush,
            _ if self.looks_like_en_passant(from, to) => MoveKind::EnPassant,
            _ => MoveKind::Normal(PieceKind::Pawn),
        };
        Move::new(from, to, kind)
    }

    /// Whether a pawn's move goes diagonally to an empty square from the rank of en passant
    /// captures.
    fn looks_like_en_passant(&self, from: Square, to: Square) -> bool {
        !self.occupied().has(to)
            && from.rank().relative_to(self.turn()) == Rank::Fifth
            && attacks::pawn(self.turn(), from).has(to)
    }

    /// The move of the king: castling if the target is its own rook, or if the target is a square
    /// where castling ends that the king cannot reach otherwise.
    fn king_move(&self, from: Square, to: Square) -> Move {
        let step = Move::new(from, to, MoveKind::Normal(PieceKind::King));
        if self.us().pieces(PieceKind::Rook).has(to) {
            return Move::new(from, to, MoveKind::Castling);
        }
        let back_rank = self.turn().back_rank();
        if !back_rank.has(from)
            || !back_rank.has(to)
            || !matches!(to.file(), File::C | File::G)
            || (from.distance(to) <= 1 && self.is_legal(step))
        {
            return step;
        }
        let rook = (self.castling_rights() & back_rank)
            .into_iter()
            .find(|rook| castled_squares(from, *rook).0 == to);
        match rook {
            Some(rook) => Move::new(from, rook, MoveKind::Castling),
            // Without the castling right: castling with the rook that is meant, so that the move is
            // illegal for the right reason.
            None if from.distance(to) > 1 && from.file() == File::E => {
                let file = if to.file() == File::G { File::H } else { File::A };
                Move::new(from, Square::new(file, from.rank()), MoveKind::Castling)
            }
            None => step,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn castling_is_written_in_either_form_and_read_in_both() {
        let cases = [
            // FEN, rook, standard notation, Chess960.
            ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", Square::H1, "e1g1", "e1h1"),
            ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", Square::A1, "e1c1", "e1a1"),
            ("r3k2r/8/8/8/8/8/8/4K3 b kq - 0 1", Square::A8, "e8c8", "e8a8"),
            // Not written as a king's move: king or rook does not stand as in standard chess.
            ("4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1", Square::G1, "e1g1", "e1g1"),
            ("4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1", Square::B1, "e1b1", "e1b1"),
            ("2k5/8/8/8/8/8/8/R4K1R w HA - 0 1", Square::H1, "f1h1", "f1h1"),
            ("2k5/8/8/8/8/8/8/RK5R w HA - 0 1", Square::A1, "b1a1", "b1a1"),
        ];
        for (fen, rook, standard, chess960) in cases {
            let board = Board::from_fen(fen).unwrap();
            let m = Move::new(board.us().king(), rook, MoveKind::Castling);
            assert!(board.is_legal(m), "{fen}");
            assert_eq!(board.uci(m, CastlingNotation::Standard), standard, "{fen}");
            assert_eq!(board.uci(m, CastlingNotation::KingTakesRook), chess960, "{fen}");
            assert_eq!(m.to_string(), standard, "{fen}");
            assert_eq!(board.parse_uci(standard), Ok(m), "{fen}");
            assert_eq!(board.parse_uci(chess960), Ok(m), "{fen}");
        }
    }

    #[test]
    fn a_possible_king_move_is_not_read_as_castling() {
        // From f1 the king can move to g1 and can castle to g1.
        let board = Board::from_fen("2k5/8/8/8/8/8/8/R4K1R w HA - 0 1").unwrap();
        let step = board.parse_uci("f1g1").unwrap();
        assert_eq!(step.kind(), MoveKind::Normal(PieceKind::King));
        assert!(board.parse_uci("f1h1").unwrap().is_castling());
    }

    #[test]
    fn a_king_move_to_another_file_than_c_or_g_is_not_read_as_castling() {
        let board = Board::from_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1").unwrap();
        let reason = |text| board.parse_uci(text).unwrap_err().reason;
        for text in ["e1b1", "e1a1", "e1h1", "e1g3", "e1c3"] {
            assert_eq!(reason(text), reason("e1e3"), "{text}");
        }
        assert_ne!(reason("e1g1"), reason("e1e3"));
        assert_ne!(reason("e1c1"), reason("e1e3"));
    }

    #[test]
    fn promotions_are_read_in_either_case() {
        let board = Board::from_fen("8/P6k/8/8/8/8/8/4K3 w - - 0 1").unwrap();
        let queen = Move::new(Square::A7, Square::A8, MoveKind::Promotion(PieceKind::Queen));
        assert_eq!(board.uci(queen, CastlingNotation::Standard), "a7a8q");
        assert_eq!(board.parse_uci("a7a8q"), Ok(queen));
        assert_eq!(board.parse_uci("a7a8Q"), Ok(queen));
    }

    #[test]
    fn a_text_that_is_no_move_is_named_in_the_error() {
        for text in ["", "e2", "e2e9", "e2e4x", "e2e4qq", "é2e4"] {
            let error = text.parse::<UciMove>().unwrap_err();
            assert_eq!(error.to_string(), format!("{text:?} is not a move in UCI notation"));
        }
        let uci: UciMove = "e2e5".parse().unwrap();
        let error = Board::startpos().find_move(uci).unwrap_err();
        assert_eq!((error.text.as_str(), error.reason), ("e2e5", IllegalReason::CannotReach));
    }
}
