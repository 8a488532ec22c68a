//! Signs after moves: `+-`, `⩲`, `∞` … <https://en.wikipedia.org/wiki/Numeric_Annotation_Glyphs>

/// The NAG of a sign; minus signs and dashes are one character.
pub(super) fn nag(sign: &str) -> Option<u8> {
    Some(match sign.replace(['−', '–'], "-").as_str() {
        "□" => 7,
        "=" => 10,
        "~" | "∞" => 13,
        "+=" | "+/=" | "⩲" => 14,
        "=+" | "=/+" | "⩱" => 15,
        "+/-" | "±" => 16,
        "-/+" | "∓" => 17,
        "+-" => 18,
        "-+" => 19,
        "⨀" | "⊙" => 22,
        "⟳" => 32,
        "↑" => 36,
        "→" => 40,
        "⇆" | "⇄" => 132,
        "⊕" => 138,
        "∆" | "△" => 140,
        "⌓" => 142,
        _ => return None,
    })
}

/// Whether a sign, after a blank, is a null move.
pub(super) fn is_null_move(sign: &str) -> bool {
    matches!(sign, "--" | "–" | "—")
}

/// Whether a sign only repeats what the move tells.
pub(super) fn is_check_mark(sign: &str) -> bool {
    matches!(sign, "+" | "++" | "#" | "†" | "‡" | "…")
}

/// The number of bytes at the start of a text that may belong to a sign.
pub(super) fn length(text: &[u8]) -> usize {
    let is_part = |byte: &u8| b"+-=/~|^#".contains(byte) || *byte >= 0x80;
    text.iter().position(|byte| !is_part(byte)).unwrap_or(text.len())
}

/// The length of a move without the beginning of a sign at its end: `Nc6-` of `Nc6-+`.
pub(super) fn move_length(word: &[u8]) -> usize {
    word.iter().rposition(|byte| !b"-=/".contains(byte)).map_or(0, |last| last + 1)
}
