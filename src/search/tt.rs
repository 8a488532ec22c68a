//! The transposition table: what the search has learnt of positions, shared by all threads.
//!
//! A bucket is a cache line of four entries. An entry is two atomic words: the data, and the
//! position's key combined with the data by exclusive or. A torn entry (two threads wrote at once)
//! or a foreign one therefore does not match and is as good as absent: races may cost an entry but
//! never show one that nobody wrote. (R. Hyatt, T. Mann: "A lock-less transposition table
//! implementation for parallel search".)
//!
//! `unsafe` here is for the prefetch, for advising the system of large pages, and for taking over
//! memory that the filling threads have initialised.

use super::info::Bound;
use super::score::{self, Score};
use crate::chess::{Move, zobrist};
use std::fmt;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

const BUCKET_ENTRIES: usize = 4;
/// Generations count modulo this.
const AGES: u8 = 32;

#[derive(Default)]
struct Slot {
    key: AtomicU64,
    data: AtomicU64,
}

/// Four entries in one cache line.
#[derive(Default)]
#[repr(align(64))]
struct Bucket([Slot; BUCKET_ENTRIES]);

const _: () = assert!(size_of::<Bucket>() == 64);
// A depth fits into a byte.
const _: () = assert!(score::MAX_PLY < 256);

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TtEntry {
    /// The best or refuting move.
    pub best: Option<Move>,
    /// Counted from the node's ply.
    pub score: Score,
    /// The raw static evaluation, or [`score::NONE`].
    pub eval: Score,
    /// Plies searched; 0 in quiescence.
    pub depth: i32,
    /// What the score says; none if only the evaluation is known.
    pub bound: Option<Bound>,
    /// Whether the node was ever on a principal variation.
    pub was_pv: bool,
    age: u8,
}

/// A search finds mates this many plies beyond its depth, by extensions.
const BEYOND_DEPTH: Score = 8;

impl TtEntry {
    /// Whether the entry tells of a mate so far away that its search cannot have seen it, but was
    /// told by other entries. Such tales can rest on each other in a circle, each time round a little
    /// longer, and then no move ever makes progress.
    fn is_hearsay(&self) -> bool {
        score::is_mate(self.score) && score::MATE - self.score.abs() > self.depth + BEYOND_DEPTH
    }

    fn pack(&self) -> u64 {
        let bound = match self.bound {
            None => 0u64,
            Some(Bound::Upper) => 1,
            Some(Bound::Lower) => 2,
            Some(Bound::Exact) => 3,
        };
        u64::from(self.best.map_or(0, Move::bits))
            | u64::from(self.score as i16 as u16) << 16
            | u64::from(self.eval as i16 as u16) << 32
            | u64::from(self.depth.clamp(0, 255) as u8) << 48
            | (bound | u64::from(self.was_pv) << 2 | u64::from(self.age) << 3) << 56
    }

    fn unpack(data: u64) -> TtEntry {
        let flags = (data >> 56) as u8;
        TtEntry {
            best: Move::from_bits(data as u16),
            score: Score::from((data >> 16) as i16),
            eval: Score::from((data >> 32) as i16),
            depth: i32::from((data >> 48) as u8),
            bound: match flags & 3 {
                0 => None,
                1 => Some(Bound::Upper),
                2 => Some(Bound::Lower),
                _ => Some(Bound::Exact),
            },
            was_pv: flags & 4 != 0,
            age: flags >> 3,
        }
    }
}

/// There is not enough memory for a table of this many megabytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AllocationError(
    /// The megabytes asked for.
    pub usize,
);

impl fmt::Display for AllocationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not enough memory for a hash table of {} MB", self.0)
    }
}

impl std::error::Error for AllocationError {}

/// The table.
pub struct TranspositionTable {
    buckets: Vec<Bucket>,
    age: AtomicU8,
}

