//! One game of the engine against itself.

use super::opening;
use crate::chess::{Board, Game, GameResult, GameStatus, Random};
use crate::data::adjudicate::Adjudicator;
use crate::data::record::{GameRecord, NO_SCORE, PackedPosition, Ply, Termination};
use crate::data::score::{recorded, soft_limits, white_view};
use crate::engine::{EngineError, Searcher};
use crate::eval::Evaluation;
use crate::search::Job;

/// How games are played.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Nodes after which no new iteration of a search begins.
    pub nodes: u32,
    /// The share of the games that begin from a start position of Chess960.
    pub chess960: f64,
}

/// The share of the games that are played to their end, whatever the scores say.
const PLAYED_OUT: f64 = 0.1;
/// Longer games are drawn.
const MAX_PLIES: usize = 800;
/// Random moves at the beginning.
const OPENING_PLIES: [usize; 2] = [8, 9];
/// The hash table of a player, in megabytes: a game makes few nodes.
const HASH: usize = 4;

/// Plays games on the calling thread.
pub struct Player {
    searcher: Searcher,
    rules: Rules,
}

impl Player {
    /// A player that evaluates like this.
    ///
    /// # Errors
    /// If there is no memory for its hash table.
    pub fn new(evaluation: &Evaluation, rules: Rules) -> Result<Player, EngineError> {
        let searcher = Searcher::new(HASH, evaluation)?;
        Ok(Player { searcher, rules })
    }

    /// Plays one game. It depends on the rules, the evaluation and these random numbers alone.
    pub fn play(&mut self, mut random: Random) -> GameRecord {
        self.searcher.clear();
        let share = self.rules.chess960;
        let start = |random: &mut Random| match random.chance(share) {
            true => {
                opening::chess960_start(random.below(960)).unwrap_or_else(|_| Board::startpos())
            }
            false => Board::startpos(),
        };
        let mut game = opening::balanced(&mut self.searcher, &mut random, start, OPENING_PLIES)
            .unwrap_or_default();
        let opening_plies = game.moves().len();
        let mut plies: Vec<Ply> = game
            .moves()
            .iter()
            .map(|m| Ply {
                move_bits: m.bits(),
                score: NO_SCORE,
            })
            .collect();
        let played_out = random.chance(PLAYED_OUT);
        let mut adjudicator = Adjudicator::default();
        let mut verdict = None;
        let (result, termination) = loop {
            if let Some(end) = end_by_rule(&game).or(verdict) {
                break end;
            }
            let limits = soft_limits(self.rules.nodes);
            let outcome = self.searcher.search(&Job::for_game(&game, limits));
            let (Some(m), Some(info)) = (outcome.best, outcome.info) else {
                unreachable!("a game that goes on has a move");
            };
            let board = game.board();
            let score = white_view(info.score, board.turn());
            let decided = adjudicator.note(score, board.fullmove_number());
            verdict = decided.filter(|_| !played_out);
            plies.push(Ply {
                move_bits: m.bits(),
                score: recorded(score),
            });
            game.push(m);
        };
        let standard = *game.start_position() == Board::startpos();
        GameRecord {
            start: (!standard).then(|| PackedPosition::from_board(game.start_position())),
            result,
            termination,
            opening_plies: opening_plies as u16,
            plies,
        }
    }
}

/// How the game ended, if it did: by the rules, or as a draw at [`MAX_PLIES`].
pub(super) fn end_by_rule(game: &Game) -> Option<(GameResult, Termination)> {
    let termination = match game.status() {
        GameStatus::Checkmate => Termination::Checkmate,
        GameStatus::Stalemate => Termination::Stalemate,
        GameStatus::InsufficientMaterial => Termination::InsufficientMaterial,
        GameStatus::FiftyMoves => Termination::FiftyMoves,
        GameStatus::Threefold => Termination::Threefold,
        GameStatus::Ongoing if game.moves().len() >= MAX_PLIES => Termination::MaximumPlies,
        GameStatus::Ongoing => return None,
    };
    Some((game.result().unwrap_or(GameResult::Draw), termination))
}
