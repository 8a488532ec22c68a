//! Boards and moves at a terminal.

use crate::chess::{Bitboard, Board, Color, Move, MoveTextError, Piece, PieceKind, Square};
use crate::formats::{Drawing, html};
use std::io::{self, IsTerminal};

/// Whether standard output is a terminal that wants colours.
pub(super) fn wants_colours() -> bool {
    io::stdout().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// The Unicode symbol of a piece. On coloured squares both sides use the filled symbols and differ
/// by colour.
fn symbol(piece: Piece, always_filled: bool) -> char {
    let color = if always_filled { Color::Black } else { piece.color };
    html::symbol(Piece::new(color, piece.kind))
}

/// The legal move that a person typed: `Nf3`, `Ng1f3`, `g1f3`, or with a small letter for the piece.
///
/// # Errors
/// The text is not a move, or the move is not legal.
pub(super) fn typed_move(board: &Board, text: &str) -> Result<Move, MoveTextError> {
    let text = text.trim();
    match (board.parse_move(text), text.split_at_checked(1)) {
        // In `bc4` the letter is a file if that is legal.
        (Err(MoveTextError::San { error, fen }), Some((piece, rest))) => {
            let capital = piece.to_ascii_uppercase() + rest;
            board.parse_san(&capital).map_err(|_| MoveTextError::San { error, fen })
        }
        (parsed, _) => parsed,
    }
}

/// A board as text, with the names of ranks and files.
pub(super) fn board(board: &Board, drawing: &Drawing, colours: bool) -> String {
    let mut text = String::new();
    let (ranks, files) = drawing.ranks_and_files();
    for rank in ranks {
        text += &format!(" {rank} ");
        for file in files {
            let square = Square::new(file, rank);
            let piece = board.piece_at(square);
            text += &if colours {
                coloured(board, drawing, square, piece)
            } else {
                format!(" {}", piece.map_or('.', |piece| symbol(piece, false)))
            };
        }
        text.push('\n');
    }
    text += "   ";
    for file in files {
        text += &if colours { format!(" {file} ") } else { format!(" {file}") };
    }
    text + "\n"
}

/// A square three columns wide, in colours of the xterm 256-colour palette.
fn coloured(board: &Board, drawing: &Drawing, square: Square, piece: Option<Piece>) -> String {
    let light = Bitboard::LIGHT.has(square);
    let in_last = |(from, to)| square == from || square == to;
    let is_king = piece == Some(Piece::new(board.turn(), PieceKind::King));
    let background = if is_king && board.in_check() {
        167
    } else if drawing.marks().any(|mark| mark.to == square) {
        if light { 110 } else { 67 }
    } else if drawing.last_move.is_some_and(in_last) {
        if light { 186 } else { 143 }
    } else if light {
        180
    } else {
        137
    };
    let foreground = match piece.map(|piece| piece.color) {
        Some(Color::White) => 231,
        _ => 16,
    };
    let symbol = piece.map_or(' ', |piece| symbol(piece, true));
    format!("\x1b[48;5;{background}m\x1b[38;5;{foreground}m {symbol} \x1b[0m")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_may_be_typed_in_small_letters() {
        let bishops = "4k3/8/8/8/2p5/1P1B4/4B3/4K3 w - - 0 1";
        for (fen, text, expected) in [
            (crate::chess::STARTPOS, "nf3", Some("g1f3")),
            (crate::chess::STARTPOS, " ng1f3 ", Some("g1f3")),
            (crate::chess::STARTPOS, "nf4", None),
            (crate::chess::STARTPOS, "b4", Some("b2b4")),
            (crate::chess::STARTPOS, "éé", None),
            ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", "ng8f6", Some("g8f6")),
            (bishops, "bc4", Some("b3c4")),
            (bishops, "bxc4", Some("b3c4")),
            (bishops, "bf3", Some("e2f3")),
            (bishops, "bd1", Some("e2d1")),
            // Coordinates are no move of a bishop.
            (bishops, "b2f3", None),
            ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "kf2", Some("e1f2")),
            ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "rd1", Some("a1d1")),
        ] {
            let board = Board::from_fen(fen).expect("valid");
            let typed = typed_move(&board, text).map(|m| m.to_string());
            assert_eq!(typed.ok().as_deref(), expected, "{text}");
        }
    }
}
