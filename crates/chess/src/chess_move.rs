//! Moves in 16 bits, and lists of them.

use super::castling::castled_squares;
use super::{CastlingNotation, PieceKind, Rank, Square, UciMove};
use core::fmt;
use core::num::NonZeroU16;
use core::ops::Deref;

/// The kind of a move, with the kind of its piece.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MoveKind {
    /// A move or capture by a piece of this kind; a single push or a capture by a pawn.
    Normal(PieceKind),
    /// A double push of a pawn.
    DoublePush,
    /// An en passant capture.
    EnPassant,
    /// Castling; `to` is the square of the king's own rook.
    Castling,
    /// A promotion to this kind, with or without capture.
    Promotion(PieceKind),
}

/// A move: origin, target and [`MoveKind`], packed into 16 bits (6, 6 and 4).
///
/// The move contains the kind of its piece, so that making it needs no look-up. Castling is encoded
/// as king takes own rook, which is unambiguous in Chess960. `Option<Move>` is 16 bits as well.
///
/// A `Move` is only meaningful in its position: [`Board::parse_uci`](super::Board::parse_uci),
/// [`Board::parse_san`](super::Board::parse_san) and
/// [`Board::legal_moves`](super::Board::legal_moves) return legal ones. Its text is UCI notation;
/// [`UciMove`] is the type to parse such a text without a position.
///
/// ```
/// use saavedra_chess::{Board, PieceKind, Square};
/// let board = Board::startpos();
/// let m = board.parse_uci("g1f3")?;
/// assert_eq!((m.from(), m.to(), m.piece()), (Square::G1, Square::F3, PieceKind::Knight));
/// assert_eq!(m.to_string(), "g1f3");
/// assert_eq!(board.san(m), "Nf3");
/// # Ok::<(), saavedra_chess::IllegalMoveError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(NonZeroU16);

const _: () = assert!(size_of::<Option<Move>>() == 2);

// Codes of the move kinds in the highest four bits. `Normal` has the index of its piece, 0 to 5.
const DOUBLE_PUSH: u16 = 6;
const EN_PASSANT: u16 = 7;
const CASTLING: u16 = 8;
const PROMOTION_TO_KNIGHT: u16 = 9;
const PROMOTION_TO_BISHOP: u16 = 10;
const PROMOTION_TO_ROOK: u16 = 11;
const PROMOTION_TO_QUEEN: u16 = 12;

impl Move {
    /// The value of unused elements of a [`MoveList`]. (No move has these bits.)
    const UNUSED: Move = Move(NonZeroU16::MAX);

    #[inline(always)]
    const fn pack(from: Square, to: Square, code: u16) -> Move {
        let bits = from.index() as u16 | (to.index() as u16) << 6 | code << 12;
        match NonZeroU16::new(bits) {
            Some(bits) => Move(bits),
            // Only a pawn move from a1 to a1 has no bits set. It becomes h8 to h8, illegal as well.
            None => Move(NonZeroU16::new(0xFFF).unwrap()),
        }
    }

    /// A move of this kind between these squares; for castling, `to` is the square of the rook.
    #[inline(always)]
    pub const fn new(from: Square, to: Square, kind: MoveKind) -> Move {
        let code = match kind {
            MoveKind::Normal(piece) => piece as u16,
            MoveKind::DoublePush => DOUBLE_PUSH,
            MoveKind::EnPassant => EN_PASSANT,
            MoveKind::Castling => CASTLING,
            MoveKind::Promotion(piece) => {
                PROMOTION_TO_KNIGHT - PieceKind::Knight as u16 + piece as u16
            }
        };
        Move::pack(from, to, code)
    }

    /// The move with these bits; `None` if no move has them.
    #[inline(always)]
    pub const fn from_bits(bits: u16) -> Option<Move> {
        if bits >> 12 > PROMOTION_TO_QUEEN {
            return None;
        }
        match NonZeroU16::new(bits) {
            Some(bits) => Some(Move(bits)),
            None => None,
        }
    }

