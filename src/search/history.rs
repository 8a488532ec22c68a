//! History tables: which moves were good or bad earlier in the search, for move ordering, pruning
//! and reductions. <https://www.chessprogramming.org/History_Heuristic>
//!
//! - butterfly history of quiet moves: side, origin and target, and whether these are attacked;
//! - capture history: piece, target and captured piece;
//! - continuation history of quiet moves: the move 1, 2 or 4 plies ago, piece and target;
//! - pawn history of quiet moves: pawn structure, piece and target.
//!
//! All entries are updated with gravity: h += bonus - |bonus| · h / MAX, so they stay within ±MAX.
//! Colours and squares are absolute; only pawn structures are relative to the side to move.

#![allow(unsafe_code)]

use crate::chess::{Bitboard, Board, Color, Move, PieceKind};
use crate::memory::{LargePages, Zeroable};

/// The maximum absolute value of an entry.
pub(super) const MAX: i32 = 16_384;
/// The number of pawn structures in the pawn history.
const PAWN_ROWS: usize = 1024;

/// Index of a piece and its target square: colour, kind, square.
pub(super) type PieceTo = usize;
/// The number of [`PieceTo`] indices; [`NO_MOVE`] is one more.
pub(super) const PIECE_TO_COUNT: usize = 2 * 6 * 64;
/// A null move, or a ply before the root.
pub(super) const NO_MOVE: PieceTo = PIECE_TO_COUNT;

/// The index of a move's piece and target square.
#[inline(always)]
pub(super) fn piece_to(color: Color, m: Move) -> PieceTo {
    (color.index() * 6 + m.piece().index()) * 64 + m.to().index()
}

/// The target square of an index, as an index.
#[inline(always)]
pub(super) fn target_square(piece_to: PieceTo) -> usize {
    piece_to % 64
}

/// Whether a move's origin and target are attacked, as an index.
#[inline(always)]
fn threat_index(threats: Bitboard, m: Move) -> usize {
    usize::from(threats.has(m.from())) * 2 + usize::from(threats.has(m.to()))
}

type PieceToTable = [i16; PIECE_TO_COUNT];

/// The history tables of one thread.
pub(super) struct Histories {
    /// By side, attacked origin and target, origin, target.
    butterfly: [[[[i16; 64]; 64]; 4]; 2],
    /// By piece and target, captured piece.
    capture: [[i16; 6]; PIECE_TO_COUNT],
    /// By earlier move.
    continuation: [PieceToTable; PIECE_TO_COUNT + 1],
    /// By pawn structure.
    pawn: [PieceToTable; PAWN_ROWS],
}

/// Updates an entry with gravity, within ±`BOUND`: up by a bonus, down by a malus.
#[inline(always)]
pub(super) fn apply<const BOUND: i32>(entry: &mut i16, bonus: i32) {
    let bonus = bonus.clamp(-BOUND, BOUND);
    let old = i32::from(*entry);
    *entry = (old + bonus - old * bonus.abs() / BOUND) as i16;
}

// SAFETY: all fields are arrays of integers.
unsafe impl Zeroable for Histories {}

impl Histories {
    /// Empty tables.
    pub(super) fn new() -> LargePages<Histories> {
        LargePages::zeroed()
    }

    /// Sets all entries to 0.
    pub(super) fn clear(&mut self) {
        self.butterfly.as_flattened_mut().as_flattened_mut().as_flattened_mut().fill(0);
        self.capture.as_flattened_mut().fill(0);
        self.continuation.as_flattened_mut().fill(0);
        self.pawn.as_flattened_mut().fill(0);
    }

    /// The quiet history of a move: the sum of butterfly, pawn and continuation histories.
    #[inline]
    pub(super) fn quiet(&self, context: &QuietContext, m: Move) -> i32 {
        self.quiet_rows(context).sum(context, m)
    }

