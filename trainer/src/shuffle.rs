//! The order of the samples: a new permutation of all of them each epoch.
//!
//! The permutation is computed, not stored: a Feistel network over the next power of two, iterated
//! until the result is in range (cycle walking). It needs no memory, every thread can compute any
//! index, and to resume a run only the number of samples seen is needed.

use saavedra::chess::splitmix64;

/// Permutations of `len` items, one per epoch.
#[derive(Clone, Copy, Debug)]
pub struct Shuffle {
    len: u64,
    seed: u64,
    low_bits: u32,
    high_bits: u32,
}

impl Shuffle {
    /// Permutations of `len` items (at least one).
    pub fn new(len: usize, seed: u64) -> Shuffle {
        let len = len.max(1) as u64;
        let bits = (u64::BITS - (len - 1).leading_zeros()).max(2);
        Shuffle { len, seed, low_bits: bits / 2, high_bits: bits - bits / 2 }
    }

    /// The item at `index` of the endless sequence of epochs.
    pub fn item(&self, index: u64) -> usize {
        self.permute(index % self.len, self.key(index / self.len))
    }

    /// The items from `index` on.
    #[inline]
    pub fn items(self, index: u64) -> impl Iterator<Item = usize> {
        let (mut epoch, mut position) = (index / self.len, index % self.len);
        let mut key = self.key(epoch);
        std::iter::repeat_with(move || {
            if position == self.len {
                (epoch, position) = (epoch + 1, 0);
                key = self.key(epoch);
            }
            position += 1;
            self.permute(position - 1, key)
        })
    }

    fn key(&self, epoch: u64) -> u64 {
        splitmix64(self.seed ^ splitmix64(epoch.wrapping_add(1)))
    }

    /// The item at a position of an epoch.
    #[inline(always)]
    fn permute(&self, mut position: u64, key: u64) -> usize {
        loop {
            position = self.feistel(position, key);
            if position < self.len {
                return position as usize;
            }
        }
    }

    /// A permutation of the numbers below the power of two.
    #[inline(always)]
    fn feistel(&self, position: u64, key: u64) -> u64 {
        let (low_mask, high_mask) = ((1 << self.low_bits) - 1, (1 << self.high_bits) - 1);
        // Cheaper than SplitMix64; every bit of the half and of the key affects the upper bits.
        let hash =
            |half: u64, key: u64| half.wrapping_add(key).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
        let (mut low, mut high) = (position & low_mask, position >> self.low_bits);
        for round in 0..4 {
            let key = key.rotate_left(round * 16);
            high ^= hash(low, key) & high_mask;
            low ^= hash(high, !key) & low_mask;
        }
        high << self.low_bits | low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_epoch_has_every_item_once() {
        for len in [1, 2, 3, 5, 64, 65, 1000, 4097] {
            let shuffle = Shuffle::new(len, 42);
            for epoch in 0..3 {
                let mut seen = vec![false; len];
                for place in 0..len {
                    let item = shuffle.item((epoch * len + place) as u64);
                    assert!(!std::mem::replace(&mut seen[item], true), "{len} items");
                }
            }
        }
    }

    #[test]
    fn items_continue_into_the_next_epoch() {
        let shuffle = Shuffle::new(10, 3);
        for first in [0, 7, 10, 25] {
            let items: Vec<usize> = shuffle.items(first).take(30).collect();
            let expected: Vec<usize> = (first..first + 30).map(|at| shuffle.item(at)).collect();
            assert_eq!(items, expected);
        }
    }

    #[test]
    fn neighbours_are_separated_and_epochs_and_seeds_differ() {
        let len = 100_000usize;
        let shuffle = Shuffle::new(len, 1);
        let items: Vec<usize> = shuffle.items(0).take(len).collect();
        let near = items.windows(2).filter(|pair| pair[0].abs_diff(pair[1]) < 100).count();
        assert!(near < 400, "{near} close neighbours, 200 are expected");
        let half = items[..len / 2].iter().filter(|&&item| item < len / 2).count();
        assert!(half.abs_diff(len / 4) < 600, "{half}");
        let same = |other: &dyn Fn(usize) -> usize| {
            (0..len).filter(|&place| items[place] == other(place)).count()
        };
        assert!(same(&|place| shuffle.item((len + place) as u64)) < 20);
        let reseeded = Shuffle::new(len, 2);
        assert!(same(&|place| reseeded.item(place as u64)) < 20);
    }
}
