//! A backend for tests: it returns the first legal move.

use saavedra::search::{Info, PvLine, SearchResult};
use saavedra_web::backend::{Backend, BackendFactory, SearchTask, StopSignal};
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Creates [`Stub`]s.
#[derive(Clone, Default)]
pub struct StubFactory {
    /// Whether no further engine can be created.
    pub fails: Arc<AtomicBool>,
    /// The number of engines created for reviews.
    pub review_engines: Arc<AtomicUsize>,
    /// Of each of them, whether its first search was to begin with empty tables.
    pub review_starts: Arc<Mutex<Vec<bool>>>,
}

/// With this node limit a [`Stub`] fails.
pub const FAILING_NODES: u64 = 666;

/// Returns the first legal move. It searches for the whole move time, or for 10 ms if nodes or
/// depth are limited.
#[derive(Default)]
pub struct Stub {
    /// Where the first search is noted.
    starts: Option<Arc<Mutex<Vec<bool>>>>,
}

impl BackendFactory for StubFactory {
    fn create(&self) -> Result<Box<dyn Backend>, String> {
        if self.fails.load(Ordering::Relaxed) {
            return Err("no memory".to_owned());
        }
        Ok(Box::new(Stub::default()))
    }

    fn create_for_review(&self, _nodes: Option<u64>) -> Result<Box<dyn Backend>, String> {
        self.review_engines.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(Stub { starts: Some(Arc::clone(&self.review_starts)) }))
    }

    fn name(&self) -> String {
        "Stub 1".to_owned()
    }

    fn elo_range(&self) -> Option<RangeInclusive<u32>> {
        Some(1000..=2000)
    }
}

impl Backend for Stub {
    fn search(
        &mut self,
        task: &SearchTask,
        stop: &StopSignal,
        on_info: &mut dyn FnMut(Info),
    ) -> SearchResult {
        if let Some(starts) = self.starts.take() {
            let mut starts = starts.lock().unwrap_or_else(PoisonError::into_inner);
            starts.push(task.new_game);
        }
        let limits = &task.parameters.limits;
        if limits.nodes == Some(FAILING_NODES) {
            return SearchResult::default();
        }
        let start = Instant::now();
        let time = if limits.nodes.is_some() || limits.depth.is_some() {
            Duration::from_millis(10)
        } else {
            task.parameters.move_time()
        };
        let mut depth = 0;
        loop {
            depth += 1;
            let info = info(task, depth, start.elapsed());
            on_info(info.clone());
            // Short steps, so that the end and the stop signal are noticed.
            let step = Instant::now() + Duration::from_millis(20);
            while Instant::now() < step {
                if stop.is_set() || start.elapsed() >= time {
                    return result(info);
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }
}

/// The nodes that every search of a [`Stub`] counts.
pub const NODES: u64 = 100;

fn info(task: &SearchTask, depth: u32, time: Duration) -> Info {
    let moves = task.game.board().legal_moves();
    let moves = moves.iter().take(task.parameters.multipv as usize);
    let mut info = Info::default();
    (info.progress.nodes, info.progress.time) = (NODES, time);
    info.lines = (1..)
        .zip(moves)
        .map(|(multipv, m)| PvLine::new((30 - 10 * multipv).into(), depth, vec![*m]))
        .collect();
    info
}

fn result(info: Info) -> SearchResult {
    let mut result = SearchResult::default();
    (result.lines, result.progress) = (info.lines, info.progress);
    result.best = result.line().and_then(|line| line.pv.first().copied());
    result
}
