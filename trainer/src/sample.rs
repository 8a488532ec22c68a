//! A training position in 32 bytes, from the side to move's view.
//!
//! With Black to move, colours and ranks are flipped before packing; score and result are the side
//! to move's, too. Code after this module needs no colour.

use saavedra::data::statistics::SIGMOID_SCALE;
use saavedra::nnue::arch::{SCALE, output_bucket};
use saavedra::nnue::features::{MAX_ACTIVE_FEATURES, Orientation};

/// A packed training position with its labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Sample {
    occupied: u64,
    /// Four bits per piece in the order of squares: the kind, plus 8 for the opponent's pieces.
    pieces: [u8; 16],
    /// The score in centipawns from the side to move's view.
    pub score: i16,
    /// The game result in half points of the side to move: 0, 1 or 2.
    pub result: u8,
    us_king: u8,
    them_king: u8,
    reserved: [u8; 3],
}

const _: () = assert!(size_of::<Sample>() == 32);

/// One colour's pieces: a bitboard per kind, from pawn to king, a1 the lowest bit.
pub type PieceBitboards = [u64; 6];

/// A position with its labels from White's view, as in game records.
#[derive(Clone, Copy, Debug)]
pub struct LabelledPosition {
    /// White's pieces.
    pub white: PieceBitboards,
    /// Black's pieces.
    pub black: PieceBitboards,
    /// Whether Black is to move.
    pub black_to_move: bool,
    /// The score in centipawns from White's view.
    pub score: i16,
    /// The game result in half points of White: 0, 1 or 2.
    pub result: u8,
}

impl Sample {
    /// Packs a position. Each side must have one king, and both together at most 32 pieces.
    pub fn pack(position: &LabelledPosition) -> Sample {
        let LabelledPosition { white, black, black_to_move, score, result } = *position;
        let (us, them, score, result) = if black_to_move {
            (
                black.map(u64::swap_bytes),
                white.map(u64::swap_bytes),
                score.saturating_neg(),
                2 - result,
            )
        } else {
            (white, black, score, result)
        };
        let mut sample = Sample {
            occupied: us.iter().chain(&them).fold(0, |all, pieces| all | pieces),
            pieces: [0; 16],
            score,
            result,
            us_king: us[5].trailing_zeros() as u8 & 63,
            them_king: them[5].trailing_zeros() as u8 & 63,
            reserved: [0; 3],
        };
        debug_assert!(sample.piece_count() <= MAX_ACTIVE_FEATURES);
        let mut rest = sample.occupied;
        for index in 0..sample.piece_count().min(MAX_ACTIVE_FEATURES) {
            let square = rest & rest.wrapping_neg();
            rest ^= square;
            let mut code = 0;
            for kind in 0..6 {
                if us[kind] & square != 0 {
                    code = kind as u8;
                } else if them[kind] & square != 0 {
                    code = kind as u8 | 8;
                }
            }
            sample.pieces[index / 2] |= code << (index % 2 * 4);
        }
        sample
    }

    /// The number of pieces, kings included.
    #[inline(always)]
    pub fn piece_count(&self) -> usize {
        self.occupied.count_ones() as usize
    }

    /// The output bucket, out of `buckets`.
    #[inline(always)]
    pub fn bucket(&self, buckets: usize) -> usize {
        output_bucket(self.piece_count(), buckets)
    }

    /// Writes the active features of the side to move's and of the opponent's perspective. Returns
    /// their number.
    #[inline(always)]
    pub fn features(
        &self,
        us: &mut [u16; MAX_ACTIVE_FEATURES],
        them: &mut [u16; MAX_ACTIVE_FEATURES],
    ) -> usize {
        let us_orientation = Orientation::new(false, self.us_king);
        let them_orientation = Orientation::new(true, self.them_king);
        let mut pieces = u128::from_le_bytes(self.pieces);
        let mut rest = self.occupied;
        let count = self.piece_count().min(MAX_ACTIVE_FEATURES);
        for (us, them) in us.iter_mut().zip(them.iter_mut()).take(count) {
            let square = rest.trailing_zeros() as u8;
            rest &= rest.wrapping_sub(1);
            let code = pieces as u8;
            pieces >>= 4;
            let (kind, is_opponent) = (usize::from(code & 7), code & 8 != 0);
            *us = us_orientation.feature_index(is_opponent, kind, square) as u16;
            *them = them_orientation.feature_index(!is_opponent, kind, square) as u16;
        }
        count
    }

    /// The active features of both perspectives, the side to move's first.
    pub fn feature_lists(&self) -> [Vec<usize>; 2] {
        let (mut us, mut them) = ([0; MAX_ACTIVE_FEATURES], [0; MAX_ACTIVE_FEATURES]);
        let count = self.features(&mut us, &mut them);
        [us, them].map(|features| features[..count].iter().map(|&f| f.into()).collect())
    }

    /// The training target in expected points: the game result with weight `wdl` (the WDL lambda),
    /// the score with the rest.
    #[inline(always)]
    pub fn target(&self, wdl: f32) -> f32 {
        let expected = sigmoid(f32::from(self.score) / SCALE as f32);
        wdl * 0.5 * f32::from(self.result) + (1.0 - wdl) * expected
    }
}

/// The slope of the exponent of [`sigmoid`].
pub const SIGMOID_SLOPE: f32 = SCALE as f32 / SIGMOID_SCALE as f32;

/// The expected points for an output of the network (1.0 is [`SCALE`] centipawns).
#[inline(always)]
pub fn sigmoid(output: f32) -> f32 {
    1.0 / (1.0 + (-output * SIGMOID_SLOPE).exp())
}
