//! A running search: its events, its progress, its result.

use super::PendingTask;
use crate::chess::Move;
use crate::mutex::lock;
use crate::search::{Info, SearchProgress, SearchResult, SharedState};
use crossbeam_channel::{Receiver, RecvTimeoutError};
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::Duration;

/// An event of a running search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// The PV lines of an iteration, or a fail high or low of the first one.
    Info(Info),
    /// The root move that is searched now.
    CurrentMove {
        /// The depth of the iteration.
        depth: u32,
        /// The move.
        m: Move,
        /// Its number in the move order, from 1.
        move_number: usize,
    },
    /// The search has ended. No event follows.
    Finished(SearchResult),
    /// The search has ended without a result. No event follows.
    Failed(SearchError),
}

/// Why a search ended without a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchError {
    /// A search thread panicked.
    Panicked,
    /// The engine has no search thread: the system refused to start one.
    NoThread,
    /// The search had to run on the caller's thread, and another one was started before it began.
    NotBegun,
}

impl fmt::Display for SearchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SearchError::Panicked => "a search thread panicked; its search has ended",
            SearchError::NoThread => "there is no search thread",
            SearchError::NotBegun => "another search was started before this one began",
        })
    }
}

impl std::error::Error for SearchError {}

/// Stops a search and reads its counters, also from other threads.
///
/// It does not keep the engine's memory: without the engine, after a change of its transposition
/// table or threads, or once the engine has started another search, it does nothing and counts
/// nothing.
#[derive(Clone)]
pub struct SearchControl {
    shared: Weak<SharedState>,
    /// The number of the search.
    number: u64,
}

impl SearchControl {
    /// Controls the search that began last.
    pub(super) fn new(shared: &Arc<SharedState>) -> SearchControl {
        SearchControl { shared: Arc::downgrade(shared), number: shared.search_number() }
    }

    /// Ends the search as soon as possible. Returns at once; the result follows as an event.
    pub fn stop(&self) {
        if let Some(shared) = self.shared.upgrade() {
            shared.stop_search(self.number);
        }
    }

    /// The opponent played the ponder move: the engine's clock runs from now on.
    pub fn ponder_hit(&self) {
        if let Some(shared) = self.shared.upgrade() {
            shared.ponder_hit(self.number);
        }
    }

    /// The counters now.
    pub fn progress(&self) -> SearchProgress {
        self.read(SharedState::progress).unwrap_or_default()
    }

    /// Time since the search started.
    pub(crate) fn time(&self) -> Duration {
        self.read(SharedState::search_time).unwrap_or_default()
    }

    /// Whether the engine has started no other search.
    pub(super) fn is_last(&self) -> bool {
        self.read(|_| ()).is_some()
    }

    /// Reads the state of the search, if it is still the last one.
    fn read<T>(&self, value: impl FnOnce(&SharedState) -> T) -> Option<T> {
        let shared = self.shared.upgrade()?;
        let value = value(&shared);
        // Checked afterwards: another search may begin meanwhile.
        (shared.search_number() == self.number).then_some(value)
    }
}

/// A search that is running or has ended.
///
/// Dropping it neither stops the search nor waits for it. Dropping its [`Engine`](super::Engine)
/// stops it.
///
/// ```
/// use saavedra::chess::Game;
/// use saavedra::engine::{Engine, Limits};
///
/// let mut engine = Engine::new()?;
/// let search = engine.start(&Game::default(), Limits::depth(8));
/// for info in search.infos() {
///     let line = &info.lines[0];
///     println!("depth {} score {}", line.depth, line.score);
///     if line.depth == 4 {
///         search.stop();
///     }
/// }
/// let result = search.wait()?;
/// assert!(result.best.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Search {
    events: Receiver<Event>,
    control: SearchControl,
    /// The search itself, if it has to run on this thread.
    pending: Mutex<Option<PendingTask>>,
    /// Set when the last event was received.
    result: OnceLock<Result<SearchResult, SearchError>>,
}

impl Search {
    pub(super) fn new(
        control: SearchControl,
        events: Receiver<Event>,
        pending: Option<PendingTask>,
    ) -> Search {
        Search { events, control, pending: Mutex::new(pending), result: OnceLock::new() }
    }

    /// Iterates over the events not received yet, and waits for the next ones. The last one is
    /// [`Event::Finished`] or [`Event::Failed`].
    pub fn events(&self) -> impl Iterator<Item = Event> {
        std::iter::from_fn(|| {
            if self.result.get().is_some() {
                return None;
            }
            self.run_pending();
            Some(match self.events.recv() {
                Ok(event) => self.received(event),
                Err(_) => self.disconnected(),
            })
        })
    }

    /// Iterates over the iterations with their PV lines, until the search ends.
    pub fn infos(&self) -> impl Iterator<Item = Info> {
        self.events().filter_map(|event| match event {
            Event::Info(info) if info.is_exact() => Some(info),
            _ => None,
        })
    }

