//! Random positions with labels, for tests and the benchmark.

use saavedra::chess::Random;
use saavedra_trainer::sample::{LabelledPosition, PieceBitboards, Sample};

/// Positions with `piece_count` pieces (2 to 32) on random squares, half of them with Black to
/// move. Score and result follow from material, so that they can be learned.
pub fn positions(count: usize, piece_count: usize, seed: u64) -> Vec<LabelledPosition> {
    let mut random = Random::new(seed);
    (0..count).map(|_| position(piece_count.clamp(2, 32), &mut random)).collect()
}

/// The same, packed.
pub fn samples(count: usize, piece_count: usize, seed: u64) -> Vec<Sample> {
    positions(count, piece_count, seed).iter().map(Sample::pack).collect()
}

fn position(piece_count: usize, random: &mut Random) -> LabelledPosition {
    const VALUES: [i16; 6] = [100, 300, 300, 500, 900, 0];
    let mut sides: [PieceBitboards; 2] = [[0; 6]; 2];
    let mut occupied = 0u64;
    let mut score = 0;
    for piece in 0..piece_count {
        let square = loop {
            let square = 1u64 << random.below(64);
            if occupied & square == 0 {
                break square;
            }
        };
        occupied |= square;
        let side = piece % 2;
        let kind = match piece {
            0 | 1 => 5,
            // Half of the pieces are pawns, as in games.
            _ => [0, 0, 0, 0, 1, 2, 3, 4][random.below(8)],
        };
        sides[side][kind] |= square;
        score += if side == 0 { VALUES[kind] } else { -VALUES[kind] };
    }
    let result = match score {
        ..-200 => 0,
        -200..=200 => 1,
        _ => 2,
    };
    let black_to_move = random.below(2) == 1;
    LabelledPosition { white: sides[0], black: sides[1], black_to_move, score, result }
}
