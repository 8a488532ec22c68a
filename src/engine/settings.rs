//! What the options have set, and before they are set.

use super::Strength;
use std::path::PathBuf;

/// What the options have set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Megabytes of the hash table.
    pub hash: usize,
    /// Search threads.
    pub threads: usize,
    /// Milliseconds lost on each move between us and the clock.
    pub move_overhead: u64,
    /// How many of the best lines are shown.
    pub multipv: usize,
    /// Castling is written as king takes rook.
    pub chess960: bool,
    /// Chances to win, draw and lose are printed with scores.
    pub show_wdl: bool,
    /// Of a search only the last line and the best move are printed.
    pub minimal: bool,
    /// The user analyses and does not play: every move is searched.
    pub analyse: bool,
    /// Moves are played from the opening book.
    pub own_book: bool,
    /// The book is used until this move of the game.
    pub book_depth: u32,
    /// Who the opponent is.
    pub opponent: String,
    /// The file into which the conversation is written.
    pub log_file: Option<PathBuf>,
    /// Positions with as many men as the endgame tables know are looked up from this depth.
    pub syzygy_probe_depth: i32,
    /// Positions with more men are not looked up.
    pub syzygy_probe_limit: u32,
    /// Whether the fifty-move rule counts in endgame tables.
    pub syzygy_fifty_moves: bool,
    /// Whether to play only as strongly as `elo` says.
    pub limit_strength: bool,
    /// How strongly, if limited.
    pub elo: u32,
    /// How strongly as a level, if not limited otherwise.
    pub skill: u32,
    /// By how many centipawns a move may be worse than the best to be played for a change.
    pub variety: i32,
    /// By how many Elo we are stronger than the opponent; against a weaker one draws are avoided.
    pub contempt: i32,
    /// Decides what is left to chance; 0 is something else each game.
    pub seed: u64,
}

impl Settings {
    /// How strongly to play.
    pub fn strength(&self) -> Strength {
        if self.analyse {
            Strength::FULL
        } else if self.limit_strength {
            Strength::new(self.elo)
        } else {
            Strength::of_skill(self.skill)
        }
    }

    /// By how much moves may be worse than the best, if they may.
    pub(super) fn variety(&self) -> Option<i32> {
        (self.variety > 0 && !self.analyse).then_some(self.variety)
    }

    /// By how many Elo we are stronger, if that is to count.
    pub(super) fn contempt(&self) -> i32 {
        if self.analyse { 0 } else { self.contempt }
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            hash: 16,
            threads: 1,
            move_overhead: 10,
            multipv: 1,
            chess960: false,
            show_wdl: false,
            minimal: false,
            analyse: false,
            own_book: false,
            book_depth: 20,
            opponent: String::new(),
            log_file: None,
            syzygy_probe_depth: 1,
            syzygy_probe_limit: 7,
            syzygy_fifty_moves: true,
            limit_strength: false,
            elo: Strength::FULL.elo(),
            skill: Strength::HIGHEST_SKILL,
            variety: 0,
            contempt: 0,
            seed: 0,
        }
    }
}
