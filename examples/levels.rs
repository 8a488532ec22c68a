//! Measures the strengths of the option `UCI_Elo` against each other, and their mistakes.
//!
//! `cargo run --release --example levels -- --games 200 --positions 600`
//!
//! Prints the two tables of `docs/STRENGTH_LEVELS.md`. Seeds are fixed and searches are limited by
//! nodes, so the tables are the same on every machine.

use clap::Parser;
use saavedra::chess::{Board, Game, Move, Random};
use saavedra::engine::{self, EngineError, Limits, Searcher, Strength};
use saavedra::eval::Evaluation;
use saavedra::search::SearchRequest;
use saavedra::selfplay::match_runner::{
    self, MatchConfig, MatchPlayer, MatchRules, Openings, PlayerConfig, PlayerLimit, play_game,
};
use std::error::Error;
use std::io::{self, Write};

/// Prints two tables for strengths of UCI_Elo: matches of each against the one below, and the
/// mistakes in test positions.
#[derive(Parser)]
struct Arguments {
    /// Games of each strength against the one below; an odd number is rounded up.
    #[arg(long, value_name = "N", default_value_t = 100)]
    games: u64,
    /// The lowest strength.
    #[arg(long, value_name = "ELO", default_value_t = 500, value_parser = clap::value_parser!(u32).range(500..3000))]
    from: u32,
    /// The highest strength.
    #[arg(long, value_name = "ELO", default_value_t = 2750, value_parser = clap::value_parser!(u32).range(500..3000))]
    to: u32,
    /// The difference between two strengths.
    #[arg(long, value_name = "ELO", default_value_t = 250, value_parser = clap::value_parser!(u32).range(1..))]
    step: u32,
    /// Test positions, and as many with a mate in one.
    #[arg(long, value_name = "N", default_value_t = 250)]
    positions: usize,
}

const RULES: MatchRules = MatchRules { opening_plies: [6, 8], max_plies: 400, adjudicate: false };
/// The transposition table of the searches that judge moves, in megabytes.
const HASH: usize = 4;
/// The node limit of these searches.
const NODES: u64 = 20_000;
/// The maximum loss of a move, in centipawns.
const MAX_LOSS: i32 = 1000;
/// A move with this loss that is answered by a capture has hung a piece, in centipawns.
const HUNG_PIECE_MIN_LOSS: i32 = 200;
/// The strengths that play the games with the test positions.
const TEST_GAME_STRENGTHS: [u32; 2] = [1500, 1250];
/// One of this many positions of these games becomes a test position.
const TEST_POSITION_INTERVAL: usize = 10;

fn player(elo: u32, evaluation: &Evaluation) -> PlayerConfig {
    PlayerConfig {
        evaluation: evaluation.clone(),
        limit: PlayerLimit::Strength(Strength::new(elo)),
    }
}

/// Test positions, as games that end there.
struct TestPositions {
    /// Random positions.
    any: Vec<Game>,
    /// Positions with a mate in one.
    mates: Vec<Game>,
    /// The scores of the positions in `any` for the side to move.
    scores: Vec<i32>,
}

impl TestPositions {
    fn new(evaluation: &Evaluation, count: usize) -> Result<TestPositions, EngineError> {
        let mut openings = Openings::new()?;
        let [first, second] = TEST_GAME_STRENGTHS.map(|elo| player(elo, evaluation));
        let (mut white, mut black) = (MatchPlayer::new(&first)?, MatchPlayer::new(&second)?);
        let (mut any, mut mates) = (Vec::new(), Vec::new());
        for number in 0.. {
            if any.len() >= count && mates.len() >= count {
                break;
            }
            white.new_game(number);
            black.new_game(number);
            let opening = openings.find(1, number, RULES.opening_plies);
            let mut position = opening.clone();
            let opening_plies = opening.moves().len();
            let (game, _) = play_game(opening, [&mut white, &mut black], &RULES);
            let mut random = Random::for_game(2, number);
            for m in &game.moves()[opening_plies..] {
                if has_mate_in_one(position.board()) {
                    mates.push(position.clone());
                } else if random.below(TEST_POSITION_INTERVAL) == 0 {
                    any.push(position.clone());
                }
                position.push(*m);
            }
        }
        any.truncate(count);
        mates.truncate(count);
        let mut searcher = Searcher::new(HASH, evaluation)?;
        let scores = any.iter().map(|game| judge(&mut searcher, game.board()).0);
        Ok(TestPositions { scores: scores.collect(), any, mates })
    }
}

