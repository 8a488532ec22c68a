//! What a search is asked for.

use super::Strength;
use crate::search::Limits;
use std::time::Duration;

/// The limits and settings of a search. [`Limits`] alone stand for a search with the default
/// settings.
///
/// ```
/// use saavedra::chess::Game;
/// use saavedra::engine::{Engine, Limits, SearchOptions, Strength};
///
/// let mut options = SearchOptions::from(Limits::nodes(10_000));
/// options.multipv = 3;
/// options.strength = Strength::new(1500);
/// let result = Engine::new()?.start(&Game::default(), options).wait()?;
/// assert!(result.best.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SearchOptions {
    /// When to stop.
    pub limits: Limits,
    /// Number of PV lines.
    pub multipv: usize,
    /// The playing strength.
    pub strength: Strength,
    /// Whether a search of limited strength with a clock imitates human thinking time.
    pub human_time: bool,
    /// Random choice among the best four moves within this many centipawns of the best one; 0 plays
    /// the best move.
    pub variety: i32,
    /// Elo by which the engine is stronger than its opponent.
    pub contempt: i32,
    /// Seed of all random choices; 0 is a different seed each game.
    pub seed: u64,
    /// Time lost per move outside the search.
    pub move_overhead: Duration,
    /// Last move number at which a book move is played, if a book is open.
    pub book_depth: Option<u32>,
    /// Minimum depth for probing positions with the maximum number of tablebase pieces.
    pub syzygy_probe_depth: i32,
    /// Maximum number of pieces of positions that are probed.
    pub syzygy_probe_limit: u32,
    /// Whether tablebase wins that the fifty-move rule prevents count as draws.
    pub syzygy_fifty_moves: bool,
}

impl From<Limits> for SearchOptions {
    fn from(limits: Limits) -> SearchOptions {
        SearchOptions {
            limits,
            multipv: 1,
            strength: Strength::FULL,
            human_time: false,
            variety: 0,
            contempt: 0,
            seed: 0,
            move_overhead: Duration::ZERO,
            book_depth: None,
            syzygy_probe_depth: 1,
            syzygy_probe_limit: 7,
            syzygy_fifty_moves: true,
        }
    }
}

/// No limits: the search runs until it is stopped.
impl Default for SearchOptions {
    fn default() -> SearchOptions {
        Limits::default().into()
    }
}

/// What the scores in the transposition table depend on, besides evaluation and tablebases:
/// strength, contempt, seed, fifty-move rule and probe limit of the tablebases.
pub(super) type Scoring = (Strength, i32, u64, bool, u32);

impl SearchOptions {
    pub(super) fn scoring(&self) -> Scoring {
        (self.strength, self.contempt, self.seed, self.syzygy_fifty_moves, self.syzygy_probe_limit)
    }
}
