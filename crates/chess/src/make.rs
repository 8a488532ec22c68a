//! Making moves.
//!
//! Each function takes the parent position and returns the child; the parent is unchanged. The
//! child is a single copy of the parent, edited in place. Building it from several partial copies
//! measured a third slower, because they go through memory.

use super::castling::castled_squares;
use super::color::{Black, Player, White};
use super::piece::{BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK};
use super::{Bitboard, Board, Color, Move, MoveKind, PieceKind, Square, attacks, zobrist};

impl Board {
    /// The position after a move, which must be legal in this position.
    ///
    /// For moves that may be illegal, see [`try_make`](Board::try_make).
    ///
    /// # Panics
    /// With debug assertions, if the move is illegal. Without them the position is then meaningless,
    /// but there is no undefined behaviour.
    ///
    /// ```
    /// use saavedra_chess::Board;
    /// let board = Board::startpos();
    /// let child = board.make(board.parse_san("e4")?);
    /// assert_eq!(child.to_fen(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    /// # Ok::<(), saavedra_chess::SanError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn make(&self, m: Move) -> Board {
        debug_assert!(self.is_legal(m), "{m} in {self}");
        let child = match self.turn {
            Color::White => self.make_as::<White>(m),
            Color::Black => self.make_as::<Black>(m),
        };
        debug_assert_eq!(child.key, child.compute_key(), "{m} in {self}");
        child
    }

    #[inline]
    fn make_as<P: Player>(&self, m: Move) -> Board {
        let (from, to) = (m.from(), m.to());
        match m.kind() {
            MoveKind::Normal(kind) => match kind {
                PieceKind::Pawn => self.child_normal::<P, PAWN>(from, to),
                PieceKind::Knight => self.child_normal::<P, KNIGHT>(from, to),
                PieceKind::Bishop => self.child_normal::<P, BISHOP>(from, to),
                PieceKind::Rook => self.child_normal::<P, ROOK>(from, to),
                PieceKind::Queen => self.child_normal::<P, QUEEN>(from, to),
                PieceKind::King => self.child_normal::<P, KING>(from, to),
            },
            MoveKind::DoublePush => self.child_double_push::<P>(from, to),
            MoveKind::EnPassant => self.child_en_passant::<P>(from, to),
            MoveKind::Castling => self.child_castle::<P>(from, to),
            MoveKind::Promotion(kind) => self.child_promotion::<P>(from, to, kind),
        }
    }

    /// The position after a null move. The side to move must not be in check.
    ///
    /// # Panics
    /// With debug assertions, if it is.
    #[must_use]
    pub fn make_null(&self) -> Board {
        debug_assert!(!self.in_check(), "{self}");
        let mut child = *self;
        child.halfmove_clock = self.halfmove_clock.saturating_add(1);
        match self.turn {
            Color::White => child.pass_turn::<White>(self),
            Color::Black => child.pass_turn::<Black>(self),
        }
        child
    }

    /// Completes the child: no en passant, the opponent to move.
    #[inline(always)]
    fn pass_turn<P: Player>(&mut self, parent: &Board) {
        if let Some(file) = parent.en_passant {
            self.key ^= zobrist::en_passant(file, P::COLOR);
        }
        self.en_passant = None;
        self.turn = P::Opponent::COLOR;
        self.key ^= zobrist::switch_turn();
        self.fullmove_number =
            parent.fullmove_number.saturating_add(u32::from(P::COLOR == Color::Black));
    }

    /// Removes the opponent's piece from the square, if there is one.
    #[inline(always)]
    fn remove_captured<P: Player>(&mut self, square: Square) {
        let captured = square.bitboard();
        let them = &mut self.sides[P::THEM];
        if let Some(kind) = them.piece_at(square) {
            self.halfmove_clock = 0;
            self.key ^= zobrist::piece(P::Opponent::COLOR, kind, square);
            // On all six without condition: faster than a branch on the kind.
            for set in &mut them.pieces {
                *set &= !captured;
            }
            them.all &= !captured;
        }
    }

    /// Removes the castling rights whose rook stands on one of the squares.
    #[inline(always)]
    fn remove_castling(&mut self, squares: Bitboard) {
        let lost = self.castling & squares;
        if lost.any() {
            self.castling &= !lost;
            for rook in lost {
                self.key ^= zobrist::castling(rook);
            }
        }
    }

    /// The parent with the piece of kind `KIND` (its index) moved to another square, before anything
    /// else changes.
    #[inline(always)]
    fn move_piece<P: Player, const KIND: usize>(&self, from: Square, to: Square) -> Board {
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
        child
    }

    /// After a move or capture by a piece of kind `KIND` (its index).
    #[inline(always)]
    pub(super) fn child_normal<P: Player, const KIND: usize>(
        &self,
        from: Square,
        to: Square,
    ) -> Board {
        let mut child = self.move_piece::<P, KIND>(from, to);
        child.remove_captured::<P>(to);
        child.remove_castling(match KIND {
            KING => to.bitboard() | P::COLOR.back_rank(),
            _ => from.bitboard() | to.bitboard(),
        });
        child.pass_turn::<P>(self);
        child
    }

    /// After a double push.
    #[inline(always)]
    pub(super) fn child_double_push<P: Player>(&self, from: Square, to: Square) -> Board {
        let mut child = self.move_piece::<P, PAWN>(from, to);
        child.pass_turn::<P>(self);
        let passed = from.offset(P::PAWN_PUSH);
        let capturers = attacks::pawn(P::COLOR, passed) & self.sides[P::THEM].pieces[PAWN];
        if capturers.any() {
            child.set_en_passant_if_legal(passed);
        }
        child
    }

    /// Sets the en passant square if a capture there is legal.
    #[cold]
    #[inline(never)]
    pub(super) fn set_en_passant_if_legal(&mut self, square: Square) {
        let capturers = attacks::pawn(!self.turn, square) & self.us().pieces(PieceKind::Pawn);
        if capturers.into_iter().any(|pawn| self.is_en_passant_legal(pawn, square)) {
            self.en_passant = Some(square.file());
            self.key ^= zobrist::en_passant(square.file(), self.turn);
        }
    }

    /// Whether the en passant capture does not leave the king in check. The capture vacates two
    /// squares, so pins are not enough: the attackers of the king are computed after it.
    #[inline(never)]
    pub(super) fn is_en_passant_legal(&self, from: Square, to: Square) -> bool {
        let captured = Square::new(to.file(), from.rank()).bitboard();
        let occupied = (self.occupied() ^ from.bitboard() ^ captured) | to.bitboard();
        let attackers = self.them().attackers_to(!self.turn, self.us().king(), occupied);
        (attackers & !captured).is_empty()
    }

    /// After an en passant capture.
    #[inline(always)]
    pub(super) fn child_en_passant<P: Player>(&self, from: Square, to: Square) -> Board {
        let mut child = self.move_piece::<P, PAWN>(from, to);
        child.remove_captured::<P>(Square::new(to.file(), from.rank()));
        child.pass_turn::<P>(self);
        child
    }

    /// After a promotion, with or without capture.
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
        us.pieces[PAWN] ^= from.bitboard();
        us.pieces[kind.index()] |= to.bitboard();
        us.all ^= from.bitboard() | to.bitboard();
        child.key ^=
            zobrist::piece(P::COLOR, PieceKind::Pawn, from) ^ zobrist::piece(P::COLOR, kind, to);
        child.remove_captured::<P>(to);
        child.remove_castling(to.bitboard());
        child.pass_turn::<P>(self);
        child
    }

    /// After castling. In Chess960 the squares that king and rook leave and reach may overlap.
    #[inline(always)]
    pub(super) fn child_castle<P: Player>(&self, king: Square, rook: Square) -> Board {
        let mut child = *self;
        let (king_to, rook_to) = castled_squares(king, rook);
        child.halfmove_clock = self.halfmove_clock.saturating_add(1);
        let us = &mut child.sides[P::US];
        us.pieces[KING] = king_to.bitboard();
        us.pieces[ROOK] = (us.pieces[ROOK] & !rook.bitboard()) | rook_to.bitboard();
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
