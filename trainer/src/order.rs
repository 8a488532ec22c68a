//! The order in which positions are visited: every epoch a new permutation of the whole set.
//!
//! The permutation is computed, not stored: a Feistel-like ladder of hashes over the next power of
//! two, walked until it lands inside the set. It needs no memory, any thread can ask for any place,
//! and resuming a run is knowing how many samples it has seen.

/// Permutations of `len` items, one for each epoch.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    len: u64,
    seed: u64,
    low_bits: u32,
    high_bits: u32,
}

impl Order {
    /// Orders of `len` items (at least one).
    pub fn new(len: usize, seed: u64) -> Order {
        let len = len.max(1) as u64;
        let bits = (u64::BITS - (len - 1).leading_zeros()).max(2);
        Order {
            len,
            seed,
            low_bits: bits / 2,
            high_bits: bits - bits / 2,
        }
    }

    /// The item at place `number` of an endless sequence of epochs.
    pub fn item(&self, number: u64) -> usize {
        self.place(number % self.len, self.key(number / self.len))
    }

    /// The items from place `number` on.
    #[inline]
    pub fn items(self, number: u64) -> impl Iterator<Item = usize> {
        let (mut epoch, mut place) = (number / self.len, number % self.len);
        let mut key = self.key(epoch);
        std::iter::repeat_with(move || {
            if place == self.len {
                (epoch, place) = (epoch + 1, 0);
                key = self.key(epoch);
            }
            place += 1;
            self.place(place - 1, key)
        })
    }

    fn key(&self, epoch: u64) -> u64 {
        mix(self.seed ^ mix(epoch.wrapping_add(1)))
    }

    /// Where a place of an epoch is sent.
    #[inline(always)]
    fn place(&self, mut place: u64, key: u64) -> usize {
        loop {
            place = self.step(place, key);
            if place < self.len {
                return place as usize;
            }
        }
    }

    #[inline(always)]
    fn step(&self, place: u64, key: u64) -> u64 {
        let (low_mask, high_mask) = ((1 << self.low_bits) - 1, (1 << self.high_bits) - 1);
        // Cheaper than `mix`, but every bit of the half and the key moves the upper bits.
        let hash =
            |half: u64, key: u64| half.wrapping_add(key).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
        let (mut low, mut high) = (place & low_mask, place >> self.low_bits);
        for round in 0..4 {
            let key = key.rotate_left(round * 16);
            high ^= hash(low, key) & high_mask;
            low ^= hash(high, !key) & low_mask;
        }
        high << self.low_bits | low
    }
}

/// A bijective hash of 64 bits: the finisher of SplitMix64 (Steele, Lea and Flood, 2014).
#[inline(always)]
pub fn mix(mut word: u64) -> u64 {
    word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// A sequence of pseudo-random numbers (SplitMix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of this seed.
    pub fn new(seed: u64) -> Random {
        Random(mix(seed))
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next_u64()) * limit as u128) >> 64) as usize
    }

    /// A number from -1 to 1, evenly distributed.
    pub fn signed(&mut self) -> f32 {
        (self.next_u64() >> 40) as f32 / (1u32 << 23) as f32 - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_epoch_visits_everything_once() {
        for len in [1, 2, 3, 5, 64, 65, 1000, 4097] {
            let order = Order::new(len, 42);
            for epoch in 0..3 {
                let mut seen = vec![false; len];
                for place in 0..len {
                    let item = order.item((epoch * len + place) as u64);
                    assert!(!std::mem::replace(&mut seen[item], true), "{len} items");
                }
            }
        }
    }

    #[test]
    fn a_sequence_goes_on_over_the_end_of_an_epoch() {
        let order = Order::new(10, 3);
        for first in [0, 7, 10, 25] {
            let items: Vec<usize> = order.items(first).take(30).collect();
            let expected: Vec<usize> = (first..first + 30).map(|at| order.item(at)).collect();
            assert_eq!(items, expected);
        }
    }

    #[test]
    fn neighbours_are_torn_apart_and_epochs_and_seeds_differ() {
        let len = 100_000usize;
        let order = Order::new(len, 1);
        let items: Vec<usize> = order.items(0).take(len).collect();
        let near = items
            .windows(2)
            .filter(|pair| pair[0].abs_diff(pair[1]) < 100)
            .count();
        assert!(
            near < 400,
            "{near} neighbours stayed together, 200 are expected"
        );
        let half = items[..len / 2]
            .iter()
            .filter(|&&item| item < len / 2)
            .count();
        assert!(half.abs_diff(len / 4) < 600, "{half}");
        let same = |other: &dyn Fn(usize) -> usize| {
            (0..len)
                .filter(|&place| items[place] == other(place))
                .count()
        };
        assert!(same(&|place| order.item((len + place) as u64)) < 20);
        let reseeded = Order::new(len, 2);
        assert!(same(&|place| reseeded.item(place as u64)) < 20);
    }
}
