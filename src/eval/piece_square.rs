//! Material and piece-square values with a middlegame and an endgame weight.

use crate::chess::{Board, Color, PieceKind};

/// What the kinds of pieces are worth, in centipawns: middlegame, endgame.
pub const PIECE_VALUES: [(i32, i32); 6] = [
    (85, 110),
    (340, 330),
    (355, 350),
    (480, 570),
    (980, 1040),
    (0, 0),
];

/// How much each kind counts towards the middlegame.
const PHASE: [i32; 6] = [0, 1, 1, 2, 4, 0];
/// The sum of all at the start of a game.
const FULL_PHASE: i32 = 24;
/// For having the move, in centipawns.
const TEMPO: i32 = 12;
/// For two bishops, in centipawns.
const BISHOP_PAIR: i32 = 35;

/// One table: worth of a piece of White on each square, middlegame and endgame, in centipawns.
type Table = [(i32, i32); 64];

static TABLES: [Table; 6] = tables();

/// Twice the distance of a file or rank from the middle of the board: 1, 3, 5 or 7.
const fn off_centre(line: i32) -> i32 {
    let doubled = 2 * line - 7;
    if doubled < 0 { -doubled } else { doubled }
}

const fn tables() -> [Table; 6] {
    let mut tables = [[(0, 0); 64]; 6];
    let mut kind = 0;
    while kind < 6 {
        let mut square = 0;
        while square < 64 {
            let (file, rank) = (square as i32 % 8, square as i32 / 8);
            let (middle, end) = placement(kind, file, rank);
            tables[kind][square] = (PIECE_VALUES[kind].0 + middle, PIECE_VALUES[kind].1 + end);
            square += 1;
        }
        kind += 1;
    }
    tables
}

/// What a piece gains or loses by standing here.
const fn placement(kind: usize, file: i32, rank: i32) -> (i32, i32) {
    let (across, along) = (off_centre(file), off_centre(rank));
    let centre = 8 - (across + along) / 2 * 2;
    match kind {
        // Pawns want to advance, most of all near the end; in the middlegame the centre ones.
        0 => {
            let advance = rank - 1;
            let middle = (7 - across) * advance / 2 - 3 + if advance > 3 { 8 * advance } else { 0 };
            (middle, advance * advance * 5 - 5)
        }
        // Knights want the centre and hate the rim.
        1 => (centre * 5 - if rank == 0 { 12 } else { 0 }, centre * 4),
        2 => (centre * 3 - if rank == 0 { 10 } else { 0 }, centre * 2),
        // Rooks want the seventh rank and the middle files.
        3 => (
            if rank == 6 { 18 } else { 7 - across },
            if rank == 6 { 12 } else { 3 },
        ),
        4 => (
            centre - if rank == 1 || rank == 0 { 2 } else { 0 },
            centre * 4,
        ),
        // The king hides in a corner until the endgame and then comes out.
        _ => (
            -20 * rank
                + if across >= 5 {
                    14
                } else if across == 1 {
                    -10
                } else {
                    -4
                },
            centre * 6 - 10,
        ),
    }
}

/// How good the position is for the side to move, in centipawns.
pub fn evaluate(board: &Board) -> i32 {
    let (mut middle, mut end, mut phase) = (0, 0, 0);
    for color in Color::ALL {
        let side = board.side(color);
        let sign = if color == board.turn() { 1 } else { -1 };
        for kind in PieceKind::ALL {
            let squares = side.pieces(kind);
            phase += PHASE[kind.index()] * squares.count() as i32;
            for square in squares {
                let (m, e) = TABLES[kind.index()][square.relative_to(color).index()];
                middle += sign * m;
                end += sign * e;
            }
        }
        if side.pieces(PieceKind::Bishop).more_than_one() {
            middle += sign * BISHOP_PAIR;
            end += sign * BISHOP_PAIR;
        }
    }
    let phase = phase.min(FULL_PHASE);
    (middle * phase + end * (FULL_PHASE - phase)) / FULL_PHASE + TEMPO
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_equal() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        ] {
            let board = Board::from_fen(fen).expect("a sound position");
            assert_eq!(evaluate(&board), evaluate(&board.flipped()));
        }
    }

    #[test]
    fn a_queen_more_is_worth_about_a_queen() {
        let board = Board::from_fen("4k3/8/8/8/8/8/8/3QK3 w - - 0 1").expect("a sound position");
        assert!((900..1200).contains(&evaluate(&board)));
    }
}
