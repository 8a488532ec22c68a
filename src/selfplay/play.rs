//! One game of the engine against itself.

use super::adjudicate::Adjudicator;
use super::opening;
use super::random::Random;
use crate::chess::{Board, Color, Game, GameStatus};
use crate::engine::{EngineError, Limits, Solo};
use crate::eval::Evaluation;
use crate::games::record::{
    DECISIVE, GameRecord, GameResult, NO_SCORE, PackedPosition, Ply, Termination,
};
use crate::search::Job;
use crate::search::score::{Score, is_decisive};

/// How games are played.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Nodes after which no new iteration of a search begins.
    pub nodes: u32,
    /// The share of the games that begin from a start position of Chess960.
    pub chess960: f64,
}

/// A search is cut off at so many times its soft limit.
const HARD_FACTOR: u64 = 8;
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
    solo: Solo,
    rules: Rules,
}

impl Player {
    /// A player that evaluates like this.
    ///
    /// # Errors
    /// If there is no memory for its hash table.
    pub fn new(evaluation: &Evaluation, rules: Rules) -> Result<Player, EngineError> {
        let solo = Solo::new(HASH, evaluation)?;
        Ok(Player { solo, rules })
    }

    /// Plays one game. It depends on the rules, the evaluation and these random numbers alone.
    pub fn play(&mut self, mut random: Random) -> GameRecord {
        self.solo.clear();
        let share = self.rules.chess960;
        let start = |random: &mut Random| match random.chance(share) {
            true => {
                opening::chess960_start(random.below(960)).unwrap_or_else(|_| Board::startpos())
            }
            false => Board::startpos(),
        };
        let mut game = opening::balanced(&mut self.solo, &mut random, start, OPENING_PLIES)
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
            let outcome = self.solo.search(&Job::for_game(&game, limits));
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

/// An iteration that began before so many nodes is finished, within reason.
pub(super) fn soft_limits(nodes: u32) -> Limits {
    Limits {
        soft_nodes: Some(u64::from(nodes)),
        nodes: Some(u64::from(nodes) * HARD_FACTOR),
        ..Limits::default()
    }
}

/// How the rules end the game, if they do.
pub(super) fn end_by_rule(game: &Game) -> Option<(GameResult, Termination)> {
    let draw = |termination| Some((GameResult::Draw, termination));
    match game.status() {
        GameStatus::Checkmate => {
            let winner = match game.board().turn() {
                Color::White => GameResult::BlackWin,
                Color::Black => GameResult::WhiteWin,
            };
            Some((winner, Termination::Checkmate))
        }
        GameStatus::Stalemate => draw(Termination::Stalemate),
        GameStatus::InsufficientMaterial => draw(Termination::InsufficientMaterial),
        GameStatus::FiftyMoves => draw(Termination::FiftyMoves),
        GameStatus::Threefold => draw(Termination::Threefold),
        GameStatus::Ongoing if game.moves().len() >= MAX_PLIES => draw(Termination::MaximumPlies),
        GameStatus::Ongoing => None,
    }
}

/// A score of the side to move from White's view.
pub(super) fn white_view(score: Score, turn: Color) -> Score {
    match turn {
        Color::White => score,
        Color::Black => -score,
    }
}

/// A score as records hold it: what is certain lies beyond [`DECISIVE`].
pub(super) fn recorded(score: Score) -> i16 {
    const MOST: Score = DECISIVE as Score;
    let bounded = match is_decisive(score) {
        true => score.signum() * score.abs().max(MOST),
        false => score,
    };
    bounded.clamp(-Score::from(i16::MAX), Score::from(i16::MAX)) as i16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::score::{MATE, TB_WIN, TB_WIN_IN_MAX_PLY};

    #[test]
    fn certain_scores_are_recorded_as_such_and_no_others() {
        for score in [MATE - 3, TB_WIN - 100, TB_WIN_IN_MAX_PLY] {
            assert!(recorded(score) >= DECISIVE, "{score}");
            assert_eq!(recorded(-score), -recorded(score), "{score}");
        }
        for score in [0, 1, -734, TB_WIN_IN_MAX_PLY - 1] {
            assert_eq!(Score::from(recorded(score)), score);
            assert!(recorded(score).abs() < DECISIVE);
        }
    }

    #[test]
    fn scores_turn_with_the_side_to_move() {
        assert_eq!(white_view(50, Color::White), 50);
        assert_eq!(white_view(50, Color::Black), -50);
    }

    #[test]
    fn the_side_that_gave_mate_has_won() {
        let mated = [
            ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", GameResult::WhiteWin),
            ("7K/6q1/6k1/8/8/8/8/8 w - - 0 1", GameResult::BlackWin),
        ];
        for (fen, winner) in mated {
            let game = Game::new(Board::from_fen(fen).unwrap());
            assert_eq!(end_by_rule(&game), Some((winner, Termination::Checkmate)));
        }
    }
}
