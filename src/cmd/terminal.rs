//! Boards drawn in a terminal.

use crate::chess::{Bitboard, Board, Color, Piece, PieceKind, Square};
use crate::formats::Drawing;
use std::io::{self, IsTerminal};

/// Whether standard output is a terminal that wants colours.
pub(super) fn wants_colours() -> bool {
    io::stdout().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// The symbol of a piece. On coloured squares both sides have the filled one, and differ in colour.
fn symbol(piece: Piece, filled: bool) -> char {
    let outlined = ['♙', '♘', '♗', '♖', '♕', '♔'];
    let full = ['♟', '♞', '♝', '♜', '♛', '♚'];
    match piece.color {
        Color::White if !filled => outlined[piece.kind.index()],
        _ => full[piece.kind.index()],
    }
}

/// A board with its ranks and files.
pub(super) fn board(board: &Board, drawing: &Drawing, colours: bool) -> String {
    let mut text = String::new();
    let ranks: Vec<u8> = match drawing.flipped {
        true => (0..8).collect(),
        false => (0..8).rev().collect(),
    };
    let files: Vec<u8> = ranks.iter().rev().copied().collect();
    for rank in ranks {
        text += &format!(" {} ", rank + 1);
        for file in &files {
            let square = Square::at(*file, rank);
            let piece = board.piece_at(square);
            text += &match colours {
                true => coloured(board, drawing, square, piece),
                false => format!(" {}", piece.map_or('.', |piece| symbol(piece, false))),
            };
        }
        text.push('\n');
    }
    text += "   ";
    for file in files {
        let letter = (b'a' + file) as char;
        text += &match colours {
            true => format!(" {letter} "),
            false => format!(" {letter}"),
        };
    }
    text + "\n"
}

/// A square of three columns in colours (of the 256 that terminals share).
fn coloured(board: &Board, drawing: &Drawing, square: Square, piece: Option<Piece>) -> String {
    let light = Bitboard::LIGHT.has(square);
    let in_last = |(from, to)| square == from || square == to;
    let is_king = piece == Some(Piece::new(board.turn(), PieceKind::King));
    let ground = if is_king && board.in_check() {
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
    let ink = match piece.map(|piece| piece.color) {
        Some(Color::White) => 231,
        _ => 16,
    };
    let sign = piece.map_or(' ', |piece| symbol(piece, true));
    format!("\x1b[48;5;{ground}m\x1b[38;5;{ink}m {sign} \x1b[0m")
}
