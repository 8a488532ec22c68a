//! Perft: the number of sequences of legal moves of a given length, the test of move generators.
//!
//! <https://www.chessprogramming.org/Perft>. [`perft`] lists no moves: moves
//! of the last ply are counted as bitboards (bulk counting), the others are made as soon as the
//! generator finds them.

use super::color::{Black, Player, White};
use super::movegen::{ALL, MoveSink, count, generate};
use super::piece::PAWN;
use super::{Bitboard, Board, Color, Move, PieceKind, Square};
use alloc::vec::Vec;

/// The maximum depth: each ply needs some of the stack. (The counts exceed 64 bits long before.)
pub const MAX_DEPTH: u32 = 64;
/// [`perft_polling`] counts a subtree of this depth at once.
const MAX_UNPOLLED_DEPTH: u32 = 3;

/// The number of sequences of `depth` legal moves, for a depth of up to [`MAX_DEPTH`].
///
/// ```
/// use saavedra_chess::{Board, perft};
/// assert_eq!(perft::perft(&Board::startpos(), 3), 8902);
/// ```
pub fn perft(board: &Board, depth: u32) -> u64 {
    if cfg!(target_family = "wasm") {
        return small_perft(board, depth);
    }
    match board.turn {
        Color::White => perft_as::<White>(board, depth),
        Color::Black => perft_as::<Black>(board, depth),
    }
}

/// [`perft`] that calls `poll` from time to time and ends with its first error.
pub fn perft_polling<E>(
    board: &Board,
    depth: u32,
    poll: &mut dyn FnMut() -> Result<(), E>,
) -> Result<u64, E> {
    poll()?;
    if depth <= MAX_UNPOLLED_DEPTH {
        return Ok(perft(board, depth));
    }
    board.children().map(|(_, child)| perft_polling(&child, depth - 1, poll)).sum()
}

/// Each legal move with its part of [`perft`], in the order of [`Board::legal_moves`].
pub fn divide(board: &Board, depth: u32) -> Vec<(Move, u64)> {
    board.children().map(|(m, child)| (m, perft(&child, depth.saturating_sub(1)))).collect()
}

/// [`perft`] with a hundredth of its code, for a program that is downloaded.
fn small_perft(board: &Board, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => board.count_legal_moves(),
        _ => {
            let children = board.children();
            children.map(|(_, child)| small_perft(&child, depth - 1)).sum()
        }
    }
}

/// [`perft`] by listing and making every move: the slow reference.
pub fn slow_perft(board: &Board, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    board.children().map(|(_, child)| slow_perft(&child, depth - 1)).sum()
}

fn perft_as<P: Player>(board: &Board, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => count::<P>(board),
        2 => {
            let mut children = Children { counter: MoveCount, count: 0 };
            generate::<P, _, ALL>(board, &mut children);
            children.count
        }
        _ => {
            let mut children = Children { counter: Perft(depth - 1), count: 0 };
            generate::<P, _, ALL>(board, &mut children);
            children.count
        }
    }
}

/// How to count the moves from a child position.
trait Counter: Copy {
    fn count<P: Player>(self, child: &Board) -> u64;
}

/// Counts the legal moves of the child. Inlined wherever a child is made: this measured a sixth
/// faster.
#[derive(Clone, Copy)]
struct MoveCount;

impl Counter for MoveCount {
    #[inline(always)]
    fn count<P: Player>(self, child: &Board) -> u64 {
        count::<P>(child)
    }
}

/// Perft of the child to this depth.
#[derive(Clone, Copy)]
struct Perft(u32);

impl Counter for Perft {
    #[inline(always)]
    fn count<P: Player>(self, child: &Board) -> u64 {
        perft_as::<P>(child, self.0)
    }
}

/// Makes each move and counts the moves from the child.
struct Children<C> {
    counter: C,
    count: u64,
}

impl<P: Player, C: Counter> MoveSink<P> for Children<C> {
    #[inline(always)]
    fn piece<const KIND: usize>(&mut self, board: &Board, from: Square, targets: Bitboard) {
        for to in targets {
            self.count +=
                self.counter.count::<P::Opponent>(&board.child_normal::<P, KIND>(from, to));
        }
    }

    #[inline(always)]
    fn pawns(&mut self, board: &Board, targets: Bitboard, delta: i8) {
        for to in targets {
            let child = board.child_normal::<P, PAWN>(to.offset(-delta), to);
            self.count += self.counter.count::<P::Opponent>(&child);
        }
    }

    #[inline(always)]
    fn double_pushes(&mut self, board: &Board, targets: Bitboard) {
        for to in targets {
            let child = board.child_double_push::<P>(to.offset(-2 * P::PAWN_PUSH), to);
            self.count += self.counter.count::<P::Opponent>(&child);
        }
    }

    #[inline(always)]
    fn promotions(&mut self, board: &Board, targets: Bitboard, delta: i8) {
        for to in targets {
            for kind in PieceKind::PROMOTIONS {
                let child = board.child_promotion::<P>(to.offset(-delta), to, kind);
                self.count += self.counter.count::<P::Opponent>(&child);
            }
        }
    }

    #[inline(always)]
    fn en_passant(&mut self, board: &Board, from: Square, to: Square) {
        let child = board.child_en_passant::<P>(from, to);
        self.count += self.counter.count::<P::Opponent>(&child);
    }

    #[inline(always)]
    fn castling(&mut self, board: &Board, king: Square, rook: Square) {
        let child = board.child_castle::<P>(king, rook);
        self.count += self.counter.count::<P::Opponent>(&child);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn perft_ends_with_the_first_error() {
        let board = Board::startpos();
        let mut polls = 0;
        let mut poll = || {
            polls += 1;
            Ok::<(), &str>(())
        };
        assert_eq!(perft_polling(&board, 4, &mut poll), Ok(197_281));
        assert_eq!(polls, 21, "at the root and after each move");
        let mut polls_left = 5;
        let mut poll = || {
            polls_left -= 1;
            (polls_left > 0).then_some(()).ok_or("stopped")
        };
        assert_eq!(perft_polling(&board, 10, &mut poll), Err("stopped"));
        assert_eq!(polls_left, 0);
    }

    #[test]
    fn the_small_perft_counts_the_same() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        ] {
            let board = Board::from_fen(fen).expect("a legal position");
            for depth in 0..=3 {
                assert_eq!(small_perft(&board, depth), perft(&board, depth), "{fen}");
            }
        }
    }
}
