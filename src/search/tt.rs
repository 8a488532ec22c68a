//! The transposition table (TT), shared by all threads.
//! <https://www.chessprogramming.org/Transposition_Table>
//!
//! A bucket is a cache line of four slots. A slot is two atomic words: the data, and the position's
//! key XOR the data. The key of a torn slot (two threads wrote it at once) does not match, so a
//! race can lose an entry but never return a wrong one. (R. Hyatt, T. Mann: "A lock-less
//! transposition table implementation for parallel search".)
//!
//! `unsafe` is used to set the length of memory that several threads have initialised.

#![allow(unsafe_code)]

use super::info::Bound;
use super::params;
use super::score::{self, Value};
use crate::chess::{Move, zobrist};
use crate::memory;
use crate::mutex::lock;
use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

const BUCKET_SLOTS: usize = 4;
/// Ages wrap around at this number.
const MAX_AGE: u8 = 32;

#[derive(Default)]
struct Slot {
    key: AtomicU64,
    data: AtomicU64,
}

/// Four slots in one cache line.
#[derive(Default)]
#[repr(align(64))]
struct Bucket([Slot; BUCKET_SLOTS]);

const _: () = assert!(size_of::<Bucket>() == 64);
// A depth fits into a byte.
const _: () = assert!(score::MAX_PLY < 256);

/// The content of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TtEntry {
    /// The best move, or the one that failed high.
    pub best_move: Option<Move>,
    /// The score; mates and tablebase wins count from the root of the search that reads or writes.
    pub score: Value,
    /// The raw static evaluation, or [`score::NO_SCORE`].
    pub raw_eval: Value,
    /// Searched depth; 0 in quiescence.
    pub depth: i32,
    /// The bound type of the score; none if the entry has only an evaluation.
    pub bound: Option<Bound>,
    /// Whether the node is or was a PV node.
    pub tt_pv: bool,
}

/// Extensions find mates at most this many plies beyond the depth.
const MATE_DEPTH_MARGIN: Value = 8;

impl TtEntry {
    /// Whether the score is decisive and must not be trusted at this halfmove clock: an unproven
    /// mate, or a tablebase win that comes after the end of the game by the fifty-move rule. The
    /// entry may be from a position with a lower halfmove clock. (Stockfish)
    fn is_unproven_win(&self, halfmove_clock: u16) -> bool {
        if !score::is_decisive(self.score) {
            return false;
        }
        let win = if score::is_mate(self.score) { score::MATE } else { score::TB_WIN };
        let plies_to_draw = 100 - Value::from(halfmove_clock);
        win - self.score.abs() > plies_to_draw || self.is_unproven_mate()
    }

    /// Whether the score is a mate too far away for a search of this depth to prove: it comes from
    /// other entries. Such entries can support each other in a circle, each time with a longer mate,
    /// and the search then never makes progress. (Saavedra)
    fn is_unproven_mate(&self) -> bool {
        score::is_mate(self.score)
            && score::MATE - self.score.abs() > self.depth + MATE_DEPTH_MARGIN
    }

    /// Whether the bound type proves the true score to be on the same side of beta as the score.
    #[inline]
    pub(super) fn decides(&self, beta: Value) -> bool {
        match self.bound {
            None => false,
            Some(Bound::Exact) => true,
            Some(Bound::Lower) => self.score >= beta,
            Some(Bound::Upper) => self.score < beta,
        }
    }

    /// Whether the score is a lower bound or exact.
    pub(super) fn is_lower_bound(&self) -> bool {
        matches!(self.bound, Some(Bound::Lower | Bound::Exact))
    }

    /// Whether the score is an upper bound or exact.
    pub(super) fn is_upper_bound(&self) -> bool {
        matches!(self.bound, Some(Bound::Upper | Bound::Exact))
    }

