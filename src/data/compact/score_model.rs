//! Scores in steps of 1/64 of a point, each predicted from the scores before.
//!
//! A point is a won game: the [expected points](crate::data::statistics::sigmoid) of a score are
//! 1 / (1 + e^(-score / 190)), from 0 to 1. The steps are [`LEVELS`] of centipawns, each the mirror
//! image of one with the other sign; a score becomes the nearest, whose expected points differ by at
//! most 1/128. Mate and tablebase scores are exact.

use super::range_coder::{BitModel, Coder, code_bits, code_with_two};
use crate::data::{DECISIVE, NO_SCORE};

/// The scores of the levels from 0 on, in centipawns.
pub(super) const LEVELS: [i16; 34] = [
    0, 11, 22, 33, 44, 57, 70, 83, 96, 109, 122, 135, 148, 161, 176, 191, 206, 221, 238, 255, 274,
    293, 314, 337, 362, 389, 420, 455, 496, 545, 608, 695, 840, 1251,
];
/// The level of mate and tablebase scores.
const DECISIVE_LEVEL: i32 = LEVELS.len() as i32;
/// The maximum step from one level to the next that is coded as a step.
const MAX_STEP: i32 = 16;
/// The number of bits of a level that is coded by itself, and of a mate score above the least.
const LEVEL_BITS: u32 = 7;
const DECISIVE_BITS: u32 = 12;

/// The bits of a step: whether there is one, its sign, and whether it is longer than 1, 2 …, by sign.
const STEP_BITS: usize = 2 + 2 * MAX_STEP as usize;
/// The contexts of a step: 14 levels with 7 steps before, and 7 sums of steps with 6 phases.
const LEVEL_CONTEXTS: usize = 14 * 7;
const PHASE_CONTEXTS: usize = 7 * 6;

/// The models of scores, and the last scores of the game.
#[derive(Clone, Debug)]
pub(super) struct ScoreModel {
    unsearched: [BitModel; 4],
    by_level: Vec<[BitModel; STEP_BITS]>,
    by_phase: Vec<[BitModel; STEP_BITS]>,
    level: Vec<BitModel>,
    decisive: Vec<BitModel>,
    /// The levels of the last three scores, the last one first.
    last: [i32; 3],
    was_unsearched: bool,
}

impl ScoreModel {
    pub(super) fn new() -> ScoreModel {
        ScoreModel {
            unsearched: [BitModel::NEW; 4],
            by_level: vec![[BitModel::NEW; STEP_BITS]; LEVEL_CONTEXTS],
            by_phase: vec![[BitModel::NEW; STEP_BITS]; PHASE_CONTEXTS],
            level: vec![BitModel::NEW; 1 << LEVEL_BITS],
            decisive: vec![BitModel::NEW; 1 << DECISIVE_BITS],
            last: [0; 3],
            was_unsearched: true,
        }
    }

    /// Forgets the last scores at the start of a game.
    pub(super) fn start_game(&mut self) {
        (self.last, self.was_unsearched) = ([0; 3], true);
    }

    /// The level of the last score, from White's view.
    pub(super) fn last_level(&self) -> i32 {
        self.last[0]
    }

    /// Codes the score of a ply in a position with this number of pieces. `None` if the coded number
    /// is no score.
    pub(super) fn code(
        &mut self,
        coder: &mut impl Coder,
        score: i16,
        is_opening: bool,
        pieces: u32,
    ) -> Option<i16> {
        let context = usize::from(is_opening) * 2 + usize::from(self.was_unsearched);
        self.was_unsearched = self.unsearched[context].code(coder, score == NO_SCORE);
        if self.was_unsearched {
            return Some(NO_SCORE);
        }
        let level = self.code_level(coder, level_of(score), pieces);
        self.last = [level, self.last[0], self.last[1]];
        let size = match level.abs() {
            DECISIVE_LEVEL => {
                let excess = usize::from(score.unsigned_abs().saturating_sub(DECISIVE as u16));
                let excess = code_bits(coder, &mut self.decisive, DECISIVE_BITS, excess);
                DECISIVE.checked_add(i16::try_from(excess).ok()?)?
            }
            size => *LEVELS.get(size as usize)?,
        };
        Some(size * level.signum() as i16)
    }

    /// Codes a level as a step from the last one, or by itself if that is too long.
    fn code_level(&mut self, coder: &mut impl Coder, level: i32, pieces: u32) -> i32 {
        let [last, second, third] = self.last;
        let group = [1, 3, 7, 13, 20, 27].iter().filter(|bound| last.abs() >= **bound).count();
        let (step, sizes) =
            (last - second, (last - second).abs().min(3) + (second - third).abs().min(3));
        let by_level = &mut self.by_level
            [(group + 7 * usize::from(last > 0)) * 7 + (step.clamp(-3, 3) + 3) as usize];
        let by_phase = &mut self.by_phase[sizes as usize * 6 + (pieces as usize / 6).min(5)];
        let mut code = |index: usize, bit: bool| {
            code_with_two(coder, [&mut by_level[index], &mut by_phase[index]], bit)
        };
        let step = level - last;
        if !code(0, step != 0) {
            return last;
        }
        let is_up = code(1, step > 0);
        let first = 2 + usize::from(is_up) * MAX_STEP as usize;
        let size =
            (1..=MAX_STEP).find(|size| !code(first + *size as usize - 1, step.abs() > *size));
        match size {
            Some(size) if is_up => last + size,
            Some(size) => last - size,
            None => {
                let number = (level + DECISIVE_LEVEL) as usize;
                code_bits(coder, &mut self.level, LEVEL_BITS, number) as i32 - DECISIVE_LEVEL
            }
        }
    }
}

/// The level of a score.
fn level_of(score: i16) -> i32 {
    let size = i32::from(score).abs();
    let is_nearer = |pair: &&[i16]| 2 * size > i32::from(pair[0]) + i32::from(pair[1]);
    let level = if size >= i32::from(DECISIVE) {
        DECISIVE_LEVEL
    } else {
        LEVELS.windows(2).filter(is_nearer).count() as i32
    };
    level * i32::from(score.signum())
}
