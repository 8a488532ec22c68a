//! Completes the PVs of mate scores.
//!
//! A transposition table cutoff can end the PV of a mate score before the mate. The missing moves are
//! found again: in the transposition table, else by a small mate search.

use super::info::Bound;
use super::score::{self, MATE, TB_WIN, Value};
use super::tt::{TranspositionTable, TtEntry};
use crate::chess::{Board, Move};
use std::cmp::Ordering;

/// Maximum nodes of one mate search.
const MAX_NODES: u32 = 4000;

/// Maximum number of mate searches: from the end of the PV, then from earlier positions of it.
const MAX_SEARCHES: usize = 6;

/// Plies to the mate of a mate score.
pub(super) fn plies_to_mate(score: Value) -> Option<usize> {
    score::is_mate(score).then(|| (MATE - score.abs()) as usize)
}

/// Whether the PV of a mate score ends with the mate. True for other scores.
pub(super) fn is_complete(root: &Board, pv: &[Move], score: Value) -> bool {
    plies_to_mate(score).is_none_or(|plies| {
        let last = pv.iter().fold(*root, |board, m| board.make(*m));
        plies == pv.len() && last.is_checkmate()
    })
}

/// The score to report for a mate without a complete PV: decisive, but not a mate.
pub(super) fn unproven_mate_score(score: Value) -> Value {
    score - score.signum() * (MATE - TB_WIN)
}

/// Completes the PV of a mate score, from its end or from an earlier position in it. (Saavedra)
pub(super) fn complete_pv(
    tt: &TranspositionTable,
    root: &Board,
    pv: &[Move],
    score: Value,
) -> Option<Vec<Move>> {
    let plies = plies_to_mate(score)?;
    let max_len = pv.len().min(plies);
    let mut lengths = (1..=max_len).rev().take(MAX_SEARCHES);
    lengths.find_map(|len| {
        let mut completed = pv[..len].to_vec();
        let board = completed.iter().fold(*root, |board, m| board.make(*m));
        let mut search = MateSearch { tt, nodes: 0 };
        search.extend_pv(&board, plies - len, &mut completed).then_some(completed)
    })
}

/// A depth-first search for a mate in a few plies.
struct MateSearch<'a> {
    tt: &'a TranspositionTable,
    nodes: u32,
}

impl MateSearch<'_> {
    fn is_limit_reached(&self) -> bool {
        self.nodes >= MAX_NODES
    }

    /// Extends the PV to a mate in exactly `plies` plies, if there is one.
    fn extend_pv(&mut self, board: &Board, plies: usize, pv: &mut Vec<Move>) -> bool {
        if plies == 0 {
            return board.is_checkmate();
        }
        for (_, m, child) in self.ordered_moves(board, plies) {
            let is_attacker = plies % 2 == 1;
            if self.is_limit_reached() || (is_attacker && !self.is_mated(&child, plies - 1)) {
                continue;
            }
            pv.push(m);
            if self.extend_pv(&child, plies - 1, pv) {
                return true;
            }
            pv.pop();
        }
        false
    }

    /// Whether the side to move is mated within `plies` plies, by the TT or by search.
    fn is_mated(&mut self, board: &Board, plies: usize) -> bool {
        if !board.has_legal_move() {
            return board.in_check();
        }
        if plies == 0 || self.is_limit_reached() {
            return false;
        }
        if self.tt_score(board, Bound::Upper).is_some_and(|s| s <= score::mated_in(plies)) {
            return true;
        }
        let moves = board.legal_moves();
        self.nodes += moves.len() as u32;
        moves.iter().all(|m| self.can_mate(&board.make(*m), plies - 1))
    }

    /// Whether the side to move mates within `plies` plies, by the TT or by search.
    fn can_mate(&mut self, board: &Board, plies: usize) -> bool {
        if self.tt_score(board, Bound::Lower).is_some_and(|s| s >= score::mate_in(plies)) {
            return true;
        }
        let moves = self.ordered_moves(board, plies);
        moves.iter().any(|(_, _, child)| self.is_mated(child, plies - 1))
    }

    /// The TT entry; its mate score counts from this position.
    fn tt_entry(&self, board: &Board) -> Option<TtEntry> {
        self.tt.probe(board.key(), 0, board.halfmove_clock())
    }

    /// The TT score, if it is exact or of this bound type.
    fn tt_score(&self, board: &Board, bound: Bound) -> Option<Value> {
        let entry = self.tt_entry(board)?;
        let is_usable = entry.bound.is_some_and(|b| b == Bound::Exact || b == bound);
        is_usable.then_some(entry.score)
    }

    /// The legal moves and their children, those most likely to mate in `plies` plies first; only
    /// checks at the last ply. None after the node limit.
    fn ordered_moves(&mut self, board: &Board, plies: usize) -> Vec<(u8, Move, Board)> {
        if self.is_limit_reached() {
            return Vec::new();
        }
        let tt_move = self.tt_entry(board).and_then(|entry| entry.best_move);
        let is_attacker = plies % 2 == 1;
        let rank = |m: Move, child: &Board| {
            let default = if Some(m) == tt_move { 1 } else { 2 };
            if is_attacker {
                let tt_score = self.tt_score(child, Bound::Upper);
                return if tt_score.is_some_and(|score| score <= score::mated_in(plies - 1)) {
                    0
                } else {
                    default + u8::from(!child.in_check())
                };
            }
            let tt_score = self.tt_score(child, Bound::Lower);
            match tt_score.map(|score| score.cmp(&score::mate_in(plies - 1))) {
                Some(Ordering::Equal) => 0,
                Some(Ordering::Greater) => 3,
                _ => default,
            }
        };
        let mut moves: Vec<(u8, Move, Board)> = board
            .legal_moves()
            .iter()
            .map(|m| (*m, board.make(*m)))
            .filter(|(_, child)| plies > 1 || child.in_check())
            .map(|(m, child)| (rank(m, &child), m, child))
            .collect();
        moves.sort_by_key(|(rank, ..)| *rank);
        self.nodes += moves.len() as u32;
        moves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_incomplete_pv_is_completed() {
        let tt = TranspositionTable::new(1, 1).expect("memory");
        let cases = [
            ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "a1a6", score::mate_in(3)),
            ("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", "f6f7", score::mate_in(3)),
            ("8/8/8/8/8/1k6/7r/K7 w - - 0 1", "a1b1", score::mated_in(2)),
        ];
        for (fen, first, score) in cases {
            let root = Board::from_fen(fen).expect("a sound position");
            let first = root.parse_uci(first).expect("a legal move");
            assert!(!is_complete(&root, &[first], score), "{fen}");
            let pv = complete_pv(&tt, &root, &[first], score).expect(fen);
            assert!(is_complete(&root, &pv, score), "{fen}");
        }
    }

    #[test]
    fn a_score_without_a_mate_is_not_completed() {
        let tt = TranspositionTable::new(1, 1).expect("memory");
        let root = Board::startpos();
        let first = root.parse_uci("e2e4").expect("a legal move");
        assert_eq!(complete_pv(&tt, &root, &[first], score::mate_in(7)), None);
        assert_eq!(complete_pv(&tt, &root, &[first], 31), None);
        assert!(!score::is_mate(unproven_mate_score(score::mate_in(7))));
        assert!(score::is_decisive(unproven_mate_score(score::mated_in(8))));
    }
}
