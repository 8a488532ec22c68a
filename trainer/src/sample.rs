//! A training position in 32 bytes, seen from the side to move.
//!
//! Positions are turned before they are packed, so that the side to move always plays up the board
//! as White does; the score and the result are the side to move's too. Nothing after this module
//! needs to know which colour it was.

use saavedra::nnue::arch::output_bucket;
use saavedra::nnue::features::{MAX_ACTIVE_FEATURES, Orientation};

/// A position with its labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Sample {
    occupied: u64,
    /// Four bits per man in the order of squares: the kind, plus 8 if it is the other side's.
    men: [u8; 16],
    /// Centipawns, from the side to move's view.
    pub score: i16,
    /// Twice the points the side to move made: 0, 1 or 2.
    pub result: u8,
    own_king: u8,
    other_king: u8,
    reserved: [u8; 3],
}

const _: () = assert!(size_of::<Sample>() == 32);

/// One colour's men: a bitboard per kind, from pawn to king, a1 the lowest bit.
pub type Men = [u64; 6];

/// Bitboards and labels from White's view, as game records have them.
#[derive(Clone, Copy, Debug)]
pub struct Labelled {
    /// White's men.
    pub white: Men,
    /// Black's men.
    pub black: Men,
    /// Whether it is Black's move.
    pub black_to_move: bool,
    /// Centipawns from White's view.
    pub score: i16,
    /// Twice White's points.
    pub result: u8,
}

impl Sample {
    /// Turns a position to the side to move. Each side must have one king and both together at
    /// most 32 men.
    pub fn pack(position: &Labelled) -> Sample {
        let Labelled {
            white,
            black,
            black_to_move,
            score,
            result,
        } = *position;
        let (own, other, score, result) = if black_to_move {
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
            occupied: own.iter().chain(&other).fold(0, |all, men| all | men),
            men: [0; 16],
            score,
            result,
            own_king: own[5].trailing_zeros() as u8 & 63,
            other_king: other[5].trailing_zeros() as u8 & 63,
            reserved: [0; 3],
        };
        debug_assert!(sample.men_count() <= MAX_ACTIVE_FEATURES);
        let mut rest = sample.occupied;
        for index in 0..sample.men_count().min(MAX_ACTIVE_FEATURES) {
            let square = rest & rest.wrapping_neg();
            rest ^= square;
            let mut code = 0;
            for kind in 0..6 {
                if own[kind] & square != 0 {
                    code = kind as u8;
                } else if other[kind] & square != 0 {
                    code = kind as u8 | 8;
                }
            }
            sample.men[index / 2] |= code << (index % 2 * 4);
        }
        sample
    }

    /// Number of men on the board.
    #[inline(always)]
    pub fn men_count(&self) -> usize {
        self.occupied.count_ones() as usize
    }

    /// The output bucket, out of `buckets`.
    #[inline(always)]
    pub fn bucket(&self, buckets: usize) -> usize {
        output_bucket(self.men_count(), buckets)
    }

    /// Writes the active inputs as the side to move and as the other side see them; the number.
    #[inline(always)]
    pub fn features(
        &self,
        own: &mut [u16; MAX_ACTIVE_FEATURES],
        other: &mut [u16; MAX_ACTIVE_FEATURES],
    ) -> usize {
        let own_view = Orientation::new(false, self.own_king);
        let other_view = Orientation::new(true, self.other_king);
        let mut men = u128::from_le_bytes(self.men);
        let mut rest = self.occupied;
        let count = self.men_count().min(MAX_ACTIVE_FEATURES);
        for (own, other) in own.iter_mut().zip(other.iter_mut()).take(count) {
            let square = rest.trailing_zeros() as u8;
            rest &= rest.wrapping_sub(1);
            let code = men as u8;
            men >>= 4;
            let (kind, is_other) = (usize::from(code & 7), code & 8 != 0);
            *own = own_view.feature_index(is_other, kind, square) as u16;
            *other = other_view.feature_index(!is_other, kind, square) as u16;
        }
        count
    }

    /// What the network should answer: a mixture of the result (with weight `wdl`) and the score.
    #[inline(always)]
    pub fn target(&self, wdl: f32) -> f32 {
        let expected = sigmoid(f32::from(self.score) / saavedra::nnue::arch::SCALE as f32);
        wdl * 0.5 * f32::from(self.result) + (1.0 - wdl) * expected
    }
}

/// The expected points for an output of the network (1.0 is [`saavedra::nnue::arch::SCALE`]
/// centipawns).
#[inline(always)]
pub fn sigmoid(output: f32) -> f32 {
    1.0 / (1.0 + (-output).exp())
}
