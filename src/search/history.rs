//! What is learnt about moves: which were good when they were tried.
//!
//! Every number moves towards a bound with "gravity", h += b - |b|·h / BOUND, so that it forgets and
//! cannot overflow. (Butterfly boards: <https://www.chessprogramming.org/History_Heuristic>.)
//!
//! Colours and squares are those of the board, and each side learns for itself; only structures of
//! pawns are seen from the side to move.

use crate::chess::{Bitboard, Board, Color, Move, PieceKind};

/// The largest absolute value in any of the tables.
pub(super) const MAX: i32 = 16_384;
const PAWN_ROWS: usize = 1024;

/// A piece and its target, as an index: colour, kind and square from White's view.
pub(super) type PieceTo = usize;
/// How many values a [`PieceTo`] has; one more stands for "no move".
pub(super) const PIECE_TOS: usize = 2 * 6 * 64;
/// Behind a null move, or before the root.
pub(super) const NO_MOVE: PieceTo = PIECE_TOS;

/// The index of a move's piece and target.
#[inline(always)]
pub(super) fn piece_to(color: Color, m: Move) -> PieceTo {
    (color.index() * 6 + m.piece().index()) * 64 + m.to().index()
}

/// Whether a move's origin and target are attacked, as an index.
#[inline(always)]
fn threatened(threats: Bitboard, m: Move) -> usize {
    usize::from(threats.has(m.from())) * 2 + usize::from(threats.has(m.to()))
}

type Row = [i16; PIECE_TOS];

/// All tables of one thread.
pub(super) struct Histories {
    /// Quiet moves: by side, whether origin and target are attacked, origin and target.
    quiet: Box<[[[[i16; 64]; 64]; 4]; 2]>,
    /// Captures: by piece and target, and by victim.
    noisy: Box<[[i16; 6]; PIECE_TOS]>,
    /// Quiet moves after an earlier move.
    continuation: Vec<Row>,
    /// Quiet moves with a pawn structure.
    pawn: Vec<Row>,
}

/// Moves a value towards a bound: up by a bonus, down by a malus.
#[inline(always)]
pub(super) fn apply<const BOUND: i32>(value: &mut i16, bonus: i32) {
    let bonus = bonus.clamp(-BOUND, BOUND);
    let old = i32::from(*value);
    *value = (old + bonus - old * bonus.abs() / BOUND) as i16;
}

/// A table on the heap, all zero.
pub(super) fn zeroed<T: Copy, const N: usize>(zero: T) -> Box<[T; N]> {
    vec![zero; N]
        .into_boxed_slice()
        .try_into()
        .unwrap_or_else(|_| unreachable!("N elements"))
}

impl Histories {
    pub(super) fn new() -> Histories {
        Histories {
            quiet: zeroed([[[0; 64]; 64]; 4]),
            noisy: zeroed([0; 6]),
            continuation: vec![[0; PIECE_TOS]; PIECE_TOS + 1],
            pawn: vec![[0; PIECE_TOS]; PAWN_ROWS],
        }
    }

    pub(super) fn clear(&mut self) {
        self.quiet
            .as_flattened_mut()
            .as_flattened_mut()
            .as_flattened_mut()
            .fill(0);
        self.noisy.as_flattened_mut().fill(0);
        self.continuation.as_flattened_mut().fill(0);
        self.pawn.as_flattened_mut().fill(0);
    }

    /// The butterfly part alone.
    #[inline]
    pub(super) fn update_butterfly(
        &mut self,
        color: Color,
        threats: Bitboard,
        m: Move,
        bonus: i32,
    ) {
        let (from, to) = (m.from().index(), m.to().index());
        let slot = &mut self.quiet[color.index()][threatened(threats, m)][from][to];
        apply::<MAX>(slot, bonus);
    }