    /// The next event, if it comes within this time; `None` also after the last event.
    pub fn next_event_within(&self, timeout: Duration) -> Option<Event> {
        if self.result.get().is_some() {
            return None;
        }
        self.run_pending();
        match self.events.recv_timeout(timeout) {
            Ok(event) => Some(self.received(event)),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(self.disconnected()),
        }
    }

    /// Ends the search as soon as possible. Returns at once; [`wait`](Search::wait) has the result.
    pub fn stop(&self) {
        self.control.stop();
    }

    /// The opponent played the ponder move: the engine's clock runs from now on.
    pub fn ponder_hit(&self) {
        self.control.ponder_hit();
    }

    /// The counters now.
    pub fn progress(&self) -> SearchProgress {
        self.control.progress()
    }

    /// Something that stops the search from another thread.
    pub fn control(&self) -> SearchControl {
        self.control.clone()
    }

    /// Waits for the end of the search.
    ///
    /// # Errors
    /// If the search failed.
    pub fn wait(self) -> Result<SearchResult, SearchError> {
        for _ in self.events() {}
        self.result.into_inner().unwrap_or(Err(SearchError::Panicked))
    }

    /// Runs a search that has to run on this thread.
    fn run_pending(&self) {
        let mut pending = lock(&self.pending);
        if let Some(task) = pending.take() {
            task.run(|| {});
        }
    }

    fn received(&self, event: Event) -> Event {
        let result = match &event {
            Event::Finished(result) => Ok(result.clone()),
            Event::Failed(error) => Err(*error),
            _ => return event,
        };
        // There is only one last event.
        let _ = self.result.set(result);
        event
    }

    /// The channel was closed without a last event.
    fn disconnected(&self) -> Event {
        self.received(Event::Failed(SearchError::Panicked))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Game;
    use crate::engine::{Engine, Limits};
    use crate::eval::Evaluation;
    use crossbeam_channel::{Sender, unbounded};

    fn search() -> (Sender<Event>, Search) {
        let shared = SharedState::new(1, 1).expect("a megabyte");
        let (sender, events) = unbounded();
        (sender, Search::new(SearchControl::new(&Arc::new(shared)), events, None))
    }

    fn send(sender: &Sender<Event>, event: Event) {
        sender.send(event).expect("the search receives");
    }

    #[test]
    fn wait_returns_the_error_of_a_failed_search() {
        let (sender, failed) = search();
        send(&sender, Event::Failed(SearchError::NoThread));
        assert_eq!(failed.wait(), Err(SearchError::NoThread));
    }

    #[test]
    fn a_closed_channel_is_an_error() {
        let (sender, search) = search();
        drop(sender);
        let events: Vec<Event> = search.events().collect();
        assert_eq!(events, [Event::Failed(SearchError::Panicked)]);
        assert_eq!(search.wait(), Err(SearchError::Panicked));
    }

    #[test]
    fn the_result_is_kept_after_all_events_were_received() {
        let (sender, search) = search();
        let result = SearchResult::default();
        send(&sender, Event::Finished(result.clone()));
        assert_eq!(search.infos().count(), 0);
        assert_eq!(search.next_event_within(Duration::ZERO), None);
        assert_eq!(search.events().next(), None);
        assert_eq!(search.wait(), Ok(result));
    }

    #[test]
    fn the_next_event_is_awaited_only_for_the_timeout() {
        let (sender, search) = search();
        assert_eq!(search.next_event_within(Duration::ZERO), None);
        send(&sender, Event::Failed(SearchError::Panicked));
        let event = search.next_event_within(Duration::ZERO);
        assert_eq!(event, Some(Event::Failed(SearchError::Panicked)));
    }

    #[test]
    fn a_control_does_not_keep_the_transposition_table() {
        let mut engine = Engine::with_evaluation(1, 1, Evaluation::PieceSquare).expect("an engine");
        let search = engine.start(&Game::default(), Limits::depth(4));
        let control = search.control();
        search.wait().expect("a result");
        assert!(control.progress().nodes > 0);
        let key = Game::default().board().key();
        engine.set_threads(2).expect("two threads");
        assert!(engine.shared.tt.probe(key, 0, 0).is_some());
        assert!(control.shared.upgrade().is_none());
        control.stop();
        assert_eq!(control.progress(), SearchProgress::default());
    }

    #[test]
    fn a_control_does_not_touch_the_next_search() {
        let mut engine = Engine::with_evaluation(1, 1, Evaluation::PieceSquare).expect("an engine");
        let game = Game::default();
        let first = engine.start(&game, Limits::depth(2)).control();
        let endless_ponder = Limits { ponder: true, infinite: true, ..Limits::default() };
        let second = engine.start(&game, endless_ponder);
        first.stop();
        first.ponder_hit();
        assert_eq!(first.progress(), SearchProgress::default());
        assert!(engine.shared.is_pondering() && !engine.shared.is_stopped());
        second.ponder_hit();
        assert!(!engine.shared.is_pondering());
        second.stop();
        second.wait().expect("a result");
    }
}
