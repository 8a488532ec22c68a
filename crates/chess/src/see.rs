//! Static exchange evaluation: the result of a series of captures on one square.
//!
//! <https://www.chessprogramming.org/SEE_-_The_Swap_Algorithm>

use super::piece::PAWN;
use super::{Bitboard, Board, Color, Move, MoveKind, PieceKind, Square, attacks};

/// The values of the piece kinds in an exchange, in centipawns.
pub const SEE_VALUES: [i32; 6] = [100, 300, 300, 500, 900, 0];

impl Board {
    /// Whether the static exchange evaluation of a legal move is at least `threshold` centipawns:
    /// both sides capture on the target square, each time with their least valuable piece, and may
    /// stop at any time.
    ///
    /// A pinned piece does not capture while the pinning piece is on its square.
    pub fn see_ge(&self, m: Move, threshold: i32) -> bool {
        let (from, to) = (m.from(), m.to());
        let (mut gain, mut on_square) = match m.kind() {
            MoveKind::Castling => return threshold <= 0,
            MoveKind::EnPassant => (SEE_VALUES[PAWN], PieceKind::Pawn),
            MoveKind::Promotion(kind) => {
                (self.value_at(to) + SEE_VALUES[kind.index()] - SEE_VALUES[PAWN], kind)
            }
            MoveKind::DoublePush => (0, PieceKind::Pawn),
            MoveKind::Normal(kind) => (self.value_at(to), kind),
        };
        gain -= threshold;
        // Too little even without a recapture.
        if gain < 0 {
            return false;
        }
        // Enough even if the piece is lost without compensation.
        let mut balance = SEE_VALUES[on_square.index()] - gain;
        if balance <= 0 {
            return true;
        }

        let mut occupied = (self.occupied() & !from.bitboard()) | to.bitboard();
        if m.is_en_passant() {
            occupied &= !Square::new(to.file(), from.rank()).bitboard();
        }
        let diagonal = self.pieces(PieceKind::Bishop) | self.pieces(PieceKind::Queen);
        let orthogonal = self.pieces(PieceKind::Rook) | self.pieces(PieceKind::Queen);
        let mut attackers = self.attackers_to(to, occupied) & occupied;
        let mut turn = self.turn;
        let mut wins = true;
        loop {
            turn = !turn;
            attackers &= occupied;
            let mut ours = attackers & self.side(turn).all;
            if ours.any() {
                ours &= !self.pinned_in_exchange(turn, ours, to, occupied);
            }
            let Some(kind) =
                PieceKind::ALL.into_iter().find(|k| (ours & self.side(turn).pieces(*k)).any())
            else {
                return wins;
            };
            if kind == PieceKind::King {
                // The king cannot capture a defended piece.
                let is_defended = (attackers & self.side(!turn).all & occupied).any();
                return if is_defended { wins } else { !wins };
            }
            wins = !wins;
            on_square = kind;
            let from = turn.first(ours & self.side(turn).pieces(kind));
            // The balance from the point of view of the next side to capture.
            balance = SEE_VALUES[on_square.index()] - balance;
            if balance < i32::from(wins) {
                return wins;
            }
            occupied ^= from.bitboard();
            if matches!(kind, PieceKind::Pawn | PieceKind::Bishop | PieceKind::Queen) {
                attackers |= attacks::bishop(to, occupied) & diagonal;
            }
            if matches!(kind, PieceKind::Rook | PieceKind::Queen) {
                attackers |= attacks::rook(to, occupied) & orthogonal;
            }
        }
    }

    /// The value of the opponent's piece on the square; 0 if it is empty.
    fn value_at(&self, square: Square) -> i32 {
        self.them().piece_at(square).map_or(0, |kind| SEE_VALUES[kind.index()])
    }

    /// The pieces of a colour that cannot capture on `to`, because they are pinned on another line
    /// by a slider that is still on its square; none if no piece of `attackers` is on a line with
    /// its king.
    #[inline]
    fn pinned_in_exchange(
        &self,
        color: Color,
        attackers: Bitboard,
        to: Square,
        occupied: Bitboard,
    ) -> Bitboard {
        let (us, them) = (self.side(color), self.side(!color));
        let king = us.king();
        let (orthogonal, diagonal) = (attacks::rook_rays(king), attacks::bishop_rays(king));
        if (attackers & (orthogonal | diagonal)).is_empty() {
            return Bitboard::EMPTY;
        }
        let snipers = ((orthogonal & them.orthogonal_sliders())
            | (diagonal & them.diagonal_sliders()))
            & occupied;
        let mut pinned = Bitboard::EMPTY;
        for sniper in snipers {
            let blockers = attacks::between(king, sniper) & occupied;
            if !blockers.more_than_one() && !attacks::line(king, sniper).has(to) {
                pinned |= blockers & us.all;
            }
        }
        pinned
    }
}
