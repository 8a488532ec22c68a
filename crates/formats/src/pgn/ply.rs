//! Moves and null moves as games write them.

use super::super::{ErrorKind, Ply};
use saavedra_chess::Board;

/// Parses a move or a null move: SAN in all spellings of [`Board::parse_san`], the notation of UCI,
/// also with a dash, and `--`.
///
/// # Errors
/// The move is illegal or ambiguous, or a null move in check.
#[inline]
pub fn parse_ply(board: &Board, text: &str) -> Result<Ply, ErrorKind> {
    let error = match board.parse_san(text) {
        Ok(m) => return Ok(Ply::Move(m)),
        Err(error) => error,
    };
    if matches!(text, "--" | "0000" | "Z0" | "null" | "NULL" | "pass" | "PASS") {
        return if board.in_check() { Err(ErrorKind::NullMoveInCheck) } else { Ok(Ply::Null) };
    }
    // `g1f3`, `g1-f3`
    let coordinates = match text.as_bytes().get(2) {
        Some(b'-') => [&text[..2], &text[3..]].concat(),
        _ => text.to_owned(),
    };
    if let Ok(m) = board.parse_uci(&coordinates) {
        return Ok(Ply::Move(m));
    }
    // `exd6ep`, `exd6/ep`
    match text.strip_suffix("ep").map(|bare| board.parse_san(bare)) {
        Some(Ok(m)) => Ok(Ply::Move(m)),
        _ => Err(ErrorKind::San(error, board.to_fen())),
    }
}
