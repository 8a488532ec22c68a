//! A fast SAN parser.
//!
//! [`Board::parse_san`] generates all legal moves; this parser tests only the pieces that can reach
//! the target square. It leaves all unusual spellings to [`Board::parse_san`].

use super::super::{ErrorKind, Ply};
use saavedra_chess::{Bitboard, Board, File, Move, MoveKind, PieceKind, Rank, Square, attacks};

/// Parses a move or null move.
///
/// # Errors
/// The move is illegal or ambiguous, or a null move in check.
#[inline]
pub(super) fn parse_ply(board: &Board, word: &[u8]) -> Result<Ply, ErrorKind> {
    match parse_usual(board, word) {
        Some(m) => Ok(Ply::Move(m)),
        None => parse_unusual(board, word),
    }
}

#[cold]
#[inline(never)]
fn parse_unusual(board: &Board, word: &[u8]) -> Result<Ply, ErrorKind> {
    let text = std::str::from_utf8(word).unwrap_or_default();
    if matches!(text, "--" | "Z0" | "null" | "NULL" | "pass" | "PASS") {
        return match board.in_check() {
            true => Err(ErrorKind::NullMoveInCheck),
            false => Ok(Ply::Null),
        };
    }
    let error = match board.parse_san(text) {
        Ok(m) => return Ok(Ply::Move(m)),
        Err(error) => error,
    };
    if let Ok(m) = board.parse_uci(text) {
        return Ok(Ply::Move(m));
    }
    let bare = text.strip_suffix("/ep").or(text.strip_suffix("ep"));
    if let Some(Ok(m)) = bare.map(|bare| board.parse_san(bare)) {
        return Ok(Ply::Move(m));
    }
    Err(ErrorKind::San(error, board.to_fen()))
}

/// Parses the usual spellings; `None` unless the text is exactly one legal move.
#[inline]
fn parse_usual(board: &Board, word: &[u8]) -> Option<Move> {
    let m = match *word.first()? {
        b'a'..=b'h' => pawn_move(board, word)?,
        b'N' => return piece_move(board, PieceKind::Knight, &word[1..]),
        b'B' => return piece_move(board, PieceKind::Bishop, &word[1..]),
        b'R' => return piece_move(board, PieceKind::Rook, &word[1..]),
        b'Q' => return piece_move(board, PieceKind::Queen, &word[1..]),
        b'K' => return piece_move(board, PieceKind::King, &word[1..]),
        b'O' | b'0' => castling(board, word)?,
        _ => return None,
    };
    board.is_legal(m).then_some(m)
}

#[inline(always)]
fn square(file: u8, rank: u8) -> Option<Square> {
    let (file, rank) = (file.wrapping_sub(b'a'), rank.wrapping_sub(b'1'));
    (file < 8 && rank < 8).then(|| Square::new(File::from_index(file), Rank::from_index(rank)))
}

/// `e4`, `exd5`, `e8=Q`, `exd8=Q`
#[inline]
fn pawn_move(board: &Board, word: &[u8]) -> Option<Move> {
    let (word, promotion) = match word {
        [rest @ .., b'=', letter] => {
            let kind = PieceKind::from_letter(char::from(*letter))?;
            PieceKind::PROMOTIONS.contains(&kind).then_some(())?;
            (rest, Some(kind))
        }
        _ => (word, None),
    };
    let kind = promotion.map_or(MoveKind::Normal(PieceKind::Pawn), MoveKind::Promotion);
    let back = |to: Square, steps: u8| {
        let rank = to.rank().relative_to(board.turn()) as u8;
        let rank = Rank::from_index(rank.checked_sub(steps)?);
        Some(Square::new(to.file(), rank.relative_to(board.turn())))
    };
    match *word {
        [file, rank] => {
            let to = square(file, rank)?;
            let from = back(to, 1)?;
            if board.us().pieces(PieceKind::Pawn).has(from) {
                return Some(Move::new(from, to, kind));
            }
            let double = Move::new(back(to, 2)?, to, MoveKind::DoublePush);
            promotion.is_none().then_some(double)
        }
        [from_file, b'x', file, rank] => {
            let to = square(file, rank)?;
            let from_file = File::from_index(from_file.wrapping_sub(b'a'));
            let from = Square::new(from_file, back(to, 1)?.rank());
            let kind = match board.en_passant() == Some(to) && promotion.is_none() {
                true => MoveKind::EnPassant,
                false => kind,
            };
            Some(Move::new(from, to, kind))
        }
        _ => None,
    }
}

/// The text after the letter of a piece: `f3`, `xf3`, `bd2`, `1xf3`, `d4xf3` …
#[inline]
fn piece_move(board: &Board, kind: PieceKind, word: &[u8]) -> Option<Move> {
    let [before @ .., file, rank] = word else {
        return None;
    };
    let to = square(*file, *rank)?;
    let origin = match before {
        [origin @ .., b'x'] => origin,
        origin => origin,
    };
    let candidates =
        attacks::of(kind, board.turn(), to, board.occupied()) & board.us().pieces(kind);
    let candidates = match *origin {
        [] => candidates,
        [b'x', ..] | [_, _, _, ..] => return None,
        _ => from_origin(candidates, origin)?,
    };
    let mut legal = candidates
        .into_iter()
        .map(|from| Move::new(from, to, MoveKind::Normal(kind)))
        .filter(|m| board.is_legal(*m));
    let found = legal.next()?;
    legal.next().is_none().then_some(found)
}

/// The candidates on a file, on a rank or on a square.
fn from_origin(candidates: Bitboard, origin: &[u8]) -> Option<Bitboard> {
    let (file, rank) = match *origin {
        [c @ b'a'..=b'h'] => (File::from_char(c.into()), None),
        [c @ b'1'..=b'8'] => (None, Rank::from_char(c.into())),
        [f @ b'a'..=b'h', r @ b'1'..=b'8'] => {
            (File::from_char(f.into()), Rank::from_char(r.into()))
        }
        _ => return None,
    };
    let fits = |square: &Square| {
        file.is_none_or(|file| file == square.file())
            && rank.is_none_or(|rank| rank == square.rank())
    };
    Some(candidates.into_iter().filter(fits).collect())
}

fn castling(board: &Board, word: &[u8]) -> Option<Move> {
    let king_side = match word {
        b"O-O" | b"0-0" => true,
        b"O-O-O" | b"0-0-0" => false,
        _ => return None,
    };
    let king = board.us().king();
    let rights = board.castling_rights() & board.turn().back_rank();
    let rook = rights
        .into_iter()
        .find(|rook| (rook.file() > king.file()) == king_side)?;
    Some(Move::new(king, rook, MoveKind::Castling))
}
