//! Loads game files as training positions: filters, leaves, validation split, counts.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{io, thread};

use saavedra::chess::{Board, Color, Move, PieceKind, splitmix64};
use saavedra::data::statistics::Correlation;
pub use saavedra::data::store::find_files;
use saavedra::data::{DECISIVE, GameFile, GameRecord, NO_SCORE, ReplayError, ReplayedPly};

use crate::lambda_return::lambda_returns;
use crate::sample::{LabelledPosition, Sample};

/// Which positions are kept for training, and with which scores. Noisy positions and checks never
/// are: their score depends on moves that a static evaluation does not see.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filter {
    /// Positions before this ply are filtered out: they are few and occur in many games.
    pub min_ply: usize,
    /// Positions with a larger score, in centipawns, are filtered out.
    pub max_score: i16,
    /// The share of the games in the validation set, in thousandths.
    pub validation_per_mille: u64,
    /// The λ of [`lambda_returns`], from 0 to 1; with 0 scores stay as they are.
    pub td_lambda: f64,
    /// Which positions of the games in the training set are trained on.
    pub leaves: Leaves,
}

/// Whether leaves are trained on: the positions at the ends of the recorded principal variations.
/// Each is one more position, which needs no search of its own, with the score (or λ-return) of the
/// position that was searched, as in TDLeaf(λ) (Baxter, Tridgell and Weaver 1998).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Leaves {
    /// Positions of the games alone.
    #[default]
    No,
    /// Leaves beside the positions of the games.
    Also,
    /// Leaves alone.
    Only,
}

impl Default for Filter {
    fn default() -> Filter {
        Filter {
            min_ply: 9,
            max_score: 10_000,
            validation_per_mille: 10,
            td_lambda: 0.0,
            leaves: Leaves::No,
        }
    }
}

/// How many games and positions were loaded, and how many positions each filter removed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// Games read.
    pub games: u64,
    /// Games of the validation set.
    pub validation_games: u64,
    /// Games with an illegal start position or move, which were skipped.
    pub illegal_games: u64,
    /// Corrupt places in files, which were skipped.
    pub corrupt: u64,
    /// Positions before a recorded move.
    pub positions: u64,
    /// Filtered out: early in the game, or without a score.
    pub early: u64,
    /// Filtered out: in check.
    pub in_check: u64,
    /// Filtered out: the recorded move is a capture or a promotion.
    pub noisy: u64,
    /// Filtered out: a mate or tablebase score.
    pub decisive: u64,
    /// Filtered out: the recorded score is above the maximum.
    pub large: u64,
    /// Positions of the games that passed all filters, for training and validation together.
    pub kept: u64,
    /// Leaves in the training set.
    pub leaves: u64,
    /// Games won by White, drawn, won by Black.
    pub results: [u64; 3],
    correlation: Correlation,
}

impl Counts {
    /// The correlation of scores (as expected points; λ-returns, if they are trained on) and game
    /// results; 0 if one of them does not vary. A sign error anywhere between self-play and
    /// training makes it small or negative.
    pub fn correlation(&self) -> f64 {
        self.correlation.coefficient().unwrap_or(0.0)
    }

    fn keep(&mut self, sample: &Sample) {
        self.kept += 1;
        let x = f64::from(sample.target(0.0));
        let y = f64::from(sample.result) / 2.0;
        self.correlation.add(x, y);
    }

    fn merge(&mut self, other: &Counts) {
        for (sum, more) in [
            (&mut self.games, other.games),
            (&mut self.validation_games, other.validation_games),
            (&mut self.illegal_games, other.illegal_games),
            (&mut self.corrupt, other.corrupt),
            (&mut self.positions, other.positions),
            (&mut self.early, other.early),
            (&mut self.in_check, other.in_check),
            (&mut self.noisy, other.noisy),
            (&mut self.decisive, other.decisive),
            (&mut self.large, other.large),
            (&mut self.kept, other.kept),
            (&mut self.leaves, other.leaves),
        ] {
            *sum += more;
        }
        for (sum, more) in self.results.iter_mut().zip(other.results) {
            *sum += more;
        }
        self.correlation.merge(&other.correlation);
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { games, validation_games, positions, kept, .. } = self;
        let [white, draws, black] = self.results;
        let percent = |part: u64| 100.0 * part as f64 / (*positions).max(1) as f64;
        writeln!(
            f,
            "games      {games} (+{white} ={draws} -{black}), {validation_games} for validation"
        )?;
        writeln!(
            f,
            "skipped    {} corrupt places, {} illegal games",
            self.corrupt, self.illegal_games
        )?;
        writeln!(f, "positions  {positions}")?;
        for (name, count) in [
            ("early", self.early),
            ("in check", self.in_check),
            ("noisy", self.noisy),
            ("decisive", self.decisive),
            ("large", self.large),
        ] {
            writeln!(f, "  {name:9}{count:10} {:5.1} %", percent(count))?;
        }
        writeln!(f, "kept       {kept} ({:.1} %)", percent(*kept))?;
        writeln!(f, "leaves     {}", self.leaves)?;
        write!(f, "correlation of scores and results {:.3}", self.correlation())
    }
}

