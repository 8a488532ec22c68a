//! Matches between two players, to measure which is stronger.
//!
//! Games come in pairs: both players play the same random opening once as White and once as Black.
//! Searches are limited by nodes or by a strength, not by time, so the result does not depend on
//! the machine. Only games on a clock measure what an evaluation costs in speed.

use super::opening;
use super::play::game_end;
use crate::chess::{Board, Color, Game, GameResult, Random};
use crate::data::Adjudicator;
use crate::engine::{EngineError, Limits, Searcher, Strength, search_in_parallel};
use crate::eval::Evaluation;
use crate::search::{SearchRequest, SearchResult};

/// The transposition table of a player, in megabytes.
const HASH: usize = 8;

/// What limits the searches of a player.
#[derive(Clone, Copy, Debug)]
pub enum PlayerLimit {
    /// A number of nodes.
    Nodes(u64),
    /// A strength below the full one, as the UCI option `UCI_Elo` sets it.
    Strength(Strength),
}

/// The configuration of a player.
#[derive(Clone, Debug)]
pub struct PlayerConfig {
    /// The evaluation.
    pub evaluation: Evaluation,
    /// What limits its searches.
    pub limit: PlayerLimit,
}

/// A player of a match.
pub struct MatchPlayer {
    searcher: Searcher,
    limit: PlayerLimit,
    seed: u64,
}

impl MatchPlayer {
    /// A player with this configuration.
    ///
    /// # Errors
    /// If its transposition table cannot be allocated.
    pub fn new(config: &PlayerConfig) -> Result<MatchPlayer, EngineError> {
        Ok(MatchPlayer {
            searcher: Searcher::new(HASH, &config.evaluation)?,
            limit: config.limit,
            seed: 0,
        })
    }

    /// Starts a new game. The seed determines the mistakes of a limited strength.
    pub fn new_game(&mut self, seed: u64) {
        self.searcher.clear();
        self.seed = seed;
    }

    /// Searches the last position of a game.
    pub fn search(&mut self, game: &Game) -> SearchResult {
        let mut limits = Limits::default();
        let handicap = match self.limit {
            PlayerLimit::Nodes(nodes) => {
                limits.nodes = Some(nodes);
                None
            }
            PlayerLimit::Strength(strength) => {
                strength.weaken(game.board(), self.seed, &mut limits)
            }
        };
        self.searcher.search(&SearchRequest { handicap, ..SearchRequest::for_game(game, limits) })
    }
}

/// How the games of a match are played.
#[derive(Clone, Copy, Debug)]
pub struct MatchRules {
    /// The two lengths of an opening, in plies.
    pub opening_plies: [usize; 2],
    /// A game of this length is a draw.
    pub max_plies: usize,
    /// Whether games are adjudicated by score.
    pub adjudicate: bool,
}

/// The configuration of a match.
#[derive(Clone, Debug)]
pub struct MatchConfig {
    /// The two players.
    pub players: [PlayerConfig; 2],
    /// How the games are played.
    pub rules: MatchRules,
    /// The number of pairs of games.
    pub pairs: u64,
    /// The number of threads.
    pub threads: usize,
    /// The seed of the openings. The mistakes of limited strengths depend on the number of the game
    /// only, so equal seeds give equal matches.
    pub seed: u64,
}

/// The score of a match from the first player's view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatchScore {
    /// Games won, drawn and lost.
    pub games: [u64; 3],
    /// Pentanomial counts: the pairs of games in which the first player scored 0, ½, 1, 1½ and 2
    /// points.
    pub pairs: [u64; 5],
}

impl MatchScore {
    /// Adds a pair: the half points (0 to 2) of the first player in each of both games.
    fn add(&mut self, half_points: [u8; 2]) {
        let [first, second] = half_points.map(usize::from);
        self.games[2 - first] += 1;
        self.games[2 - second] += 1;
        self.pairs[first + second] += 1;
    }

