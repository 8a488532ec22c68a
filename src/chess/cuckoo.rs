//! Which single move turns one position into another, told from their keys alone.
//!
//! A move that neither captures nor moves a pawn changes a key by three numbers: the piece's on both
//! squares, and the turn's. There are few such changes, so a table finds the move for each: a search
//! sees that a position can be repeated before it is.
//! <https://www.chessprogramming.org/Repetitions>

use super::{Bitboard, Color, PieceKind, Square, attacks, zobrist};
use std::sync::LazyLock;

/// Four times as many places as there are moves, so that most are found at the first look.
const PLACES: usize = 1 << 14;

#[derive(Clone, Copy)]
struct Entry {
    /// The change of the key; 0 marks an empty place.
    change: u64,
    squares: (Square, Square),
}

static TABLE: LazyLock<Box<[Entry]>> = LazyLock::new(table);

/// Where to look first.
#[inline]
const fn place(change: u64) -> usize {
    (change >> 50) as usize % PLACES
}

fn table() -> Box<[Entry]> {
    let empty = Entry {
        change: 0,
        squares: (Square::A1, Square::A1),
    };
    let mut table = vec![empty; PLACES].into_boxed_slice();
    for entry in moves() {
        let mut at = place(entry.change);
        while table[at].change != 0 {
            at = (at + 1) % PLACES;
        }
        table[at] = entry;
    }
    table
}

/// All moves of all pieces but pawns, each with that back as one.
fn moves() -> impl Iterator<Item = Entry> {
    let pieces = Color::ALL.into_iter().flat_map(|color| {
        PieceKind::ALL
            .into_iter()
            .filter(|kind| *kind != PieceKind::Pawn)
            .map(move |kind| (color, kind))
    });
    pieces.flat_map(|(color, kind)| {
        Square::ALL.into_iter().flat_map(move |from| {
            attacks::of(kind, color, from, Bitboard::EMPTY)
                .into_iter()
                .filter(move |to| from.index() < to.index())
                .map(move |to| Entry {
                    change: zobrist::piece(color, kind, from)
                        ^ zobrist::piece(color, kind, to)
                        ^ zobrist::switch_turn(),
                    squares: (from, to),
                })
        })
    })
}

/// The two squares between which a piece moves, in one direction or the other, when the key changes
/// so; `None` if no single move of a piece does that. Whether anything stands between them the caller
/// must see.
#[inline]
pub fn move_between(change: u64) -> Option<(Square, Square)> {
    let table = &**TABLE;
    let mut at = place(change);
    loop {
        let entry = &table[at];
        if entry.change == change {
            return (change != 0).then_some(entry.squares);
        }
        if entry.change == 0 {
            return None;
        }
        at = (at + 1) % PLACES;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Board;

    #[test]
    fn every_reversible_move_is_found_by_the_change_of_the_key() {
        // Per colour, on an empty board: 168 moves of a knight, 280 of a bishop, 448 of a rook, 728
        // of a queen and 210 of a king, each counted with that back as one.
        assert_eq!(moves().count(), 2 * (168 + 280 + 448 + 728 + 210));
        for entry in moves() {
            assert_eq!(move_between(entry.change), Some(entry.squares));
        }
    }

    #[test]
    fn moves_that_cannot_be_taken_back_are_no_change() {
        for (fen, uci, squares) in [
            (
                "4k3/8/8/8/8/8/8/R3K3 w - - 0 1",
                "a1a8",
                Some((Square::A1, Square::A8)),
            ),
            ("4k3/p7/8/8/8/8/8/R3K3 w - - 0 1", "a1a7", None),
            ("4k3/8/8/8/8/8/P7/4K3 w - - 0 1", "a2a3", None),
            ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", None),
        ] {
            let board = Board::from_fen(fen).unwrap();
            let child = board.try_make_uci(uci).unwrap();
            assert_eq!(
                move_between(board.key() ^ child.key()),
                squares,
                "{fen} {uci}"
            );
        }
        assert_eq!(move_between(0), None);
    }
}
