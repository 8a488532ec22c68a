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
