//! Counting the paths of legal moves to a depth: the proof of a move generator.
//!
//! <https://www.chessprogramming.org/Perft>. The last ply is counted without listing its moves,
//! the others are walked without listing them either: the generator hands each set of targets to
//! `Walk`, which makes the children at once.

use super::color::{Black, Player, White};
use super::movegen::{Sink, count, generate};
use super::{Bitboard, Board, Color, Move, PieceKind, Square};

/// The largest depth to ask for, since each ply takes some of the stack. (Counts overflow 64 bits,
/// and patience ends, long before.)
pub const MAX_DEPTH: u32 = 64;

/// The number of paths of `depth` legal moves, `depth` up to [`MAX_DEPTH`].
pub fn perft(board: &Board, depth: u32) -> u64 {
    match board.turn {
        Color::White => paths::<White>(board, depth),
        Color::Black => paths::<Black>(board, depth),
    }
}

/// The number of paths behind each legal move, in the order of the move list.
pub fn divide(board: &Board, depth: u32) -> Vec<(Move, u64)> {
    board
        .children()
        .map(|(m, child)| (m, perft(&child, depth.saturating_sub(1))))
        .collect()
}

/// The same by making and listing every move: the obvious twin.
pub fn slow_perft(board: &Board, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    board
        .children()
        .map(|(_, child)| slow_perft(&child, depth - 1))
        .sum()
}

fn paths<P: Player>(board: &Board, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => count::<P>(board),
        2 => {
            let mut walk = Walk {
                next: Leaves,
                count: 0,
            };
            generate::<P, _, 0>(board, &mut walk);
            walk.count
        }
        _ => {
            let mut walk = Walk {
                next: Deeper(depth - 1),
                count: 0,
            };
            generate::<P, _, 0>(board, &mut walk);
            walk.count
        }
    }
}

/// What to do with a child.
trait Next: Copy {
    fn count<P: Player>(self, child: &Board) -> u64;
}

/// Count its moves; inlined wherever a child is made, worth a sixth of the time.
#[derive(Clone, Copy)]
struct Leaves;

impl Next for Leaves {
    #[inline(always)]
    fn count<P: Player>(self, child: &Board) -> u64 {
        count::<P>(child)
    }
}

/// Walk on for so many plies.
#[derive(Clone, Copy)]
struct Deeper(u32);

impl Next for Deeper {
    #[inline(always)]
    fn count<P: Player>(self, child: &Board) -> u64 {
        paths::<P>(child, self.0)
    }
}

/// Makes each move found and counts on from the child.
struct Walk<N> {
    next: N,
    count: u64,
}

impl<P: Player, N: Next> Sink<P> for Walk<N> {
    #[inline(always)]
    fn piece<const KIND: usize>(&mut self, board: &Board, from: Square, targets: Bitboard) {
        for to in targets {
            self.count += self
                .next
                .count::<P::Opponent>(&board.child_piece::<P, KIND>(from, to));
        }
    }

    #[inline(always)]
    fn pawns(&mut self, board: &Board, targets: Bitboard, delta: i8) {
        for to in targets {
            let child = board.child_piece::<P, 0>(to.offset(-delta), to);
            self.count += self.next.count::<P::Opponent>(&child);
        }
    }

    #[inline(always)]
    fn double_pushes(&mut self, board: &Board, targets: Bitboard) {
        for to in targets {
            let child = board.child_double_push::<P>(to.offset(-2 * P::STEP), to);
            self.count += self.next.count::<P::Opponent>(&child);
        }
    }

    #[inline(always)]
    fn promotions(&mut self, board: &Board, targets: Bitboard, delta: i8) {
        for to in targets {
            for kind in PieceKind::PROMOTIONS {
                let child = board.child_promotion::<P>(to.offset(-delta), to, kind);
                self.count += self.next.count::<P::Opponent>(&child);
            }
        }
    }

    #[inline(always)]
    fn en_passant(&mut self, board: &Board, from: Square, to: Square) {
        let child = board.child_en_passant::<P>(from, to);
        self.count += self.next.count::<P::Opponent>(&child);
    }

    #[inline(always)]
    fn castle(&mut self, board: &Board, king: Square, rook: Square) {
        let child = board.child_castle::<P>(king, rook);
        self.count += self.next.count::<P::Opponent>(&child);
    }
}