impl TranspositionTable {
    /// A table of so many megabytes (2^20 bytes), filled by so many threads.
    ///
    /// # Errors
    /// If the memory cannot be had.
    pub fn new(megabytes: usize, threads: usize) -> Result<TranspositionTable, AllocationError> {
        let count = (megabytes.max(1) << 20) / size_of::<Bucket>();
        let mut buckets: Vec<Bucket> = Vec::new();
        buckets
            .try_reserve_exact(count)
            .map_err(|_| AllocationError(megabytes))?;
        let room = &mut buckets.spare_capacity_mut()[..count];
        advise_large_pages(room);
        let part = count.div_ceil(threads.max(1));
        in_parallel(threads, room.chunks_mut(part), |chunk| {
            for bucket in chunk {
                bucket.write(Bucket::default());
            }
        });
        // SAFETY: the capacity is at least `count`, and each of the first `count` elements has just
        // been written.
        unsafe { buckets.set_len(count) };
        Ok(TranspositionTable {
            buckets,
            age: AtomicU8::new(0),
        })
    }

    /// Forgets everything, with so many threads.
    pub fn clear(&self, threads: usize) {
        let part = self.buckets.len().div_ceil(threads.max(1));
        in_parallel(threads, self.buckets.chunks(part), |chunk| {
            for slot in chunk.iter().flat_map(|bucket| &bucket.0) {
                slot.key.store(0, Relaxed);
                slot.data.store(0, Relaxed);
            }
        });
        self.age.store(0, Relaxed);
    }

    /// How many megabytes the table takes.
    pub fn megabytes(&self) -> usize {
        (self.buckets.len() * size_of::<Bucket>()) >> 20
    }

    /// Begins a new search: what is in the table grows older.
    pub fn new_search(&self) {
        self.age.store((self.age.load(Relaxed) + 1) % AGES, Relaxed);
    }

    /// The thousandths of the table that entries of this search fill, by a sample.
    pub fn hashfull(&self) -> u32 {
        let age = self.age.load(Relaxed);
        let sample = self.buckets.len().min(250);
        let used = self.buckets[..sample]
            .iter()
            .flat_map(|bucket| &bucket.0)
            .map(|slot| slot.data.load(Relaxed))
            .filter(|data| *data != 0 && TtEntry::unpack(*data).age == age)
            .count();
        (used * 1000 / (sample * BUCKET_ENTRIES)) as u32
    }

    #[inline(always)]
    fn bucket(&self, key: u64) -> &Bucket {
        // Scaled to the number of buckets; alike for a position and its colour-flipped one.
        let index = (u128::from(zobrist::symmetric(key)) * self.buckets.len() as u128) >> 64;
        &self.buckets[index as usize]
    }

    /// Asks the processor to fetch the position's bucket while we do something else.
    #[inline(always)]
    pub fn prefetch(&self, key: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let bucket: *const Bucket = self.bucket(key);
            // SAFETY: the address is that of a bucket; prefetching reads nothing.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(bucket.cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    /// What is known of the position at this ply.
    #[inline]
    pub fn probe(&self, key: u64, ply: usize) -> Option<TtEntry> {
        for slot in &self.bucket(key).0 {
            let data = slot.data.load(Relaxed);
            if slot.key.load(Relaxed) ^ data == key && data != 0 {
                let mut entry = TtEntry::unpack(data);
                if entry.is_hearsay() {
                    entry.bound = None;
                }
                entry.score = score::score_from_tt(entry.score, ply);
                return Some(entry);
            }
        }
        None
    }

    /// Keeps what was learnt of the position at this ply. It takes the place of what is known of
    /// the same position, else of the shallowest or oldest entry of its bucket.
    #[inline]
    #[expect(
        clippy::too_many_arguments,
        reason = "an entry's fields, written in one place"
    )]
    pub fn store(
        &self,
        key: u64,
        ply: usize,
        best: Option<Move>,
        score: Score,
        eval: Score,
        depth: i32,
        bound: Option<Bound>,
        was_pv: bool,
    ) {
        let age = self.age.load(Relaxed);
        let slots = &self.bucket(key).0;
        let mut victim = &slots[0];
        let mut lowest = i32::MAX;
        let mut best = best;
        for slot in slots {
            let data = slot.data.load(Relaxed);
            let known = TtEntry::unpack(data);
            if slot.key.load(Relaxed) ^ data == key && data != 0 {
                best = best.or(known.best);
                // A much deeper result of the same search is worth more than a new bound.
                if bound != Some(Bound::Exact) && known.age == age && depth + 4 < known.depth {
                    return;
                }
                victim = slot;
                break;
            }
            let staleness = i32::from((AGES + age - known.age) % AGES);
            let worth = if data == 0 {
                -1000
            } else {
                known.depth - 4 * staleness
            };
            if worth < lowest {
                lowest = worth;
                victim = slot;
            }
        }
        let entry = TtEntry {
            best,
            score: score::score_to_tt(score, ply),
            eval,
            depth,
            bound,
            was_pv,
            age,
        };
        let data = entry.pack();
        victim.key.store(key ^ data, Relaxed);
        victim.data.store(data, Relaxed);
    }
}

