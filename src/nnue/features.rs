//! What the network sees.
//!
//! Each perspective (the side to move and the other one) has its own picture of the board: its own
//! men are "own", it looks from its own first rank (Black's ranks are flipped) and its king stands
//! on the files a to d (otherwise the files are mirrored). A man on a square is one input.

use super::arch::INPUTS;

pub use super::format::MAX_ACTIVE;

/// How one perspective turns the board: an exclusive-or mask for square numbers (a1 = 0, b1 = 1,
/// h8 = 63). Two positions with equal orientation differ only by the men that moved; when a king
/// crosses between the files d and e the orientation changes and the accumulator is made anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Orientation(u8);

impl Orientation {
    /// The orientation of the perspective of a side with its king on square `own_king`.
    #[inline]
    pub const fn new(black: bool, own_king: u8) -> Orientation {
        let rank = if black { 56 } else { 0 };
        let file = if own_king & 4 != 0 { 7 } else { 0 };
        Orientation(rank | file)
    }

    /// The mask that turns a square number.
    #[inline]
    pub const fn mask(self) -> u8 {
        self.0
    }

    /// Whether the files are mirrored: the own king stands on the files e to h.
    #[inline]
    pub const fn is_mirrored(self) -> bool {
        self.0 & 7 != 0
    }

    /// The input (below 768) for a man of the other side (`other`) or of the own one, of `kind`
    /// (pawn 0, knight 1, bishop 2, rook 3, queen 4, king 5), on `square`.
    #[inline]
    pub const fn feature(self, other: bool, kind: usize, square: u8) -> usize {
        let index = other as usize * (INPUTS / 2) + kind * 64 + (square ^ self.0) as usize;
        debug_assert!(index < INPUTS);
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_a_bijection() {
        for (black, king) in [(false, 0), (false, 4), (true, 60), (true, 59)] {
            let turned = Orientation::new(black, king);
            let mut seen = [false; INPUTS];
            for other in [false, true] {
                for kind in 0..6 {
                    for square in 0..64 {
                        let index = turned.feature(other, kind, square);
                        assert!(!std::mem::replace(&mut seen[index], true));
                    }
                }
            }
        }
    }

    #[test]
    fn own_king_is_always_on_files_a_to_d_and_ranks_count_from_the_own_side() {
        for square in 0..64u8 {
            for black in [false, true] {
                let turned = square ^ Orientation::new(black, square).mask();
                assert!(turned % 8 < 4);
                let own_rank = if black { 7 - square / 8 } else { square / 8 };
                assert_eq!(turned / 8, own_rank);
            }
        }
    }

    #[test]
    fn flipped_colours_and_mirrored_files_give_the_same_inputs() {
        for king in 0..64u8 {
            for square in 0..64u8 {
                let white = Orientation::new(false, king).feature(true, 3, square);
                let black = Orientation::new(true, king ^ 56).feature(true, 3, square ^ 56);
                let mirrored = Orientation::new(false, king ^ 7).feature(true, 3, square ^ 7);
                assert_eq!((white, white), (black, mirrored));
            }
        }
    }
}
