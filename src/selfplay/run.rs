//! Many games on many threads, into files.
//!
//! Threads play, the calling thread writes each game as soon as it is over. So whatever ends the
//! program, only games in progress are lost.

use super::play::{Player, Rules};
use crate::chess::{Color, Random};
use crate::data::RunError;
use crate::data::record::{FileHeader, GameRecord, engine_name};
use crate::data::store::{self, FileError, Found, Shards};
use crate::engine::{EngineError, spawn_search_thread};
use crate::eval::Evaluation;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// What a run is to do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Where the files go; made if it does not exist.
    pub folder: PathBuf,
    /// How games are played.
    pub rules: Rules,
    /// The generation of the network that plays.
    pub generation: u32,
    /// How many threads play.
    pub threads: usize,
    /// The seed of the run. If the folder has games of it, one that follows from it is taken.
    pub seed: u64,
    /// End after so many games.
    pub games: Option<u64>,
    /// Begin no game after so many positions.
    pub positions: Option<u64>,
    /// Begin no game after this time.
    pub time: Option<Duration>,
    /// Bytes of a file at most.
    pub max_size: u64,
}

/// What has been played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Games.
    pub games: u64,
    /// Plies, those of the openings included.
    pub plies: u64,
    /// Positions with a score.
    pub positions: u64,
    /// Games by result: Black won, draw, White won.
    pub results: [u64; 3],
    /// Since the run began.
    pub time: Duration,
}

impl Tally {
    fn note(&mut self, game: &GameRecord) {
        let opening = u64::from(game.opening_plies);
        self.games += 1;
        self.plies += game.plies.len() as u64;
        self.positions += game.plies.len() as u64 - opening;
        self.results[usize::from(game.result.half_points(Color::White))] += 1;
    }

    /// Positions a second.
    pub fn speed(&self) -> f64 {
        self.positions as f64 / self.time.as_secs_f64().max(1e-9)
    }
}

/// What a run tells.
#[derive(Debug)]
pub enum Event<'a> {
    /// It begins, with this seed; the folder was found like this.
    Begin(u64, &'a Found),
    /// A game has been written, or a second has passed.
    Progress(&'a Tally),
}

/// What the threads share.
struct Desk<'a> {
    plan: &'a Plan,
    seed: u64,
    begin: Instant,
    next: AtomicU64,
    enough: AtomicBool,
}

impl Desk<'_> {
    /// The number of the next game, if there is to be one.
    fn next(&self) -> Option<u64> {
        let late = self
            .plan
            .time
            .is_some_and(|time| self.begin.elapsed() >= time);
        if late || self.enough.load(Relaxed) {
            return None;
        }
        let number = self.next.fetch_add(1, Relaxed);
        let wanted = self.plan.games.unwrap_or(u64::MAX);
        (number < wanted).then_some(number)
    }
}

/// Plays until the plan is fulfilled, and tells about it. The same plan in an empty folder gives
/// the same games, in the same order if there is one thread.
///
/// # Errors
/// If memory, a thread or a file fails; what was played until then is written.
pub fn run(
    plan: &Plan,
    evaluation: &Evaluation,
    tell: &mut dyn FnMut(Event<'_>),
) -> Result<Tally, RunError> {
    let found = store::tidy(&plan.folder)?;
    let seed = store::unused_seed(plan.seed, &found.seeds);
    tell(Event::Begin(seed, &found));
    let header = FileHeader {
        engine: engine_name(evaluation),
        nodes: plan.rules.nodes,
        generation: plan.generation,
        seed,
    };
    let mut shards = Shards::new(&plan.folder, header, plan.max_size);
    let players = (0..plan.threads.max(1))
        .map(|_| Player::new(evaluation, plan.rules))
        .collect::<Result<Vec<Player>, EngineError>>()?;
    let desk = Desk {
        plan,
        seed,
        begin: Instant::now(),
        next: AtomicU64::new(0),
        enough: AtomicBool::new(false),
    };
    let mut tally = Tally::default();
    let (sender, games) = mpsc::sync_channel(plan.threads.max(1));
    thread::scope(|scope| {
        for mut player in players {
            let (desk, sender) = (&desk, sender.clone());
            spawn_search_thread(scope, "player", move || {
                while let Some(number) = desk.next() {
                    let game = player.play(Random::for_game(desk.seed, number));
                    if sender.send(game).is_err() {
                        return;
                    }
                }
            })?;
        }
        drop(sender);
        // Returning drops the receiver: threads whose games nobody takes end.
        let result = collect(games, &desk, &mut shards, &mut tally, tell);
        desk.enough.store(true, Relaxed);
        result.map_err(RunError::File)
    })?;
    tally.time = desk.begin.elapsed();
    Ok(tally)
}

/// Writes games until no thread plays any more.
fn collect(
    games: mpsc::Receiver<GameRecord>,
    desk: &Desk<'_>,
    shards: &mut Shards,
    tally: &mut Tally,
    tell: &mut dyn FnMut(Event<'_>),
) -> Result<(), FileError> {
    loop {
        match games.recv_timeout(Duration::from_secs(1)) {
            Ok(game) => {
                shards.write(&game)?;
                tally.note(&game);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        let wanted = desk.plan.positions.unwrap_or(u64::MAX);
        if tally.positions >= wanted {
            desk.enough.store(true, Relaxed);
        }
        tally.time = desk.begin.elapsed();
        tell(Event::Progress(tally));
    }
}
