//! Generating legal moves.
//!
//! There is one generator. It finds, with pins and check masks, the squares each piece may go to,
//! and hands them to a [`Sink`]: one sink counts them, one lists them, one walks into the child
//! positions (perft). The sink is a type parameter, so each gets a generator of its own.
//!
//! Legality: with the king's lines known, a piece may go wherever it attacks inside the check mask
//! (everything, or the line to the one checker) and, when pinned, along its pin. The king may go
//! to squares outside the "danger map", what the others attack when the king is lifted from the
//! board. En passant is tried out, because two men leave the lines at once.

use super::color::{Black, Player, White};
use super::{
    Bitboard, Board, Color, Move, MoveKind, MoveList, PieceKind, Square, attacks, castling,
};

/// Which moves to generate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GenType {
    /// Captures (en passant too) and promotions.
    Noisy,
    /// The others.
    Quiet,
}

const EVERYTHING: u8 = 0;
const NOISY: u8 = 1;
const QUIET: u8 = 2;

/// What to do with the moves found.
///
/// `delta` is how far a pawn's target lies from its origin, by index.
pub(super) trait Sink<P: Player> {
    /// A piece of kind number `KIND` may go from here to each of the targets.
    fn piece<const KIND: usize>(&mut self, board: &Board, from: Square, targets: Bitboard);
    /// Pawns may go to each of the targets, without promoting.
    fn pawns(&mut self, board: &Board, targets: Bitboard, delta: i8);
    /// Pawns may make their double step to each of the targets.
    fn double_pushes(&mut self, board: &Board, targets: Bitboard);
    /// Pawns may go to each of the targets and promote.
    fn promotions(&mut self, board: &Board, targets: Bitboard, delta: i8);
    /// A pawn may capture en passant.
    fn en_passant(&mut self, board: &Board, from: Square, to: Square);
    /// The king may castle with the rook.
    fn castle(&mut self, board: &Board, king: Square, rook: Square);
}

/// Counts moves.
pub(super) struct Count(pub(super) u64);

impl<P: Player> Sink<P> for Count {
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
    fn castle(&mut self, _: &Board, _: Square, _: Square) {
        self.0 += 1;
    }
}

/// Lists moves.
impl<P: Player> Sink<P> for MoveList {
    #[inline(always)]
    fn piece<const KIND: usize>(&mut self, _: &Board, from: Square, targets: Bitboard) {
        for to in targets {
            self.push(Move::new(from, to, MoveKind::Normal(PieceKind::ALL[KIND])));
        }
    }

    #[inline(always)]
    fn pawns(&mut self, _: &Board, targets: Bitboard, delta: i8) {
        for to in targets {
            self.push(Move::new(
                to.offset(-delta),
                to,
                MoveKind::Normal(PieceKind::Pawn),
            ));
        }
    }

