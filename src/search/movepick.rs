//! The order in which moves are tried.

use crate::chess::{Board, Move, MoveList, PieceKind, SEE_VALUES};

/// Legal moves with a worth each; the best is picked first.
pub(super) struct MovePicker {
    moves: MoveList,
    worth: [i32; MoveList::CAPACITY],
    next: usize,
}

impl MovePicker {
    /// Orders moves: the one from the table, captures by victim and attacker, killers, the rest.
    pub(super) fn new(
        board: &Board,
        moves: MoveList,
        table_move: Option<Move>,
        killers: [Option<Move>; 2],
    ) -> MovePicker {
        let mut worth = [0; MoveList::CAPACITY];
        for (i, m) in (&moves).into_iter().enumerate() {
            worth[i] = if Some(m) == table_move {
                1_000_000
            } else if is_noisy(board, m) {
                let victim = board.them().piece_at(m.to()).unwrap_or(PieceKind::Pawn);
                let gain = 16 * SEE_VALUES[victim.index()] - SEE_VALUES[m.piece().index()] / 16;
                if board.see_ge(m, 0) {
                    100_000 + gain
                } else {
                    gain - 100_000
                }
            } else if killers.contains(&Some(m)) {
                50_000
            } else {
                // Towards the centre first.
                -((2 * i32::from(m.to().file()) - 7).abs()
                    + (2 * i32::from(m.to().rank()) - 7).abs())
            };
        }
        MovePicker {
            moves,
            worth,
            next: 0,
        }
    }

    /// The best of the moves that are left.
    pub(super) fn next(&mut self) -> Option<Move> {
        let best = (self.next..self.moves.len()).max_by_key(|i| (self.worth[*i], -(*i as i32)))?;
        let m = self.moves[best];
        self.moves.swap(self.next, best);
        self.worth.swap(self.next, best);
        self.next += 1;
        Some(m)
    }
}

/// Whether a move captures or promotes.
#[inline(always)]
pub(super) fn is_noisy(board: &Board, m: Move) -> bool {
    m.is_promotion() || m.is_en_passant() || (board.them().occupied().has(m.to()) && !m.is_castle())
}
