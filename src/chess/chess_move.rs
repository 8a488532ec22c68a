//! Moves in 16 bits, and lists of them.

use super::{PieceKind, Square};
use std::fmt;
use std::num::NonZeroU16;
use std::ops::Deref;

/// What a move does besides leaving one square for another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveKind {
    /// A piece of this kind moves, perhaps capturing; a pawn steps once or captures.
    Normal(PieceKind),
    /// A pawn's first step of two squares.
    DoublePush,
    /// A pawn captures the pawn that has just passed it.
    EnPassant,
    /// The king castles; `to` is the square of its own rook.
    Castling,
    /// A pawn becomes this.
    Promotion(PieceKind),
}

/// A move: from, to and what moves, without the position it belongs to.
///
/// Six bits for the square it leaves, six for where it goes, four for the [`MoveKind`]. The move
/// carries the kind of its piece, so that making it need not look the piece up. Castling is the
/// king taking its own rook, which is unambiguous in Chess960 too.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(NonZeroU16);

const _: () = assert!(size_of::<Option<Move>>() == 2);

const DOUBLE_PUSH: u16 = 6;
const EN_PASSANT: u16 = 7;
const CASTLING: u16 = 8;
const PROMOTION: u16 = 9;

impl Move {
    /// What an unused place of a list holds. (No move has these bits.)
    const UNUSED: Move = Move(NonZeroU16::MAX);

    #[inline(always)]
    const fn pack(from: Square, to: Square, code: u16) -> Move {
        let bits = from.index() as u16 | (to.index() as u16) << 6 | code << 12;
        match NonZeroU16::new(bits) {
            Some(bits) => Move(bits),
            // Only a pawn's "move" from a1 to a1 has no bits set. From h8 to h8 is as illegal.
            None => Move(NonZeroU16::new(0xFFF).unwrap()),
        }
    }

    /// A move of this kind between these squares.
    #[inline(always)]
    pub const fn new(from: Square, to: Square, kind: MoveKind) -> Move {
        let code = match kind {
            MoveKind::Normal(piece) => piece as u16,
            MoveKind::DoublePush => DOUBLE_PUSH,
            MoveKind::EnPassant => EN_PASSANT,
            MoveKind::Castling => CASTLING,
            MoveKind::Promotion(piece) => PROMOTION - 1 + piece as u16,
        };
        Move::pack(from, to, code)
    }

    /// The move with these bits, if they are those of any move.
    #[inline(always)]
    pub const fn from_bits(bits: u16) -> Option<Move> {
        if bits >> 12 > PROMOTION + 3 {
            return None;
        }
        match NonZeroU16::new(bits) {
            Some(bits) => Some(Move(bits)),
            None => None,
        }
    }

    /// The sixteen bits, for tables and records.
    #[inline(always)]
    pub const fn bits(self) -> u16 {
        self.0.get()
    }

    /// The square that the piece leaves.
    #[inline(always)]
    pub const fn from(self) -> Square {
        Square::from_index(self.bits() as u8 & 63)
    }

    /// The square that the piece goes to; that of the own rook if this is castling.
    #[inline(always)]
    pub const fn to(self) -> Square {
        Square::from_index((self.bits() >> 6) as u8 & 63)
    }

    /// What the move does.
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
            PROMOTION => MoveKind::Promotion(PieceKind::Knight),
            10 => MoveKind::Promotion(PieceKind::Bishop),
            11 => MoveKind::Promotion(PieceKind::Rook),
            _ => MoveKind::Promotion(PieceKind::Queen),
        }
    }

    /// What moves: the king when castling, the pawn when promoting.
    #[inline(always)]
    pub const fn piece(self) -> PieceKind {
        match self.kind() {
            MoveKind::Normal(piece) => piece,
            MoveKind::DoublePush | MoveKind::EnPassant | MoveKind::Promotion(_) => PieceKind::Pawn,
            MoveKind::Castling => PieceKind::King,
        }
    }

    /// What the pawn becomes, if it does.
    #[inline(always)]
    pub const fn promotion(self) -> Option<PieceKind> {
        match self.kind() {
            MoveKind::Promotion(piece) => Some(piece),
            _ => None,
        }
    }

    /// Whether the king castles.
    #[inline(always)]
    pub const fn is_castling(self) -> bool {
        self.bits() >> 12 == CASTLING
    }

    /// Whether a pawn captures en passant.
    #[inline(always)]
    pub const fn is_en_passant(self) -> bool {
        self.bits() >> 12 == EN_PASSANT
    }

    /// Whether a pawn promotes.
    #[inline(always)]
    pub const fn is_promotion(self) -> bool {
        self.bits() >> 12 >= PROMOTION
    }
}

impl fmt::Debug for Move {
    /// The squares and the kind; text for people needs the board: see `Board::uci` and `Board::san`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{} {:?}", self.from(), self.to(), self.kind())
    }
}

/// Legal moves of one position, in place. No legal position has more than 218.
#[derive(Clone)]
pub struct MoveList {
    moves: [Move; MoveList::CAPACITY],
    len: usize,
}

impl MoveList {
    /// Room for more moves than any position has.
    pub const CAPACITY: usize = 256;

    /// A list of no moves.
    #[inline(always)]
    pub const fn new() -> MoveList {
        MoveList {
            moves: [Move::UNUSED; MoveList::CAPACITY],
            len: 0,
        }
    }

    /// Adds a move.
    #[inline(always)]
    pub fn push(&mut self, m: Move) {
        self.moves[self.len] = m;
        self.len += 1;
    }

    /// Exchanges two moves' places.
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
    type IntoIter = std::iter::Copied<std::slice::Iter<'a, Move>>;

    #[inline(always)]
    fn into_iter(self) -> Self::IntoIter {
        self.iter().copied()
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

    #[test]
    fn sixteen_bits_are_a_move_and_back() {
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
        // All but the pawn's move from a1 to a1, of 13 kinds between 64 squares.
        assert_eq!(count, 13 * 64 * 64 - 1);
        assert_eq!(Move::from_bits(0), None);
        assert_eq!(Move::from_bits(u16::MAX), None);
    }

    #[test]
    fn a_list_holds_what_was_pushed() {
        let mut list = MoveList::new();
        assert!(list.is_empty());
        let moves =
            [Square::E4, Square::D4].map(|to| Move::new(Square::A1, to, MoveKind::Castling));
        for m in moves {
            list.push(m);
        }
        assert_eq!(&*list, moves);
        list.swap(0, 1);
        assert_eq!(list.into_iter().collect::<Vec<_>>(), [moves[1], moves[0]]);
    }
}
