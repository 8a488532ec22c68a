//! Syzygy endgame tablebases.
//!
//! [`Tablebase`] probes the Syzygy tablebases of Ronald de Man (WDL in `.rtbw`, DTZ in `.rtbz`
//! files, <https://www.chessprogramming.org/Syzygy_Bases>). It is a value: an engine owns one and
//! shares it with its threads through an `Arc`; several engines in one process have one each.
//! Without the cargo feature `syzygy` the same type exists and every probe fails.
//!
//! Terms:
//! - WDL: win, draw or loss for the side to move, with correct play and a halfmove clock of zero.
//!   A win that the fifty-move rule turns into a draw is a *cursed win*, the loss of the other side
//!   a *blessed loss*.
//! - DTZ (distance to zeroing): plies to the next capture, pawn move or mate, positive if the side
//!   to move wins. Tables may store full moves; a probed value may then be one ply too small, but
//!   never where the fifty-move rule depends on it. Values beyond ±100 are cursed wins and blessed
//!   losses.
//!
//! This module imports only [`chess`](crate::chess).

use crate::chess::Move;
use std::cmp::Ordering;
use std::fmt;
use std::ops::Neg;
use std::path::PathBuf;

#[cfg(feature = "syzygy")]
mod syzygy;
#[cfg(feature = "syzygy")]
pub use syzygy::Tablebase;

#[cfg(not(feature = "syzygy"))]
mod absent;
#[cfg(not(feature = "syzygy"))]
pub use absent::Tablebase;

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
    pub const ALL: [WdlScore; 5] = [
        WdlScore::Loss,
        WdlScore::BlessedLoss,
        WdlScore::Draw,
        WdlScore::CursedWin,
        WdlScore::Win,
    ];

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

/// The tablebase rank of a root move.
///
/// Ordered from worst to best: by `rank`, then by `dtz` (the faster win, the slower loss). Always
/// playing a move of the greatest rank never gives away a win or a draw; ranked by WDL tables alone
/// it keeps the win, but may make no progress. Moves of equal `rank` have the same outcome, so the
/// search may choose among them by its own score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RootRank {
    /// Outcome of the move for the side that plays it, with the halfmove clock of the root if the
    /// move was ranked by DTZ. If the fifty-move rule is off, there are no cursed wins and blessed
    /// losses.
    pub wdl: WdlScore,
    /// DTZ of the root if this move is played, in plies, positive for a win; `None` if the move was
    /// ranked by WDL tables alone.
    pub dtz: Option<i32>,
    /// The greater the better.
    pub rank: i32,
}

impl RootRank {
    /// The rank of a move that draws by a rule of the game. `dtz` is 0 or `None`.
    pub(crate) const fn draw(dtz: Option<i32>) -> RootRank {
        RootRank {
            wdl: WdlScore::Draw,
            dtz,
            rank: 0,
        }
    }
}

impl Ord for RootRank {
    fn cmp(&self, other: &RootRank) -> Ordering {
        let distance = |rank: &RootRank| rank.dtz.unwrap_or(0);
        self.rank
            .cmp(&other.rank)
            .then(distance(other).cmp(&distance(self)))
            .then(self.wdl.cmp(&other.wdl))
            .then(self.dtz.cmp(&other.dtz))
    }
}

impl PartialOrd for RootRank {
    fn partial_cmp(&self, other: &RootRank) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The root moves with their ranks, in the order of move generation.
pub type RootRanks = Vec<(Move, RootRank)>;

/// Why a table file or a folder cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TableError {
    /// The folder cannot be read, for this reason.
    Folder(String),
    /// The file is missing, though most tables of its kind and number of pieces are there.
    Missing,
    /// Number of missing tables of this kind and number of pieces beyond those listed by name.
    ManyMissing(usize),
    /// The file cannot be read, for this reason.
    Unreadable(String),
    /// The file does not start with the magic bytes of its kind.
    BadMagic,
    /// The size of the file in bytes, which no table has: it is truncated or has trailing bytes.
    Size(u64),
    /// The checksum at the end of the file does not match its content.
    Checksum,
    /// The content of the file contradicts itself, for this reason.
    Corrupt(&'static str),
}

/// A table file that is missing or broken. The other tables are used without it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableProblem {
    /// The file or folder.
    pub path: PathBuf,
    /// Why it cannot be used.
    pub error: TableError,
}

impl fmt::Display for TableProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.error {
            TableError::Folder(why) => write!(f, "tablebase folder {path}: {why}"),
            TableError::Missing => write!(f, "tablebase file {path} is missing"),
            TableError::ManyMissing(count) => {
                write!(f, "{count} more tablebase files like {path} are missing")
            }
            TableError::Unreadable(why) => write!(f, "tablebase file {path}: {why}"),
            TableError::BadMagic => write!(f, "tablebase file {path}: not a Syzygy file"),
            TableError::Size(size) => {
                write!(f, "tablebase file {path}: no Syzygy file has {size} bytes")
            }
            TableError::Checksum => write!(f, "tablebase file {path}: wrong checksum"),
            TableError::Corrupt(why) => write!(f, "tablebase file {path}: corrupt, {why}"),
        }
    }
}

impl std::error::Error for TableProblem {}