    /// The first player's fraction of the points, from 0 to 1, and half the width of its 95 %
    /// confidence interval, from the variance of the pairs, which are independent.
    pub fn fraction(&self) -> (f64, f64) {
        let count = self.pairs.iter().sum::<u64>().max(1) as f64;
        let mean_of = |value: &dyn Fn(f64) -> f64| {
            let pairs = self.pairs.iter().enumerate();
            let values = pairs.map(|(points, pairs)| *pairs as f64 * value(points as f64 / 4.0));
            values.sum::<f64>() / count
        };
        let mean = mean_of(&|fraction| fraction);
        let variance = mean_of(&|fraction| (fraction - mean) * (fraction - mean));
        (mean, 1.96 * (variance / count).sqrt())
    }

    /// The difference in Elo and the ends of its 95 % confidence interval; infinite if all games
    /// were won or lost. <https://www.chessprogramming.org/Match_Statistics>
    pub fn elo(&self) -> [f64; 3] {
        let (mean, width) = self.fraction();
        [mean, mean - width, mean + width].map(|fraction| {
            let fraction = fraction.clamp(0.0, 1.0);
            400.0 * (fraction / (1.0 - fraction)).log10()
        })
    }
}

/// Plays a match. `on_pair` gets the score after each pair.
///
/// # Errors
/// If a player cannot be allocated or a thread not started.
pub fn run(
    config: &MatchConfig,
    on_pair: &mut dyn FnMut(&MatchScore),
) -> Result<MatchScore, EngineError> {
    let players = (0..config.threads.max(1)).map(|_| PairPlayer::new(config));
    let players = players.collect::<Result<Vec<PairPlayer>, EngineError>>()?;
    let pairs = 0..usize::try_from(config.pairs).unwrap_or(usize::MAX);
    let play = |player: &mut PairPlayer, pair| player.play(config, pair as u64);
    let mut score = MatchScore::default();
    search_in_parallel("match", players, pairs, play, |_, half_points| {
        score.add(half_points);
        on_pair(&score);
        Ok::<_, EngineError>(())
    })?;
    Ok(score)
}

/// What a thread needs to play pairs of games.
struct PairPlayer {
    players: [MatchPlayer; 2],
    openings: Openings,
}

impl PairPlayer {
    fn new(config: &MatchConfig) -> Result<PairPlayer, EngineError> {
        let [first, second] = &config.players;
        Ok(PairPlayer {
            players: [MatchPlayer::new(first)?, MatchPlayer::new(second)?],
            openings: Openings::new()?,
        })
    }

    /// Plays both games of a pair; the half points of the first player.
    fn play(&mut self, config: &MatchConfig, pair: u64) -> [u8; 2] {
        let plies = config.rules.opening_plies;
        let opening = self.openings.find(config.seed, pair, plies);
        [(0, Color::White), (1, Color::Black)].map(|(number, first_color)| {
            // The players get different seeds, or two limited strengths would make the same
            // mistakes.
            for (player, side) in self.players.iter_mut().zip(0..) {
                player.new_game(2 * (2 * pair + number) + side);
            }
            let [first, second] = &mut self.players;
            let by_color = match first_color {
                Color::White => [first, second],
                Color::Black => [second, first],
            };
            let (_, result) = play_game(opening.clone(), by_color, &config.rules);
            result.half_points(first_color)
        })
    }
}

/// Makes the random openings of matches. They depend on the seed and the number alone, not on the
/// evaluations of the players.
pub struct Openings(Searcher);

impl Openings {
    /// A source of openings.
    ///
    /// # Errors
    /// If its transposition table cannot be allocated.
    pub fn new() -> Result<Openings, EngineError> {
        Ok(Openings(Searcher::new(1, &Evaluation::PieceSquare)?))
    }

    /// The opening with this number, which has one of two lengths.
    pub fn find(&mut self, seed: u64, number: u64, plies: [usize; 2]) -> Game {
        self.0.clear();
        let mut random = Random::for_game(seed, number);
        let start = |_: &mut Random| Board::startpos();
        opening::balanced(&mut self.0, &mut random, start, plies).unwrap_or_default()
    }
}

