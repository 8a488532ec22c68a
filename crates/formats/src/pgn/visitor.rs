//! What a program does with the games that a [`Reader`](super::Reader) reads.

use super::super::{ErrorKind, FormatError, Location};
use super::text::{Comment, TagValue};
use saavedra_chess::GameResult;

/// Whether the next part of a game is read or skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visit {
    /// It is read.
    Read,
    /// It is skipped: nothing of it is visited or checked.
    Skip,
}

/// Takes the parts of a game in the order of the text. All methods do nothing by default.
///
/// A move or tag that is refused ends the game with an error, except in a variation: there it ends
/// the variation, and [`error`](Visitor::error) is called.
pub trait Visitor {
    /// A game, or comments without a game at the end of a text.
    fn begin_game(&mut self, location: Location) {
        let _ = location;
    }

    /// A tag pair. Later ones with the same name are left out.
    ///
    /// # Errors
    /// The game is refused for this reason.
    fn tag(&mut self, name: &str, value: TagValue<'_>) -> Result<(), ErrorKind> {
        let _ = (name, value);
        Ok(())
    }

    /// The end of the tag pairs. Only comments are visited before it, and the moves after it.
    fn end_tags(&mut self) -> Visit {
        Visit::Read
    }

    /// A move or null move as it is written, without check marks and glyphs:
    /// [`parse_ply`](super::parse_ply) reads it.
    ///
    /// # Errors
    /// The move is refused for this reason.
    fn san(&mut self, san: &str) -> Result<(), ErrorKind> {
        let _ = san;
        Ok(())
    }

    /// A numeric annotation glyph: 1 is `!`, 2 is `?` …
    fn nag(&mut self, nag: u8) {
        let _ = nag;
    }

    /// A comment.
    fn comment(&mut self, comment: Comment<'_>) {
        let _ = comment;
    }

    /// A variation, which replaces the last move.
    fn begin_variation(&mut self) -> Visit {
        Visit::Read
    }

    /// The end of a variation that was not skipped.
    fn end_variation(&mut self) {}

    /// The result; `None` is `*`.
    fn result(&mut self, result: Option<GameResult>) {
        let _ = result;
    }

    /// An error after which the game goes on.
    ///
    /// # Errors
    /// The game is refused.
    fn error(&mut self, error: FormatError) -> Result<(), FormatError> {
        let _ = error;
        Ok(())
    }

    /// The end of the game, unless it is refused.
    fn end_game(&mut self) {}
}
