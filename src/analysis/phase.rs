//! The phases of a game.

use crate::chess::{Bitboard, Board, Color, PieceKind};

/// With this number of pieces other than kings and pawns the middlegame has begun at the latest.
const MIDDLEGAME_PIECES: u32 = 10;
/// With this number the endgame has begun.
const ENDGAME_PIECES: u32 = 6;
/// A side with fewer pieces on its back rank is developed: the middlegame has begun.
const BACK_RANK_PIECES: u32 = 4;

/// A phase of a game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Phase {
    /// Until a side is developed or ten pieces other than kings and pawns are left.
    Opening,
    /// Until six of them are left.
    Middlegame,
    /// The rest.
    Endgame,
}

impl Phase {
    /// All phases in order.
    pub const ALL: [Phase; 3] = [Phase::Opening, Phase::Middlegame, Phase::Endgame];

    /// The name.
    pub const fn name(self) -> &'static str {
        match self {
            Phase::Opening => "opening",
            Phase::Middlegame => "middlegame",
            Phase::Endgame => "endgame",
        }
    }

    /// The phase of a position on its own.
    fn of(board: &Board) -> Phase {
        let pieces = pieces(board, Color::White) | pieces(board, Color::Black);
        let is_developed = |color: Color| {
            let at_home = board.side(color).occupied() & color.back_rank();
            at_home.count() < BACK_RANK_PIECES
        };
        match pieces.count() {
            n if n <= ENDGAME_PIECES => Phase::Endgame,
            n if n <= MIDDLEGAME_PIECES => Phase::Middlegame,
            _ if Color::ALL.into_iter().any(is_developed) => Phase::Middlegame,
            _ => Phase::Opening,
        }
    }
}

/// The pieces of a side other than king and pawns.
fn pieces(board: &Board, color: Color) -> Bitboard {
    let side = board.side(color);
    side.occupied() & !side.pieces(PieceKind::King) & !side.pieces(PieceKind::Pawn)
}

/// The phases of the positions of a game. A game never returns to an earlier phase.
pub(super) fn phases<'a>(boards: impl Iterator<Item = &'a Board>) -> Vec<Phase> {
    let mut phase = Phase::Opening;
    let next = |board| {
        phase = phase.max(Phase::of(board));
        phase
    };
    boards.map(next).collect()
}
