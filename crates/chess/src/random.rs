//! Pseudo-random numbers: SplitMix64 (<https://prng.di.unimi.it/splitmix64.c>).

/// A generator of pseudo-random numbers. The sequence depends on the seed alone.
#[derive(Clone, Debug)]
pub struct Random(u64);

const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// A bijective hash of 64 bits: the first output of SplitMix64 with this seed.
#[inline]
pub const fn splitmix64(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(STEP);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl Random {
    /// The generator with this seed.
    pub const fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The generator for one game of a run. Each game has its own, so that the games do not depend
    /// on the thread that plays them.
    pub fn for_game(seed: u64, game: u64) -> Random {
        Random(splitmix64(seed) ^ splitmix64(game ^ STEP).rotate_left(32))
    }

    /// The next 64 bits.
    #[inline]
    pub const fn next_u64(&mut self) -> u64 {
        let number = splitmix64(self.0);
        self.0 = self.0.wrapping_add(STEP);
        number
    }

    /// A number from 0 to `limit - 1`; `limit` must not be 0.
    pub fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next_u64()) * limit as u128) >> 64) as usize
    }

    /// One of these items, which must not be empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// A number from 0 to less than 1.
    pub fn unit(&mut self) -> f64 {
        // An f64 holds 53 bits exactly.
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_game_of_every_run_has_its_own_sequence() {
        let firsts: HashSet<u64> = (0..40)
            .flat_map(|seed| (0..40).map(move |game| Random::for_game(seed, game).next_u64()))
            .collect();
        assert_eq!(firsts.len(), 1600);
    }

    #[test]
    fn numbers_are_uniform_and_in_range() {
        let mut random = Random::new(1);
        let mut counts = [0; 7];
        for _ in 0..7000 {
            counts[random.below(7)] += 1;
        }
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
        let often = (0..4000).filter(|_| random.chance(0.25)).count();
        assert!((900..1100).contains(&often), "{often}");
        assert!(!random.chance(0.0));
        assert!(random.chance(1.0));
    }
}
