//! Two evaluations play each other, to see which is stronger.
//!
//! Games come in pairs: both play the same random beginning, once as White and once as Black. Every
//! search may make the same number of nodes, so the machine's speed and its other work do not
//! matter, nor does what an evaluation costs: that takes games on a clock.

use super::opening;
use super::play::end_by_rule;
use crate::chess::{Board, Color, Game, GameResult, Random};
use crate::data::adjudicate::Adjudicator;
use crate::data::score::white_view;
use crate::engine::{EngineError, Limits, Searcher, spawn_search_thread};
use crate::eval::Evaluation;
use crate::search::Job;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc;
use std::thread;

/// The hash table of a player, in megabytes.
const HASH: usize = 8;
/// Random moves at the beginning.
const OPENING_PLIES: [usize; 2] = [8, 9];

/// What is to be played.
#[derive(Clone, Debug)]
pub struct Duel {
    /// The two sides.
    pub sides: [Evaluation; 2],
    /// Nodes of each search.
    pub nodes: u64,
    /// Pairs of games.
    pub pairs: u64,
    /// How many threads play.
    pub threads: usize,
    /// The seed of the beginnings: the same seed gives the same games.
    pub seed: u64,
}

/// How it stands, from the first side's view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Games won, drawn and lost.
    pub games: [u64; 3],
    /// Pairs of games in which the first side got 0, ½, 1, 1½ and 2 points.
    pub pairs: [u64; 5],
}

impl Standing {
    /// Takes note of a pair: the half points (0 to 2) of the first side in each of both games.
    fn note(&mut self, halves: [usize; 2]) {
        for half in halves {
            self.games[2 - half] += 1;
        }
        self.pairs[halves[0] + halves[1]] += 1;
    }

    /// The first side's share of the points, from 0 to 1, and the half width of its 95 % interval.
    /// Pairs are what is independent, so their scatter gives the interval.
    pub fn share(&self) -> (f64, f64) {
        let count = self.pairs.iter().sum::<u64>().max(1) as f64;
        let points = |half: usize| half as f64 / 4.0;
        let sum = |value: &dyn Fn(f64) -> f64| {
            let terms = self.pairs.iter().enumerate();
            terms
                .map(|(half, pairs)| *pairs as f64 * value(points(half)))
                .sum::<f64>()
                / count
        };
        let mean = sum(&|share| share);
        let variance = sum(&|share| (share - mean) * (share - mean));
        (mean, 1.96 * (variance / count).sqrt())
    }

    /// The same in Elo: the middle, and the ends of the interval. Infinite where all was won or
    /// lost. <https://en.wikipedia.org/wiki/Elo_rating_system>
    pub fn elo(&self) -> [f64; 3] {
        let (mean, width) = self.share();
        [mean, mean - width, mean + width].map(|share| {
            let share = share.clamp(0.0, 1.0);
            -400.0 * (1.0 / share - 1.0).log10()
        })
    }
}

/// Plays all pairs; `tell` hears how it stands after each.
///
/// # Errors
/// If there is no memory or thread for the players.
pub fn run(duel: &Duel, tell: &mut dyn FnMut(&Standing)) -> Result<Standing, EngineError> {
    let tables = (0..duel.threads.max(1))
        .map(|_| Table::new(duel))
        .collect::<Result<Vec<Table>, EngineError>>()?;
    let next = AtomicU64::new(0);
    let (sender, results) = mpsc::channel();
    let mut standing = Standing::default();
    thread::scope(|scope| {
        for mut table in tables {
            let (next, sender) = (&next, sender.clone());
            spawn_search_thread(scope, "duellist", move || {
                loop {
                    let pair = next.fetch_add(1, Relaxed);
                    if pair >= duel.pairs {
                        return;
                    }
                    let halves = table.play_pair(Random::for_game(duel.seed, pair));
                    if sender.send(halves).is_err() {
                        return;
                    }
                }
            })?;
        }
        drop(sender);
        for halves in results {
            standing.note(halves);
            tell(&standing);
        }
        Ok(standing)
    })
}

