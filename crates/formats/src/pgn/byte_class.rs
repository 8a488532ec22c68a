//! Classes of bytes in PGN text.

/// The kind of token that a byte may start.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum ByteClass {
    Blank,
    Letter,
    Digit,
    Other,
}

impl ByteClass {
    #[inline(always)]
    pub(super) fn of(byte: u8) -> ByteClass {
        BYTE_CLASSES[usize::from(byte)]
    }
}

const fn classes() -> [ByteClass; 256] {
    let mut table = [ByteClass::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => ByteClass::Blank,
            b'a'..=b'z' | b'A'..=b'Z' => ByteClass::Letter,
            b'0'..=b'9' => ByteClass::Digit,
            _ => ByteClass::Other,
        };
        byte += 1;
    }
    table
}

static BYTE_CLASSES: [ByteClass; 256] = classes();

/// Whether a move may continue with this byte.
pub(super) const fn continues_move(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'=' | b':' | b'/' | b'@')
}

/// The length of a blank beyond ASCII at the start of a text, as in texts copied from web pages: a
/// no-break, thin or zero-width space, or a byte order mark.
pub(super) fn wide_blank(rest: &[u8]) -> Option<usize> {
    let start = &rest[..rest.len().min(4)];
    let first = start.utf8_chunks().next()?.valid().chars().next()?;
    let is_zero_width = matches!(first, '\u{200b}' | '\u{2060}' | '\u{feff}');
    (!first.is_ascii() && (first.is_whitespace() || is_zero_width)).then(|| first.len_utf8())
}

/// The length of a word that may have characters beyond ASCII.
pub(super) fn wide_word_length(rest: &[u8]) -> usize {
    let is_end = |at: &usize| match rest[*at] {
        0x80.. => wide_blank(&rest[*at..]).is_some(),
        byte => !continues_move(byte),
    };
    (0..rest.len()).find(is_end).unwrap_or(rest.len())
}