    /// The 16 bits of the move, for hash tables and files.
    #[inline(always)]
    pub const fn bits(self) -> u16 {
        self.0.get()
    }

    /// The origin square.
    #[inline(always)]
    pub const fn from(self) -> Square {
        Square::from_index(self.bits() as u8 & 63)
    }

    /// The target square; for castling, the square of the king's own rook.
    #[inline(always)]
    pub const fn to(self) -> Square {
        Square::from_index((self.bits() >> 6) as u8 & 63)
    }

    /// The square where the piece that moves arrives: [`to`](Move::to), but for castling the square
    /// of the king after it.
    ///
    /// ```
    /// use saavedra_chess::{Move, MoveKind, Square};
    /// let m = Move::new(Square::E1, Square::H1, MoveKind::Castling);
    /// assert_eq!((m.to(), m.destination()), (Square::H1, Square::G1));
    /// ```
    pub const fn destination(self) -> Square {
        if self.is_castling() { castled_squares(self.from(), self.to()).0 } else { self.to() }
    }

    /// The kind of the move.
    #[inline(always)]
    pub const fn kind(self) -> MoveKind {
        match self.bits() >> 12 {
            0 => MoveKind::Normal(PieceKind::Pawn),
            1 => MoveKind::Normal(PieceKind::Knight),
            2 => MoveKind::Normal(PieceKind::Bishop),
            3 => MoveKind::Normal(PieceKind::Rook),
            4 => MoveKind::Normal(PieceKind::Queen),
            5 => MoveKind::Normal(PieceKind::King),
            DOUBLE_PUSH => MoveKind::DoublePush,
            EN_PASSANT => MoveKind::EnPassant,
            CASTLING => MoveKind::Castling,
            PROMOTION_TO_KNIGHT => MoveKind::Promotion(PieceKind::Knight),
            PROMOTION_TO_BISHOP => MoveKind::Promotion(PieceKind::Bishop),
            PROMOTION_TO_ROOK => MoveKind::Promotion(PieceKind::Rook),
            _ => MoveKind::Promotion(PieceKind::Queen),
        }
    }

    /// The kind of the piece that moves: the king when castling, the pawn when promoting.
    #[inline(always)]
    pub const fn piece(self) -> PieceKind {
        match self.kind() {
            MoveKind::Normal(piece) => piece,
            MoveKind::DoublePush | MoveKind::EnPassant | MoveKind::Promotion(_) => PieceKind::Pawn,
            MoveKind::Castling => PieceKind::King,
        }
    }

    /// The kind that the pawn promotes to; `None` if the move is no promotion.
    #[inline(always)]
    pub const fn promotion(self) -> Option<PieceKind> {
        match self.kind() {
            MoveKind::Promotion(piece) => Some(piece),
            _ => None,
        }
    }

    /// Whether the move is castling.
    #[inline(always)]
    pub const fn is_castling(self) -> bool {
        self.bits() >> 12 == CASTLING
    }

    /// The square that a double pawn push skips; `None` for other moves.
    pub const fn double_push_square(self) -> Option<Square> {
        let rank = match self.to().rank() {
            Rank::Fourth => Rank::Third,
            _ => Rank::Sixth,
        };
        match self.kind() {
            MoveKind::DoublePush => Some(Square::new(self.from().file(), rank)),
            _ => None,
        }
    }

    /// Whether the move is an en passant capture.
    #[inline(always)]
    pub const fn is_en_passant(self) -> bool {
        self.bits() >> 12 == EN_PASSANT
    }

    /// Whether the move is a promotion.
    #[inline(always)]
    pub const fn is_promotion(self) -> bool {
        self.bits() >> 12 >= PROMOTION_TO_KNIGHT
    }
}

