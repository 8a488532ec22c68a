//! Material and piece-square tables, tapered between middlegame and endgame
//! (<https://www.chessprogramming.org/Tapered_Eval>).

use crate::chess::{Board, Color, PieceKind};

/// Piece values in centipawns: (middlegame, endgame).
pub const PIECE_VALUES: [(i32, i32); 6] =
    [(85, 110), (340, 330), (355, 350), (480, 570), (980, 1040), (0, 0)];

/// The game phase of each piece kind.
const PHASE: [i32; 6] = [0, 1, 1, 2, 4, 0];
/// The game phase at the start of a game.
const MAX_PHASE: i32 = 24;
/// Bonus for the side to move, in centipawns.
const TEMPO: i32 = 12;
/// Bonus for the bishop pair, in centipawns.
const BISHOP_PAIR: i32 = 35;

/// The values of a white piece on each square, in centipawns: (middlegame, endgame).
type PieceSquareTable = [(i32, i32); 64];

static PIECE_SQUARE_TABLES: [PieceSquareTable; 6] = piece_square_tables();

/// Twice the distance of a file or rank from the middle of the board: 1, 3, 5 or 7.
const fn off_centre(line: i32) -> i32 {
    let doubled = 2 * line - 7;
    if doubled < 0 { -doubled } else { doubled }
}

const fn piece_square_tables() -> [PieceSquareTable; 6] {
    let mut tables = [[(0, 0); 64]; 6];
    let mut kind = 0;
    while kind < 6 {
        let mut square = 0;
        while square < 64 {
            let (file, rank) = (square as i32 % 8, square as i32 / 8);
            let (mg, eg) = square_bonus(kind, file, rank);
            tables[kind][square] = (PIECE_VALUES[kind].0 + mg, PIECE_VALUES[kind].1 + eg);
            square += 1;
        }
        kind += 1;
    }
    tables
}

/// The bonus of a piece kind on a square: (middlegame, endgame).
const fn square_bonus(kind: usize, file: i32, rank: i32) -> (i32, i32) {
    let (across, along) = (off_centre(file), off_centre(rank));
    let centre = 8 - (across + along) / 2 * 2;
    match kind {
        // Advanced pawns, in the middlegame also centre pawns.
        0 => {
            let advance = rank - 1;
            let mg = (7 - across) * advance / 2 - 3 + if advance > 3 { 8 * advance } else { 0 };
            (mg, advance * advance * 5 - 5)
        }
        // Centralised knights and bishops.
        1 => (centre * 5 - if rank == 0 { 12 } else { 0 }, centre * 4),
        2 => (centre * 3 - if rank == 0 { 10 } else { 0 }, centre * 2),
        // Rooks on the seventh rank and on central files.
        3 => (if rank == 6 { 18 } else { 7 - across }, if rank == 6 { 12 } else { 3 }),
        4 => (centre - if rank == 1 || rank == 0 { 2 } else { 0 }, centre * 4),
        // The king stays on the back rank near a corner until the endgame, then centralises.
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

/// The evaluation in centipawns from the side to move's view.
pub fn evaluate(board: &Board) -> i32 {
    let (mut mg, mut eg, mut phase) = (0, 0, 0);
    for color in Color::ALL {
        let side = board.side(color);
        let sign = if color == board.turn() { 1 } else { -1 };
        for kind in PieceKind::ALL {
            let squares = side.pieces(kind);
            phase += PHASE[kind.index()] * squares.count() as i32;
            for square in squares {
                let (square_mg, square_eg) =
                    PIECE_SQUARE_TABLES[kind.index()][square.relative_to(color).index()];
                mg += sign * square_mg;
                eg += sign * square_eg;
            }
        }
        if side.pieces(PieceKind::Bishop).more_than_one() {
            mg += sign * BISHOP_PAIR;
            eg += sign * BISHOP_PAIR;
        }
    }
    let phase = phase.min(MAX_PHASE);
    (mg * phase + eg * (MAX_PHASE - phase)) / MAX_PHASE + TEMPO
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evaluation_is_symmetric_in_colours() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        ] {
            let board = Board::from_fen(fen).expect("a legal position");
            assert_eq!(evaluate(&board), evaluate(&board.flipped()));
        }
    }

    #[test]
    fn an_extra_queen_scores_about_a_queen() {
        let board = Board::from_fen("4k3/8/8/8/8/8/8/3QK3 w - - 0 1").expect("a legal position");
        assert!((900..1200).contains(&evaluate(&board)));
    }
}