/// Does the work on all parts: on so many threads, or as many as the system grants.
fn in_parallel<I: Iterator + Send>(threads: usize, parts: I, work: impl Fn(I::Item) + Sync) {
    let queue = Mutex::new(parts);
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let drain = || {
        while let Some(part) = next() {
            work(part);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            let _ = std::thread::Builder::new().spawn_scoped(scope, drain);
        }
        drain();
    });
}

/// Tells the system that large pages are welcome here. It may or may not listen.
fn advise_large_pages<T>(memory: &mut [T]) {
    #[cfg(target_os = "linux")]
    {
        const MADV_HUGEPAGE: i32 = 14;
        const PAGE: usize = 1 << 21;
        unsafe extern "C" {
            fn madvise(address: usize, length: usize, advice: i32) -> i32;
        }
        let range = memory.as_ptr_range();
        let (start, end) = (range.start.addr().next_multiple_of(PAGE), range.end.addr());
        if start < end {
            // SAFETY: the function of the C library, with integers of the sizes it takes; the whole
            // pages lie within memory that is ours, and this advice changes nothing in them.
            unsafe { madvise(start, (end - start) / PAGE * PAGE, MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{MoveKind, PieceKind, Square};

    #[test]
    fn entries_survive_packing() {
        let best = Some(Move::new(Square::E2, Square::E4, MoveKind::DoublePush));
        for (score, eval, depth) in [(-31_990, 77, 12), (31_999, score::NONE, 0), (0, -1, 239)] {
            for bound in [
                None,
                Some(Bound::Exact),
                Some(Bound::Lower),
                Some(Bound::Upper),
            ] {
                let entry = TtEntry {
                    best,
                    score,
                    eval,
                    depth,
                    bound,
                    was_pv: true,
                    age: 31,
                };
                assert_eq!(TtEntry::unpack(entry.pack()), entry);
            }
        }
    }

    #[test]
    fn mates_are_found_again_at_another_ply() {
        let table = TranspositionTable::new(1, 1).expect("a megabyte");
        table.store(
            42,
            3,
            None,
            score::mate_in(5),
            0,
            9,
            Some(Bound::Exact),
            false,
        );
        let entry = table.probe(42, 1).expect("just stored");
        assert_eq!(entry.score, score::mate_in(3));
    }

    #[test]
    fn the_move_is_kept_when_a_new_result_has_none() {
        let table = TranspositionTable::new(1, 1).expect("a megabyte");
        let m = Move::new(Square::G1, Square::F3, MoveKind::Normal(PieceKind::Knight));
        table.store(7, 0, Some(m), 10, 0, 5, Some(Bound::Lower), false);
        table.store(7, 0, None, 3, 0, 6, Some(Bound::Upper), false);
        assert_eq!(table.probe(7, 0).and_then(|entry| entry.best), Some(m));
    }

    #[test]
    fn more_memory_than_there_is_is_an_error() {
        assert!(TranspositionTable::new(usize::MAX >> 21, 1).is_err());
    }
}
