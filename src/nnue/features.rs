//! The input features.
//!
//! A feature is (own or opponent's piece, piece kind, square). Each perspective has its own set of
//! active features: its own pieces count as "own", ranks are counted from its own first rank
//! (flipped for Black), and the files are mirrored when its king stands on e to h, so that the king
//! is always on a to d (horizontal mirroring, in Stockfish's names "hm").

use super::arch::INPUTS;

pub use super::format::MAX_ACTIVE_FEATURES;

/// How one perspective flips and mirrors the board: square numbers (a1 = 0, b1 = 1, h8 = 63) are
/// xored with a mask.
///
/// Between two positions of equal orientation only the features of moved pieces change. When the
/// king crosses between the files d and e the orientation changes, and the accumulator needs a
/// refresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Orientation(u8);

impl Orientation {
    /// The orientation for a perspective (Black's if `black`) whose own king is on `own_king`.
    #[inline]
    pub const fn new(black: bool, own_king: u8) -> Orientation {
        let rank = if black { 56 } else { 0 };
        let file = if own_king & 4 != 0 { 7 } else { 0 };
        Orientation(rank | file)
    }

    /// The mask to xor square numbers with.
    #[inline]
    pub const fn mask(self) -> u8 {
        self.0
    }

    /// Whether the files are mirrored, that is, the own king stands on the files e to h.
    #[inline]
    pub const fn is_mirrored(self) -> bool {
        self.0 & 7 != 0
    }

    /// The index (below 768) of the feature for a piece of `kind` (pawn 0, knight 1, bishop 2,
    /// rook 3, queen 4, king 5) on `square`, the opponent's if `is_opponent`.
    #[inline]
    pub const fn feature_index(self, is_opponent: bool, kind: usize, square: u8) -> usize {
        let index = is_opponent as usize * (INPUTS / 2) + kind * 64 + (square ^ self.0) as usize;
        debug_assert!(index < INPUTS);
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feature_indices_are_a_bijection() {
        for (black, king) in [(false, 0), (false, 4), (true, 60), (true, 59)] {
            let orientation = Orientation::new(black, king);
            let mut seen = [false; INPUTS];
            for is_opponent in [false, true] {
                for kind in 0..6 {
                    for square in 0..64 {
                        let index = orientation.feature_index(is_opponent, kind, square);
                        assert!(!std::mem::replace(&mut seen[index], true));
                    }
                }
            }
        }
    }

    #[test]
    fn own_king_is_on_files_a_to_d_and_ranks_count_from_the_own_side() {
        for square in 0..64u8 {
            for black in [false, true] {
                let oriented = square ^ Orientation::new(black, square).mask();
                assert!(oriented % 8 < 4);
                let own_rank = if black { 7 - square / 8 } else { square / 8 };
                assert_eq!(oriented / 8, own_rank);
            }
        }
    }

    #[test]
    fn flipped_colours_and_mirrored_files_give_the_same_features() {
        for king in 0..64u8 {
            for square in 0..64u8 {
                let white = Orientation::new(false, king).feature_index(true, 3, square);
                let black = Orientation::new(true, king ^ 56).feature_index(true, 3, square ^ 56);
                let mirrored = Orientation::new(false, king ^ 7).feature_index(true, 3, square ^ 7);
                assert_eq!((white, white), (black, mirrored));
            }
        }
    }
}