    /// What is known of a quiet move for ordering, pruning and reducing: the sum of its tables.
    #[inline]
    pub(super) fn quiet(&self, node: &QuietContext, m: Move) -> i32 {
        let at = piece_to(node.color, m);
        let (from, to) = (m.from().index(), m.to().index());
        let own = self.quiet[node.color.index()][threatened(node.threats, m)][from][to];
        let mut sum = i32::from(own) + i32::from(self.pawn[node.pawn_row][at]);
        for earlier in node.earlier {
            sum += i32::from(self.continuation[earlier][at]);
        }
        sum
    }

    /// A quiet move was good (bonus) or not (malus).
    pub(super) fn update_quiet(&mut self, node: &QuietContext, m: Move, bonus: i32) {
        let at = piece_to(node.color, m);
        self.update_butterfly(node.color, node.threats, m, bonus);
        apply::<MAX>(&mut self.pawn[node.pawn_row][at], bonus);
        self.update_continuation(node.earlier, at, bonus);
    }

    /// The continuation part alone.
    pub(super) fn update_continuation(&mut self, earlier: [PieceTo; 3], at: PieceTo, bonus: i32) {
        for earlier in earlier {
            apply::<MAX>(&mut self.continuation[earlier][at], bonus);
        }
    }

    /// What a capture takes, as an index; a pawn where it takes nothing on its target.
    #[inline(always)]
    pub(super) fn victim(board: &Board, m: Move) -> usize {
        board
            .them()
            .piece_at(m.to())
            .unwrap_or(PieceKind::Pawn)
            .index()
    }

    /// What is known of a capture or promotion.
    #[inline]
    pub(super) fn noisy(&self, board: &Board, m: Move) -> i32 {
        i32::from(self.noisy[piece_to(board.turn(), m)][Histories::victim(board, m)])
    }

    /// A capture or promotion was good (bonus) or not (malus).
    pub(super) fn update_noisy(&mut self, board: &Board, m: Move, bonus: i32) {
        let victim = Histories::victim(board, m);
        apply::<MAX>(&mut self.noisy[piece_to(board.turn(), m)][victim], bonus);
    }
}

/// What the worth of quiet moves depends on, the same for all moves of a node.
#[derive(Clone, Copy)]
pub(super) struct QuietContext {
    pub(super) color: Color,
    /// Squares the other side attacks.
    pub(super) threats: Bitboard,
    /// The moves one, two and four plies ago.
    pub(super) earlier: [PieceTo; 3],
    pub(super) pawn_row: usize,
}

/// The squares that the side that is not to move attacks.
#[inline]
pub(super) fn threats(board: &Board) -> Bitboard {
    let them = !board.turn();
    board.side(them).attacks(them, board.occupied())
}

impl QuietContext {
    pub(super) fn new(board: &Board, threats: Bitboard, earlier: [PieceTo; 3]) -> QuietContext {
        let pawn_row = super::correction::pawn_key(board) as usize % PAWN_ROWS;
        QuietContext {
            color: board.turn(),
            threats,
            earlier,
            pawn_row,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_within_their_bound() {
        let mut value = 0;
        for bonus in [MAX, MAX, 5 * MAX, -1, -MAX, -MAX, -7 * MAX, 300] {
            for _ in 0..100 {
                apply::<MAX>(&mut value, bonus);
                assert!(i32::from(value).abs() <= MAX);
            }
        }
    }

    #[test]
    fn a_bonus_raises_and_a_malus_lowers() {
        let mut histories = Histories::new();
        let board = Board::startpos();
        let node = QuietContext::new(&board, Bitboard::EMPTY, [NO_MOVE; 3]);
        let m = board.legal_moves()[0];
        histories.update_quiet(&node, m, 500);
        let raised = histories.quiet(&node, m);
        histories.update_quiet(&node, m, -200);
        assert!(raised > 0 && histories.quiet(&node, m) < raised);
        histories.clear();
        assert_eq!(histories.quiet(&node, m), 0);
    }
}
