//! Making moves.
//!
//! Each function takes a parent and returns the child; the parent stays as it was. The child is
//! one copy of the parent, edited in place: with several partial copies the compiler loses a third
//! of the speed (they travel through memory).

use super::board::NO_SQUARE;
use super::castling::castled_squares;
use super::color::{Black, Player, White};
use super::{Board, Color, Move, MoveKind, PieceKind, Square, attacks, zobrist};

impl Board {
    /// The position after a move that is known to be legal here.
    ///
    /// For moves that are not, see [`try_make`](Board::try_make); an illegal move given to this
    /// function results in a position that makes no sense, but in nothing worse.
    #[inline]
    #[must_use]
    pub fn make(&self, m: Move) -> Board {
        match self.turn {
            Color::White => self.make_as::<White>(m),
            Color::Black => self.make_as::<Black>(m),
        }
    }

    #[inline]
    fn make_as<P: Player>(&self, m: Move) -> Board {
        let (from, to) = (m.from(), m.to());
        match m.kind() {
            MoveKind::Normal(kind) => match kind {
                PieceKind::Pawn => self.child_piece::<P, 0>(from, to),
                PieceKind::Knight => self.child_piece::<P, 1>(from, to),
                PieceKind::Bishop => self.child_piece::<P, 2>(from, to),
                PieceKind::Rook => self.child_piece::<P, 3>(from, to),
                PieceKind::Queen => self.child_piece::<P, 4>(from, to),
                PieceKind::King => self.child_piece::<P, 5>(from, to),
            },
            MoveKind::DoublePush => self.child_double_push::<P>(from, to),
            MoveKind::EnPassant => self.child_en_passant::<P>(from, to),
            MoveKind::Castling => self.child_castle::<P>(from, to),
            MoveKind::Promotion(kind) => self.child_promotion::<P>(from, to, kind),
        }
    }

    /// The position after passing the turn; for positions without check.
    #[must_use]
    pub fn make_null(&self) -> Board {
        let mut child = *self;
        child.halfmove_clock = self.halfmove_clock.saturating_add(1);
        match self.turn {
            Color::White => child.pass_turn::<White>(self),
            Color::Black => child.pass_turn::<Black>(self),
        }
        child
    }

    /// Ends our move: en passant is over, the other side is to move.
    #[inline(always)]
    fn pass_turn<P: Player>(&mut self, parent: &Board) {
        if parent.en_passant != NO_SQUARE {
            self.key ^= zobrist::en_passant(Square::from_index(parent.en_passant));
        }
        self.en_passant = NO_SQUARE;
        self.turn = P::Opponent::COLOR;
        self.key ^= zobrist::switch_turn();
        self.fullmove_number = parent
            .fullmove_number
            .saturating_add((P::COLOR as u32 == 1) as u32);
    }

    /// Takes a hostile piece off the square, if one stands there.
    #[inline(always)]
    fn remove_captured<P: Player>(&mut self, square: Square) {
        let captured = square.bitboard();
        let them = &mut self.sides[P::THEM];
        if (them.all & captured).any() {
            self.halfmove_clock = 0;
            for kind in PieceKind::ALL {
                if (them.pieces[kind.index()] & captured).any() {
                    self.key ^= zobrist::piece(P::Opponent::COLOR, kind, square);
                }
            }
            // Unconditionally on all six: cheaper than finding out which.
            for set in &mut them.pieces {
                *set &= !captured;
            }
            them.all &= !captured;
        }
    }

    /// Takes away castling rights whose rook or king stood on one of the squares.
    #[inline(always)]
    fn remove_castling(&mut self, squares: super::Bitboard) {
        let lost = self.castling & squares;
        if lost.any() {
            self.castling &= !lost;
            for rook in lost {
                self.key ^= zobrist::castling(rook);
            }
        }
    }

    /// A piece of kind number `KIND` moves, perhaps capturing; a pawn steps once or captures.
    #[inline(always)]
    pub(super) fn child_piece<P: Player, const KIND: usize>(
        &self,
        from: Square,
        to: Square,
    ) -> Board {
        let kind = PieceKind::ALL[KIND];
        let mut child = *self;
        let both = from.bitboard() | to.bitboard();
        child.halfmove_clock = match kind {
            PieceKind::Pawn => 0,
            _ => self.halfmove_clock.saturating_add(1),
        };
        let us = &mut child.sides[P::US];
        us.pieces[KIND] ^= both;
        us.all ^= both;
        child.key ^= zobrist::piece(P::COLOR, kind, from) ^ zobrist::piece(P::COLOR, kind, to);
        child.remove_captured::<P>(to);
        child.remove_castling(match kind {
            PieceKind::King => to.bitboard() | P::COLOR.back_rank(),
            _ => both,
        });
        child.pass_turn::<P>(self);
        child
    }

