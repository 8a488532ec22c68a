//! Endgame tables: what is known for certain about positions of few men.
//!
//! [`Tablebase`] reads the Syzygy tables of Ronald de Man (WDL in `.rtbw`, DTZ in `.rtbz` files,
//! <https://www.chessprogramming.org/Syzygy_Bases>). It is a value: an engine owns one and shares
//! it with its threads through an `Arc`; several engines in one process have one each. Without the
//! cargo feature `syzygy` the same type exists and finds nothing.
//!
//! The terms:
//! - WDL: win, draw or loss for the side to move, with correct play and a fifty-move count that
//!   starts now. Wins that the count prevents are *cursed wins*, the same losses *blessed*.
//! - DTZ: plies until the next capture, pawn move or mate, positive for the side that wins. It may
//!   be one less than the truth, except where the fifty-move rule depends on it; beyond ±100 the
//!   fifty-move rule comes first.
//!
//! This room knows only [`chess`](crate::chess).

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

/// The outcome for the side to move, with correct play by both and a fifty-move count of zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(i8)]
pub enum WdlScore {
    /// Lost.
    Loss = -2,
    /// Lost, were it not for the fifty-move rule.
    BlessedLoss = -1,
    /// Drawn.
    Draw = 0,
    /// Won, were it not for the fifty-move rule.
    CursedWin = 1,
    /// Won.
    Win = 2,
}

impl WdlScore {
    /// All outcomes, from loss to win.
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

    /// The outcome without the fifty-move rule: there are no curses and no blessings.
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

/// How good a move of the root is.
///
/// Ordered from worst to best: first by `rank`, then by `dtz` (a win the sooner, a loss the later
/// the better). Playing a greatest move always never throws away a win or a draw. Moves of equal
/// `rank` have the same certain outcome, so that a search may choose freely among them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RootRank {
    /// The outcome of the move for the side that makes it, with the fifty-move count as it stands
    /// on the board; without curses and blessings if the rule does not count.
    pub wdl: WdlScore,
    /// Plies from the root to the next capture, pawn move or mate, with the sign of the outcome;
    /// `None` if only the WDL tables could answer.
    pub dtz: Option<i32>,
    /// The class of the move: the greater the better.
    pub rank: i32,
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

/// The moves of a root with their ranks, in the order of move generation.
pub type RootRanks = Vec<(Move, RootRank)>;

/// What is wrong with a table file or a folder of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TableFault {
    /// The folder cannot be read, for this reason.
    Folder(String),
    /// The file is not there, though most others of its kind and number of men are.
    Missing,
    /// Besides the files named, so many of this kind and number of men are not there.
    ManyMissing(usize),
    /// The file cannot be read, for this reason.
    Unreadable(String),
    /// The file does not begin as a table of its kind does.
    NotATable,
    /// No table has this many bytes: the file is cut short, or something was added to it.
    Size(u64),
    /// The bytes of the file do not add up to the checksum at its end.
    Checksum,
    /// The file is inconsistent in itself, in this respect.
    Inconsistent(&'static str),
}

/// A table file that is missing or broken. The rest of the tables is used without it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableProblem {
    /// The file or folder.
    pub path: PathBuf,
    /// What is wrong with it.
    pub fault: TableFault,
}

impl fmt::Display for TableProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.fault {
            TableFault::Folder(why) => write!(f, "folder of tables {path}: {why}"),
            TableFault::Missing => write!(f, "table {path} is missing"),
            TableFault::ManyMissing(count) => {
                write!(f, "{count} more tables like {path} are missing")
            }
            TableFault::Unreadable(why) => write!(f, "table {path}: {why}"),
            TableFault::NotATable => write!(f, "table {path}: not a Syzygy table"),
            TableFault::Size(size) => write!(f, "table {path}: no table has {size} bytes"),
            TableFault::Checksum => write!(f, "table {path}: damaged, its checksum is wrong"),
            TableFault::Inconsistent(what) => write!(f, "table {path}: damaged, {what}"),
        }
    }
}

impl std::error::Error for TableProblem {}
