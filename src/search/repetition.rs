//! Draws by rule, and repetitions that are one move away.
//! <https://www.chessprogramming.org/Repetitions>

use super::score::Score;
use super::worker::Worker;
use crate::chess::{Board, attacks, cuckoo};

impl Worker {
    /// The score of a draw at this ply, for the side to move there. Contempt, not measured.
    /// <https://www.chessprogramming.org/Contempt_Factor>
    #[inline(always)]
    pub(super) fn draw_score(&self, ply: usize) -> Score {
        match ply % 2 {
            0 => self.job.draw_score,
            _ => -self.job.draw_score,
        }
    }

    /// Whether the node is a draw by repetition, the fifty-move rule or insufficient material.
    #[inline]
    pub(super) fn is_draw(&self, board: &Board, ply: usize) -> bool {
        if board.halfmove_clock() >= 100 && (!board.in_check() || board.has_legal_move()) {
            return true;
        }
        board.has_insufficient_material() || self.is_repetition(board, ply)
    }

    /// Whether the position occurred before: once after the root, or twice including the game.
    fn is_repetition(&self, board: &Board, ply: usize) -> bool {
        let current = self.keys.len() - 1;
        let max_plies = usize::from(board.halfmove_clock())
            .min(self.stack[ply].plies_since_null)
            .min(current);
        let mut occurrences = 0;
        for plies in (4..=max_plies).step_by(2) {
            if self.keys[current - plies] == board.key() {
                occurrences += 1;
                if plies < ply || occurrences == 2 {
                    return true;
                }
            }
        }
        false
    }

    /// Upcoming repetition: whether the side to move has a move to an earlier position of this
    /// search. Then its score is at least a draw. It measured +23 ± 33 Elo (300 games at 8,000
    /// nodes). <https://www.chessprogramming.org/Repetitions>
    pub(super) fn has_upcoming_repetition(&self, board: &Board, ply: usize) -> bool {
        let current = self.keys.len() - 1;
        // A position before the root would only be repeated for the first time, which is no draw.
        let max_plies = usize::from(board.halfmove_clock())
            .min(self.stack[ply].plies_since_null)
            .min(ply.saturating_sub(1));
        (3..=max_plies).step_by(2).any(|plies| {
            cuckoo::move_between(self.keys[current - plies] ^ board.key())
                .is_some_and(|(a, b)| (attacks::between(a, b) & board.occupied()).is_empty())
        })
    }
}
