//! Parses tag pairs and the text of comments.

/// Whether a line starts with a tag pair.
pub(crate) fn starts_tag(line: &[u8]) -> bool {
    matches!(line, [b'[', b'A'..=b'Z' | b'a'..=b'z', ..])
}

/// Whether a byte ends a line. A carriage return alone does in old files.
pub(super) fn is_line_end(byte: &u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Whether a line ends with the first byte of a text. Of a carriage return and a newline the second
/// one ends it.
pub(super) fn ends_line(text: &[u8]) -> bool {
    match text {
        [b'\r', rest @ ..] => !rest.starts_with(b"\n"),
        _ => text.starts_with(b"\n"),
    }
}

/// The length of a text without the line ends at its end.
pub(super) fn before_line_ends(text: &[u8]) -> usize {
    let last = text.iter().rposition(|b| !is_line_end(b));
    last.map_or(0, |at| at + 1)
}

/// The offset of the next game's tags in a comment that is not closed: a line that starts with the tag
/// `Event`, or with any tag pair after an empty line.
pub(super) fn next_game(comment: &[u8]) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = comment[from..].iter().position(is_line_end) {
        let line_ends = comment[from + at..].iter().take_while(|b| is_line_end(b));
        let line_ends = line_ends.count();
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
    let length = name
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric())
        .count();
    length > 0 && name[length..].starts_with(b" \"")
}

/// Whether a tag name may contain a character. The standard allows letters, digits and the
/// underscore; others occur.
pub(super) fn is_in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_+#=:-.".contains(c)
}

/// Parses a tag pair at the start of a line: its length, name and value.
pub(super) fn read_tag(line: &[u8]) -> Option<(usize, String, String)> {
    let is_blank = |b: &u8| b.is_ascii_whitespace();
    let skip = |from: usize| from + line[from..].iter().take_while(|b| is_blank(b)).count();
    let start = skip(1);
    let rest = line[start..].iter();
    let name_length = rest.take_while(|b| is_in_name(char::from(**b))).count();
    if name_length == 0 || !line[start].is_ascii_alphanumeric() {
        return None;
    }
    let name = decoded(&line[start..start + name_length]);
    let at = skip(start + name_length);
    if line.get(at) != Some(&b'"') {
        // Without quotes: everything up to the bracket.
        let end = line[at..].iter().position(|b| *b == b']');
        let (end, length) = end.map_or((line.len(), line.len()), |e| (at + e, at + e + 1));
        let value = decoded(&line[at..end]).trim().to_owned();
        return Some((length, name, value));
    }
    let mut value = Vec::new();
    let mut i = at + 1;
    while i < line.len() {
        match (line[i], line.get(i + 1)) {
            (b'\\', Some(escaped @ (b'"' | b'\\'))) => {
                value.push(*escaped);
                i += 1;
            }
            // A quote closes the value only before the bracket.
            (b'"', _) if line.get(skip(i + 1)) == Some(&b']') => {
                return Some((skip(i + 1) + 1, name, decoded(&value)));
            }
            (byte, _) => value.push(byte),
        }
        i += 1;
    }
    // Not closed: the rest of the line without a trailing bracket and quote.
    let text = decoded(&value);
    let text = text.trim_end().trim_end_matches(']').trim_end_matches('"');
    Some((line.len(), name, text.to_owned()))
}

/// Decodes UTF-8, or Latin-1 if the bytes are not UTF-8.
pub(super) fn decoded(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|b| char::from(*b)).collect(),
    }
}

/// A trimmed comment with its lines joined.
pub(super) fn one_line(text: &str) -> String {
    let text = text.trim();
    if !text.contains(['\n', '\r', '\t']) {
        return text.to_owned();
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
