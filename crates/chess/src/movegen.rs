//! Generation of legal moves.
//!
//! There is one generator. It computes the legal target squares of each piece with check and pin
//! masks and passes them to a [`MoveSink`]: one sink counts the moves, one lists them, one makes
//! them at once (perft). The sink is a type parameter, so each has its own compiled generator.
//!
//! Legality: a piece may go to the squares that it attacks within the check mask (all squares, or
//! those between king and checker with the checker) and, if pinned, within its pin mask. The king
//! may go to squares that the opponent does not attack when the king itself is removed from the
//! board. En passant captures are checked one by one, because they vacate two squares.

use super::color::{Black, Player, White};
use super::piece::{BISHOP, KING, KNIGHT, QUEEN, ROOK};
use super::{
    Bitboard, Board, Color, Move, MoveKind, MoveList, PieceKind, Square, attacks, castling,
};

/// Which moves to generate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GenType {
    /// Captures, en passant captures and promotions.
    Noisy,
    /// All other moves.
    Quiet,
}

// Values of the const parameter `GEN` of the generator.
/// All moves.
pub(super) const ALL: u8 = 0;
/// The moves of [`GenType::Noisy`].
const NOISY: u8 = 1;
/// The moves of [`GenType::Quiet`].
const QUIET: u8 = 2;

/// Receives the legal moves that the generator finds.
///
/// `delta` is a pawn's target index minus its origin index.
pub(super) trait MoveSink<P: Player> {
    /// Moves of the piece of kind `KIND` (its index) on `from` to each of the targets.
    fn piece<const KIND: usize>(&mut self, board: &Board, from: Square, targets: Bitboard);
    /// Single pushes or captures by pawns to each of the targets, without promotion.
    fn pawns(&mut self, board: &Board, targets: Bitboard, delta: i8);
    /// Double pushes of pawns to each of the targets.
    fn double_pushes(&mut self, board: &Board, targets: Bitboard);
    /// The four promotions of a pawn on each of the targets.
    fn promotions(&mut self, board: &Board, targets: Bitboard, delta: i8);
    /// An en passant capture.
    fn en_passant(&mut self, board: &Board, from: Square, to: Square);
    /// Castling.
    fn castling(&mut self, board: &Board, king: Square, rook: Square);
}

/// Counts moves.
pub(super) struct Count(pub(super) u64);

impl<P: Player> MoveSink<P> for Count {
    #[inline(always)]
    fn piece<const KIND: usize>(&mut self, _: &Board, _: Square, targets: Bitboard) {
        self.0 += u64::from(targets.count());
    }

    #[inline(always)]
    fn pawns(&mut self, _: &Board, targets: Bitboard, _: i8) {
        self.0 += u64::from(targets.count());
    }

    #[inline(always)]
    fn double_pushes(&mut self, _: &Board, targets: Bitboard) {
        self.0 += u64::from(targets.count());
    }

    #[inline(always)]
    fn promotions(&mut self, _: &Board, targets: Bitboard, _: i8) {
        self.0 += 4 * u64::from(targets.count());
    }

    #[inline(always)]
    fn en_passant(&mut self, _: &Board, _: Square, _: Square) {
        self.0 += 1;
    }

    #[inline(always)]
    fn castling(&mut self, _: &Board, _: Square, _: Square) {
        self.0 += 1;
    }
}

/// Lists moves.
impl<P: Player> MoveSink<P> for MoveList {
    #[inline(always)]
    fn piece<const KIND: usize>(&mut self, _: &Board, from: Square, targets: Bitboard) {
        for to in targets {
            self.push(Move::new(from, to, MoveKind::Normal(PieceKind::ALL[KIND])));
        }
    }

    #[inline(always)]
    fn pawns(&mut self, _: &Board, targets: Bitboard, delta: i8) {
        for to in targets {
            self.push(Move::new(to.offset(-delta), to, MoveKind::Normal(PieceKind::Pawn)));
        }
    }

