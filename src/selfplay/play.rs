//! One game of self-play.

use super::opening;
use crate::chess::{Board, Game, GameResult, Random};
use crate::data::{
    Adjudicator, GameRecord, NO_SCORE, PackedPosition, PlyRecord, Termination, score_to_record,
    self_play_limits,
};
use crate::engine::{EngineError, Searcher};
use crate::eval::Evaluation;
use crate::search::SearchRequest;

/// How games are played.
#[derive(Clone, Copy, Debug)]
pub struct GameConfig {
    /// The soft node limit of a search.
    pub nodes: u32,
    /// The fraction of games that start from a random Chess960 position, from 0 to 1.
    pub chess960: f64,
    /// Whether the principal variations of the searches are recorded.
    pub records_pvs: bool,
}

/// The fraction of games that are not adjudicated.
const PLAYED_OUT: f64 = 0.1;
/// A game of this length is a draw.
const MAX_PLIES: usize = 800;
/// The two lengths of an opening.
const OPENING_PLIES: [usize; 2] = [8, 9];
/// The transposition table of a player, in megabytes. A game has few nodes, and a small table stays
/// in the cache of the processor.
const HASH: usize = 1;

/// Plays games on the calling thread.
pub struct SelfPlayer {
    searcher: Searcher,
    config: GameConfig,
}

impl SelfPlayer {
    /// A player with this evaluation.
    ///
    /// # Errors
    /// If its transposition table cannot be allocated.
    pub fn new(evaluation: &Evaluation, config: GameConfig) -> Result<SelfPlayer, EngineError> {
        let searcher = Searcher::new(HASH, evaluation)?;
        Ok(SelfPlayer { searcher, config })
    }

    /// Plays one game. It depends only on the configuration, the evaluation and the random numbers.
    pub fn play(&mut self, mut random: Random) -> GameRecord {
        self.searcher.clear();
        let mut game = self.opening(&mut random);
        let opening_plies = game.moves().len();
        let mut plies: Vec<PlyRecord> = game
            .moves()
            .iter()
            .map(|m| PlyRecord { move_bits: m.bits(), score: NO_SCORE })
            .collect();
        let mut pvs = Vec::new();
        if self.config.records_pvs {
            pvs.resize(opening_plies, Vec::new());
        }
        let is_played_out = random.chance(PLAYED_OUT);
        let mut adjudicator = Adjudicator::default();
        let mut adjudicated = None;
        let (result, termination) = loop {
            if let Some(end) = game_end(&game, MAX_PLIES).or(adjudicated) {
                break end;
            }
            let limits = self_play_limits(self.config.nodes);
            let found = self.searcher.search(&SearchRequest::for_game(&game, limits));
            let (Some(m), Some(line)) = (found.best, found.line()) else {
                unreachable!("an ongoing game has a legal move");
            };
            let board = game.board();
            let score = line.score.white_view(board.turn()).value();
            adjudicated =
                adjudicator.add(score, board.fullmove_number()).filter(|_| !is_played_out);
            plies.push(PlyRecord { move_bits: m.bits(), score: score_to_record(score) });
            if self.config.records_pvs {
                pvs.push(line.pv.iter().map(|m| m.bits()).collect());
            }
            game.push(m);
        };
        let start = game.start_position();
        GameRecord {
            start: (*start != Board::startpos()).then(|| PackedPosition::from_board(start)),
            result,
            termination,
            opening_plies: opening_plies as u16,
            plies,
            pvs,
        }
    }

    fn opening(&mut self, random: &mut Random) -> Game {
        // Once for all tries: openings of both kinds are not equally often balanced.
        let is_chess960 = random.chance(self.config.chess960);
        let start = |random: &mut Random| {
            if is_chess960 {
                Board::chess960_startpos(random.below(960))
            } else {
                Board::startpos()
            }
        };
        opening::balanced(&mut self.searcher, random, start, OPENING_PLIES).unwrap_or_default()
    }
}

/// How the game ended: by the rules of chess, or as a draw at the maximum length; `None` while it
/// is ongoing.
pub(super) fn game_end(game: &Game, max_plies: usize) -> Option<(GameResult, Termination)> {
    match Termination::from_status(game.status()) {
        Some(termination) => Some((game.result()?, termination)),
        None if game.moves().len() >= max_plies => {
            Some((GameResult::Draw, Termination::MaximumPlies))
        }
        None => None,
    }
}
