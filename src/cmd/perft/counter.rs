//! Perft on several threads and with a hash table.

use crate::chess::{Board, Color, Move, PieceKind, perft};
use crate::cmd::CommandError;
use crate::engine::memory;
use crate::mutex::lock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Counts leaf nodes with a number of threads and perhaps a hash table.
pub(super) struct Counter {
    threads: usize,
    hash_table: Option<HashTable>,
}

impl Counter {
    /// A counter with this number of threads and a hash table of this size in megabytes (0: none).
    ///
    /// # Errors
    /// If the memory cannot be allocated.
    pub(super) fn new(threads: usize, megabytes: usize) -> Result<Counter, CommandError> {
        let hash_table = match megabytes {
            0 => None,
            _ => Some(HashTable::new(megabytes)?),
        };
        Ok(Counter { threads, hash_table })
    }

    /// The number of leaf nodes at `depth`.
    ///
    /// # Errors
    /// It is too large.
    pub(super) fn count(&self, board: &Board, depth: u32) -> Result<u64, CommandError> {
        match (self.threads, depth) {
            (_, 0) => Ok(1),
            (1, _) => self.subtree(board, depth).ok_or_else(too_many_nodes),
            _ => total(&self.divide(board, depth)?),
        }
    }

    /// The number of leaf nodes at `depth`, counted by one thread; `None` if it is too large.
    fn subtree(&self, board: &Board, depth: u32) -> Option<u64> {
        match &self.hash_table {
            // Without a hash table no count becomes too large in a lifetime.
            None => Some(perft::perft(board, depth)),
            Some(table) => table.count(board, depth),
        }
    }

    /// The number of leaf nodes below each legal move, in the order of the move list.
    ///
    /// # Errors
    /// One of them is too large.
    pub(super) fn divide(
        &self,
        board: &Board,
        depth: u32,
    ) -> Result<Vec<(Move, u64)>, CommandError> {
        let Some(rest) = depth.checked_sub(1) else {
            return Ok(Vec::new());
        };
        // The threads share the positions two plies below the root; for small depths one thread is
        // faster.
        if self.threads == 1 || depth < 4 {
            let count = |(m, child)| Some((m, self.subtree(&child, rest)?));
            let counts: Option<Vec<_>> = board.children().map(count).collect();
            return counts.ok_or_else(too_many_nodes);
        }
        let jobs: Vec<(usize, Board)> = board
            .children()
            .enumerate()
            .flat_map(|(root, (_, child))| {
                let grandchildren: Vec<Board> = child.children().map(|(_, board)| board).collect();
                grandchildren.into_iter().map(move |board| (root, board))
            })
            .collect();
        let roots: Vec<(Move, Mutex<Option<u64>>)> =
            board.children().map(|(m, _)| (m, Mutex::new(Some(0)))).collect();
        let next = AtomicUsize::new(0);
        thread::scope(|scope| {
            let work = || {
                while let Some((root, board)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let count = self.subtree(board, rest - 1);
                    let mut sum = lock(&roots[*root].1);
                    *sum = checked_sum([*sum, count].into_iter());
                }
            };
            // With fewer threads than asked for, if the system grants no more, the others do the
            // work.
            for _ in 1..self.threads.min(jobs.len()) {
                if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                    break;
                }
            }
            work();
        });
        let count = |(m, sum): (Move, Mutex<Option<u64>>)| {
            let sum = sum.into_inner().unwrap_or_else(PoisonError::into_inner);
            Some((m, sum?))
        };
        let counts: Option<Vec<_>> = roots.into_iter().map(count).collect();
        counts.ok_or_else(too_many_nodes)
    }
}

/// The sum of the counts of all moves.
///
/// # Errors
/// It is too large.
pub(super) fn total(counts: &[(Move, u64)]) -> Result<u64, CommandError> {
    let counts = counts.iter().map(|(_, count)| Some(*count));
    checked_sum(counts).ok_or_else(too_many_nodes)
}

/// The sum of the counts; `None` if it or one of them is too large.
fn checked_sum(mut counts: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    counts.try_fold(0u64, |sum, count| sum.checked_add(count?))
}

fn too_many_nodes() -> CommandError {
    CommandError::Refused("more than 2^64 nodes".into())
}