    fn pack(&self, age: u8) -> u64 {
        let bound = match self.bound {
            None => 0u64,
            Some(Bound::Upper) => 1,
            Some(Bound::Lower) => 2,
            Some(Bound::Exact) => 3,
        };
        u64::from(self.best_move.map_or(0, Move::bits))
            | u64::from(self.score as i16 as u16) << 16
            | u64::from(self.raw_eval as i16 as u16) << 32
            | u64::from(self.depth.clamp(0, 255) as u8) << 48
            | (bound | u64::from(self.tt_pv) << 2 | u64::from(age) << 3) << 56
    }

    fn unpack(data: u64) -> TtEntry {
        let flags = (data >> 56) as u8;
        TtEntry {
            best_move: Move::from_bits(data as u16),
            score: Value::from((data >> 16) as i16),
            raw_eval: Value::from((data >> 32) as i16),
            depth: i32::from((data >> 48) as u8),
            bound: match flags & 3 {
                0 => None,
                1 => Some(Bound::Upper),
                2 => Some(Bound::Lower),
                _ => Some(Bound::Exact),
            },
            tt_pv: flags & 4 != 0,
        }
    }
}

/// The age in packed data.
fn unpack_age(data: u64) -> u8 {
    (data >> 59) as u8
}

/// There is not enough memory for a transposition table of this size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AllocationError(
    /// Requested size in megabytes.
    pub usize,
);

impl fmt::Display for AllocationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not enough memory for a hash table of {} MB", self.0)
    }
}

impl std::error::Error for AllocationError {}

/// The transposition table.
pub struct TranspositionTable {
    buckets: Vec<Bucket>,
    age: AtomicU8,
}

impl TranspositionTable {
    /// The number of entries in a megabyte.
    pub const ENTRIES_PER_MEGABYTE: u64 = (1 << 20) / size_of::<Slot>() as u64;

