//! Pseudo-random numbers: SplitMix64 (<https://prng.di.unimi.it/splitmix64.c>).

/// A generator of pseudo-random numbers. The sequence depends on the seed alone.
#[derive(Clone, Debug)]
pub struct Random(u64);

const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

impl Random {
    /// The generator with this seed.
    pub const fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The generator for one game of a run. Each game has its own, so that the games do not depend
    /// on the thread that plays them.
    pub fn for_game(seed: u64, game: u64) -> Random {
        let mut of_run = Random(seed);
        let mut of_game = Random(game ^ STEP);
        Random(of_run.next_u64() ^ of_game.next_u64().rotate_left(32))
    }

    /// The next 64 bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number from 0 to `limit - 1`; `limit` must not be 0.
    pub fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next_u64()) * limit as u128) >> 64) as usize
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        // An f64 holds 53 bits exactly.
        let unit = (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        unit < probability
    }
}

#[cfg(test)]
mod tests {
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
        assert!(
            counts.iter().all(|count| (850..1150).contains(count)),
            "{counts:?}"
        );
        let often = (0..4000).filter(|_| random.chance(0.25)).count();
        assert!((900..1100).contains(&often), "{often}");
        assert!(!random.chance(0.0));
        assert!(random.chance(1.0));
    }
}
