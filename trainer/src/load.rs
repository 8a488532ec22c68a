//! From files of games to training positions: which files, which games are held out, which
//! positions are kept, and how many of each.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{io, thread};

use saavedra::chess::{Board, Color, PieceKind};
use saavedra::data::record::{DECISIVE, Fault, GameFile, GameRecord, NO_SCORE};
use saavedra::data::replay::Moment;
use saavedra::data::statistics::Correlation;
pub use saavedra::data::store::files;

use crate::order::mix;
use crate::sample::{Labelled, Sample, sigmoid};

/// Which positions are worth training on: quiet ones, whose score the network can know without
/// searching.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filter {
    /// Positions before this ply are left out: they are few and occur often.
    pub min_ply: usize,
    /// Scores larger than this, in centipawns, are left out.
    pub max_score: i16,
    /// So many games of a thousand are held out, whole.
    pub held_out_per_mille: u64,
}

impl Default for Filter {
    fn default() -> Filter {
        Filter {
            min_ply: 9,
            max_score: 10_000,
            held_out_per_mille: 10,
        }
    }
}

/// Why positions were left out, and how many.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// Games read.
    pub games: u64,
    /// Games held out.
    pub held_out_games: u64,
    /// Games whose moves are not legal.
    pub broken_games: u64,
    /// Damaged places in files.
    pub faults: u64,
    /// Positions with a move played in them.
    pub positions: u64,
    /// Left out: too early in the game or not searched.
    pub early: u64,
    /// Left out: in check.
    pub in_check: u64,
    /// Left out: the move played is a capture or a promotion.
    pub noisy: u64,
    /// Left out: a mate or tablebase score.
    pub decisive: u64,
    /// Left out: a large score.
    pub large: u64,
    /// Kept, for training and held out together.
    pub kept: u64,
    /// Games won by White, drawn, won by Black.
    pub results: [u64; 3],
    agreement: Correlation,
}

impl Counts {
    /// How well scores (as expected points) agree with results: their correlation; 0 where one of
    /// them does not vary. A wrong point of view anywhere between playing and training shows here.
    pub fn correlation(&self) -> f64 {
        self.agreement.coefficient().unwrap_or(0.0)
    }

    fn keep(&mut self, sample: &Sample) {
        self.kept += 1;
        let x = f64::from(sigmoid(f32::from(sample.score) / 400.0));
        let y = f64::from(sample.result) / 2.0;
        self.agreement.note(x, y);
    }

    fn merge(&mut self, other: &Counts) {
        for (sum, more) in [
            (&mut self.games, other.games),
            (&mut self.held_out_games, other.held_out_games),
            (&mut self.broken_games, other.broken_games),
            (&mut self.faults, other.faults),
            (&mut self.positions, other.positions),
            (&mut self.early, other.early),
            (&mut self.in_check, other.in_check),
            (&mut self.noisy, other.noisy),
            (&mut self.decisive, other.decisive),
            (&mut self.large, other.large),
            (&mut self.kept, other.kept),
        ] {
            *sum += more;
        }
        for (sum, more) in self.results.iter_mut().zip(other.results) {
            *sum += more;
        }
        self.agreement.merge(&other.agreement);
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts {
            games,
            held_out_games,
            positions,
            kept,
            ..
        } = self;
        let [white, draws, black] = self.results;
        let share = |part: u64| 100.0 * part as f64 / (*positions).max(1) as f64;
        writeln!(
            f,
            "games      {games} (+{white} ={draws} -{black}), {held_out_games} held out"
        )?;
        writeln!(
            f,
            "damaged    {} places, {} games",
            self.faults, self.broken_games
        )?;
        writeln!(f, "positions  {positions}")?;
        for (name, count) in [
            ("early", self.early),
            ("in check", self.in_check),
            ("noisy", self.noisy),
            ("decisive", self.decisive),
            ("large", self.large),
        ] {
            writeln!(f, "  {name:9}{count:10} {:5.1} %", share(count))?;
        }
        writeln!(f, "kept       {kept} ({:.1} %)", share(*kept))?;
        write!(
            f,
            "scores and results correlate by {:.3}",
            self.correlation()
        )
    }
}

/// Positions for training and for measuring, never from the same game.
#[derive(Clone, Debug, Default)]
pub struct Data {
    /// Positions to train on.
    pub train: Vec<Sample>,
    /// Positions of the games held out.
    pub held_out: Vec<Sample>,
    /// What was read and left out.
    pub counts: Counts,
}