    #[inline(always)]
    fn double_pushes(&mut self, _: &Board, targets: Bitboard) {
        for to in targets {
            self.push(Move::new(to.offset(-2 * P::STEP), to, MoveKind::DoublePush));
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
    fn castle(&mut self, _: &Board, king: Square, rook: Square) {
        self.push(Move::new(king, rook, MoveKind::Castling));
    }
}

/// What hostile lines and checks leave to the side to move.
struct Constraints {
    /// The pieces giving check.
    checkers: Bitboard,
    /// From a king to the pinning sliders, with them: where pieces pinned on a diagonal may go …
    pin_diagonal: Bitboard,
    /// … and those pinned on a rank or file.
    pin_straight: Bitboard,
}

#[inline(always)]
fn constraints<P: Player>(board: &Board, king: Square, occupied: Bitboard) -> Constraints {
    let (us, them) = (&board.sides[P::US], &board.sides[P::THEM]);
    let mut found = Constraints {
        checkers: (attacks::pawn(P::COLOR, king) & them.pieces(PieceKind::Pawn))
            | (attacks::knight(king) & them.pieces(PieceKind::Knight)),
        pin_diagonal: Bitboard::EMPTY,
        pin_straight: Bitboard::EMPTY,
    };
    let diagonal = them.diagonal_sliders() & attacks::bishop_rays(king);
    if diagonal.any() {
        let seen = attacks::bishop(king, occupied);
        found.checkers |= seen & diagonal;
        let behind = attacks::bishop(king, occupied ^ (seen & us.all)) & diagonal & !seen;
        for pinner in behind {
            found.pin_diagonal |= attacks::between(king, pinner) | pinner.bitboard();
        }
    }
    let straight = them.orthogonal_sliders() & attacks::rook_rays(king);
    if straight.any() {
        let seen = attacks::rook(king, occupied);
        found.checkers |= seen & straight;
        let behind = attacks::rook(king, occupied ^ (seen & us.all)) & straight & !seen;
        for pinner in behind {
            found.pin_straight |= attacks::between(king, pinner) | pinner.bitboard();
        }
    }
    found
}

/// [`danger`] of the side to move, outside the generator.
pub(super) fn danger_of(board: &Board) -> Bitboard {
    let (king, occupied) = (board.us().king(), board.occupied());
    match board.turn {
        Color::White => danger::<White>(board, king, occupied),
        Color::Black => danger::<Black>(board, king, occupied),
    }
}

/// All squares where our king would stand in check, with the king itself lifted from the board.
#[inline(always)]
fn danger<P: Player>(board: &Board, king: Square, occupied: Bitboard) -> Bitboard {
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

/// Finds all legal moves of a stage and hands them to the sink.
#[inline(always)]
pub(super) fn generate<P: Player, S: Sink<P>, const STAGE: u8>(board: &Board, sink: &mut S) {
    let us = &board.sides[P::US];
    let them = &board.sides[P::THEM];
    let occupied = us.all | them.all;
    let king = us.king();
    let found = constraints::<P>(board, king, occupied);
    let wanted = match STAGE {
        NOISY => them.all,
        QUIET => !occupied,
        _ => !us.all,
    };

    let king_targets = attacks::king(king) & wanted;
    let castling_rooks = match STAGE {
        NOISY => Bitboard::EMPTY,
        _ => castling::free_rooks(board.castling & P::COLOR.back_rank(), king, occupied),
    };
    if king_targets.any() || castling_rooks.any() {
        let danger = danger::<P>(board, king, occupied);
        sink.piece::<5>(board, king, king_targets & !danger);
        for rook in castling_rooks {
            // A rook that shields its king from the side would leave it in check.
            let path = castling::king_path(king, rook);
            if (path & danger).is_empty() && !found.pin_straight.has(rook) {
                sink.castle(board, king, rook);
            }
        }
    }
    if found.checkers.more_than_one() {
        return;
    }
    let check_mask = match found.checkers.first() {
        None => Bitboard::ALL,
        Some(checker) => attacks::between(king, checker) | found.checkers,
    };
    pieces::<P, S>(board, &found, occupied, wanted & check_mask, sink);
    pawns::<P, S, STAGE>(board, &found, occupied, check_mask, sink);
}

/// Knights and sliders. Pinned and free ones in loops of their own, so that the free, by far the
/// most, pay nothing.
#[inline(always)]
fn pieces<P: Player, S: Sink<P>>(
    board: &Board,
    found: &Constraints,
    occupied: Bitboard,
    targets: Bitboard,
    sink: &mut S,
) {
    let us = &board.sides[P::US];
    let pinned = found.pin_diagonal | found.pin_straight;
    for from in us.pieces(PieceKind::Knight) & !pinned {
        sink.piece::<1>(board, from, attacks::knight(from) & targets);
    }
    for from in us.pieces(PieceKind::Bishop) & !pinned {
        sink.piece::<2>(board, from, attacks::bishop(from, occupied) & targets);
    }
    for from in us.pieces(PieceKind::Rook) & !pinned {
        sink.piece::<3>(board, from, attacks::rook(from, occupied) & targets);
    }
    for from in us.pieces(PieceKind::Queen) & !pinned {
        sink.piece::<4>(board, from, attacks::queen(from, occupied) & targets);
    }
    if ((us.diagonal_sliders() | us.orthogonal_sliders()) & pinned).any() {
        for from in us.pieces(PieceKind::Bishop) & found.pin_diagonal {
            let line = attacks::bishop(from, occupied) & found.pin_diagonal;
            sink.piece::<2>(board, from, line & targets);
        }
        for from in us.pieces(PieceKind::Rook) & found.pin_straight {
            let line = attacks::rook(from, occupied) & found.pin_straight;
            sink.piece::<3>(board, from, line & targets);
        }
        for from in us.pieces(PieceKind::Queen) & found.pin_diagonal {
            let line = attacks::bishop(from, occupied) & found.pin_diagonal;
            sink.piece::<4>(board, from, line & targets);
        }
        for from in us.pieces(PieceKind::Queen) & found.pin_straight {
            let line = attacks::rook(from, occupied) & found.pin_straight;
            sink.piece::<4>(board, from, line & targets);
        }
    }
}

/// Pawns, all of a kind of step at once.
#[inline(always)]
fn pawns<P: Player, S: Sink<P>, const STAGE: u8>(
    board: &Board,
    found: &Constraints,
    occupied: Bitboard,
    check_mask: Bitboard,
    sink: &mut S,
) {
    let pawns = board.sides[P::US].pieces(PieceKind::Pawn);
    let them = board.sides[P::THEM].all;

    // Ahead: not if pinned on a diagonal; if pinned on a line, only on the file.
    let movers = pawns & !found.pin_diagonal;
    let single = (P::forward(movers & !found.pin_straight)
        | (P::forward(movers & found.pin_straight) & found.pin_straight))
        & !occupied;
    let double = P::forward(single & P::THIRD_RANK) & !occupied & check_mask;
    let single = single & check_mask;
    if STAGE != NOISY {
        sink.pawns(board, single & !P::LAST_RANK, P::STEP);
        sink.double_pushes(board, double);
    }
    if STAGE != QUIET {
        // Captures: not if pinned on a line; if pinned on a diagonal, only along it.
        let movers = pawns & !found.pin_straight;
        let (free, pinned) = (movers & !found.pin_diagonal, movers & found.pin_diagonal);
        let west = (P::forward_west(free) | (P::forward_west(pinned) & found.pin_diagonal))
            & them
            & check_mask;
        let east = (P::forward_east(free) | (P::forward_east(pinned) & found.pin_diagonal))
            & them
            & check_mask;
        sink.pawns(board, west & !P::LAST_RANK, P::STEP - 1);
        sink.pawns(board, east & !P::LAST_RANK, P::STEP + 1);
        if ((single | west | east) & P::LAST_RANK).any() {
            sink.promotions(board, single & P::LAST_RANK, P::STEP);
            sink.promotions(board, west & P::LAST_RANK, P::STEP - 1);
            sink.promotions(board, east & P::LAST_RANK, P::STEP + 1);
        }
        if let Some(square) = board.en_passant() {
            for from in attacks::pawn(P::Opponent::COLOR, square) & pawns {
                if board.en_passant_is_safe(from, square) {
                    sink.en_passant(board, from, square);
                }
            }
        }
    }
}

impl Board {
    /// All legal moves.
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        match self.turn {
            Color::White => generate::<White, _, EVERYTHING>(self, &mut list),
            Color::Black => generate::<Black, _, EVERYTHING>(self, &mut list),
        }
        list
    }

    /// Adds the legal moves of one stage to a list.
    pub fn generate_moves(&self, gen_type: GenType, list: &mut MoveList) {
        match (self.turn, gen_type) {
            (Color::White, GenType::Noisy) => generate::<White, _, NOISY>(self, list),
            (Color::White, GenType::Quiet) => generate::<White, _, QUIET>(self, list),
            (Color::Black, GenType::Noisy) => generate::<Black, _, NOISY>(self, list),
            (Color::Black, GenType::Quiet) => generate::<Black, _, QUIET>(self, list),
        }
    }

    /// How many legal moves there are, without listing them.
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

    /// Whether the side to move is mated.
    pub fn is_checkmate(&self) -> bool {
        self.in_check() && !self.has_legal_move()
    }
}

/// How many legal moves there are.
#[inline(always)]
pub(super) fn count<P: Player>(board: &Board) -> u64 {
    let mut count = Count(0);
    generate::<P, _, EVERYTHING>(board, &mut count);
    count.0
}
