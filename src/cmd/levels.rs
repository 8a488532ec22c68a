//! `saavedra levels`: the strengths of the option `UCI_Elo` against each other, and the mistakes
//! they make.
//!
//! Prints the two tables of `docs/STRENGTH_LEVELS.md`. All is decided by fixed seeds, and by nodes
//! instead of time, so that it comes out the same everywhere.

use super::CommandResult;
use crate::chess::{Board, Color, Game, GameResult, GameStatus, Move, Random};
use crate::engine::{self, EngineError, Limits, Searcher, Strength};
use crate::eval::Evaluation;
use crate::search::Job;
use crate::selfplay::opening;
use std::io::{self, Write};

/// What to measure.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Games of each strength against the one below.
    #[arg(long, value_name = "N", default_value_t = 100)]
    games: usize,
    /// The weakest.
    #[arg(long, value_name = "ELO", default_value_t = 500, value_parser = clap::value_parser!(u32).range(500..=3000))]
    from: u32,
    /// The strongest.
    #[arg(long, value_name = "ELO", default_value_t = 2750, value_parser = clap::value_parser!(u32).range(500..=3000))]
    to: u32,
    /// From one to the next.
    #[arg(long, value_name = "ELO", default_value_t = 250, value_parser = clap::value_parser!(u32).range(1..))]
    step: u32,
    /// Positions in which moves are judged, and as many in which there is a mate in one.
    #[arg(long, value_name = "N", default_value_t = 250)]
    positions: usize,
}

/// The hash table of a player, in megabytes.
const HASH: usize = 4;
/// Longer games are drawn.
const MAX_PLIES: usize = 400;
/// Random moves at the beginning of a game.
const OPENING_PLIES: [usize; 2] = [6, 8];
/// Nodes of the searches that judge moves.
const JUDGING: u64 = 20_000;
/// A move loses at most so much, in centipawns: more does not matter.
const MOST_LOSS: i32 = 1000;
/// A move that loses so much to an answer that takes has hung a piece.
const PIECE: i32 = 200;

/// A player of some strength, with what it remembers of the game.
struct Player {
    searcher: Searcher,
    strength: Strength,
    seed: u64,
}

impl Player {
    fn new(elo: u32, evaluation: &Evaluation) -> Result<Player, EngineError> {
        Ok(Player {
            searcher: Searcher::new(HASH, evaluation)?,
            strength: Strength::new(elo),
            seed: 0,
        })
    }

    fn new_game(&mut self, seed: u64) {
        self.searcher.clear();
        self.seed = seed;
    }

    /// The move it makes; none if the game is over.
    fn choose(&mut self, game: &Game) -> Option<Move> {
        let board = *game.board();
        let mut limits = Limits::default();
        let handicap = self.strength.weaken(&board, self.seed, &mut limits);
        let job = Job {
            handicap,
            ..Job::for_game(game, limits)
        };
        self.searcher.search(&job).best
    }
}

/// Plays a game on; the players by colour.
fn play(mut game: Game, players: [&mut Player; 2]) -> Game {
    while game.status() == GameStatus::Ongoing && game.moves().len() < MAX_PLIES {
        let Some(m) = players[game.board().turn().index()].choose(&game) else {
            break;
        };
        game.push(m);
    }
    game
}

/// The beginning of a game: random moves after which it is still open.
fn opening(searcher: &mut Searcher, seed: u64, number: u64) -> Game {
    searcher.clear();
    let mut random = Random::for_game(seed, number);
    opening::balanced(searcher, &mut random, |_| Board::startpos(), OPENING_PLIES)
        .unwrap_or_default()
}

/// The games of two strengths: won, drawn and lost by the higher. Each opening is played twice.
fn play_match(
    evaluation: &Evaluation,
    high: u32,
    low: u32,
    games: usize,
) -> Result<[usize; 3], EngineError> {
    let mut judge = Searcher::new(HASH, evaluation)?;
    let (mut strong, mut weak) = (
        Player::new(high, evaluation)?,
        Player::new(low, evaluation)?,
    );
    let mut results = [0; 3];
    for number in 0..games {
        let start = opening(&mut judge, high.into(), number as u64 / 2);
        // With the same seed both would be mistaken in the same places.
        strong.new_game(2 * number as u64);
        weak.new_game(2 * number as u64 + 1);
        let color = Color::ALL[number % 2];
        let players = match color {
            Color::White => [&mut strong, &mut weak],
            Color::Black => [&mut weak, &mut strong],
        };
        let end = play(start, players);
        let result = end.result().unwrap_or(GameResult::Draw);
        results[2 - usize::from(result.half_points(color))] += 1;
    }
    Ok(results)
}

