//! WDL values.

use std::ops::Neg;

/// WDL value of a position: its outcome for the side to move, with correct play by both sides and
/// a halfmove clock of zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(i8)]
pub enum WdlScore {
    /// Loss.
    Loss = -2,
    /// Loss that the fifty-move rule turns into a draw.
    BlessedLoss = -1,
    /// Draw.
    Draw = 0,
    /// Win that the fifty-move rule turns into a draw.
    CursedWin = 1,
    /// Win.
    Win = 2,
}

impl WdlScore {
    /// All values, from loss to win: the order in which WDL tables store them.
    pub const ALL: [WdlScore; 5] =
        [WdlScore::Loss, WdlScore::BlessedLoss, WdlScore::Draw, WdlScore::CursedWin, WdlScore::Win];

    /// −2 for a loss to 2 for a win.
    pub const fn value(self) -> i32 {
        self as i32
    }

    /// The value without the fifty-move rule: cursed wins are wins, blessed losses are losses.
    #[must_use]
    pub const fn without_fifty_moves(self) -> WdlScore {
        match self {
            WdlScore::BlessedLoss => WdlScore::Loss,
            WdlScore::CursedWin => WdlScore::Win,
            other => other,
        }
    }
}

impl Neg for WdlScore {
    type Output = WdlScore;

    fn neg(self) -> WdlScore {
        match self {
            WdlScore::Loss => WdlScore::Win,
            WdlScore::BlessedLoss => WdlScore::CursedWin,
            WdlScore::Draw => WdlScore::Draw,
            WdlScore::CursedWin => WdlScore::BlessedLoss,
            WdlScore::Win => WdlScore::Loss,
        }
    }
}