    /// The tables of the quiet histories at a node.
    #[inline(always)]
    pub(super) fn quiet_rows(&self, context: &QuietContext) -> QuietRows<'_> {
        QuietRows {
            butterfly: &self.butterfly[context.color.index()],
            pawn: &self.pawn[context.pawn_row],
            continuation: context.previous_moves.map(|previous| &self.continuation[previous]),
        }
    }

    /// Updates butterfly, pawn and continuation histories of a quiet move. Pawn history is an idea
    /// of Stockfish.
    pub(super) fn update_quiet(&mut self, context: &QuietContext, m: Move, bonus: i32) {
        let at = piece_to(context.color, m);
        self.update_butterfly(context.color, context.threats, m, bonus);
        apply::<MAX>(&mut self.pawn[context.pawn_row][at], bonus);
        self.update_continuation(context.previous_moves, at, bonus);
    }

    /// Updates the butterfly history of a quiet move.
    /// <https://www.chessprogramming.org/History_Heuristic>
    #[inline]
    pub(super) fn update_butterfly(
        &mut self,
        color: Color,
        threats: Bitboard,
        m: Move,
        bonus: i32,
    ) {
        let (from, to) = (m.from().index(), m.to().index());
        let entry = &mut self.butterfly[color.index()][threat_index(threats, m)][from][to];
        apply::<MAX>(entry, bonus);
    }

    /// Updates the continuation histories of a quiet move after the moves 1, 2 and 4 plies ago.
    /// <https://www.chessprogramming.org/History_Heuristic>
    pub(super) fn update_continuation(&mut self, previous: [PieceTo; 3], at: PieceTo, bonus: i32) {
        for previous in previous {
            apply::<MAX>(&mut self.continuation[previous][at], bonus);
        }
    }

    /// The index of the captured piece; a pawn if the target square is empty.
    #[inline(always)]
    pub(super) fn captured(board: &Board, m: Move) -> usize {
        board.them().piece_at(m.to()).unwrap_or(PieceKind::Pawn).index()
    }

    /// The capture history of a capture or promotion.
    #[inline]
    pub(super) fn capture(&self, board: &Board, m: Move) -> i32 {
        i32::from(self.capture[piece_to(board.turn(), m)][Histories::captured(board, m)])
    }

    /// Updates the capture history of a capture or promotion.
    pub(super) fn update_capture(&mut self, board: &Board, m: Move, bonus: i32) {
        let captured = Histories::captured(board, m);
        apply::<MAX>(&mut self.capture[piece_to(board.turn(), m)][captured], bonus);
    }
}

/// The indices of the quiet histories that all moves of a node have in common.
#[derive(Clone, Copy)]
pub(super) struct QuietContext {
    pub(super) color: Color,
    /// Squares that the opponent attacks.
    pub(super) threats: Bitboard,
    /// The moves 1, 2 and 4 plies ago.
    pub(super) previous_moves: [PieceTo; 3],
    pub(super) pawn_row: usize,
}

impl QuietContext {
    /// The indices for this side to move; `pawn_index` as for the correction history.
    pub(super) fn new(
        color: Color,
        threats: Bitboard,
        previous_moves: [PieceTo; 3],
        pawn_index: usize,
    ) -> QuietContext {
        QuietContext { color, threats, previous_moves, pawn_row: pawn_index % PAWN_ROWS }
    }

    /// For a move picker that returns no quiet moves.
    pub(super) fn none(color: Color) -> QuietContext {
        QuietContext::new(color, Bitboard::EMPTY, [NO_MOVE; 3], 0)
    }
}

/// The tables of the quiet histories at a node, found once for all its moves.
pub(super) struct QuietRows<'a> {
    butterfly: &'a [[[i16; 64]; 64]; 4],
    pawn: &'a PieceToTable,
    continuation: [&'a PieceToTable; 3],
}

impl QuietRows<'_> {
    /// The quiet history of a move: the sum of butterfly, pawn and continuation histories.
    #[inline(always)]
    pub(super) fn sum(&self, context: &QuietContext, m: Move) -> i32 {
        let at = piece_to(context.color, m);
        let (from, to) = (m.from().index(), m.to().index());
        let butterfly = self.butterfly[threat_index(context.threats, m)][from][to];
        let mut sum = i32::from(butterfly) + i32::from(self.pawn[at]);
        for row in self.continuation {
            sum += i32::from(row[at]);
        }
        sum
    }
}

/// The squares that the opponent attacks.
#[inline]
pub(super) fn threats(board: &Board) -> Bitboard {
    let them = !board.turn();
    board.side(them).attacks(them, board.occupied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_stay_within_their_bound() {
        let mut entry = 0;
        for bonus in [MAX, MAX, 5 * MAX, -1, -MAX, -MAX, -7 * MAX, 300] {
            for _ in 0..100 {
                apply::<MAX>(&mut entry, bonus);
                assert!(i32::from(entry).abs() <= MAX);
            }
        }
    }

    #[test]
    fn a_bonus_raises_and_a_malus_lowers() {
        let mut histories = Histories::new();
        let board = Board::startpos();
        let context = QuietContext::none(board.turn());
        let m = board.legal_moves()[0];
        histories.update_quiet(&context, m, 500);
        let raised = histories.quiet(&context, m);
        histories.update_quiet(&context, m, -200);
        assert!(raised > 0 && histories.quiet(&context, m) < raised);
        histories.clear();
        assert_eq!(histories.quiet(&context, m), 0);
    }
}