fn has_mate_in_one(board: &Board) -> bool {
    board.children().any(|(_, child)| child.is_checkmate())
}

/// The score for the side to move, bounded so that differences stay within [`MAX_LOSS`], and the
/// best move.
fn judge(searcher: &mut Searcher, board: &Board) -> (i32, Option<Move>) {
    const MAX_SCORE: i32 = 2 * MAX_LOSS;
    searcher.clear();
    let found = searcher.search(&SearchRequest::new(*board, Limits::nodes(NODES)));
    let score = match found.line() {
        Some(line) => line.score.value().clamp(-MAX_SCORE, MAX_SCORE),
        None if board.in_check() => -MAX_SCORE,
        None => 0,
    };
    (score, found.best)
}

/// The mistakes of a strength in the test positions.
#[derive(Default)]
struct Mistakes {
    /// Sum of the losses, in centipawns.
    loss: i64,
    hung_pieces: usize,
    missed_mates: usize,
}

impl Mistakes {
    fn count(
        evaluation: &Evaluation,
        elo: u32,
        positions: &TestPositions,
    ) -> Result<Mistakes, EngineError> {
        let mut player = MatchPlayer::new(&player(elo, evaluation))?;
        let mut searcher = Searcher::new(HASH, evaluation)?;
        let mut mistakes = Mistakes::default();
        for (i, (game, best)) in positions.any.iter().zip(&positions.scores).enumerate() {
            player.new_game(i as u64);
            let Some(m) = player.search(game).best else {
                continue;
            };
            let child = game.board().make(m);
            let (score, answer) = judge(&mut searcher, &child);
            let loss = (best + score).clamp(0, MAX_LOSS);
            mistakes.loss += i64::from(loss);
            let is_captured = answer.is_some_and(|m| child.is_capture(m));
            mistakes.hung_pieces += usize::from(is_captured && loss >= HUNG_PIECE_MIN_LOSS);
        }
        for (i, game) in positions.mates.iter().enumerate() {
            player.new_game(i as u64);
            let m = player.search(game).best;
            let is_mate = m.is_some_and(|m| game.board().make(m).is_checkmate());
            mistakes.missed_mates += usize::from(!is_mate);
        }
        Ok(mistakes)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let evaluation = engine::embedded_evaluation()?;
    let strengths = (arguments.from..=arguments.to).step_by(arguments.step as usize);
    let strengths: Vec<u32> = strengths.collect();
    let mut out = io::stdout().lock();
    if arguments.games > 0 {
        print_matches(&evaluation, &strengths, arguments.games, &mut out)?;
        writeln!(out)?;
    }
    if arguments.positions > 0 {
        print_mistakes(&evaluation, &strengths, arguments.positions, &mut out)?;
    }
    Ok(())
}

fn print_matches(
    evaluation: &Evaluation,
    strengths: &[u32],
    games: u64,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let head = "| Elo | against | won | drawn | lost | score |";
    writeln!(out, "{head}\n|---|---|---|---|---|---|")?;
    for pair in strengths.windows(2) {
        let (low, high) = (pair[0], pair[1]);
        let config = MatchConfig {
            players: [high, low].map(|elo| player(elo, evaluation)),
            rules: RULES,
            pairs: games.div_ceil(2),
            threads: 1,
            seed: high.into(),
        };
        let score = match_runner::run(&config, &mut |_| {})?;
        let [won, drawn, lost] = score.games;
        let percent = 100.0 * score.fraction().0;
        writeln!(out, "| {high} | {low} | {won} | {drawn} | {lost} | {percent:.1} % |")?;
    }
    Ok(())
}

fn print_mistakes(
    evaluation: &Evaluation,
    strengths: &[u32],
    count: usize,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let positions = TestPositions::new(evaluation, count)?;
    let head = "| Elo | mean loss | pieces hung | mates in one missed |";
    writeln!(out, "{head}\n|---|---|---|---|")?;
    let percent = |part: usize, all: usize| format!("{:.1} %", 100.0 * part as f64 / all as f64);
    for elo in strengths {
        let mistakes = Mistakes::count(evaluation, *elo, &positions)?;
        let loss = mistakes.loss / positions.any.len() as i64;
        let hung = percent(mistakes.hung_pieces, positions.any.len());
        let missed = percent(mistakes.missed_mates, positions.mates.len());
        writeln!(out, "| {elo} | {loss} cp | {hung} | {missed} |")?;
    }
    Ok(())
}