    /// An empty table of this size in megabytes (2^20 bytes), initialised by `threads` threads.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(megabytes: usize, threads: usize) -> Result<TranspositionTable, AllocationError> {
        let count = megabytes.max(1).saturating_mul(1 << 20) / size_of::<Bucket>();
        let mut buckets: Vec<Bucket> = Vec::new();
        buckets.try_reserve_exact(count).map_err(|_| AllocationError(megabytes))?;
        let slots = &mut buckets.spare_capacity_mut()[..count];
        memory::advise_large_pages(slots);
        let chunk = count.div_ceil(threads.max(1));
        in_parallel(threads, slots.chunks_mut(chunk), |chunk| {
            for bucket in chunk {
                bucket.write(Bucket::default());
            }
        });
        // SAFETY: the capacity is at least `count`, and each of the first `count` elements has just
        // been written.
        unsafe { buckets.set_len(count) };
        Ok(TranspositionTable { buckets, age: AtomicU8::new(0) })
    }

    /// Removes all entries, on `threads` threads.
    pub fn clear(&self, threads: usize) {
        let chunk = self.buckets.len().div_ceil(threads.max(1));
        in_parallel(threads, self.buckets.chunks(chunk), |chunk| {
            for slot in chunk.iter().flat_map(|bucket| &bucket.0) {
                slot.key.store(0, Relaxed);
                slot.data.store(0, Relaxed);
            }
        });
        self.age.store(0, Relaxed);
    }

    /// The size in megabytes.
    pub fn megabytes(&self) -> usize {
        (self.buckets.len() * size_of::<Bucket>()) >> 20
    }

    /// Starts a new search: all entries age by one.
    pub fn new_search(&self) {
        let age = (self.age.load(Relaxed) + 1) % MAX_AGE;
        self.age.store(age, Relaxed);
    }

    /// Slots filled by this search, per mille, estimated from a sample.
    pub fn hashfull(&self) -> u32 {
        let age = self.age.load(Relaxed);
        let sample = self.buckets.len().min(250);
        let used = self.buckets[..sample]
            .iter()
            .flat_map(|bucket| &bucket.0)
            .map(|slot| slot.data.load(Relaxed))
            .filter(|data| *data != 0 && unpack_age(*data) == age)
            .count();
        (used * 1000 / (sample * BUCKET_SLOTS)) as u32
    }

    #[inline(always)]
    fn bucket(&self, key: u64) -> &Bucket {
        // The key is scaled to the number of buckets. A position and its colour-flipped mirror have
        // the same index, so that both are searched alike.
        let (key, len) = (zobrist::symmetric(key), self.buckets.len() as u64);
        #[cfg(target_pointer_width = "64")]
        let index = (u128::from(key) * u128::from(len)) >> 64;
        // The same for a length of 32 bits, without a product of 128 bits.
        #[cfg(not(target_pointer_width = "64"))]
        let index = ((key >> 32) * len + ((key & 0xFFFF_FFFF) * len >> 32)) >> 32;
        &self.buckets[index as usize]
    }

    /// Prefetches the bucket of a position.
    #[inline(always)]
    pub fn prefetch(&self, key: u64) {
        memory::prefetch(self.bucket(key));
    }

    /// The entry of a position at `ply` with this halfmove clock. The bound of an unproven win is
    /// removed.
    #[inline]
    pub fn probe(&self, key: u64, ply: usize, halfmove_clock: u16) -> Option<TtEntry> {
        for slot in &self.bucket(key).0 {
            let data = slot.data.load(Relaxed);
            if slot.key.load(Relaxed) ^ data == key && data != 0 {
                let mut entry = TtEntry::unpack(data);
                if entry.is_unproven_win(halfmove_clock) {
                    entry.bound = None;
                }
                entry.score = score::score_from_tt(entry.score, ply);
                return Some(entry);
            }
        }
        None
    }

    /// Stores an entry of a position at `ply`. It replaces the entry of the same position, else the
    /// one of least value in the bucket, by depth and age. An entry without a move keeps the old
    /// one. <https://www.chessprogramming.org/Transposition_Table#Replacement_Strategies>
    #[inline]
    pub fn store(&self, key: u64, ply: usize, mut entry: TtEntry) {
        let age = self.age.load(Relaxed);
        let slots = &self.bucket(key).0;
        let mut replaced = &slots[0];
        let mut min_value = i32::MAX;
        for slot in slots {
            let data = slot.data.load(Relaxed);
            let (old, old_age) = (TtEntry::unpack(data), unpack_age(data));
            if slot.key.load(Relaxed) ^ data == key && data != 0 {
                entry.best_move = entry.best_move.or(old.best_move);
                // A much deeper entry of this search is not replaced by a bound.
                if entry.bound != Some(Bound::Exact)
                    && old_age == age
                    && entry.depth + params::tt_keep_depth_margin() < old.depth
                {
                    return;
                }
                replaced = slot;
                break;
            }
            let relative_age = i32::from((MAX_AGE + age - old_age) % MAX_AGE);
            let value = if data == 0 {
                EMPTY_SLOT_VALUE
            } else {
                old.depth - params::tt_age_penalty() * relative_age
            };
            if value < min_value {
                min_value = value;
                replaced = slot;
            }
        }
        entry.score = score::score_to_tt(entry.score, ply);
        let data = entry.pack(age);
        replaced.key.store(key ^ data, Relaxed);
        replaced.data.store(data, Relaxed);
    }
}

/// Below the value of every entry.
const EMPTY_SLOT_VALUE: i32 = -1000;

