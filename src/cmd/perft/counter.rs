//! Counting paths on several threads and with a table of counts already known.

use crate::chess::{Board, Color, Move, PieceKind, perft};
use crate::cmd::Failure;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

/// How to count.
pub(super) struct Counter {
    threads: usize,
    table: Option<Table>,
}

impl Counter {
    /// A counter with so many threads, and a table of so many megabytes unless that is 0.
    ///
    /// # Errors
    /// If there is not so much memory.
    pub(super) fn new(threads: usize, megabytes: usize) -> Result<Counter, Failure> {
        let table = match megabytes {
            0 => None,
            _ => Some(Table::new(megabytes)?),
        };
        Ok(Counter { threads, table })
    }

    /// The number of paths of `depth` legal moves.
    pub(super) fn count(&self, board: &Board, depth: u32) -> u64 {
        match (self.threads, &self.table, depth) {
            (_, _, 0) => 1,
            (1, None, _) => perft::perft(board, depth),
            (1, Some(table), _) => table.count(board, depth),
            _ => self
                .divide(board, depth)
                .iter()
                .map(|(_, count)| count)
                .sum(),
        }
    }

    /// The number of paths behind each legal move, in the order of the move list.
    pub(super) fn divide(&self, board: &Board, depth: u32) -> Vec<(Move, u64)> {
        let Some(rest) = depth.checked_sub(1) else {
            return Vec::new();
        };
        let one = |board: &Board, depth| match &self.table {
            None => perft::perft(board, depth),
            Some(table) => table.count(board, depth),
        };
        // Two plies down there is enough work to share; nearer the leaves it is not worth sharing.
        if self.threads == 1 || depth < 4 {
            let children = board.children();
            return children.map(|(m, child)| (m, one(&child, rest))).collect();
        }
        let jobs: Vec<(usize, Board)> = board
            .children()
            .enumerate()
            .flat_map(|(root, (_, child))| {
                let grandchildren: Vec<Board> = child.children().map(|(_, board)| board).collect();
                grandchildren.into_iter().map(move |board| (root, board))
            })
            .collect();
        let roots: Vec<(Move, AtomicU64)> = board
            .children()
            .map(|(m, _)| (m, AtomicU64::new(0)))
            .collect();
        let next = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..self.threads.min(jobs.len()) {
                scope.spawn(|| {
                    while let Some((root, board)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                        roots[*root]
                            .1
                            .fetch_add(one(board, rest - 1), Ordering::Relaxed);
                    }
                });
            }
        });
        roots
            .into_iter()
            .map(|(m, count)| (m, count.into_inner()))
            .collect()
    }
}

/// Counts already known, shared by all threads without locks.
///
/// An entry is two words: the count with its depth, and the key mixed with that. Words of two
/// different writers do not fit together, so a torn entry is no entry. What remains is that two
/// positions share all 64 bits of their fingerprints.
struct Table {
    entries: Vec<[AtomicU64; 2]>,
}

/// Bits of an entry that hold the depth; the others hold the count.
const DEPTH_BITS: u32 = 8;

impl Table {
    fn new(megabytes: usize) -> Result<Table, Failure> {
        let refused = |_| Failure::Refused(format!("no memory for a table of {megabytes} MB"));
        let len = (megabytes << 20) / size_of::<[AtomicU64; 2]>();
        let mut entries = Vec::new();
        entries.try_reserve_exact(len).map_err(refused)?;
        entries.resize_with(len, Default::default);
        Ok(Table { entries })
    }

    /// The number of paths of `depth` legal moves.
    fn count(&self, board: &Board, depth: u32) -> u64 {
        // Counting two plies is as quick as looking them up.
        if depth <= 2 {
            return perft::perft(board, depth);
        }
        let key = fingerprint(board, depth);
        let place = (u128::from(key) * self.entries.len() as u128) >> 64;
        let entry = &self.entries[place as usize];
        let [check, data] = entry.each_ref().map(|word| word.load(Ordering::Relaxed));
        let tag = u64::from(depth);
        if check ^ data == key && data & ((1 << DEPTH_BITS) - 1) == tag {
            return data >> DEPTH_BITS;
        }
        let count = board
            .children()
            .map(|(_, child)| self.count(&child, depth - 1))
            .sum::<u64>();
        if count >> (64 - DEPTH_BITS) == 0 {
            let data = count << DEPTH_BITS | tag;
            entry[0].store(key ^ data, Ordering::Relaxed);
            entry[1].store(data, Ordering::Relaxed);
        }
        count
    }
}

/// A number for a position and a depth. A count must not go wrong, so this takes in every piece
/// anew instead of resting on the key alone: keys of related positions are related.
fn fingerprint(board: &Board, depth: u32) -> u64 {
    let sides = Color::ALL.map(|color| board.side(color));
    let sets = sides
        .iter()
        .flat_map(|side| PieceKind::ALL.map(|kind| side.pieces(kind).0));
    sets.fold(board.key() ^ u64::from(depth), |hash, set| {
        (hash ^ set)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(29)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

    #[test]
    fn threads_and_table_change_no_count() {
        for fen in [KIWIPETE, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"] {
            let board = Board::from_fen(fen).unwrap();
            for (threads, megabytes) in [(1, 0), (1, 1), (3, 0), (4, 1)] {
                let counter = Counter::new(threads, megabytes).unwrap();
                for depth in 0..=4 {
                    let counted = counter.count(&board, depth);
                    assert_eq!(
                        counted,
                        perft::perft(&board, depth),
                        "{fen} {depth} {threads}"
                    );
                }
                assert_eq!(counter.divide(&board, 0), []);
                let divided = counter.divide(&board, 4);
                assert_eq!(
                    divided,
                    perft::divide(&board, 4),
                    "{fen} {threads} {megabytes}"
                );
            }
        }
    }

    #[test]
    fn a_table_that_cannot_be_had_is_refused() {
        assert!(Counter::new(1, usize::MAX >> 24).is_err());
    }
}