/// Training and validation set, which have no game in common.
#[derive(Clone, Debug, Default)]
pub struct Dataset {
    /// The training set.
    pub train: Vec<Sample>,
    /// The validation set.
    pub validation: Vec<Sample>,
    /// What was loaded and filtered out.
    pub counts: Counts,
}

/// Loads game files with `threads` threads. Corrupt places and illegal games are reported to
/// `warn` and skipped. The result does not depend on the number of threads.
///
/// # Errors
/// A file cannot be read.
pub fn load(
    files: &[PathBuf],
    filter: &Filter,
    threads: usize,
    warn: &(dyn Fn(&str) + Sync),
) -> io::Result<Dataset> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<io::Result<Dataset>>>> =
        Mutex::new(files.iter().map(|_| None).collect());
    thread::scope(|scope| {
        for _ in 0..threads.clamp(1, files.len().max(1)) {
            scope.spawn(|| {
                while let Some((index, path)) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    files.get(index).map(|path| (index, path))
                } {
                    let data = load_file(path, filter, warn);
                    if let Ok(mut results) = results.lock() {
                        results[index] = Some(data);
                    }
                }
            });
        }
    });
    let mut all = Dataset::default();
    for data in results.into_inner().unwrap_or_default().into_iter().flatten() {
        let data = data?;
        all.train.extend_from_slice(&data.train);
        all.validation.extend_from_slice(&data.validation);
        all.counts.merge(&data.counts);
    }
    Ok(all)
}

fn load_file(path: &Path, filter: &Filter, warn: &(dyn Fn(&str) + Sync)) -> io::Result<Dataset> {
    let mut data = Dataset::default();
    let in_file =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    let file = match GameFile::open(path).map_err(in_file)? {
        Ok(file) => file,
        Err(corrupt) => {
            warn(&corrupt.to_string());
            data.counts.corrupt += 1;
            return Ok(data);
        }
    };
    let mut games = file.games();
    loop {
        let offset = games.offset();
        match games.next() {
            None => return Ok(data),
            Some(Ok(game)) => {
                if let Err(error) = data.add(&game, filter) {
                    warn(&format!("{}: offset {offset}: {error}", path.display()));
                    data.counts.illegal_games += 1;
                }
            }
            Some(Err(corrupt)) => {
                warn(&corrupt.to_string());
                data.counts.corrupt += 1;
            }
        }
    }
}

impl Dataset {
    /// Adds the positions of a game.
    ///
    /// # Errors
    /// The start position, a move or a principal variation is illegal; then nothing is added.
    pub fn add(&mut self, game: &GameRecord, filter: &Filter) -> Result<(), ReplayError> {
        let mut replay = game.replay()?;
        let plies = replay.by_ref().collect::<Result<Vec<ReplayedPly>, _>>()?;
        let validation = is_validation_game(game, replay.board(), filter.validation_per_mille);
        let leaves = if validation || filter.leaves == Leaves::No {
            Vec::new()
        } else {
            quiet_leaves(game, &plies)?
        };
        let counts = &mut self.counts;
        counts.games += 1;
        counts.validation_games += u64::from(validation);
        let half_points = game.result.half_points(Color::White);
        counts.results[2 - usize::from(half_points)] += 1;
        let scores = lambda_returns(&plies, filter.td_lambda);
        for (number, (ply, score)) in plies.iter().zip(scores).enumerate() {
            counts.positions += 1;
            if let Some(Some(leaf)) = leaves.get(number)
                && has_label(number, ply, score, filter)
            {
                self.train.push(sample(leaf, score, half_points));
                counts.leaves += 1;
            }
            if let Some(count) = filtered_out(number, ply, filter, counts) {
                *count += 1;
                continue;
            }
            let sample = sample(&ply.board, score, half_points);
            counts.keep(&sample);
            if validation {
                self.validation.push(sample);
            } else if filter.leaves != Leaves::Only {
                self.train.push(sample);
            }
        }
        Ok(())
    }
}