    /// A pawn makes its first step of two squares.
    #[inline(always)]
    pub(super) fn child_double_push<P: Player>(&self, from: Square, to: Square) -> Board {
        let mut child = *self;
        let both = from.bitboard() | to.bitboard();
        child.halfmove_clock = 0;
        let us = &mut child.sides[P::US];
        us.pieces[0] ^= both;
        us.all ^= both;
        child.key ^= zobrist::piece(P::COLOR, PieceKind::Pawn, from)
            ^ zobrist::piece(P::COLOR, PieceKind::Pawn, to);
        child.pass_turn::<P>(self);
        let passed = from.offset(P::STEP);
        let capturers = attacks::pawn(P::COLOR, passed) & self.sides[P::THEM].pieces[0];
        if capturers.any() {
            child.allow_en_passant(passed);
        }
        child
    }

    /// Notes the en passant square if any pawn can really capture there.
    #[cold]
    #[inline(never)]
    pub(super) fn allow_en_passant(&mut self, square: Square) {
        let capturers = attacks::pawn(!self.turn, square) & self.us().pieces(PieceKind::Pawn);
        if capturers
            .into_iter()
            .any(|pawn| self.en_passant_is_safe(pawn, square))
        {
            self.en_passant = square.index() as u8;
            self.key ^= zobrist::en_passant(square);
        }
    }

    /// Whether capturing en passant with the pawn leaves the own king out of check. Two men leave
    /// the board's lines at once, which no pin describes, so the king is looked at afterwards.
    #[inline(never)]
    pub(super) fn en_passant_is_safe(&self, from: Square, to: Square) -> bool {
        let captured = Square::at(to.file(), from.rank()).bitboard();
        let occupied = (self.occupied() ^ from.bitboard() ^ captured) | to.bitboard();
        let attackers = self
            .them()
            .attackers_to(!self.turn, self.us().king(), occupied);
        (attackers & !captured).is_empty()
    }

    /// A pawn captures en passant.
    #[inline(always)]
    pub(super) fn child_en_passant<P: Player>(&self, from: Square, to: Square) -> Board {
        let mut child = *self;
        let both = from.bitboard() | to.bitboard();
        child.halfmove_clock = 0;
        let us = &mut child.sides[P::US];
        us.pieces[0] ^= both;
        us.all ^= both;
        child.key ^= zobrist::piece(P::COLOR, PieceKind::Pawn, from)
            ^ zobrist::piece(P::COLOR, PieceKind::Pawn, to);
        child.remove_captured::<P>(Square::at(to.file(), from.rank()));
        child.pass_turn::<P>(self);
        child
    }

    /// A pawn becomes a piece, perhaps capturing.
    #[inline(always)]
    pub(super) fn child_promotion<P: Player>(
        &self,
        from: Square,
        to: Square,
        kind: PieceKind,
    ) -> Board {
        let mut child = *self;
        child.halfmove_clock = 0;
        let us = &mut child.sides[P::US];
        us.pieces[0] ^= from.bitboard();
        us.pieces[kind.index()] |= to.bitboard();
        us.all ^= from.bitboard() | to.bitboard();
        child.key ^=
            zobrist::piece(P::COLOR, PieceKind::Pawn, from) ^ zobrist::piece(P::COLOR, kind, to);
        child.remove_captured::<P>(to);
        child.remove_castling(to.bitboard());
        child.pass_turn::<P>(self);
        child
    }

    /// The king castles with the rook. Either may stand where the other, or itself, arrives.
    #[inline(always)]
    pub(super) fn child_castle<P: Player>(&self, king: Square, rook: Square) -> Board {
        let mut child = *self;
        let (king_to, rook_to) = castled_squares(king, rook);
        child.halfmove_clock = self.halfmove_clock.saturating_add(1);
        let us = &mut child.sides[P::US];
        us.pieces[5] = king_to.bitboard();
        us.pieces[3] = (us.pieces[3] & !rook.bitboard()) | rook_to.bitboard();
        us.all = (us.all & !king.bitboard() & !rook.bitboard())
            | king_to.bitboard()
            | rook_to.bitboard();
        child.key ^= zobrist::piece(P::COLOR, PieceKind::King, king)
            ^ zobrist::piece(P::COLOR, PieceKind::King, king_to)
            ^ zobrist::piece(P::COLOR, PieceKind::Rook, rook)
            ^ zobrist::piece(P::COLOR, PieceKind::Rook, rook_to);
        child.remove_castling(P::COLOR.back_rank());
        child.pass_turn::<P>(self);
        child
    }
}
