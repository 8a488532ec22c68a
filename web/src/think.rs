//! What the service asks of an engine, and what it hears from it: plain values and one trait, so
//! that pool, routes and tests know no engine.

use crossbeam_channel::Receiver;
use saavedra::chess::{Game, Move};
use serde::Serialize;
use std::convert::Infallible;
use std::ops::RangeInclusive;
use std::time::Duration;

/// One search to do.
#[derive(Clone, Debug)]
pub struct Task {
    /// The position and how it came about.
    pub game: Game,
    /// When to end.
    pub limits: Limits,
}

/// When a search ends and how wide it looks. Whatever is reached first ends it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Longest time; always set, as a cap at least.
    pub movetime: Duration,
    /// Nodes.
    pub nodes: Option<u64>,
    /// Depth in plies.
    pub depth: Option<u32>,
    /// How many best lines.
    pub multipv: u32,
    /// Strength to play at; the full one if not given.
    pub elo: Option<u32>,
}

/// A score from the side to move's view.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Score {
    /// Centipawns.
    Cp(i32),
    /// Mate in so many moves; negative if the side to move is mated, 0 if it is already.
    Mate(i32),
}

/// What the search knows of one of the best lines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Info {
    /// Rank of the line, 1 the best.
    pub multipv: u32,
    /// Depth reached, in plies.
    pub depth: u32,
    /// Deepest line looked at, in plies.
    pub seldepth: u32,
    /// The line's worth.
    pub score: Score,
    /// Win, draw and loss for the side to move, in thousandths.
    pub wdl: Option<[u32; 3]>,
    /// Nodes so far.
    pub nodes: u64,
    /// Time so far.
    pub time: Duration,
    /// How full the hash table is, in thousandths.
    pub hashfull: Option<u32>,
    /// The moves of the line.
    pub pv: Vec<Move>,
}

/// How a search ended.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// The move to play; none where there is none.
    pub best: Option<Move>,
    /// The answer expected to it.
    pub ponder: Option<Move>,
    /// The last word on each line, the best first.
    pub lines: Vec<Info>,
    /// All nodes.
    pub nodes: u64,
}

/// Says when the one who asked no longer wants to know: the channel is then disconnected.
#[derive(Clone, Debug)]
pub struct Stop(pub Receiver<Infallible>);

impl Stop {
    /// Whether the search should end now.
    pub fn requested(&self) -> bool {
        self.0.try_recv() == Err(crossbeam_channel::TryRecvError::Disconnected)
    }
}

/// Something that can search: an engine.
pub trait Thinker: Send {
    /// Searches until a limit is reached or `stop` says so, telling `report` what it finds.
    ///
    /// The position has at least one legal move. Nothing may remain of the task afterwards: each
    /// is independent of those before.
    fn think(&mut self, task: &Task, stop: &Stop, report: &mut dyn FnMut(Info)) -> Outcome;
}

/// Makes thinkers, and tells what they can do.
pub trait ThinkerFactory: Send + Sync {
    /// A new one.
    ///
    /// # Errors
    /// Why there is none, in words.
    fn make(&self) -> Result<Box<dyn Thinker>, String>;
    /// Name and version.
    fn name(&self) -> String;
    /// The strengths it can play at, if it can be limited.
    fn elo(&self) -> Option<RangeInclusive<u32>>;
}
