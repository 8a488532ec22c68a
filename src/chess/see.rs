//! Static exchange evaluation: who wins the captures on one square.

use super::{Bitboard, Board, Move, MoveKind, PieceKind, Square, attacks};

/// What each kind of piece counts in an exchange, in centipawns.
pub const SEE_VALUES: [i32; 6] = [100, 300, 300, 500, 900, 0];

impl Board {
    /// Whether the exchange that this legal move begins wins at least `threshold` centipawns, when
    /// both sides capture on the same square with their cheapest piece and may stop.
    ///
    /// Pins are respected as long as the pinning piece stands.
    /// <https://www.chessprogramming.org/SEE_-_The_Swap_Algorithm>
    pub fn see_ge(&self, m: Move, threshold: i32) -> bool {
        let (from, to) = (m.from(), m.to());
        let (mut gain, mut on_square) = match m.kind() {
            MoveKind::Castling => return threshold <= 0,
            MoveKind::EnPassant => (SEE_VALUES[0], PieceKind::Pawn),
            MoveKind::Promotion(kind) => (
                self.value_at(to) + SEE_VALUES[kind.index()] - SEE_VALUES[0],
                kind,
            ),
            MoveKind::DoublePush => (0, PieceKind::Pawn),
            MoveKind::Normal(kind) => (self.value_at(to), kind),
        };
        gain -= threshold;
        // Even with nothing taken back it is too little.
        if gain < 0 {
            return false;
        }
        // Even if the piece is lost for nothing it is enough.
        let mut balance = SEE_VALUES[on_square.index()] - gain;
        if balance <= 0 {
            return true;
        }

        let mut occupied = (self.occupied() & !from.bitboard()) | to.bitboard();
        if m.is_en_passant() {
            occupied &= !Square::at(to.file(), from.rank()).bitboard();
        }
        let diagonal = self.pieces(PieceKind::Bishop) | self.pieces(PieceKind::Queen);
        let straight = self.pieces(PieceKind::Rook) | self.pieces(PieceKind::Queen);
        let mut attackers = self.attackers_to(to, occupied) & occupied;
        let mut turn = self.turn;
        let mut wins = true;
        loop {
            turn = !turn;
            attackers &= occupied;
            let mut ours = attackers & self.side(turn).all;
            if ours.any() {
                ours &= !self.pinned_in_exchange(turn, to, occupied);
            }
            let Some(kind) = PieceKind::ALL
                .into_iter()
                .find(|k| (ours & self.side(turn).pieces(*k)).any())
            else {
                return wins;
            };
            if kind == PieceKind::King {
                // The king may capture only what nothing protects.
                let protected = (attackers & self.side(!turn).all & occupied).any();
                return if protected { wins } else { !wins };
            }
            wins = !wins;
            on_square = kind;
            let from = turn.first(ours & self.side(turn).pieces(kind));
            // What the capture leaves the other side to win.
            balance = SEE_VALUES[on_square.index()] - balance;
            if balance < i32::from(wins) {
                return wins;
            }
            occupied ^= from.bitboard();
            if matches!(kind, PieceKind::Pawn | PieceKind::Bishop | PieceKind::Queen) {
                attackers |= attacks::bishop(to, occupied) & diagonal;
            }
            if matches!(kind, PieceKind::Rook | PieceKind::Queen) {
                attackers |= attacks::rook(to, occupied) & straight;
            }
        }
    }

    /// The exchange value of what stands on a square; 0 if it is empty.
    fn value_at(&self, square: Square) -> i32 {
        self.them()
            .piece_at(square)
            .map_or(0, |kind| SEE_VALUES[kind.index()])
    }

    /// Pieces of a colour that may not capture on `to`, because they are pinned on another line by
    /// a slider that still stands.
    #[inline]
    fn pinned_in_exchange(&self, color: super::Color, to: Square, occupied: Bitboard) -> Bitboard {
        let (side, other) = (self.side(color), self.side(!color));
        let king = side.king();
        let snipers = ((attacks::rook_rays(king) & other.orthogonal_sliders())
            | (attacks::bishop_rays(king) & other.diagonal_sliders()))
            & occupied;
        let mut pinned = Bitboard::EMPTY;
        for sniper in snipers {
            let blockers = attacks::between(king, sniper) & occupied;
            if !blockers.more_than_one() && !attacks::line(king, sniper).has(to) {
                pinned |= blockers & side.all;
            }
        }
        pinned
    }
}