    #[inline(always)]
    fn double_pushes(&mut self, _: &Board, targets: Bitboard) {
        for to in targets {
            self.push(Move::new(to.offset(-2 * P::PAWN_PUSH), to, MoveKind::DoublePush));
        }
    }

    #[inline(always)]
    fn promotions(&mut self, _: &Board, targets: Bitboard, delta: i8) {
        for to in targets {
            for kind in PieceKind::PROMOTIONS.into_iter().rev() {
                self.push(Move::new(to.offset(-delta), to, MoveKind::Promotion(kind)));
            }
        }
    }

    #[inline(always)]
    fn en_passant(&mut self, _: &Board, from: Square, to: Square) {
        self.push(Move::new(from, to, MoveKind::EnPassant));
    }

    #[inline(always)]
    fn castling(&mut self, _: &Board, king: Square, rook: Square) {
        self.push(Move::new(king, rook, MoveKind::Castling));
    }
}

/// The checkers and the pin masks of the side to move.
struct ChecksAndPins {
    /// The pieces giving check.
    checkers: Bitboard,
    /// The squares between the king and sliders that pin on a diagonal, with the sliders: the
    /// squares where pieces pinned on a diagonal may go.
    diagonal_pins: Bitboard,
    /// The same for pins on a rank or file.
    orthogonal_pins: Bitboard,
}

#[inline(always)]
fn checks_and_pins<P: Player>(board: &Board, king: Square, occupied: Bitboard) -> ChecksAndPins {
    let (us, them) = (&board.sides[P::US], &board.sides[P::THEM]);
    let mut masks = ChecksAndPins {
        checkers: (attacks::pawn(P::COLOR, king) & them.pieces(PieceKind::Pawn))
            | (attacks::knight(king) & them.pieces(PieceKind::Knight)),
        diagonal_pins: Bitboard::EMPTY,
        orthogonal_pins: Bitboard::EMPTY,
    };
    let diagonal = them.diagonal_sliders() & attacks::bishop_rays(king);
    if diagonal.any() {
        let attacked = attacks::bishop(king, occupied);
        masks.checkers |= attacked & diagonal;
        let pinners = attacks::bishop(king, occupied ^ (attacked & us.all)) & diagonal & !attacked;
        for pinner in pinners {
            masks.diagonal_pins |= attacks::between(king, pinner) | pinner.bitboard();
        }
    }
    let orthogonal = them.orthogonal_sliders() & attacks::rook_rays(king);
    if orthogonal.any() {
        let attacked = attacks::rook(king, occupied);
        masks.checkers |= attacked & orthogonal;
        let pinners = attacks::rook(king, occupied ^ (attacked & us.all)) & orthogonal & !attacked;
        for pinner in pinners {
            masks.orthogonal_pins |= attacks::between(king, pinner) | pinner.bitboard();
        }
    }
    masks
}

/// All squares where the king of the side to move would be in check, with the king itself removed
/// from the board.
pub(super) fn attacked_squares(board: &Board) -> Bitboard {
    let (king, occupied) = (board.us().king(), board.occupied());
    match board.turn {
        Color::White => attacked_by_opponent::<White>(board, king, occupied),
        Color::Black => attacked_by_opponent::<Black>(board, king, occupied),
    }
}

#[inline(always)]
fn attacked_by_opponent<P: Player>(board: &Board, king: Square, occupied: Bitboard) -> Bitboard {
    let them = &board.sides[P::THEM];
    let occupied = occupied ^ king.bitboard();
    let pawns = them.pieces(PieceKind::Pawn);
    let mut set = P::Opponent::forward_west(pawns)
        | P::Opponent::forward_east(pawns)
        | attacks::king(them.king());
    for knight in them.pieces(PieceKind::Knight) {
        set |= attacks::knight(knight);
    }
    for slider in them.diagonal_sliders() {
        set |= attacks::bishop(slider, occupied);
    }
    for slider in them.orthogonal_sliders() {
        set |= attacks::rook(slider, occupied);
    }
    set
}

