//! What to search.

use super::handicap::Handicap;
use super::limits::Limits;
use super::score::{DRAW, Value};
use super::stop_flag::StopFlag;
use super::tablebases::Tablebases;
use super::variety::Variety;
use crate::chess::{Board, Game, KeyHistory};
use std::time::Duration;

/// A position to search, its limits and the settings of the search.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// The root position.
    pub board: Board,
    /// The earlier positions of the game that can be repeated.
    pub previous_keys: KeyHistory,
    /// When to stop.
    pub limits: Limits,
    /// Number of PV lines (MultiPV).
    pub multipv: usize,
    /// Time lost per move outside the search, as by the GUI or the network connection.
    pub move_overhead: Duration,
    /// Tablebases to probe.
    pub tablebases: Option<Tablebases>,
    /// The handicap of a weakened search.
    pub handicap: Option<Handicap>,
    /// Random choice among the best moves.
    pub variety: Option<Variety>,
    /// The score of a draw for the side to move at the root, in centipawns (contempt).
    pub draw_score: Value,
    /// Number of threads that search this request.
    pub threads: usize,
    /// The result is held back until our clock has run for this time, after `ponderhit` if the
    /// search ponders, unless it is stopped. An engine without threads ignores it.
    pub min_time: Duration,
    /// Ends the search, also before it begins, whatever its limits are.
    pub stop: StopFlag,
}

impl SearchRequest {
    /// A search of a position without earlier positions, at full strength on one thread.
    pub fn new(board: Board, limits: Limits) -> SearchRequest {
        SearchRequest {
            board,
            previous_keys: KeyHistory::default(),
            limits,
            multipv: 1,
            move_overhead: Duration::ZERO,
            tablebases: None,
            handicap: None,
            variety: None,
            draw_score: DRAW,
            threads: 1,
            min_time: Duration::ZERO,
            stop: StopFlag::default(),
        }
    }

    /// A search of the last position of a game.
    pub fn for_game(game: &Game, limits: Limits) -> SearchRequest {
        SearchRequest {
            previous_keys: game.previous_keys().reversible(game.board()),
            ..SearchRequest::new(*game.board(), limits)
        }
    }

    /// The tablebases, if this platform has files. If not, the compiler leaves out all code that
    /// probes them, which a browser would download for nothing.
    #[inline(always)]
    pub(super) fn probed_tablebases(&self) -> Option<&Tablebases> {
        if cfg!(target_family = "wasm") { None } else { self.tablebases.as_ref() }
    }

    /// Whether the threads share completed iterations (see [`lazy_smp`](super::lazy_smp)).
    pub(super) fn shares_iterations(&self) -> bool {
        self.threads > 1 && self.multipv == 1 && self.variety.is_none()
    }

    /// Whether the search looks for a mate (`go mate`): nothing is pruned that could hide one.
    #[inline(always)]
    pub(super) fn is_mate_search(&self) -> bool {
        self.limits.mate.is_some()
    }
}
