//! The part of the inputs that is analysed.

use super::super::CommandError;
use super::super::files::{RereadableInput, message};
use crate::analysis;
use crate::formats::{self, Document, ErrorKind};
use std::ops::Range;

/// A range of games and positions, counted over all inputs in order, those with errors included.
#[derive(Clone, Debug)]
pub(super) struct Selection {
    range: Range<u64>,
    /// Whether the legal moves of games with errors are kept.
    pub(super) keep_prefix: bool,
    /// Whether a position that is no game is anywhere in the whole that is divided into shards: all
    /// shards are then searched with the lines that it asks for.
    pub(super) whole_has_position: bool,
    /// Whether the whole that is divided into shards is a test suite: it has one score, so it has no
    /// shards.
    pub(super) whole_is_suite: bool,
}

impl Selection {
    /// The games from the first to the last of `games`, or all; of these part `k` of `n` if there
    /// is a `shard`. The inputs are counted for a shard alone.
    ///
    /// # Errors
    /// An input cannot be read to its end, so a shard of it would be another part.
    pub(super) fn new(
        inputs: &[RereadableInput],
        games: Option<(u64, u64)>,
        shard: Option<(u64, u64)>,
        keep_prefix: bool,
    ) -> Result<Selection, CommandError> {
        let range = games.map_or(0..u64::MAX, |(first, last)| first - 1..last);
        let mut all = Selection {
            range: range.clone(),
            keep_prefix,
            whole_has_position: false,
            whole_is_suite: false,
        };
        let Some((k, n)) = shard else {
            return Ok(all);
        };
        let mut index = 0u64;
        for input in inputs {
            for document in input.documents(keep_prefix)? {
                let is_in_whole = range.contains(&index);
                index += 1;
                match document {
                    Ok(document) if is_in_whole => {
                        all.whole_has_position |= document.tree.is_empty();
                        all.whole_is_suite |= analysis::goals(&document).is_some();
                    }
                    // The end of the input is missing: the parts would be others.
                    Err(error) if matches!(error.kind, ErrorKind::Read(_)) => {
                        let name = input.name();
                        return Err(CommandError::Refused(message(name.as_deref(), &error)));
                    }
                    _ => {}
                }
            }
        }
        let count = index.min(range.end).saturating_sub(range.start);
        let part = |k| range.start + (u128::from(count) * u128::from(k) / u128::from(n)) as u64;
        Ok(Selection { range: part(k - 1)..part(k), ..all })
    }

    /// Whether the document with this index, from 0, is in the part.
    pub(super) fn contains(&self, index: u64) -> bool {
        self.range.contains(&index)
    }

    /// Whether the part ends before this index.
    pub(super) fn ends_before(&self, index: u64) -> bool {
        self.range.end <= index
    }

    /// The documents of the part. An input that can no longer be opened has none.
    pub(super) fn documents<'a>(
        &self,
        inputs: &'a [RereadableInput],
    ) -> impl Iterator<Item = formats::Result<Document>> + use<'a> {
        let keep_prefix = self.keep_prefix;
        let documents = inputs.iter().filter_map(move |input| input.documents(keep_prefix).ok());
        let (start, length) = (self.range.start, self.range.end.saturating_sub(self.range.start));
        let size = |number| usize::try_from(number).unwrap_or(usize::MAX);
        documents.flatten().skip(size(start)).take(size(length))
    }
}

/// `K/N`: part K of N, from 1.
pub(super) fn parse_shard(text: &str) -> Result<(u64, u64), String> {
    let numbers = text.split_once('/').and_then(|(k, n)| k.parse().ok().zip(n.parse().ok()));
    let is_part = |(k, n): &(u64, u64)| (1..=*n).contains(k);
    numbers.filter(is_part).ok_or_else(|| "not a part K/N with K from 1 to N".into())
}

/// `A-B` or `A`: the numbers of the first and the last game, from 1.
pub(super) fn parse_games(text: &str) -> Result<(u64, u64), String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let numbers = first.parse().ok().zip(last.parse().ok());
    let is_range = |(first, last): &(u64, u64)| (1..=*last).contains(first);
    numbers.filter(is_range).ok_or_else(|| "not a range A-B of numbers from 1".into())
}
