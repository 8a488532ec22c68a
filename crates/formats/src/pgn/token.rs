//! The tokens of PGN text.

use saavedra_chess::GameResult;

/// A token of PGN text.
#[derive(Clone, Copy)]
pub(super) enum Token {
    /// A tag pair, which the scanner holds.
    Tag,
    /// A move number and the number of dots after it.
    Number(u32, u8),
    /// A move, which the scanner holds.
    Move,
    Nag(u8),
    /// A sign or NAG without meaning, which the scanner holds.
    UnknownSign,
    /// A comment, which the scanner holds.
    Comment,
    VariationStart,
    VariationEnd,
    Result(Option<GameResult>),
    End,
}
