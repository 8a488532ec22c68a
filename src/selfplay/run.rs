//! Runs of self-play: many games on several threads, written to files.
//!
//! The threads play; the calling thread writes each game as soon as it ends. If the program is
//! killed, unfinished games are lost, and the few finished ones that wait to be written.

use super::play::{GameConfig, SelfPlayer};
use crate::chess::{Color, Random};
use crate::data::store::{self, FileError, FolderContent, ShardWriter};
use crate::data::{DataError, FileHeader, GameRecord, engine_name};
use crate::engine::{EngineError, spawn_search_thread};
use crate::eval::Evaluation;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// The configuration of a run.
#[derive(Clone, Debug)]
pub struct RunConfig {
    /// The folder for the files. It is created if it does not exist.
    pub folder: PathBuf,
    /// How games are played.
    pub game: GameConfig,
    /// The generation of the network that plays.
    pub generation: u32,
    /// The number of threads.
    pub threads: usize,
    /// The seed of the run. If the folder has games with this seed, another one is derived from it.
    pub seed: u64,
    /// The number of games.
    pub max_games: Option<u64>,
    /// No game starts after this number of positions.
    pub max_positions: Option<u64>,
    /// No game starts after this time.
    pub max_time: Option<Duration>,
    /// The maximum size of a file, in bytes.
    pub max_file_size: u64,
}

/// Counts of a run so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunCounts {
    /// Games.
    pub games: u64,
    /// Plies, including the openings.
    pub plies: u64,
    /// Positions with a score.
    pub positions: u64,
    /// Games by the half points of White: Black wins, draws, White wins.
    pub results: [u64; 3],
    /// The time since the start of the run.
    pub time: Duration,
}

impl RunCounts {
    fn add(&mut self, game: &GameRecord) {
        let opening = u64::from(game.opening_plies);
        self.games += 1;
        self.plies += game.plies.len() as u64;
        self.positions += game.plies.len() as u64 - opening;
        self.results[usize::from(game.result.half_points(Color::White))] += 1;
    }

    /// Positions per second.
    pub fn speed(&self) -> f64 {
        self.positions as f64 / self.time.as_secs_f64().max(1e-9)
    }
}

/// An event of a run.
#[derive(Debug)]
pub enum RunEvent<'a> {
    /// The run starts with this seed; the content of its folder.
    Start(u64, &'a FolderContent),
    /// A game was written, or a second has passed.
    Progress(&'a RunCounts),
}

/// The games that are still to be played, shared by the threads.
struct GameQueue<'a> {
    config: &'a RunConfig,
    seed: u64,
    start: Instant,
    next: AtomicU64,
    stopped: AtomicBool,
}

impl GameQueue<'_> {
    /// The number of the next game; `None` when a limit of the run is reached.
    fn next(&self) -> Option<u64> {
        let max_time = self.config.max_time;
        let is_late = max_time.is_some_and(|max_time| self.start.elapsed() >= max_time);
        if is_late || self.stopped.load(Relaxed) {
            return None;
        }
        let number = self.next.fetch_add(1, Relaxed);
        let max_games = self.config.max_games.unwrap_or(u64::MAX);
        (number < max_games).then_some(number)
    }
}

/// Plays until a limit of the configuration is reached. If that is the number of games, the same
/// configuration with an empty folder gives the same games, and with one thread also in the same
/// order. With the other limits the number of games depends on the speed of the threads.
///
/// # Errors
/// If memory, a thread or a file fails. The games that were written until then are kept.
pub fn run(
    config: &RunConfig,
    evaluation: &Evaluation,
    on_event: &mut dyn FnMut(RunEvent<'_>),
) -> Result<RunCounts, DataError> {
    let content = store::prepare_folder(&config.folder)?;
    let seed = store::unused_seed(config.seed, &content.seeds);
    on_event(RunEvent::Start(seed, &content));
    let header = FileHeader {
        engine: engine_name(evaluation),
        nodes: config.game.nodes,
        generation: config.generation,
        seed,
    };
    let mut writer = ShardWriter::new(&config.folder, header, config.max_file_size);
    let players = (0..config.threads.max(1))
        .map(|_| SelfPlayer::new(evaluation, config.game))
        .collect::<Result<Vec<SelfPlayer>, EngineError>>()?;
    let queue = GameQueue {
        config,
        seed,
        start: Instant::now(),
        next: AtomicU64::new(0),
        stopped: AtomicBool::new(config.max_positions == Some(0)),
    };
    let mut counts = RunCounts::default();
    let (sender, games) = mpsc::sync_channel(config.threads.max(1));
    thread::scope(|scope| {
        for mut player in players {
            let (queue, sender) = (&queue, sender.clone());
            spawn_search_thread(scope, "self-play", move || {
                while let Some(number) = queue.next() {
                    let game = player.play(Random::for_game(queue.seed, number));
                    if sender.send(game).is_err() {
                        return;
                    }
                }
            })?;
        }
        drop(sender);
        // When this returns, the receiver is dropped, and threads that want to send a game end.
        let result = write_games(games, &queue, &mut writer, &mut counts, on_event);
        queue.stopped.store(true, Relaxed);
        result.map_err(DataError::File)
    })?;
    counts.time = queue.start.elapsed();
    Ok(counts)
}

/// Writes the games until all threads have ended.
fn write_games(
    games: mpsc::Receiver<GameRecord>,
    queue: &GameQueue<'_>,
    writer: &mut ShardWriter,
    counts: &mut RunCounts,
    on_event: &mut dyn FnMut(RunEvent<'_>),
) -> Result<(), FileError> {
    loop {
        match games.recv_timeout(Duration::from_secs(1)) {
            Ok(game) => {
                writer.write(&game)?;
                counts.add(&game);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        let max_positions = queue.config.max_positions.unwrap_or(u64::MAX);
        if counts.positions >= max_positions {
            queue.stopped.store(true, Relaxed);
        }
        counts.time = queue.start.elapsed();
        on_event(RunEvent::Progress(counts));
    }
}