/// Where one thread plays: both sides, and who finds the beginnings.
struct Table {
    players: [Searcher; 2],
    arbiter: Searcher,
    nodes: u64,
}

impl Table {
    fn new(duel: &Duel) -> Result<Table, EngineError> {
        let [first, second] = &duel.sides;
        Ok(Table {
            players: [Searcher::new(HASH, first)?, Searcher::new(HASH, second)?],
            arbiter: Searcher::new(1, &Evaluation::PieceSquare)?,
            nodes: duel.nodes,
        })
    }

    /// Both games from one beginning; the half points of the first side.
    fn play_pair(&mut self, mut random: Random) -> [usize; 2] {
        self.arbiter.clear();
        let start = |_: &mut Random| Board::startpos();
        let game = opening::balanced(&mut self.arbiter, &mut random, start, OPENING_PLIES)
            .unwrap_or_default();
        [Color::White, Color::Black].map(|first| {
            let result = self.play(game.clone(), first);
            result.half_points(first).into()
        })
    }

    fn play(&mut self, mut game: Game, first: Color) -> GameResult {
        for player in &mut self.players {
            player.clear();
        }
        let mut adjudicator = Adjudicator::default();
        loop {
            if let Some((result, _)) = end_by_rule(&game) {
                return result;
            }
            let turn = game.board().turn();
            let player = &mut self.players[usize::from(turn != first)];
            let outcome = player.search(&Job::for_game(&game, Limits::nodes(self.nodes)));
            let (Some(m), Some(info)) = (outcome.best, outcome.info) else {
                unreachable!("a game that goes on has a move");
            };
            let score = white_view(info.score, turn);
            let decided = adjudicator.note(score, game.board().fullmove_number());
            if let Some((result, _)) = decided {
                return result;
            }
            game.push(m);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn duel(sides: [Evaluation; 2], pairs: u64, threads: usize) -> Standing {
        let duel = Duel {
            sides,
            nodes: 300,
            pairs,
            threads,
            seed: 7,
        };
        run(&duel, &mut |_| {}).unwrap()
    }

    #[test]
    fn equal_sides_get_half_of_the_points_of_every_pair() {
        let standing = duel([Evaluation::PieceSquare, Evaluation::PieceSquare], 6, 2);
        assert_eq!(standing.pairs, [0, 0, 6, 0, 0]);
        assert_eq!(standing.share(), (0.5, 0.0));
    }

    #[test]
    fn knowing_where_pieces_stand_well_beats_counting_them() {
        let standing = duel([Evaluation::PieceSquare, Evaluation::Material], 60, 2);
        assert_eq!(standing.games.iter().sum::<u64>(), 120);
        assert!(standing.share().0 > 0.6, "{standing:?}");
        let mirrored = duel([Evaluation::Material, Evaluation::PieceSquare], 60, 1);
        let [won, drawn, lost] = standing.games;
        assert_eq!(mirrored.games, [lost, drawn, won]);
    }

    #[test]
    fn the_interval_follows_from_the_scatter_of_pairs() {
        let standing = |pairs| Standing {
            pairs,
            ..Standing::default()
        };
        // Every second pair 2:0, every second 1:1: mean 3/4, standard deviation 1/4.
        let (mean, width) = standing([0, 0, 50, 0, 50]).share();
        assert!((mean - 0.75).abs() < 1e-12);
        assert!((width - 1.96 * 0.25 / 10.0).abs() < 1e-12);
        let [middle, low, high] = standing([0, 0, 50, 0, 50]).elo();
        assert!((middle - 190.8).abs() < 0.1, "{middle}");
        assert!(low < middle && middle < high);
        assert_eq!(standing([0, 0, 0, 0, 9]).elo()[0], f64::INFINITY);
        assert_eq!(standing([9, 0, 0, 0, 0]).elo()[0], f64::NEG_INFINITY);
    }
}