/// Finds the legal moves selected by `GEN` and passes them to the sink.
#[inline(always)]
pub(super) fn generate<P: Player, S: MoveSink<P>, const GEN: u8>(board: &Board, sink: &mut S) {
    let us = &board.sides[P::US];
    let them = &board.sides[P::THEM];
    let occupied = us.all | them.all;
    let king = us.king();
    let masks = checks_and_pins::<P>(board, king, occupied);
    let target_mask = match GEN {
        NOISY => them.all,
        QUIET => !occupied,
        _ => !us.all,
    };

    let king_targets = attacks::king(king) & target_mask;
    let castling_rooks = match GEN {
        NOISY => Bitboard::EMPTY,
        _ => castling::unobstructed_rooks(board.castling & P::COLOR.back_rank(), king, occupied),
    };
    if king_targets.any() || castling_rooks.any() {
        let attacked = attacked_by_opponent::<P>(board, king, occupied);
        sink.piece::<KING>(board, king, king_targets & !attacked);
        for rook in castling_rooks {
            // In Chess960 a rook may be pinned to its king on the back rank.
            let path = castling::king_path(king, rook);
            if (path & attacked).is_empty() && !masks.orthogonal_pins.has(rook) {
                sink.castling(board, king, rook);
            }
        }
    }
    if masks.checkers.more_than_one() {
        return;
    }
    let check_mask = match masks.checkers.first() {
        None => Bitboard::ALL,
        Some(checker) => attacks::between(king, checker) | masks.checkers,
    };
    pieces::<P, S>(board, &masks, occupied, target_mask & check_mask, sink);
    pawns::<P, S, GEN>(board, &masks, occupied, check_mask, sink);
}

/// Moves of knights and sliders. Pinned pieces have their own loops, so that the others, which are
/// far more frequent, need no test.
#[inline(always)]
fn pieces<P: Player, S: MoveSink<P>>(
    board: &Board,
    masks: &ChecksAndPins,
    occupied: Bitboard,
    targets: Bitboard,
    sink: &mut S,
) {
    let us = &board.sides[P::US];
    let pinned = masks.diagonal_pins | masks.orthogonal_pins;
    for from in us.pieces(PieceKind::Knight) & !pinned {
        sink.piece::<KNIGHT>(board, from, attacks::knight(from) & targets);
    }
    for from in us.pieces(PieceKind::Bishop) & !pinned {
        sink.piece::<BISHOP>(board, from, attacks::bishop(from, occupied) & targets);
    }
    for from in us.pieces(PieceKind::Rook) & !pinned {
        sink.piece::<ROOK>(board, from, attacks::rook(from, occupied) & targets);
    }
    for from in us.pieces(PieceKind::Queen) & !pinned {
        sink.piece::<QUEEN>(board, from, attacks::queen(from, occupied) & targets);
    }
    if ((us.diagonal_sliders() | us.orthogonal_sliders()) & pinned).any() {
        for from in us.pieces(PieceKind::Bishop) & masks.diagonal_pins {
            let line = attacks::bishop(from, occupied) & masks.diagonal_pins;
            sink.piece::<BISHOP>(board, from, line & targets);
        }
        for from in us.pieces(PieceKind::Rook) & masks.orthogonal_pins {
            let line = attacks::rook(from, occupied) & masks.orthogonal_pins;
            sink.piece::<ROOK>(board, from, line & targets);
        }
        for from in us.pieces(PieceKind::Queen) & masks.diagonal_pins {
            let line = attacks::bishop(from, occupied) & masks.diagonal_pins;
            sink.piece::<QUEEN>(board, from, line & targets);
        }
        for from in us.pieces(PieceKind::Queen) & masks.orthogonal_pins {
            let line = attacks::rook(from, occupied) & masks.orthogonal_pins;
            sink.piece::<QUEEN>(board, from, line & targets);
        }
    }
}

