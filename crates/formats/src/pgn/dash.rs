//! Dashes and blanks that printed texts have in moves and results.

use saavedra_chess::GameResult;

/// A move or result with long dashes, and its length in the text: `O–O`, `e2–e4`, `1—0`; `None` if
/// it has none. A dash before a sign is no part of a move.
pub(super) fn dashed_word(text: &[u8]) -> Option<(usize, String)> {
    let mut word = String::new();
    let mut length = 0;
    let mut has_dash = false;
    loop {
        let rest = &text[length..];
        match (rest.first(), dash_length(rest)) {
            (_, Some(dash)) if rest.get(dash).is_some_and(u8::is_ascii_alphanumeric) => {
                word.push('-');
                length += dash;
                has_dash = true;
            }
            (Some(byte), _) if byte.is_ascii_alphanumeric() || b"-=/".contains(byte) => {
                word.push(char::from(*byte));
                length += 1;
            }
            _ => return has_dash.then_some((length, word)),
        }
    }
}

/// The length of a hyphen, dash or minus sign beyond ASCII at the start of a text.
fn dash_length(text: &[u8]) -> Option<usize> {
    let dashes = ["‐", "‑", "–", "—", "−"];
    dashes.iter().find(|dash| text.starts_with(dash.as_bytes())).map(|dash| dash.len())
}

/// A result with blanks around its dash, and its length in the text: `1 - 0`, `1/2 - 1/2`,
/// `0.5 - 0.5`.
pub(super) fn spaced_result(text: &[u8]) -> Option<(usize, GameResult)> {
    let side = |text: &[u8]| {
        let sides = [("1/2", 1), ("0.5", 1), ("1", 2), ("0", 0)];
        sides.into_iter().find(|(side, _)| text.starts_with(side.as_bytes()))
    };
    let (first, points) = side(text)?;
    let blank = |text: &[u8]| text.iter().take_while(|byte| **byte == b' ').count();
    let mut length = first.len() + blank(&text[first.len()..]);
    length += match text.get(length)? {
        b'-' => 1,
        _ => dash_length(&text[length..])?,
    };
    length += blank(&text[length..]);
    let (second, others) = side(&text[length..])?;
    length += second.len();
    let ends = !text.get(length).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'-');
    let result = match (points, others) {
        (2, 0) => GameResult::WhiteWins,
        (0, 2) => GameResult::BlackWins,
        (1, 1) => GameResult::Draw,
        _ => return None,
    };
    ends.then_some((length, result))
}
