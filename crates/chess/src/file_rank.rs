//! Files and ranks.

use super::{Bitboard, Color};
use alloc::borrow::ToOwned;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

macro_rules! coordinate {
    (
        $(#[$doc:meta])* $name:ident, $error:ident, $what:literal:
        $($variant:ident = $index:literal $letter:literal),* $(,)?
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        #[allow(missing_docs)]
        pub enum $name { $($variant = $index),* }

        impl $name {
            #[doc = concat!("All eight, in the order of their indices.")]
            pub const ALL: [$name; 8] = [$($name::$variant),*];

            #[doc = concat!("The ", $what, " with this index; only the lowest three bits count.")]
            #[inline(always)]
            pub const fn from_index(index: u8) -> $name {
                match index & 7 {
                    $($index => $name::$variant,)*
                    _ => unreachable!(),
                }
            }

            /// 0 to 7.
            #[inline(always)]
            pub const fn index(self) -> usize {
                self as usize
            }

            #[doc = concat!("The ", $what, " as it is written in the name of a square.")]
            pub const fn char(self) -> char {
                match self {
                    $($name::$variant => $letter,)*
                }
            }

            #[doc = concat!("The ", $what, " with this character; `None` for any other character.")]
            pub const fn from_char(c: char) -> Option<$name> {
                match c {
                    $($letter => Some($name::$variant),)*
                    _ => None,
                }
            }

            /// The number of steps between the two.
            #[inline(always)]
            pub const fn distance(self, other: $name) -> u8 {
                (self as u8).abs_diff(other as u8)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Write::write_char(f, self.char())
            }
        }

        impl FromStr for $name {
            type Err = $error;

            fn from_str(text: &str) -> Result<$name, $error> {
                let mut chars = text.chars();
                match (chars.next().and_then($name::from_char), chars.next()) {
                    (Some(value), None) => Ok(value),
                    _ => Err($error { text: text.to_owned() }),
                }
            }
        }

        #[doc = concat!("A text that is not a ", $what, ".")]
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct $error {
            /// The text.
            pub text: String,
        }

        impl fmt::Display for $error {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!("{:?} is not a ", $what), self.text)
            }
        }

        impl core::error::Error for $error {}
    };
}

coordinate! {
    /// A file of the board: a column, `a` to `h`.
    ///
    /// ```
    /// use saavedra_chess::{File, Square};
    /// assert_eq!(Square::E4.file(), File::E);
    /// assert_eq!("e".parse(), Ok(File::E));
    /// assert_eq!(File::E.to_string(), "e");
    /// ```
    File, ParseFileError, "file":
    A = 0 'a', B = 1 'b', C = 2 'c', D = 3 'd', E = 4 'e', F = 5 'f', G = 6 'g', H = 7 'h',
}

coordinate! {
    /// A rank of the board: a row, `1` to `8`.
    ///
    /// ```
    /// use saavedra_chess::{Color, Rank, Square};
    /// assert_eq!(Square::E4.rank(), Rank::Fourth);
    /// assert_eq!(Rank::Fourth.relative_to(Color::Black), Rank::Fifth);
    /// assert_eq!("4".parse(), Ok(Rank::Fourth));
    /// ```
    Rank, ParseRankError, "rank":
    First = 0 '1', Second = 1 '2', Third = 2 '3', Fourth = 3 '4',
    Fifth = 4 '5', Sixth = 5 '6', Seventh = 6 '7', Eighth = 7 '8',
}

impl File {
    /// The bitboard of the eight squares of the file.
    #[inline(always)]
    pub const fn bitboard(self) -> Bitboard {
        Bitboard(Bitboard::FILE_A.0 << self as u8)
    }

    /// The file mirrored on the line between the d- and the e-file: a ↔ h.
    #[inline(always)]
    pub const fn flip(self) -> File {
        File::from_index(7 - self as u8)
    }
}

impl Rank {
    /// The bitboard of the eight squares of the rank.
    #[inline(always)]
    pub const fn bitboard(self) -> Bitboard {
        Bitboard(Bitboard::RANK_1.0 << (8 * self as u8))
    }

    /// The rank mirrored on the line between the fourth and the fifth rank: 1 ↔ 8.
    #[inline(always)]
    pub const fn flip(self) -> Rank {
        Rank::from_index(7 - self as u8)
    }

    /// The rank from a colour's point of view: the first rank is its own back rank.
    #[inline(always)]
    pub const fn relative_to(self, color: Color) -> Rank {
        match color {
            Color::White => self,
            Color::Black => self.flip(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::ToString;

    #[test]
    fn files_and_ranks_convert_to_indices_and_text_and_back() {
        for (index, (file, rank)) in File::ALL.into_iter().zip(Rank::ALL).enumerate() {
            assert_eq!((file.index(), rank.index()), (index, index));
            assert_eq!(File::from_index(index as u8), file);
            assert_eq!(Rank::from_index(index as u8 | 8), rank);
            assert_eq!(file.to_string().parse(), Ok(file));
            assert_eq!(rank.to_string().parse(), Ok(rank));
            assert_eq!(file.flip().index() + index, 7);
            assert_eq!(rank.relative_to(Color::Black).index() + index, 7);
            assert_eq!(rank.relative_to(Color::White), rank);
        }
        assert_eq!(File::B.distance(File::G), 5);
        for text in ["", "i", "A", "ab", "1", "é"] {
            let error = text.parse::<File>().unwrap_err();
            assert_eq!(error.to_string(), format!("{text:?} is not a file"));
        }
        for text in ["", "0", "9", "11", "a"] {
            let error = text.parse::<Rank>().unwrap_err();
            assert_eq!(error.to_string(), format!("{text:?} is not a rank"));
        }
    }
}