/// Positions from games of middling strength, and such as have a mate in one.
fn positions(evaluation: &Evaluation, count: usize) -> Result<[Vec<Game>; 2], EngineError> {
    let mut judge = Searcher::new(HASH, evaluation)?;
    let (mut one, mut other) = (
        Player::new(1500, evaluation)?,
        Player::new(1250, evaluation)?,
    );
    let (mut any, mut mates) = (Vec::new(), Vec::new());
    for number in 0.. {
        if any.len() >= count && mates.len() >= count {
            break;
        }
        one.new_game(number);
        other.new_game(number);
        let start = opening(&mut judge, 1, number);
        let mut passed = start.clone();
        let first = start.moves().len();
        let game = play(start, [&mut one, &mut other]);
        let mut random = Random::for_game(2, number);
        for m in &game.moves()[first..] {
            if has_mate(passed.board()) {
                mates.push(passed.clone());
            } else if random.below(10) == 0 {
                any.push(passed.clone());
            }
            passed.push(*m);
        }
    }
    any.truncate(count);
    mates.truncate(count);
    Ok([any, mates])
}

fn has_mate(board: &Board) -> bool {
    board.children().any(|(_, child)| child.is_checkmate())
}

/// What a strength does in the positions.
#[derive(Default)]
struct Mistakes {
    loss: i64,
    hung: usize,
    mates_missed: usize,
}

/// The score for the side to move, cut where more does not matter, and the best move.
fn judge(searcher: &mut Searcher, board: &Board) -> (i32, Option<Move>) {
    searcher.clear();
    let outcome = searcher.search(&Job::new(*board, Limits::nodes(JUDGING)));
    let score = match outcome.info {
        Some(info) => info.score.clamp(-2 * MOST_LOSS, 2 * MOST_LOSS),
        None if board.in_check() => -2 * MOST_LOSS,
        None => 0,
    };
    (score, outcome.best)
}

fn mistakes(
    evaluation: &Evaluation,
    elo: u32,
    any: &[Game],
    mates: &[Game],
    best: &[i32],
) -> Result<Mistakes, EngineError> {
    let mut player = Player::new(elo, evaluation)?;
    let mut searcher = Searcher::new(HASH, evaluation)?;
    let mut found = Mistakes::default();
    for (i, (game, best)) in any.iter().zip(best).enumerate() {
        player.new_game(i as u64);
        let Some(m) = player.choose(game) else {
            continue;
        };
        let child = game.board().make(m);
        let (score, answer) = judge(&mut searcher, &child);
        let loss = (best + score).clamp(0, MOST_LOSS);
        found.loss += i64::from(loss);
        let takes = answer.is_some_and(|m| child.them().occupied().has(m.to()));
        found.hung += usize::from(takes && loss >= PIECE);
    }
    for (i, game) in mates.iter().enumerate() {
        player.new_game(i as u64);
        let m = player.choose(game);
        let mates = m.is_some_and(|m| game.board().make(m).is_checkmate());
        found.mates_missed += usize::from(!mates);
    }
    Ok(found)
}

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> CommandResult {
    let evaluation = engine::embedded_evaluation()?;
    let steps = (arguments.from..=arguments.to).step_by(arguments.step as usize);
    let steps: Vec<u32> = steps.collect();
    let mut out = io::stdout().lock();
    if arguments.games > 0 {
        let titles = "| Elo | against | won | drawn | lost | score |";
        writeln!(out, "{titles}\n|---|---|---|---|---|---|")?;
        for pair in steps.windows(2) {
            let (high, low) = (pair[1], pair[0]);
            let [won, drawn, lost] = play_match(&evaluation, high, low, arguments.games)?;
            let score = percent(2 * won + drawn, 2 * arguments.games);
            writeln!(
                out,
                "| {high} | {low} | {won} | {drawn} | {lost} | {score} |"
            )?;
        }
        writeln!(out)?;
    }
    if arguments.positions > 0 {
        let [any, mates] = positions(&evaluation, arguments.positions)?;
        let mut searcher = Searcher::new(HASH, &evaluation)?;
        let best: Vec<i32> = any
            .iter()
            .map(|g| judge(&mut searcher, g.board()).0)
            .collect();
        let titles = "| Elo | mean loss | pieces hung | mates in one missed |";
        writeln!(out, "{titles}\n|---|---|---|---|")?;
        for elo in steps {
            let found = mistakes(&evaluation, elo, &any, &mates, &best)?;
            let loss = found.loss / any.len() as i64;
            let hung = percent(found.hung, any.len());
            let missed = percent(found.mates_missed, mates.len());
            writeln!(out, "| {elo} | {loss} cp | {hung} | {missed} |")?;
        }
    }
    Ok(())
}

fn percent(part: usize, whole: usize) -> String {
    format!("{:.1} %", 100.0 * part as f64 / whole as f64)
}
