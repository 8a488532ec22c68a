//! Boards drawn in a terminal.

use crate::chess::{Bitboard, Board, Color, Piece, PieceKind, Square};
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
