//! The tokens of PGN text.

use saavedra_chess::GameResult;

/// The text of a move.
#[derive(Clone, Copy)]
pub(super) struct SanToken {
    bytes: [u8; SanToken::MAX_LENGTH],
    length: u8,
}

impl SanToken {
    const MAX_LENGTH: usize = 15;

    /// `None` if the text is too long.
    pub(super) fn new(text: &[u8]) -> Option<SanToken> {
        let mut bytes = [0; SanToken::MAX_LENGTH];
        bytes.get_mut(..text.len())?.copy_from_slice(text);
        Some(SanToken {
            bytes,
            length: text.len() as u8,
        })
    }

    /// The text; empty if it is not ASCII.
    #[inline(always)]
    pub(super) fn as_str(&self) -> &str {
        std::str::from_utf8(self.bytes()).unwrap_or_default()
    }

    /// The bytes of the text.
    #[inline(always)]
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

/// A token of PGN text.
pub(super) enum Token {
    /// Name and value of a tag pair.
    Tag(String, String),
    /// A move number and the number of dots after it.
    Number(u32, u8),
    /// A move without check signs and annotation glyphs.
    Move(SanToken),
    Nag(u8),
    Comment(String),
    VariationStart,
    VariationEnd,
    Result(Option<GameResult>),
    End,
}