impl fmt::Display for Move {
    /// The UCI text, with castling as in standard chess where possible: see [`UciMove::new`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        UciMove::new(*self, CastlingNotation::Standard).fmt(f)
    }
}

impl fmt::Debug for Move {
    /// The squares and the kind.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{} {:?}", self.from(), self.to(), self.kind())
    }
}

/// A list of legal moves, stored in place. No legal position has more than 218.
///
/// It is a slice of moves, and an iterator by value and by reference:
///
/// ```
/// use saavedra_chess::Board;
/// let board = Board::startpos();
/// let mut moves = Vec::new();
/// for m in board.legal_moves() {
///     moves.push(board.san(m));
/// }
/// assert_eq!(moves.len(), board.legal_moves().len());
/// ```
#[derive(Clone)]
pub struct MoveList {
    moves: [Move; MoveList::CAPACITY],
    len: usize,
}

impl MoveList {
    /// The capacity of the list.
    pub const CAPACITY: usize = 256;

    /// An empty list.
    #[inline(always)]
    pub const fn new() -> MoveList {
        MoveList { moves: [Move::UNUSED; MoveList::CAPACITY], len: 0 }
    }

    /// Adds a move.
    #[inline(always)]
    pub fn push(&mut self, m: Move) {
        self.moves[self.len] = m;
        self.len += 1;
    }

    /// Swaps the moves at two indices.
    #[inline(always)]
    pub fn swap(&mut self, a: usize, b: usize) {
        self.moves[..self.len].swap(a, b);
    }
}

impl Default for MoveList {
    fn default() -> MoveList {
        MoveList::new()
    }
}

impl Deref for MoveList {
    type Target = [Move];

    #[inline(always)]
    fn deref(&self) -> &[Move] {
        &self.moves[..self.len]
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = Move;
    type IntoIter = core::iter::Copied<core::slice::Iter<'a, Move>>;

    #[inline(always)]
    fn into_iter(self) -> Self::IntoIter {
        self.iter().copied()
    }
}

impl IntoIterator for MoveList {
    type Item = Move;
    type IntoIter = core::iter::Take<core::array::IntoIter<Move, { MoveList::CAPACITY }>>;

    #[inline(always)]
    fn into_iter(self) -> Self::IntoIter {
        self.moves.into_iter().take(self.len)
    }
}

impl fmt::Debug for MoveList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn moves_convert_to_bits_and_back() {
        let moves = (0..=u16::MAX).filter_map(Move::from_bits);
        let mut count = 0;
        for m in moves {
            assert_eq!(Move::new(m.from(), m.to(), m.kind()), m);
            assert_eq!(Move::from_bits(m.bits()), Some(m));
            assert_eq!(m.is_castling(), m.kind() == MoveKind::Castling);
            assert_eq!(m.is_en_passant(), m.kind() == MoveKind::EnPassant);
            assert_eq!(m.is_promotion(), m.promotion().is_some());
            count += 1;
        }
        // 13 kinds and 64 * 64 pairs of squares, without the pawn move from a1 to a1.
        assert_eq!(count, 13 * 64 * 64 - 1);
        assert_eq!(Move::from_bits(0), None);
        assert_eq!(Move::from_bits(u16::MAX), None);
    }

    #[test]
    fn a_move_list_iterates_over_its_moves() {
        let mut list = MoveList::new();
        assert!(list.is_empty());
        let moves =
            [Square::E4, Square::D4].map(|to| Move::new(Square::A1, to, MoveKind::Castling));
        for m in moves {
            list.push(m);
        }
        assert_eq!(&*list, moves);
        list.swap(0, 1);
        let swapped = [moves[1], moves[0]];
        assert_eq!((&list).into_iter().collect::<Vec<_>>(), swapped);
        assert_eq!(list.clone().into_iter().len(), 2);
        assert_eq!(list.into_iter().collect::<Vec<_>>(), swapped);
    }
}
