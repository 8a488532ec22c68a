//! Correction histories: by how much the evaluation has been wrong in positions like this.
//!
//! After a node is searched, the difference between its score and its static evaluation is learnt
//! for the structures it has: its pawns, the pieces of each side, the minor pieces, the last moves.
//! The static evaluation of other nodes with the same structures is corrected by it.
//! (<https://www.chessprogramming.org/Static_Evaluation_Correction_History>)
//!
//! The keys of structures are computed from the sets of pieces when they are wanted, by a
//! multiplication each: nothing has to be kept up to date and nothing can drift. They are counted
//! from the side to move, so that both colours share what is learnt.

use super::history::{PIECE_TOS, PieceTo, apply, zeroed};
use super::params;
use super::score::Score;
use crate::chess::{Bitboard, Board, Color, PieceKind, Side};

const ROWS: usize = 16_384;
/// The largest absolute value of an entry; the unit is 1/8 centipawn.
const MAX: i32 = 1024;
/// The largest bonus at once.
const MAX_BONUS: i32 = MAX / 4;

/// Odd numbers without a pattern, one for each kind and side.
const FACTORS: [u64; 12] = [
    0x9E37_79B9_7F4A_7C15,
    0xBF58_476D_1CE4_E5B9,
    0x94D0_49BB_1331_11EB,
    0xD6E8_FEB8_6659_FD93,
    0xA076_1D64_78BD_642F,
    0xE703_7ED1_A0B4_28DB,
    0x8EBC_6AF0_9C88_C6E3,
    0x5899_65CC_7537_4CC3,
    0x1D8E_4E27_C47D_124F,
    0xEB44_ACCA_B455_D165,
    0x2545_F491_4F6C_DD1D,
    0xC2B2_AE3D_27D4_EB4F,
];

/// A set of squares seen from a colour's own side.
#[inline(always)]
fn relative(color: Color, squares: Bitboard) -> u64 {
    match color {
        Color::White => squares.0,
        Color::Black => squares.flip_ranks().0,
    }
}

#[inline(always)]
const fn finish(sum: u64) -> u64 {
    (sum ^ sum >> 29).wrapping_mul(FACTORS[0]) >> 32
}

/// A key of the pawns of both sides, seen from the side to move.
#[inline]
pub(super) fn pawn_key(board: &Board) -> u64 {
    let turn = board.turn();
    let own = relative(turn, board.us().pieces(PieceKind::Pawn)).wrapping_mul(FACTORS[1]);
    let other = relative(turn, board.them().pieces(PieceKind::Pawn)).wrapping_mul(FACTORS[2]);
    finish(own ^ other.rotate_left(23))
}

/// Mixed bits of the minor pieces and the king of one side, seen from the side to move, and of all
/// its pieces.
#[inline]
fn piece_sums(turn: Color, side: &Side) -> [u64; 2] {
    let mixed = |kind: PieceKind| {
        let set = relative(turn, side.pieces(kind)).wrapping_mul(FACTORS[3 + kind.index()]);
        set ^ set >> 31
    };
    let minor = mixed(PieceKind::Knight) ^ mixed(PieceKind::Bishop) ^ mixed(PieceKind::King);
    [
        minor,
        minor ^ mixed(PieceKind::Rook) ^ mixed(PieceKind::Queen),
    ]
}

type Table = Box<[i16; ROWS]>;

/// What one thread has learnt of the evaluation's errors.
pub(super) struct Corrections {
    pawns: Table,
    /// Of the side to move and of the other.
    pieces: [Table; 2],
    /// Minor pieces and kings of both sides.
    minors: Table,
    /// By the last move and the one two plies ago, and the one four plies ago.
    moves: [Vec<[i16; PIECE_TOS]>; 2],
}

/// The entries that a position belongs to.
#[derive(Clone, Copy)]
struct Places {
    pawns: usize,
    pieces: [usize; 2],
    minors: usize,
}

fn places(board: &Board) -> Places {
    let turn = board.turn();
    let row = |key: u64| key as usize % ROWS;
    let [our_minors, ours] = piece_sums(turn, board.us());
    let [their_minors, theirs] = piece_sums(turn, board.them());
    Places {
        pawns: row(pawn_key(board)),
        pieces: [row(finish(ours)), row(finish(theirs))],
        minors: row(finish(our_minors ^ their_minors.rotate_left(29))),
    }
}

impl Corrections {
    pub(super) fn new() -> Corrections {
        Corrections {
            pawns: zeroed(0),
            pieces: [zeroed(0), zeroed(0)],
            minors: zeroed(0),
            moves: [0, 1].map(|_| vec![[0; PIECE_TOS]; PIECE_TOS + 1]),
        }
    }

    pub(super) fn clear(&mut self) {
        self.pawns.fill(0);
        self.pieces[0].fill(0);
        self.pieces[1].fill(0);
        self.minors.fill(0);
        for moves in &mut self.moves {
            moves.as_flattened_mut().fill(0);
        }
    }

    /// By how many centipawns the evaluation is to be raised, after these moves one, two and four
    /// plies ago.
    #[inline]
    pub(super) fn of(&self, board: &Board, [last, second, fourth]: [PieceTo; 3]) -> Score {
        let at = places(board);
        let mut sum = i32::from(self.pawns[at.pawns]) * params::correction_pawn_weight();
        let pieces =
            i32::from(self.pieces[0][at.pieces[0]]) + i32::from(self.pieces[1][at.pieces[1]]);
        sum += pieces * params::correction_piece_weight();
        sum += i32::from(self.minors[at.minors]) * params::correction_minor_weight();
        if last < PIECE_TOS {
            sum += i32::from(self.moves[0][second][last]) * params::correction_move_weight();
            sum += i32::from(self.moves[1][fourth][last]) * params::correction_fourth_weight();
        }
        sum / 512
    }

    /// The search found the evaluation to be wrong by `error` centipawns, at this depth.
    pub(super) fn learn(
        &mut self,
        board: &Board,
        [last, second, fourth]: [PieceTo; 3],
        depth: i32,
        error: Score,
    ) {
        let bonus = (error * depth / 8).clamp(-MAX_BONUS, MAX_BONUS);
        let at = places(board);
        apply::<MAX>(&mut self.pawns[at.pawns], bonus);
        apply::<MAX>(&mut self.pieces[0][at.pieces[0]], bonus);
        apply::<MAX>(&mut self.pieces[1][at.pieces[1]], bonus);
        apply::<MAX>(&mut self.minors[at.minors], bonus);
        if last < PIECE_TOS {
            apply::<MAX>(&mut self.moves[0][second][last], bonus);
            apply::<MAX>(&mut self.moves[1][fourth][last], bonus);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::history::NO_MOVE;

    #[test]
    fn a_constant_error_is_learnt_away() {
        let mut corrections = Corrections::new();
        let board = Board::startpos();
        let moves = [5, NO_MOVE, NO_MOVE];
        for _ in 0..200 {
            let now = corrections.of(&board, moves);
            corrections.learn(&board, moves, 8, 50 - now);
        }
        assert!((40..=60).contains(&corrections.of(&board, moves)));
    }

    #[test]
    fn both_colours_share_their_keys() {
        let board =
            Board::from_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -")
                .expect("a sound position");
        let flipped = board.flipped();
        let [own, other] = [&board, &flipped].map(places);
        assert_eq!(own.pawns, other.pawns);
        assert_eq!(own.pieces, other.pieces);
        assert_eq!(own.minors, other.minors);
    }
}
