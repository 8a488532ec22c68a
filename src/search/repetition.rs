//! Draws: repetition, the fifty-move rule, insufficient material, upcoming repetitions; and the
//! score of a draw (contempt). <https://www.chessprogramming.org/Repetitions>

use super::cuckoo;
use super::score::Value;
use super::worker::Worker;
use crate::chess::{Board, attacks, zobrist};

impl Worker {
    /// The score of a draw at this ply, for the side to move there, by the contempt.
    /// <https://www.chessprogramming.org/Contempt_Factor>
    #[inline(always)]
    pub(super) fn draw_score(&self, ply: usize) -> Value {
        match ply % 2 {
            0 => self.request.draw_score,
            _ => -self.request.draw_score,
        }
    }

    /// Whether the node is a draw by repetition, the fifty-move rule or insufficient material.
    #[inline]
    pub(super) fn is_draw(&self, board: &Board, ply: usize) -> bool {
        if board.halfmove_clock() >= 100 && !board.is_checkmate() {
            return true;
        }
        board.has_insufficient_material() || self.is_repetition(board, ply)
    }

    /// Whether the position occurred before: once after the root, or twice including the game.
    fn is_repetition(&self, board: &Board, ply: usize) -> bool {
        let max_plies = self.stack[ply].plies_since_null;
        self.previous_keys
            .repetitions(board, max_plies.min(board.halfmove_clock().into()))
            .enumerate()
            .any(|(earlier, plies)| plies < ply || earlier == 1)
    }

    /// Upcoming repetition: whether the side to move has a move to an earlier position of this
    /// search. Then its score is at least a draw. <https://www.chessprogramming.org/Repetitions>
    ///
    /// The opponent's pieces must stand where they stood then: otherwise the one move between the
    /// two positions would be the opponent's.
    pub(super) fn has_upcoming_repetition(&self, board: &Board, ply: usize) -> bool {
        // A position before the root would only be repeated for the first time, which is no draw.
        let max_plies = usize::from(board.halfmove_clock())
            .min(self.stack[ply].plies_since_null)
            .min(ply.saturating_sub(1));
        let mut keys = self.previous_keys.newest_first().take(max_plies);
        let (mut after, mut opponent_difference) = (board.key(), 0);
        while let Some(key) = keys.next() {
            opponent_difference ^= after ^ key ^ zobrist::switch_turn();
            if opponent_difference == 0
                && let Some((a, b)) = cuckoo::move_between(key ^ board.key())
                && (attacks::between(a, b) & board.occupied()).is_empty()
            {
                return true;
            }
            // The positions with the opponent to move.
            after = match keys.next() {
                Some(key) => key,
                None => return false,
            };
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Game;
    use crate::eval::Evaluation;
    use crate::search::SharedState;
    use std::sync::Arc;

    fn worker() -> Worker {
        let shared = Arc::new(SharedState::new(1, 1).expect("a megabyte"));
        Worker::new(0, shared, &Evaluation::Material)
    }

    /// A worker at the end of these moves, the last `ply` of which are moves of the search.
    fn worker_after(fen: &str, moves: &str, ply: usize) -> (Worker, Board) {
        let mut game = Game::new(Board::from_fen(fen).expect(fen));
        for text in moves.split(' ') {
            game.push_uci(text).expect(text);
        }
        let mut worker = worker();
        worker.previous_keys = game.previous_keys().clone();
        for (plies, entry) in worker.stack.iter_mut().take(ply + 1).enumerate() {
            entry.plies_since_null = usize::MAX / 2 + plies;
        }
        (worker, *game.board())
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const ONCE: &str = "g1f3 g8f6 f3g1 f6g8";
    const TWICE: &str = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8";

    #[test]
    fn a_position_of_the_search_is_a_draw_when_repeated_once_and_one_of_the_game_twice() {
        for (moves, ply, expected) in [
            (ONCE, 0, false),
            (ONCE, 3, false),
            // The root belongs to the game.
            (ONCE, 4, false),
            ("e2e4 g8f6 g1f3 f6g8 f3g1", 5, true),
            ("e2e4 g8f6 g1f3 f6g8 f3g1", 4, false),
            ("e2e4 g8f6 g1f3 f6g8 f3e5", 5, false),
            (TWICE, 0, true),
            (TWICE, 3, true),
            (TWICE, 5, true),
            // Six plies.
            ("e2e4 e7e5 e1e2 e8e7 e2e3 e7e6 e3f3 e6f6 f3e2 f6e7", 9, true),
        ] {
            let (mut worker, board) = worker_after(START, moves, ply);
            assert_eq!(worker.is_draw(&board, ply), expected, "{moves}, {ply}");
            // Not beyond a null move.
            worker.stack[ply].plies_since_null = 3;
            assert!(!worker.is_draw(&board, ply), "{moves}, {ply}");
        }
    }

    #[test]
    fn fifty_moves_without_mate_and_insufficient_material_are_draws() {
        for (fen, expected) in [
            ("7k/8/6K1/8/8/8/8/R7 w - - 99 80", false),
            ("7k/8/6K1/8/8/8/8/R7 w - - 100 80", true),
            ("7k/8/6K1/8/8/8/8/R7 w - - 101 80", true),
            ("7k/8/8/8/8/8/8/K6R b - - 100 80", true),
            ("R6k/6pp/8/8/8/8/8/K7 b - - 100 80", false),
            ("7k/8/8/8/8/8/8/K6B w - - 0 1", true),
        ] {
            let worker = worker();
            let board = Board::from_fen(fen).expect(fen);
            assert_eq!(worker.is_draw(&board, 0), expected, "{fen}");
        }
    }

    #[test]
    fn an_upcoming_repetition_needs_a_free_path_to_a_position_of_the_search() {
        let kings = "4k3/p7/8/8/8/8/P7/5K2 w - - 0 1";
        let rook = "3r2k1/8/8/8/3N4/8/7K/8 b - - 0 1";
        for (fen, moves, ply, expected) in [
            (START, "b1c3 g8f6 g1f3 f6g8", 4, true),
            // The position is the root.
            (START, "b1c3 g8f6 g1f3 f6g8", 3, false),
            (START, "b1c3 g8f6 g1f3 f6g8", 0, false),
            (START, "b1c3 g8f6 g1f3 f6d5", 4, false),
            // After five plies.
            (kings, "f1e1 e8d8 e1d1 d8d7 d1d2 d7e8", 6, true),
            (kings, "f1e1 e8d8 e1d1 d8d7 d1d2 d7e8", 5, false),
            // The knight has moved back between the rook and its square.
            (rook, "g8g7 d4f3 d8d1 f3d4", 4, false),
            (rook, "g8g7 h2g2 d8d5 g2h2", 4, true),
            // Black's king is back, and White's would have to move to g1 again.
            (kings, "f1g1 e8f8 g1h1 f8g8 h1h2 g8f8 h2g2", 7, false),
        ] {
            let (mut worker, board) = worker_after(fen, moves, ply);
            let found = worker.has_upcoming_repetition(&board, ply);
            assert_eq!(found, expected, "{moves}, {ply}");
            // Not beyond a null move.
            worker.stack[ply].plies_since_null = 2;
            assert!(!worker.has_upcoming_repetition(&board, ply), "{moves}");
        }
    }

    #[test]
    fn the_score_of_a_draw_is_that_of_the_side_to_move_at_the_root() {
        let mut worker = worker();
        worker.request.draw_score = -30;
        let scores = [0, 1, 2, 3].map(|ply| worker.draw_score(ply));
        assert_eq!(scores, [-30, 30, -30, 30]);
    }
}