/// Runs `work` on all chunks, on `threads` threads or as many as the system grants.
fn in_parallel<I: Iterator + Send>(threads: usize, chunks: I, work: impl Fn(I::Item) + Sync) {
    let queue = Mutex::new(chunks);
    let next = || lock(&queue).next();
    let run = || {
        while let Some(chunk) = next() {
            work(chunk);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            let _ = std::thread::Builder::new().spawn_scoped(scope, run);
        }
        run();
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{MoveKind, PieceKind, Square};

    fn entry(best_move: Option<Move>, score: Value, depth: i32, bound: Bound) -> TtEntry {
        TtEntry { best_move, score, raw_eval: 0, depth, bound: Some(bound), tt_pv: false }
    }

    #[test]
    fn unpacking_reverses_packing() {
        let best_move = Some(Move::new(Square::E2, Square::E4, MoveKind::DoublePush));
        for (score, raw_eval, depth) in
            [(-31_990, 77, 12), (31_999, score::NO_SCORE, 0), (0, -1, 239)]
        {
            for bound in [None, Some(Bound::Exact), Some(Bound::Lower), Some(Bound::Upper)] {
                let entry = TtEntry { best_move, score, raw_eval, depth, bound, tt_pv: true };
                let data = entry.pack(31);
                assert_eq!((TtEntry::unpack(data), unpack_age(data)), (entry, 31));
            }
        }
    }

    #[test]
    fn a_bound_decides_only_on_its_side_of_beta() {
        for (bound, below, at, above) in [
            (Bound::Exact, true, true, true),
            (Bound::Lower, false, true, true),
            (Bound::Upper, true, false, false),
        ] {
            let entry = entry(None, 50, 5, bound);
            let decides = [51, 50, 49].map(|beta| entry.decides(beta));
            assert_eq!(decides, [below, at, above], "{bound:?}");
            let bounds = (entry.is_lower_bound(), entry.is_upper_bound());
            assert_eq!(bounds, (bound != Bound::Upper, bound != Bound::Lower));
        }
        let evaluation = TtEntry { bound: None, ..entry(None, 50, 5, Bound::Exact) };
        assert!(!evaluation.decides(50) && !evaluation.decides(51));
        assert!(!evaluation.is_lower_bound() && !evaluation.is_upper_bound());
    }

    #[test]
    fn mate_scores_are_adjusted_to_the_ply() {
        let tt = TranspositionTable::new(1, 1).expect("a megabyte");
        tt.store(42, 3, entry(None, score::mate_in(5), 9, Bound::Exact));
        let entry = tt.probe(42, 1, 0).expect("just stored");
        assert_eq!(entry.score, score::mate_in(3));
    }

    /// A mate or tablebase win in 20 plies, found with this depth, read with this halfmove clock.
    #[test]
    fn a_mate_beyond_its_depth_and_a_win_beyond_the_fifty_move_rule_have_no_bound() {
        let (mate, tablebase_win) = (score::mate_in(20), score::TB_WIN - 20);
        for (score, depth, halfmove_clock, is_proved) in [
            (mate, 11, 0, false),
            (mate, 12, 0, true),
            (mate, 12, 80, true),
            (mate, 12, 81, false),
            (mate, 12, 150, false),
            (tablebase_win, 1, 80, true),
            (tablebase_win, 30, 81, false),
            (500, 1, 100, true),
        ] {
            for score in [score, -score] {
                let tt = TranspositionTable::new(1, 1).expect("a megabyte");
                tt.store(42, 0, entry(None, score, depth, Bound::Exact));
                let entry = tt.probe(42, 0, halfmove_clock).expect("just stored");
                let name = format!("{score}, depth {depth}, halfmove clock {halfmove_clock}");
                assert_eq!(entry.bound.is_some(), is_proved, "{name}");
            }
        }
    }

    #[test]
    fn an_entry_without_a_move_keeps_the_old_move() {
        let tt = TranspositionTable::new(1, 1).expect("a megabyte");
        let m = Move::new(Square::G1, Square::F3, MoveKind::Normal(PieceKind::Knight));
        tt.store(7, 0, entry(Some(m), 10, 5, Bound::Lower));
        tt.store(7, 0, entry(None, 3, 6, Bound::Upper));
        assert_eq!(tt.probe(7, 0, 0).and_then(|entry| entry.best_move), Some(m));
    }

    /// Keys whose positions share a bucket. They differ in all bits, as keys of positions do.
    fn keys_of_one_bucket(tt: &TranspositionTable, count: usize) -> Vec<u64> {
        /// The inverse of the factor in [`zobrist::symmetric`], so that half of its multiples are
        /// found.
        const INVERSE: u64 = 0xF1DE_83E1_9937_733D;
        let bucket: *const Bucket = tt.bucket(0);
        let keys = (1..).map(|number: u64| number.wrapping_mul(INVERSE));
        let keys = keys.filter(|key| std::ptr::eq(tt.bucket(*key), bucket));
        keys.take(count).collect()
    }

    /// Depths and ages of four entries in the order of their storing, each age a search earlier;
    /// which of them a fifth entry replaces.
    #[test]
    fn an_old_entry_is_replaced_before_a_shallow_one_and_a_shallow_one_before_a_deep_one() {
        let penalty = params::tt_age_penalty();
        for (name, entries, replaced) in [
            ("deeper by less than the penalty", [(5 + penalty, 1), (6, 0), (7, 0), (8, 0)], 0),
            ("deeper by more than the penalty", [(7 + penalty, 1), (6, 0), (7, 0), (8, 0)], 1),
            (
                "deeper by less than two penalties",
                [(8, 0), (6, 0), (5 + 2 * penalty, 2), (7, 0)],
                2,
            ),
            (
                "deeper by more than two penalties",
                [(8, 0), (6, 0), (7 + 2 * penalty, 2), (7, 0)],
                1,
            ),
            ("the same age", [(9, 0), (5, 0), (7, 0), (6, 0)], 1),
            ("an old deep entry", [(9, 0), (9, 4), (6, 0), (7, 0)], 1),
            ("the oldest", [(9, 5), (9, 4), (9, 6), (9, 0)], 2),
            ("a deep one of the last search stays", [(20, 1), (3, 0), (9, 0), (9, 0)], 1),
        ] {
            let tt = TranspositionTable::new(1, 1).expect("a megabyte");
            let keys = keys_of_one_bucket(&tt, 5);
            for age in (0..=6).rev() {
                for (key, (depth, _)) in keys.iter().zip(entries).filter(|(_, e)| e.1 == age) {
                    tt.store(*key, 0, entry(None, 0, depth, Bound::Exact));
                }
                if age > 0 {
                    tt.new_search();
                }
            }
            tt.store(keys[4], 0, entry(None, 0, 1, Bound::Exact));
            let left: Vec<bool> = keys.iter().map(|key| tt.probe(*key, 0, 0).is_some()).collect();
            let expected: Vec<bool> = (0..5).map(|index| index != replaced).collect();
            assert_eq!(left, expected, "{name}");
        }
    }

    #[test]
    fn a_bound_of_the_same_search_does_not_replace_a_much_deeper_entry() {
        let tt = TranspositionTable::new(1, 1).expect("a megabyte");
        tt.store(7, 0, entry(None, 10, 20, Bound::Lower));
        tt.store(7, 0, entry(None, 3, 1, Bound::Upper));
        assert_eq!(tt.probe(7, 0, 0).map(|entry| entry.depth), Some(20));
        tt.new_search();
        tt.store(7, 0, entry(None, 3, 1, Bound::Upper));
        assert_eq!(tt.probe(7, 0, 0).map(|entry| entry.depth), Some(1));
    }

    #[test]
    fn threads_that_write_to_one_bucket_read_only_entries_of_their_keys() {
        let tt = TranspositionTable::new(1, 3).expect("a megabyte");
        let keys = keys_of_one_bucket(&tt, 6);
        let entry_of = |index: usize| {
            let number = index as i32;
            entry(None, 100 * number, 1 + number, Bound::Exact)
        };
        let rounds = if cfg!(miri) { 4 } else { 20_000 };
        let run = |thread: usize| {
            for round in 0..rounds {
                let index = (5 * round + thread) % keys.len();
                tt.store(keys[index], 0, entry_of(index));
                for (index, key) in keys.iter().enumerate() {
                    let found = tt.probe(*key, 0, 0);
                    assert!(found.is_none_or(|found| found == entry_of(index)));
                }
            }
        };
        std::thread::scope(|scope| {
            for thread in 0..3 {
                scope.spawn(move || run(thread));
            }
        });
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri ends the program where an allocation fails")]
    fn a_size_beyond_memory_is_an_error() {
        assert!(TranspositionTable::new(usize::MAX >> 21, 1).is_err());
    }
}