/// A hash table of counts, shared by all threads without locks.
///
/// An entry is two 64-bit words: the count with its depth, and the key XOR the first word. If two
/// threads write the same entry at once, the words do not match and the entry is ignored. See
/// <https://www.chessprogramming.org/Shared_Hash_Table#Lock-less>.
struct HashTable {
    entries: Vec<[AtomicU64; 2]>,
}

/// Low bits of the first word that hold the depth; the others hold the count.
const DEPTH_BITS: u32 = 8;

impl HashTable {
    fn new(megabytes: usize) -> Result<HashTable, CommandError> {
        let bytes = (megabytes as u64) << 20;
        let len = bytes as usize / size_of::<[AtomicU64; 2]>();
        let mut entries = Vec::new();
        // A reservation alone may succeed beyond the free memory.
        if memory::available().is_some_and(|free| bytes > free)
            || entries.try_reserve_exact(len).is_err()
        {
            return Err(CommandError::Refused(format!(
                "not enough memory for a hash table of {megabytes} MB"
            )));
        }
        entries.resize_with(len, Default::default);
        Ok(HashTable { entries })
    }

    /// The number of leaf nodes at `depth`; `None` if it is too large.
    fn count(&self, board: &Board, depth: u32) -> Option<u64> {
        // Two plies are counted as fast as they are looked up.
        if depth <= 2 {
            return Some(perft::perft(board, depth));
        }
        let key = fingerprint(board, depth);
        let index = (u128::from(key) * self.entries.len() as u128) >> 64;
        let entry = &self.entries[index as usize];
        let [check, data] = entry.each_ref().map(|word| word.load(Ordering::Relaxed));
        let tag = u64::from(depth);
        if check ^ data == key && data & ((1 << DEPTH_BITS) - 1) == tag {
            return Some(data >> DEPTH_BITS);
        }
        let children = board.children();
        let count = checked_sum(children.map(|(_, child)| self.count(&child, depth - 1)))?;
        if count >> (64 - DEPTH_BITS) == 0 {
            let data = count << DEPTH_BITS | tag;
            entry[0].store(key ^ data, Ordering::Relaxed);
            entry[1].store(data, Ordering::Relaxed);
        }
        Some(count)
    }
}

/// A hash of a position and a depth. It mixes in the bitboards, because Zobrist keys of related
/// positions are related and a collision would give a wrong count.
fn fingerprint(board: &Board, depth: u32) -> u64 {
    let sides = Color::ALL.map(|color| board.side(color));
    let sets = sides.iter().flat_map(|side| PieceKind::ALL.map(|kind| side.pieces(kind).0));
    sets.fold(board.key() ^ u64::from(depth), |hash, set| {
        (hash ^ set).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

    #[test]
    fn threads_and_the_hash_table_do_not_change_the_counts() {
        for fen in [KIWIPETE, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"] {
            let board = Board::from_fen(fen).unwrap();
            for (threads, megabytes) in [(1, 0), (1, 1), (3, 0), (4, 1)] {
                let counter = Counter::new(threads, megabytes).unwrap();
                for depth in 0..=4 {
                    let counted = counter.count(&board, depth).expect("a small count");
                    assert_eq!(counted, perft::perft(&board, depth), "{fen} {depth} {threads}");
                }
                assert!(counter.divide(&board, 0).is_ok_and(|counts| counts.is_empty()));
                let divided = counter.divide(&board, 4).expect("small counts");
                assert_eq!(divided, perft::divide(&board, 4), "{fen} {threads} {megabytes}");
            }
        }
    }

    #[test]
    fn counts_beyond_64_bits_are_refused() {
        let board = Board::from_fen("8/8/8/4k3/8/8/8/4K3 w - - 0 1").unwrap();
        for threads in [1, 3] {
            let counter = Counter::new(threads, 16).unwrap();
            for depth in [26, 30] {
                let counted = counter.count(&board, depth);
                assert!(matches!(counted, Err(CommandError::Refused(_))), "{depth}");
            }
        }
        let m = board.legal_moves()[0];
        let sum = |counts: [u64; 2]| total(&counts.map(|count| (m, count))).ok();
        assert_eq!(sum([u64::MAX - 1, 1]), Some(u64::MAX));
        assert_eq!(sum([u64::MAX, 1]), None);
    }

    #[test]
    fn a_hash_table_larger_than_the_memory_is_refused() {
        assert!(Counter::new(1, usize::MAX >> 24).is_err());
    }
}
