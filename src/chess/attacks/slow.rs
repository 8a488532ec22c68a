//! Where pieces go, computed step by step.
//!
//! The obvious twin of the tables: `build.rs` includes this file to make them, tests compare with
//! it. Squares are 0 (a1) to 63 (h8), sets of squares plain `u64`s.

/// A direction: steps of file and rank.
pub type Direction = (i32, i32);

/// The four straight directions.
pub const ROOK: [Direction; 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
/// The four diagonal directions.
pub const BISHOP: [Direction; 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];
/// The eight jumps of a knight.
pub const KNIGHT: [Direction; 8] = [
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
];
/// The eight steps of a king.
pub const KING: [Direction; 8] = [
    (0, 1),
    (1, 1),
    (1, 0),
    (1, -1),
    (0, -1),
    (-1, -1),
    (-1, 0),
    (-1, 1),
];

/// The square one step further, if it is on the board.
pub const fn step(square: usize, direction: Direction) -> Option<usize> {
    let file = (square % 8) as i32 + direction.0;
    let rank = (square / 8) as i32 + direction.1;
    if file < 0 || file > 7 || rank < 0 || rank > 7 {
        return None;
    }
    Some((rank * 8 + file) as usize)
}

/// Squares that a piece reaches in one step in any of the directions.
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

/// Squares along one direction up to and with the first occupied one.
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

/// Squares that a slider reaches in the directions.
pub const fn slides(square: usize, directions: &[Direction], occupied: u64) -> u64 {
    let mut set = 0;
    let mut i = 0;
    while i < directions.len() {
        set |= ray(square, directions[i], occupied);
        i += 1;
    }
    set
}

/// Squares whose occupation changes what a slider reaches: its rays without their last squares.
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
