//! Finds tag pairs and the ends of lines.

use super::super::find;
use super::text::Quotes;
use std::ops::Range;

/// Whether a line starts with a tag pair.
pub(crate) fn starts_tag(line: &[u8]) -> bool {
    matches!(line, [b'[', b'A'..=b'Z' | b'a'..=b'z', ..])
}

/// The bytes that end a line. A carriage return alone does in old files.
pub(super) const LINE_ENDS: &[u8; 2] = b"\n\r";

/// Whether a line ends with the first byte of a text. A carriage return and a newline count as one: the second
/// ends the line.
pub(super) fn ends_line(text: &[u8]) -> bool {
    match text {
        [b'\r', rest @ ..] => !rest.starts_with(b"\n"),
        _ => text.starts_with(b"\n"),
    }
}

/// The length of a text without the line ends at its end.
pub(super) fn before_line_ends(text: &[u8]) -> usize {
    let last = text.iter().rposition(|b| !LINE_ENDS.contains(b));
    last.map_or(0, |at| at + 1)
}

/// The offset of the next game's tags in a comment that is not closed: a line that starts with the tag
/// `Event`, or with any tag pair after an empty line.
pub(super) fn next_game(comment: &[u8]) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = find(&comment[from..], LINE_ENDS) {
        let line_ends = comment[from + at..].iter();
        let line_ends = line_ends.take_while(|b| LINE_ENDS.contains(b)).count();
        from += at + line_ends;
        let line = &comment[from..];
        let is_after_empty_line = match &comment[from - line_ends..from] {
            [b'\r', b'\n'] => false,
            ends => ends.len() > 1,
        };
        if line.starts_with(b"[Event \"") || (is_after_empty_line && starts_tag_pair(line)) {
            return Some(from);
        }
    }
    None
}

/// Whether a line starts with a name and a quotation mark in a bracket.
fn starts_tag_pair(line: &[u8]) -> bool {
    let Some(name) = line.strip_prefix(b"[") else {
        return false;
    };
    let length = name.iter().take_while(|b| b.is_ascii_alphanumeric()).count();
    length > 0 && name[length..].starts_with(b" \"")
}

/// Whether a tag name may contain a character. The standard allows letters, digits and the
/// underscore; others occur.
pub(super) fn is_in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_+#=:-.".contains(c)
}

/// Where the parts of a tag pair are.
#[derive(Clone, Default)]
pub(super) struct TagPair {
    pub(super) length: usize,
    pub(super) name: Range<usize>,
    pub(super) value: Range<usize>,
    pub(super) quotes: Quotes,
}

/// Parses a tag pair in the usual spelling, without escapes: `[Name "value"]`.
#[inline]
pub(super) fn read_usual_tag(text: &[u8]) -> Option<TagPair> {
    let name = text[1..].iter();
    let name = 1..1 + name.take_while(|b| b.is_ascii_alphanumeric()).count();
    let value = text[name.end..].strip_prefix(b" \"")?;
    let (start, length) = (name.end + 2, find(value, b"\"\\\n\r")?);
    let is_tag = value[length..].starts_with(b"\"]") && !name.is_empty();
    is_tag.then_some(TagPair {
        length: start + length + 2,
        name,
        value: start..start + length,
        quotes: Quotes::Closed,
    })
}

/// Parses a tag pair whose value a carriage return breaks: the line ends before its quotation mark at
/// `line_end`, and the next line has it.
pub(super) fn read_broken_tag(text: &[u8], line_end: usize) -> Option<TagPair> {
    let next = text[line_end..].strip_prefix(b"\r")?;
    let length = find(next, LINE_ENDS).unwrap_or(next.len());
    let is_rest =
        length > 0 && !starts_tag(next) && next[..length].trim_ascii_end().ends_with(b"\"]");
    let is_broken = || read_tag(&text[..line_end]).is_some_and(|tag| tag.quotes == Quotes::Open);
    if !is_rest || !is_broken() {
        return None;
    }
    read_tag(&text[..line_end + 1 + length]).filter(|tag| tag.quotes == Quotes::Closed)
}

/// Parses a tag pair at the start of a line.
pub(super) fn read_tag(line: &[u8]) -> Option<TagPair> {
    let is_blank = |b: &u8| b.is_ascii_whitespace();
    let skip = |from: usize| from + line[from..].iter().take_while(|b| is_blank(b)).count();
    let start = skip(1);
    let rest = line[start..].iter();
    let name_length = rest.take_while(|b| is_in_name(char::from(**b))).count();
    if name_length == 0 || !line[start].is_ascii_alphanumeric() {
        return None;
    }
    let name = start..start + name_length;
    let at = skip(name.end);
    let pair = |value: Range<usize>, length: usize, quotes: Quotes| {
        Some(TagPair { length, name, value, quotes })
    };
    if line.get(at) != Some(&b'"') {
        // Without quotes: everything up to the bracket.
        return match find(&line[at..], b"]") {
            Some(length) => pair(at..at + length, at + length + 1, Quotes::None),
            None => pair(at..line.len(), line.len(), Quotes::None),
        };
    }
    let mut i = at + 1;
    while let Some(length) = find(&line[i..], b"\"\\") {
        let sign = i + length;
        let after = skip(sign + 1);
        i = match (line[sign], line.get(sign + 1)) {
            (b'\\', Some(b'"' | b'\\')) => sign + 2,
            // A quote closes the value only before the bracket.
            (b'"', _) if line.get(after) == Some(&b']') => {
                return pair(at + 1..sign, after + 1, Quotes::Closed);
            }
            _ => sign + 1,
        };
    }
    // Not closed: the rest of the line without a trailing bracket and quote.
    pair(at + 1..line.len(), line.len(), Quotes::Open)
}