/// Plays a game to its end. The players are White and Black.
pub fn play_game(
    mut game: Game,
    players: [&mut MatchPlayer; 2],
    rules: &MatchRules,
) -> (Game, GameResult) {
    let mut adjudicator = Adjudicator::default();
    loop {
        if let Some((result, _)) = game_end(&game, rules.max_plies) {
            return (game, result);
        }
        let turn = game.board().turn();
        let found = players[turn.index()].search(&game);
        let Some(m) = found.best else {
            unreachable!("an ongoing game has a legal move");
        };
        let move_number = game.board().fullmove_number();
        let adjudicated = found
            .line()
            .filter(|_| rules.adjudicate)
            .and_then(|line| adjudicator.add(line.score.white_view(turn).value(), move_number));
        if let Some((result, _)) = adjudicated {
            return (game, result);
        }
        game.push(m);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play_match(evaluations: [Evaluation; 2], pairs: u64, threads: usize) -> MatchScore {
        let config = MatchConfig {
            players: evaluations
                .map(|evaluation| PlayerConfig { evaluation, limit: PlayerLimit::Nodes(300) }),
            rules: MatchRules { opening_plies: [8, 9], max_plies: 800, adjudicate: true },
            pairs,
            threads,
            seed: 7,
        };
        run(&config, &mut |_| {}).unwrap()
    }

    #[test]
    fn equal_players_score_half_of_the_points_of_every_pair() {
        let score = play_match([Evaluation::PieceSquare, Evaluation::PieceSquare], 6, 2);
        assert_eq!(score.pairs, [0, 0, 6, 0, 0]);
        assert_eq!(score.fraction(), (0.5, 0.0));
    }

    #[test]
    fn piece_square_tables_beat_material() {
        let score = play_match([Evaluation::PieceSquare, Evaluation::Material], 60, 2);
        assert_eq!(score.games.iter().sum::<u64>(), 120);
        assert!(score.fraction().0 > 0.6, "{score:?}");
        let mirrored = play_match([Evaluation::Material, Evaluation::PieceSquare], 60, 1);
        let [won, drawn, lost] = score.games;
        assert_eq!(mirrored.games, [lost, drawn, won]);
    }

    #[test]
    fn a_higher_strength_wins() {
        let player = |elo| PlayerConfig {
            evaluation: Evaluation::PieceSquare,
            limit: PlayerLimit::Strength(Strength::new(elo)),
        };
        let config = MatchConfig {
            players: [player(1750), player(750)],
            rules: MatchRules { opening_plies: [6, 8], max_plies: 400, adjudicate: false },
            pairs: 10,
            threads: 2,
            seed: 1,
        };
        let score = run(&config, &mut |_| {}).unwrap();
        assert!(score.fraction().0 > 0.6, "{score:?}");
        assert_eq!(run(&config, &mut |_| {}).unwrap(), score);
    }

    #[test]
    fn the_interval_follows_from_the_variance_of_pairs() {
        let score = |pairs| MatchScore { pairs, ..MatchScore::default() };
        // Every second pair 2:0, every second 1:1: mean 3/4, standard deviation 1/4.
        let (mean, width) = score([0, 0, 50, 0, 50]).fraction();
        assert!((mean - 0.75).abs() < 1e-12);
        assert!((width - 1.96 * 0.25 / 10.0).abs() < 1e-12);
        let [middle, low, high] = score([0, 0, 50, 0, 50]).elo();
        assert!((middle - 190.8).abs() < 0.1, "{middle}");
        assert!(low < middle && middle < high);
        let even = score([0, 0, 9, 0, 0]).elo().map(|elo| format!("{elo:.0}"));
        assert_eq!(even, ["0"; 3]);
        assert_eq!(score([0, 0, 0, 0, 9]).elo()[0], f64::INFINITY);
        assert_eq!(score([9, 0, 0, 0, 0]).elo()[0], f64::NEG_INFINITY);
    }
}
