//! Correction history: the average error of the static evaluation in similar positions.
//! <https://www.chessprogramming.org/Static_Evaluation_Correction_History>
//!
//! After a node is searched, the difference between its score and its static evaluation updates one
//! entry per table; the static evaluation of later nodes with the same keys is corrected by their
//! sum. The tables:
//!
//! - pawn: the pawns of both sides;
//! - non-pawn: the other pieces and the king of one side, one table per side;
//! - minor: the minor pieces and kings of both sides;
//! - continuation: the moves 1 and 2 plies ago, and those 1 and 4 plies ago.
//!
//! The keys are computed from bitboards when needed, with one multiplication per bitboard. They are
//! relative to the side to move, so that both colours share their entries.

#![allow(unsafe_code)]

use super::history::{PIECE_TO_COUNT, PieceTo, apply};
use super::params;
use super::score::Value;
use crate::chess::{Bitboard, Board, Color, PieceKind, Side};
use crate::memory::{LargePages, Zeroable, prefetch};

/// The number of entries of a table.
const SIZE: usize = 16_384;
/// The maximum absolute value of an entry; its weight converts it to centipawns.
const MAX: i32 = 1024;
/// The maximum bonus of one update.
const MAX_BONUS: i32 = MAX / 4;
/// The divisor of the weighted sum of entries.
const WEIGHT_DIVISOR: i32 = 512;

/// Odd random hash multipliers, one per kind and side.
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

/// A bitboard relative to a side.
#[inline(always)]
fn relative(color: Color, squares: Bitboard) -> u64 {
    match color {
        Color::White => squares.0,
        Color::Black => squares.flip_ranks().0,
    }
}

#[inline(always)]
const fn finish_hash(hash: u64) -> u64 {
    (hash ^ hash >> 29).wrapping_mul(FACTORS[0]) >> 32
}

/// The pawn key: pawns of both sides, relative to the side to move.
#[inline]
fn pawn_key(board: &Board) -> u64 {
    let turn = board.turn();
    let ours = relative(turn, board.us().pieces(PieceKind::Pawn)).wrapping_mul(FACTORS[1]);
    let theirs = relative(turn, board.them().pieces(PieceKind::Pawn)).wrapping_mul(FACTORS[2]);
    finish_hash(ours ^ theirs.rotate_left(23))
}

/// Hashes of one side's minor pieces and king, and of all its pieces but pawns, relative to `turn`.
#[inline]
fn piece_hashes(turn: Color, side: &Side) -> [u64; 2] {
    let hash = |kind: PieceKind| {
        let product = relative(turn, side.pieces(kind)).wrapping_mul(FACTORS[3 + kind.index()]);
        product ^ product >> 31
    };
    let minor = hash(PieceKind::Knight) ^ hash(PieceKind::Bishop) ^ hash(PieceKind::King);
    [minor, minor ^ hash(PieceKind::Rook) ^ hash(PieceKind::Queen)]
}

/// The index of the pawn structure of both sides.
#[inline]
pub(super) fn pawn_index(board: &Board) -> usize {
    pawn_key(board) as usize % SIZE
}

type Table = [i16; SIZE];

/// The correction history of one thread; the module's documentation has its source.
pub(super) struct CorrectionHistory {
    pawn: Table,
    /// The side to move's and the opponent's.
    non_pawn: [Table; 2],
    minor: Table,
    /// By the moves 1 and 2 plies ago; by the moves 1 and 4 plies ago.
    continuation: [[[i16; PIECE_TO_COUNT]; PIECE_TO_COUNT + 1]; 2],
}

/// The indices of a position's entries. They are computed once per node.
#[derive(Clone, Copy, Debug)]
pub(super) struct CorrectionIndices {
    pawn: u16,
    non_pawn: [u16; 2],
    minor: u16,
}

impl CorrectionIndices {
    /// The index of the pawn structure.
    #[inline(always)]
    pub(super) fn pawn(&self) -> usize {
        usize::from(self.pawn)
    }
}

