//! Upcoming repetitions: finds the reversible move between two positions from their keys.
//!
//! A reversible move changes the key by three Zobrist numbers: the piece on both squares, and the
//! side to move. There are few such differences, so a hash table holds the move of each, and a
//! search can detect a repetition one move ahead. (Other engines use cuckoo hashing for this table,
//! hence the name; here it is linear probing.) <https://www.chessprogramming.org/Repetitions>

use crate::chess::{Bitboard, Color, PieceKind, Square, attacks, zobrist};
use std::sync::LazyLock;

/// Four times as many slots as moves, so that most are found at the first probe.
const SLOTS: usize = 1 << 14;

#[derive(Clone, Copy)]
struct Entry {
    /// The XOR of the two keys; 0 marks an empty slot.
    key_difference: u64,
    squares: (Square, Square),
}

static TABLE: LazyLock<Box<[Entry]>> = LazyLock::new(table);

/// The first slot to probe.
#[inline]
const fn slot(key_difference: u64) -> usize {
    (key_difference >> 50) as usize % SLOTS
}

fn table() -> Box<[Entry]> {
    let empty = Entry { key_difference: 0, squares: (Square::A1, Square::A1) };
    let mut table = vec![empty; SLOTS].into_boxed_slice();
    for entry in moves() {
        let mut at = slot(entry.key_difference);
        while table[at].key_difference != 0 {
            at = (at + 1) % SLOTS;
        }
        table[at] = entry;
    }
    table
}

/// All moves of all pieces but pawns; a move and its reverse count as one.
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
                    key_difference: zobrist::piece(color, kind, from)
                        ^ zobrist::piece(color, kind, to)
                        ^ zobrist::switch_turn(),
                    squares: (from, to),
                })
        })
    })
}

/// The two squares of the reversible move, in either direction, between two positions whose keys
/// differ by this (XOR); `None` if no single move of a piece does. The caller must check that the
/// squares between them are empty.
#[inline]
pub fn move_between(key_difference: u64) -> Option<(Square, Square)> {
    let table = &**TABLE;
    let mut at = slot(key_difference);
    loop {
        let entry = &table[at];
        if entry.key_difference == key_difference {
            return (key_difference != 0).then_some(entry.squares);
        }
        if entry.key_difference == 0 {
            return None;
        }
        at = (at + 1) % SLOTS;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Board;

    #[test]
    fn every_reversible_move_is_found_by_its_key_difference() {
        // Per colour, on an empty board: 168 moves of a knight, 280 of a bishop, 448 of a rook, 728
        // of a queen and 210 of a king; a move and its reverse count as one.
        assert_eq!(moves().count(), 2 * (168 + 280 + 448 + 728 + 210));
        for entry in moves() {
            assert_eq!(move_between(entry.key_difference), Some(entry.squares));
        }
    }

    #[test]
    fn irreversible_moves_are_not_found() {
        for (fen, uci, squares) in [
            ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", Some((Square::A1, Square::A8))),
            ("4k3/p7/8/8/8/8/8/R3K3 w - - 0 1", "a1a7", None),
            ("4k3/8/8/8/8/8/P7/4K3 w - - 0 1", "a2a3", None),
            ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", None),
        ] {
            let board = Board::from_fen(fen).unwrap();
            let child = board.try_make_uci(uci).unwrap();
            assert_eq!(move_between(board.key() ^ child.key()), squares, "{fen} {uci}");
        }
        assert_eq!(move_between(0), None);
    }
}