/// Reads the files with so many threads. Damaged places are handed to `fault` and skipped; what is
/// kept does not depend on the number of threads. An unreadable file is an error.
pub fn load(
    files: &[PathBuf],
    filter: &Filter,
    threads: usize,
    fault: &(dyn Fn(&str) + Sync),
) -> io::Result<Data> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<io::Result<Data>>>> =
        Mutex::new(files.iter().map(|_| None).collect());
    thread::scope(|scope| {
        for _ in 0..threads.clamp(1, files.len().max(1)) {
            scope.spawn(|| {
                while let Some((number, path)) = {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    files.get(number).map(|path| (number, path))
                } {
                    let data = load_file(path, filter, fault);
                    if let Ok(mut results) = results.lock() {
                        results[number] = Some(data);
                    }
                }
            });
        }
    });
    let mut all = Data::default();
    for data in results
        .into_inner()
        .unwrap_or_default()
        .into_iter()
        .flatten()
    {
        let data = data?;
        all.train.extend_from_slice(&data.train);
        all.held_out.extend_from_slice(&data.held_out);
        all.counts.merge(&data.counts);
    }
    Ok(all)
}

fn load_file(path: &Path, filter: &Filter, fault: &(dyn Fn(&str) + Sync)) -> io::Result<Data> {
    let mut data = Data::default();
    let in_file =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    let file = match GameFile::open(path).map_err(in_file)? {
        Ok(file) => file,
        Err(damage) => {
            fault(&damage.to_string());
            data.counts.faults += 1;
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
                    fault(&format!("{}: offset {offset}: {error}", path.display()));
                    data.counts.broken_games += 1;
                }
            }
            Some(Err(damage)) => {
                let damage: Fault = damage;
                fault(&damage.to_string());
                data.counts.faults += 1;
            }
        }
    }
}

impl Data {
    /// Adds a game's positions; nothing of a game that cannot be played.
    pub fn add(
        &mut self,
        game: &GameRecord,
        filter: &Filter,
    ) -> Result<(), saavedra::data::replay::ReplayError> {
        let mut replay = game.replay()?;
        let moments = replay.by_ref().collect::<Result<Vec<Moment>, _>>()?;
        let held_out = is_held_out(game, replay.board(), filter.held_out_per_mille);
        let counts = &mut self.counts;
        counts.games += 1;
        counts.held_out_games += u64::from(held_out);
        let half_points = game.result.half_points(Color::White);
        counts.results[2 - usize::from(half_points)] += 1;
        let to = if held_out {
            &mut self.held_out
        } else {
            &mut self.train
        };
        for (ply, moment) in moments.iter().enumerate() {
            counts.positions += 1;
            if let Some(reason) = reason_to_leave_out(ply, moment, filter, counts) {
                *reason += 1;
                continue;
            }
            let sample = sample(moment, half_points);
            counts.keep(&sample);
            to.push(sample);
        }
        Ok(())
    }
}

/// The counter of the first reason to leave a position out.
fn reason_to_leave_out<'a>(
    ply: usize,
    moment: &Moment,
    filter: &Filter,
    counts: &'a mut Counts,
) -> Option<&'a mut u64> {
    let Moment {
        board,
        played,
        score,
        opening,
    } = moment;
    // A castling king's move ends on its own rook.
    let is_capture = played.is_en_passant() || board.them().piece_at(played.to()).is_some();
    if *opening || ply < filter.min_ply || *score == NO_SCORE {
        Some(&mut counts.early)
    } else if board.in_check() {
        Some(&mut counts.in_check)
    } else if is_capture || played.is_promotion() {
        Some(&mut counts.noisy)
    } else if score.unsigned_abs() >= DECISIVE.unsigned_abs() {
        Some(&mut counts.decisive)
    } else if score.unsigned_abs() > filter.max_score.unsigned_abs() {
        Some(&mut counts.large)
    } else {
        None
    }
}

/// The training position for a moment of a game with this result (twice White's points).
fn sample(moment: &Moment, result: u8) -> Sample {
    let men = |color| PieceKind::ALL.map(|kind| moment.board.side(color).pieces(kind).0);
    Sample::pack(&Labelled {
        white: men(Color::White),
        black: men(Color::Black),
        black_to_move: moment.board.turn() == Color::Black,
        score: moment.score,
        result,
    })
}

/// Whether a whole game is held out: decided by its start and its opening, so that games from the
/// same opening, and copies of a game, are on the same side.
fn is_held_out(game: &GameRecord, end: &Board, per_mille: u64) -> bool {
    let opening = &game.plies[..usize::from(game.opening_plies).min(game.plies.len())];
    let start = game
        .start
        .iter()
        .flat_map(|start| start.men().collect::<Vec<_>>())
        .fold(0, |hash, man| {
            let (square, kind, black) = man;
            mix(hash ^ u64::from(square) << 8 ^ u64::from(kind) << 1 ^ u64::from(black))
        });
    // A game without an opening is told by its end.
    let seed = if opening.is_empty() { end.key() } else { 1 };
    let hash = opening.iter().fold(mix(start ^ seed), |hash, ply| {
        mix(hash ^ u64::from(ply.move_bits))
    });
    hash % 1000 < per_mille
}