/// The minimum length of a principal variation whose leaf is trained on, in plies. Shorter ones often
/// end in a position of the game.
const MIN_PV: usize = 3;
/// A capture that wins less than this, in centipawns of static exchange, leaves a position quiet.
const QUIET_GAIN: i32 = 50;

/// The quiet leaf of each ply.
///
/// # Errors
/// A principal variation is illegal.
fn quiet_leaves(
    game: &GameRecord,
    plies: &[ReplayedPly],
) -> Result<Vec<Option<Board>>, ReplayError> {
    let leaf = |(number, ply): (usize, &ReplayedPly)| {
        let leaf = game.leaf(number, &ply.board)?;
        let is_long = game.pvs.get(number).is_some_and(|pv| pv.len() >= MIN_PV);
        Ok((is_long && is_quiet(&leaf)).then_some(leaf))
    };
    plies.iter().enumerate().map(leaf).collect()
}

/// Whether a position is not in check, has legal moves, and none of them is a promotion or wins
/// material. (A position of a game is quiet if the move that was played is; a leaf has none.)
fn is_quiet(board: &Board) -> bool {
    let moves = board.legal_moves();
    let is_noisy =
        |&m: &Move| m.is_promotion() || board.is_capture(m) && board.see_ge(m, QUIET_GAIN);
    !board.in_check() && !moves.is_empty() && !moves.iter().any(is_noisy)
}

/// Whether the score of a ply is a label for its leaf. The filters are those of positions, but for
/// the ones that need a quiet position.
fn has_label(number: usize, ply: &ReplayedPly, score: i16, filter: &Filter) -> bool {
    let max = filter.max_score.unsigned_abs().min(DECISIVE.unsigned_abs() - 1);
    !ply.is_opening
        && number >= filter.min_ply
        && ply.score.unsigned_abs() <= max
        && score.unsigned_abs() <= max
}

/// The counter of the first filter that removes the position.
fn filtered_out<'a>(
    number: usize,
    ply: &ReplayedPly,
    filter: &Filter,
    counts: &'a mut Counts,
) -> Option<&'a mut u64> {
    let ReplayedPly { board, played, score, is_opening } = ply;
    if *is_opening || number < filter.min_ply || *score == NO_SCORE {
        Some(&mut counts.early)
    } else if board.in_check() {
        Some(&mut counts.in_check)
    } else if board.is_capture(*played) || played.is_promotion() {
        Some(&mut counts.noisy)
    } else if score.unsigned_abs() >= DECISIVE.unsigned_abs() {
        Some(&mut counts.decisive)
    } else if score.unsigned_abs() > filter.max_score.unsigned_abs() {
        Some(&mut counts.large)
    } else {
        None
    }
}

/// The sample of a position with this score, of a game with this result (in half points of White).
fn sample(board: &Board, score: i16, result: u8) -> Sample {
    let pieces = |color| PieceKind::ALL.map(|kind| board.side(color).pieces(kind).0);
    Sample::pack(&LabelledPosition {
        white: pieces(Color::White),
        black: pieces(Color::Black),
        black_to_move: board.turn() == Color::Black,
        score,
        result,
    })
}

/// Whether a game belongs to the validation set. This depends on its start position and opening
/// only, so that games from the same opening, and copies of a game, are in the same set. The
/// opening of a game from a book of positions is its start position.
fn is_validation_game(game: &GameRecord, end: &Board, per_mille: u64) -> bool {
    let opening = &game.plies[..usize::from(game.opening_plies).min(game.plies.len())];
    let start = game.start.iter().flat_map(|start| start.pieces().collect::<Vec<_>>()).fold(
        0,
        |hash, (square, piece)| {
            let [square, kind, color] =
                [square.index() as u64, piece.kind.index() as u64, piece.color.index() as u64];
            splitmix64(hash ^ square << 8 ^ kind << 1 ^ color)
        },
    );
    // Games from the standard start without an opening are distinguished by their final position.
    let has_opening = game.start.is_some() || !opening.is_empty();
    let seed = if has_opening { 1 } else { end.key() };
    let hash = opening
        .iter()
        .fold(splitmix64(start ^ seed), |hash, ply| splitmix64(hash ^ u64::from(ply.move_bits)));
    hash % 1000 < per_mille
}