/// The indices of a position.
#[inline]
pub(super) fn correction_indices(board: &Board) -> CorrectionIndices {
    let turn = board.turn();
    let index = |key: u64| (key % SIZE as u64) as u16;
    let [our_minors, our_pieces] = piece_hashes(turn, board.us());
    let [their_minors, their_pieces] = piece_hashes(turn, board.them());
    CorrectionIndices {
        pawn: index(pawn_key(board)),
        non_pawn: [index(finish_hash(our_pieces)), index(finish_hash(their_pieces))],
        minor: index(finish_hash(our_minors ^ their_minors.rotate_left(29))),
    }
}

// SAFETY: all fields are arrays of integers.
unsafe impl Zeroable for CorrectionHistory {}

impl CorrectionHistory {
    /// Empty tables.
    pub(super) fn new() -> LargePages<CorrectionHistory> {
        LargePages::zeroed()
    }

    /// Sets all entries to 0.
    pub(super) fn clear(&mut self) {
        self.pawn.fill(0);
        self.non_pawn[0].fill(0);
        self.non_pawn[1].fill(0);
        self.minor.fill(0);
        let continuation = self.continuation.as_flattened_mut();
        continuation.as_flattened_mut().fill(0);
    }

    /// The correction of the static evaluation in centipawns, after these moves 1, 2 and 4 plies
    /// ago.
    #[inline]
    pub(super) fn correction(
        &self,
        at: CorrectionIndices,
        [last, second, fourth]: [PieceTo; 3],
    ) -> Value {
        let entry = |table: &Table, index: u16| i32::from(table[usize::from(index)]);
        let mut sum = entry(&self.pawn, at.pawn) * params::correction_pawn_weight();
        let non_pawn =
            entry(&self.non_pawn[0], at.non_pawn[0]) + entry(&self.non_pawn[1], at.non_pawn[1]);
        sum += non_pawn * params::correction_non_pawn_weight();
        sum += entry(&self.minor, at.minor) * params::correction_minor_weight();
        if last < PIECE_TO_COUNT {
            sum += i32::from(self.continuation[0][second][last])
                * params::correction_continuation_2_weight();
            sum += i32::from(self.continuation[1][fourth][last])
                * params::correction_continuation_4_weight();
        }
        sum / WEIGHT_DIVISOR
    }

    /// Prefetches the continuation entries, the ones most likely to be in no cache.
    #[inline(always)]
    pub(super) fn prefetch(&self, [last, second, fourth]: [PieceTo; 3]) {
        if last < PIECE_TO_COUNT {
            prefetch(&self.continuation[0][second][last]);
            prefetch(&self.continuation[1][fourth][last]);
        }
    }

    /// Updates the entries after a search of this depth, whose score was `error` centipawns above
    /// the static evaluation.
    pub(super) fn update(
        &mut self,
        at: CorrectionIndices,
        [last, second, fourth]: [PieceTo; 3],
        depth: i32,
        error: Value,
    ) {
        let bonus = error * depth / params::correction_bonus_divisor();
        let bonus = bonus.clamp(-MAX_BONUS, MAX_BONUS);
        let [ours, theirs] = &mut self.non_pawn;
        apply::<MAX>(&mut self.pawn[usize::from(at.pawn)], bonus);
        apply::<MAX>(&mut ours[usize::from(at.non_pawn[0])], bonus);
        apply::<MAX>(&mut theirs[usize::from(at.non_pawn[1])], bonus);
        apply::<MAX>(&mut self.minor[usize::from(at.minor)], bonus);
        if last < PIECE_TO_COUNT {
            apply::<MAX>(&mut self.continuation[0][second][last], bonus);
            apply::<MAX>(&mut self.continuation[1][fourth][last], bonus);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::history::NO_MOVE;

    #[test]
    fn a_constant_error_is_corrected() {
        let mut history = CorrectionHistory::new();
        let at = correction_indices(&Board::startpos());
        let moves = [5, NO_MOVE, NO_MOVE];
        for _ in 0..200 {
            let error = 50 - history.correction(at, moves);
            history.update(at, moves, 8, error);
        }
        assert!((40..=60).contains(&history.correction(at, moves)));
    }

    #[test]
    fn both_colours_share_their_keys() {
        let board =
            Board::from_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -")
                .expect("a sound position");
        let flipped = board.flipped();
        let [own, other] = [&board, &flipped].map(correction_indices);
        assert_eq!(own.pawn, other.pawn);
        assert_eq!(own.non_pawn, other.non_pawn);
        assert_eq!(own.minor, other.minor);
    }
}
