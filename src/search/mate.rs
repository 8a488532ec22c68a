//! Lines that promise a mate, continued to it.
//!
//! The line that comes with a mate's score may end early, where the transposition table knew the
//! rest and nothing was searched. Here the rest is found again: from the table, where it still
//! knows, else by a small proof.

use super::info::Bound;
use super::score::{self, MATE, Score, TB_WIN};
use super::tt::TranspositionTable;
use crate::chess::{Board, Move};
use std::cmp::Ordering;

/// So many boards are made from one end of a line.
const MOST_BOARDS: u32 = 4000;

/// From so many ends of a line the mate is looked for: its own and, a move less each, earlier ones.
const MOST_ENDS: usize = 6;

/// The plies to the mate that a score tells of.
pub(super) fn plies_to_mate(score: Score) -> Option<usize> {
    score::is_mate(score).then(|| (MATE - score.abs()) as usize)
}

/// Whether the line shows the mate of the score to its end. Other scores promise none.
pub(super) fn is_shown(root: &Board, line: &[Move], score: Score) -> bool {
    plies_to_mate(score).is_none_or(|plies| {
        let last = line.iter().fold(*root, |board, m| board.make(*m));
        plies == line.len() && last.is_checkmate()
    })
}

/// The score of a mate that cannot be shown: a certain result, as of endgame tables.
pub(super) fn unshown(score: Score) -> Score {
    score - score.signum() * (MATE - TB_WIN)
}

/// A line with this beginning, or most of it, that ends in the mate of the score.
pub(super) fn complete(
    table: &TranspositionTable,
    root: &Board,
    line: &[Move],
    score: Score,
) -> Option<Vec<Move>> {
    let plies = plies_to_mate(score)?;
    let longest = line.len().min(plies);
    let mut ends = (1..=longest).rev().take(MOST_ENDS);
    ends.find_map(|end| {
        let mut whole = line[..end].to_vec();
        let board = whole.iter().fold(*root, |board, m| board.make(*m));
        let mut finder = Finder { table, boards: 0 };
        finder
            .continues(&board, plies - end, &mut whole)
            .then_some(whole)
    })
}

/// Looks for mates within few plies.
struct Finder<'a> {
    table: &'a TranspositionTable,
    boards: u32,
}

impl Finder<'_> {
    fn is_exhausted(&self) -> bool {
        self.boards >= MOST_BOARDS
    }

    /// Continues the line to a mate in exactly so many plies, if there is one.
    fn continues(&mut self, board: &Board, left: usize, line: &mut Vec<Move>) -> bool {
        if left == 0 {
            return board.is_checkmate();
        }
        for (_, m, child) in self.ordered(board, left) {
            let attacks = left % 2 == 1;
            if self.is_exhausted() || (attacks && !self.is_mated(&child, left - 1)) {
                continue;
            }
            line.push(m);
            if self.continues(&child, left - 1, line) {
                return true;
            }
            line.pop();
        }
        false
    }

    /// Whether the side to move is known or proved to be mated within so many plies.
    fn is_mated(&mut self, board: &Board, left: usize) -> bool {
        if !board.has_legal_move() {
            return board.in_check();
        }
        if left == 0 || self.is_exhausted() {
            return false;
        }
        if self
            .known(board, Bound::Upper)
            .is_some_and(|s| s <= score::mated_in(left))
        {
            return true;
        }
        let moves = board.legal_moves();
        self.boards += moves.len() as u32;
        moves
            .iter()
            .all(|m| self.can_mate(&board.make(*m), left - 1))
    }

    /// Whether the side to move is known or proved to mate within so many plies.
    fn can_mate(&mut self, board: &Board, left: usize) -> bool {
        if self
            .known(board, Bound::Lower)
            .is_some_and(|s| s >= score::mate_in(left))
        {
            return true;
        }
        let moves = self.ordered(board, left);
        moves
            .iter()
            .any(|(_, _, child)| self.is_mated(child, left - 1))
    }

    /// The score in the table, if it is exact or such a bound.
    fn known(&self, board: &Board, bound: Bound) -> Option<Score> {
        let entry = self.table.probe(board.key(), 0)?;
        let fits = entry.bound.is_some_and(|b| b == Bound::Exact || b == bound);
        fits.then_some(entry.score)
    }

    /// The moves with the boards behind them, the likeliest way to a mate in so many plies first.
    fn ordered(&mut self, board: &Board, left: usize) -> Vec<(u8, Move, Board)> {
        if self.is_exhausted() {
            return Vec::new();
        }
        let best = self
            .table
            .probe(board.key(), 0)
            .and_then(|entry| entry.best);
        let attacks = left % 2 == 1;
        let rank = |m: Move, child: &Board| {
            let hint = if Some(m) == best { 1 } else { 2 };
            if attacks {
                let known = self.known(child, Bound::Upper);
                return match known.is_some_and(|score| score <= score::mated_in(left - 1)) {
                    true => 0,
                    false => hint + u8::from(!child.in_check()),
                };
            }
            let known = self.known(child, Bound::Lower);
            match known.map(|score| score.cmp(&score::mate_in(left - 1))) {
                Some(Ordering::Equal) => 0,
                Some(Ordering::Greater) => 3,
                _ => hint,
            }
        };
        let mut moves: Vec<(u8, Move, Board)> = board
            .legal_moves()
            .iter()
            .map(|m| (*m, board.make(*m)))
            .filter(|(_, child)| left > 1 || child.in_check())
            .map(|(m, child)| (rank(m, &child), m, child))
            .collect();
        moves.sort_by_key(|(rank, ..)| *rank);
        self.boards += moves.len() as u32;
        moves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_cut_short_is_continued_to_the_mate() {
        let table = TranspositionTable::new(1, 1).expect("memory");
        let cases = [
            (
                "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1",
                "a1a6",
                score::mate_in(3),
            ),
            ("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", "f6f7", score::mate_in(3)),
            ("8/8/8/8/8/1k6/7r/K7 w - - 0 1", "a1b1", score::mated_in(2)),
        ];
        for (fen, first, score) in cases {
            let root = Board::from_fen(fen).expect("a sound position");
            let first = root.parse_uci(first).expect("a legal move");
            assert!(!is_shown(&root, &[first], score), "{fen}");
            let line = complete(&table, &root, &[first], score).expect(fen);
            assert!(is_shown(&root, &line, score), "{fen}");
        }
    }

    #[test]
    fn what_is_no_mate_is_not_made_one() {
        let table = TranspositionTable::new(1, 1).expect("memory");
        let root = Board::startpos();
        let first = root.parse_uci("e2e4").expect("a legal move");
        assert_eq!(complete(&table, &root, &[first], score::mate_in(7)), None);
        assert_eq!(complete(&table, &root, &[first], 31), None);
        assert!(!score::is_mate(unshown(score::mate_in(7))));
        assert!(score::is_decisive(unshown(score::mated_in(8))));
    }
}
