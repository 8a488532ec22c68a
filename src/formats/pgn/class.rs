//! What single bytes mean in the text of games.

/// What a byte may begin.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Class {
    Blank,
    Letter,
    Digit,
    Other,
}

impl Class {
    #[inline(always)]
    pub(super) fn of(byte: u8) -> Class {
        CLASSES[usize::from(byte)]
    }
}

const fn classes() -> [Class; 256] {
    let mut table = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => Class::Blank,
            b'a'..=b'z' | b'A'..=b'Z' => Class::Letter,
            b'0'..=b'9' => Class::Digit,
            _ => Class::Other,
        };
        byte += 1;
    }
    table
}

static CLASSES: [Class; 256] = classes();

/// Whether a byte may stand in the middle of a move.
pub(super) const fn continues_move(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'=' | b':' | b'/' | b'@')
}
