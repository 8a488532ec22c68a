//! Attacks computed step by step: the slow reference of the attack tables.
//!
//! `build.rs` includes this file to generate the slider table, and tests compare all tables with
//! it. Squares are 0 (a1) to 63 (h8), sets of squares are `u64`.

/// A direction: the change of file and rank.
pub type Direction = (i32, i32);

/// The four orthogonal directions.
pub const ROOK: [Direction; 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
/// The four diagonal directions.
pub const BISHOP: [Direction; 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];
/// The eight jumps of a knight.
pub const KNIGHT: [Direction; 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
/// The eight steps of a king.
pub const KING: [Direction; 8] =
    [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];

/// The square one step further; `None` outside the board.
pub const fn step(square: usize, direction: Direction) -> Option<usize> {
    let file = (square % 8) as i32 + direction.0;
    let rank = (square / 8) as i32 + direction.1;
    if file < 0 || file > 7 || rank < 0 || rank > 7 {
        return None;
    }
    Some((rank * 8 + file) as usize)
}

/// The squares one step away in the directions.
pub const fn leaps(square: usize, directions: &[Direction]) -> u64 {
    let mut set = 0;
    let mut i = 0;
    while i < directions.len() {
        if let Some(to) = step(square, directions[i]) {
            set |= 1 << to;
        }
        i += 1;
    }
    set
}

/// The squares in one direction up to and including the first occupied one.
pub const fn ray(square: usize, direction: Direction, occupied: u64) -> u64 {
    let mut set = 0;
    let mut at = square;
    while let Some(next) = step(at, direction) {
        set |= 1 << next;
        if occupied >> next & 1 != 0 {
            break;
        }
        at = next;
    }
    set
}

/// The squares that a slider attacks in the directions.
pub const fn slides(square: usize, directions: &[Direction], occupied: u64) -> u64 {
    let mut set = 0;
    let mut i = 0;
    while i < directions.len() {
        set |= ray(square, directions[i], occupied);
        i += 1;
    }
    set
}

/// The squares whose occupancy matters for the attacks of a slider: its rays without their last
/// squares.
pub const fn relevant(square: usize, directions: &[Direction]) -> u64 {
    let mut set = 0;
    let mut i = 0;
    while i < directions.len() {
        let mut at = square;
        while let Some(next) = step(at, directions[i]) {
            if step(next, directions[i]).is_some() {
                set |= 1 << next;
            }
            at = next;
        }
        i += 1;
    }
    set
}