/// Moves of pawns, all pawns at once.
#[inline(always)]
fn pawns<P: Player, S: MoveSink<P>, const GEN: u8>(
    board: &Board,
    masks: &ChecksAndPins,
    occupied: Bitboard,
    check_mask: Bitboard,
    sink: &mut S,
) {
    let pawns = board.sides[P::US].pieces(PieceKind::Pawn);
    let them = board.sides[P::THEM].all;

    // Pushes: not by pawns pinned on a diagonal; by pawns pinned on a rank or file only along the
    // pin.
    let movers = pawns & !masks.diagonal_pins;
    let single = (P::forward(movers & !masks.orthogonal_pins)
        | (P::forward(movers & masks.orthogonal_pins) & masks.orthogonal_pins))
        & !occupied;
    let double = P::forward(single & P::THIRD_RANK) & !occupied & check_mask;
    let single = single & check_mask;
    if GEN != NOISY {
        sink.pawns(board, single & !P::LAST_RANK, P::PAWN_PUSH);
        sink.double_pushes(board, double);
    }
    if GEN != QUIET {
        // Captures: not by pawns pinned on a rank or file; by pawns pinned on a diagonal only along
        // it.
        let movers = pawns & !masks.orthogonal_pins;
        let (unpinned, pinned) = (movers & !masks.diagonal_pins, movers & masks.diagonal_pins);
        let west = (P::forward_west(unpinned) | (P::forward_west(pinned) & masks.diagonal_pins))
            & them
            & check_mask;
        let east = (P::forward_east(unpinned) | (P::forward_east(pinned) & masks.diagonal_pins))
            & them
            & check_mask;
        sink.pawns(board, west & !P::LAST_RANK, P::PAWN_PUSH - 1);
        sink.pawns(board, east & !P::LAST_RANK, P::PAWN_PUSH + 1);
        if ((single | west | east) & P::LAST_RANK).any() {
            sink.promotions(board, single & P::LAST_RANK, P::PAWN_PUSH);
            sink.promotions(board, west & P::LAST_RANK, P::PAWN_PUSH - 1);
            sink.promotions(board, east & P::LAST_RANK, P::PAWN_PUSH + 1);
        }
        if let Some(square) = board.en_passant() {
            for from in attacks::pawn(P::Opponent::COLOR, square) & pawns {
                if board.is_en_passant_legal(from, square) {
                    sink.en_passant(board, from, square);
                }
            }
        }
    }
}

impl Board {
    /// All legal moves.
    ///
    /// ```
    /// use saavedra_chess::Board;
    /// let board = Board::startpos();
    /// for m in board.legal_moves() {
    ///     println!("{} = {}", board.san(m), m);
    /// }
    /// ```
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        match self.turn {
            Color::White => generate::<White, _, ALL>(self, &mut list),
            Color::Black => generate::<Black, _, ALL>(self, &mut list),
        }
        list
    }

    /// Adds the legal moves of this type to a list.
    pub fn generate_moves(&self, gen_type: GenType, list: &mut MoveList) {
        match (self.turn, gen_type) {
            (Color::White, GenType::Noisy) => generate::<White, _, NOISY>(self, list),
            (Color::White, GenType::Quiet) => generate::<White, _, QUIET>(self, list),
            (Color::Black, GenType::Noisy) => generate::<Black, _, NOISY>(self, list),
            (Color::Black, GenType::Quiet) => generate::<Black, _, QUIET>(self, list),
        }
    }

    /// The number of legal moves, computed without listing them.
    pub fn count_legal_moves(&self) -> u64 {
        match self.turn {
            Color::White => count::<White>(self),
            Color::Black => count::<Black>(self),
        }
    }

    /// Whether there is any legal move.
    pub fn has_legal_move(&self) -> bool {
        self.count_legal_moves() > 0
    }

    /// Whether the side to move is checkmated.
    pub fn is_checkmate(&self) -> bool {
        self.in_check() && !self.has_legal_move()
    }
}

/// The number of legal moves.
#[inline(always)]
pub(super) fn count<P: Player>(board: &Board) -> u64 {
    let mut count = Count(0);
    generate::<P, _, ALL>(board, &mut count);
    count.0
}
