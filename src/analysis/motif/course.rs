//! A line with all its boards, and what it proves.

use super::super::material::{PAWN_VALUE, balance, captured, settled};
use super::{Motif, MotifName};
use crate::chess::{Bitboard, Board, Color, Move, Side, Square, attacks};
use crate::search::score::Score;

/// The plies of a line in which a motif may begin. What comes later has little to do with the first
/// move.
const MAX_PLY: usize = 5;

/// A line, its boards, and the material on them.
pub(super) struct Course {
    /// The positions: one more than moves.
    pub(super) boards: Vec<Board>,
    /// The moves.
    pub(super) moves: Vec<Move>,
    /// The side that starts the line.
    pub(super) us: Color,
    /// The material of this side less the material of the other side on each board, in centipawns.
    pub(super) balance: Vec<i32>,
    /// The number of plies after which the position is quiet; 0 if it never is.
    pub(super) end: usize,
    /// Whether the line mates by force.
    pub(super) mates: bool,
    /// Whether the line ends in a draw by its score.
    pub(super) draws: bool,
}

impl Course {
    /// A line with its score from the view of the side that starts it; `None` if it has no moves.
    pub(super) fn new(board: &Board, line: &[Move], score: Score) -> Option<Course> {
        line.first()?;
        let mut boards = vec![*board];
        boards.extend(line.iter().scan(*board, |at, m| {
            *at = at.make(*m);
            Some(*at)
        }));
        let us = board.turn();
        let of_us = |at: &Board| if at.turn() == us { balance(at) } else { -balance(at) };
        let is_mate = boards.last().is_some_and(|last| last.turn() != us && last.is_checkmate());
        Some(Course {
            balance: boards.iter().map(of_us).collect(),
            boards,
            moves: line.to_vec(),
            us,
            end: settled(board, line).unwrap_or(0),
            // A mate on the board at the end of a longer line need not be forced.
            mates: is_mate && line.len() == 1 || score.mate().is_some_and(|moves| moves > 0),
            draws: score == Score::DRAW,
        })
    }

    /// The plies of the side that starts the line in which a motif may begin.
    pub(super) fn own_plies(&self) -> impl Iterator<Item = usize> + use<> {
        let end = if self.mates { self.moves.len() } else { self.end };
        (0..end.min(MAX_PLY)).step_by(2)
    }

    /// Whether the moves from `ply` on mate, or win a pawn or more that the whole line wins too.
    pub(super) fn gains_from(&self, ply: usize) -> bool {
        let gain = |from: usize| self.balance[self.end] - self.balance[from];
        self.mates || self.end > ply && gain(ply) >= PAWN_VALUE && gain(0) >= PAWN_VALUE
    }

    /// The ply of the move that captures the piece that stands on `square` in the position `ply`,
    /// wherever it has moved meanwhile; `None` if no move does.
    pub(super) fn fate(&self, square: Square, ply: usize) -> Option<usize> {
        let mut square = square;
        for (at, m) in self.moves.iter().enumerate().skip(ply) {
            if captured(&self.boards[at], *m).is_some_and(|(taken, _)| taken == square) {
                return Some(at);
            }
            if m.from() == square {
                square = m.destination();
            }
        }
        None
    }

    /// Whether the other side's piece on `square` in the position `ply` is taken soon.
    pub(super) fn is_lost(&self, square: Square, ply: usize, plies: usize) -> bool {
        let end = if self.mates { self.moves.len() } else { self.end };
        self.fate(square, ply).is_some_and(|at| at < end && at - ply <= plies)
    }

    /// Whether the piece on one square in the position `ply` is taken before the piece on another
    /// square, and not by that one.
    pub(super) fn is_lost_before(&self, square: Square, other: Square, ply: usize) -> bool {
        let last = self.fate(other, ply).unwrap_or(usize::MAX);
        let first = self.fate(square, ply).filter(|at| *at < last);
        first.is_some_and(|at| self.moves[at].from() != other)
    }

    /// The other side in a position of the line.
    pub(super) fn them<'a>(&self, board: &'a Board) -> &'a Side {
        board.side(!self.us)
    }

    /// A motif of the side that starts the line.
    pub(super) fn motif(&self, name: MotifName, ply: usize, squares: Vec<Square>) -> Motif {
        Motif { name, side: self.us, squares, ply }
    }
}

/// The squares that the piece on a square attacks; none if it is empty.
pub(super) fn attacked_from(board: &Board, square: Square) -> Bitboard {
    board.piece_at(square).map_or(Bitboard::EMPTY, |piece| {
        attacks::of(piece.kind, piece.color, square, board.occupied())
    })
}

/// A slider of one side, the first piece of the other side on a ray of it, and the second one
/// behind the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Ray {
    pub(super) slider: Square,
    pub(super) front: Square,
    pub(super) rear: Square,
}

/// All rays of the sliders of a side with two pieces of the other side on them.
pub(super) fn rays(board: &Board, side: Color) -> Vec<Ray> {
    let (own, other, occupied) = (board.side(side), board.side(!side), board.occupied());
    let mut rays = Vec::new();
    for slider in own.diagonal_sliders() | own.orthogonal_sliders() {
        let Some(kind) = own.piece_at(slider) else { continue };
        let reach = attacks::of(kind, side, slider, occupied);
        for front in reach & other.occupied() {
            let through = attacks::of(kind, side, slider, occupied & !front.bitboard());
            let behind = through & !reach & other.occupied() & attacks::line(slider, front);
            rays.extend(behind.into_iter().map(|rear| Ray { slider, front, rear }));
        }
    }
    rays
}
