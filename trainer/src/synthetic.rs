//! Random positions with labels, for measuring speed and for tests.

use crate::order::Random;
use crate::sample::{Labelled, Men, Sample};

/// Positions with `men` men (2 to 32) on random squares, half of them with Black to move, labelled
/// with a score and a result that follow from material, so that there is something to learn.
pub fn positions(count: usize, men: usize, seed: u64) -> Vec<Labelled> {
    let mut random = Random::new(seed);
    (0..count)
        .map(|_| position(men.clamp(2, 32), &mut random))
        .collect()
}

/// The same, packed.
pub fn samples(count: usize, men: usize, seed: u64) -> Vec<Sample> {
    positions(count, men, seed)
        .iter()
        .map(Sample::pack)
        .collect()
}

fn position(men: usize, random: &mut Random) -> Labelled {
    const VALUES: [i16; 6] = [100, 300, 300, 500, 900, 0];
    let mut sides: [Men; 2] = [[0; 6]; 2];
    let mut occupied = 0u64;
    let mut score = 0;
    for man in 0..men {
        let square = loop {
            let square = 1u64 << random.below(64);
            if occupied & square == 0 {
                break square;
            }
        };
        occupied |= square;
        let side = man % 2;
        let kind = match man {
            0 | 1 => 5,
            // Pawns are half of the men, as in games.
            _ => [0, 0, 0, 0, 1, 2, 3, 4][random.below(8)],
        };
        sides[side][kind] |= square;
        score += if side == 0 {
            VALUES[kind]
        } else {
            -VALUES[kind]
        };
    }
    let result = match score {
        ..-200 => 0,
        -200..=200 => 1,
        _ => 2,
    };
    let black_to_move = random.below(2) == 1;
    Labelled {
        white: sides[0],
        black: sides[1],
        black_to_move,
        score,
        result,
    }
}
