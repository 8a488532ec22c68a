//! A session for platforms without threads: the program passes each line, and a search runs within
//! the call that starts it.

use super::command::{self, Command};
use super::session::{Next, Session};
use crate::engine::{Engine, Platform, bench};
use crate::mutex::lock;
use std::io::Write;
use std::sync::{Arc, Mutex};

/// A command that reaches a running search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Signal {
    /// `stop`.
    Stop,
    /// `ponderhit`.
    PonderHit,
}

/// A UCI session on one thread.
///
/// ```
/// use saavedra::engine::{Engine, Platform};
/// use saavedra::eval::Evaluation;
/// use saavedra::uci::LineSession;
///
/// let platform = Platform { has_threads: false, ..Platform::default() };
/// let engine = Engine::with_platform(platform.clone(), 1, 16, Evaluation::embedded())?;
/// let mut session = LineSession::new(platform, engine, std::io::stdout());
/// session.execute("position startpos moves e2e4", || None);
/// session.execute("go depth 4", || None);
/// # Ok::<(), saavedra::engine::EngineError>(())
/// ```
pub struct LineSession<W> {
    platform: Platform,
    session: Arc<Mutex<Session<W>>>,
}

impl<W: Write + Send + 'static> LineSession<W> {
    /// A session of this engine, which has no threads, on this platform.
    pub fn new(platform: Platform, engine: Engine, output: W) -> LineSession<W> {
        let session = Arc::new(Mutex::new(Session::new(engine, output)));
        LineSession { platform, session }
    }

    /// Executes a line, and the search that it starts to its end. During a search, `signal` is
    /// called about every millisecond.
    ///
    /// A result that waits for `stop` or `ponderhit` is kept: the next line may be one of these.
    pub fn execute(
        &mut self,
        line: &str,
        signal: impl FnMut() -> Option<Signal> + Send + 'static,
    ) -> Next {
        let mut signal = signal;
        let mut session = lock(&self.session);
        if command::parse(line) == Command::Bench {
            let result = bench::text_on(&self.platform);
            session.print_bench(result);
            return Next::Continue;
        }
        let next = session.execute(line);
        if let Some(task) = session.take_task() {
            drop(session);
            let during_search = Arc::clone(&self.session);
            task.run(move || lock(&during_search).advance(signal()));
            lock(&self.session).advance(None);
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Evaluation;

    /// An output that tests read.
    #[derive(Clone, Default)]
    struct Output(Arc<Mutex<Vec<u8>>>);

    impl Write for Output {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().expect("no panic").write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    impl Output {
        fn take(&self) -> String {
            let bytes = std::mem::take(&mut *self.0.lock().expect("no panic"));
            String::from_utf8(bytes).expect("output is UTF-8")
        }
    }

    fn session() -> (LineSession<Output>, Output) {
        let platform = Platform { has_threads: false, ..Platform::default() };
        let engine = Engine::with_platform(platform.clone(), 1, 1, Evaluation::embedded());
        let output = Output::default();
        let session = LineSession::new(platform, engine.expect("an engine"), output.clone());
        (session, output)
    }

    #[test]
    fn a_search_runs_within_the_call_that_starts_it() {
        let (mut session, output) = session();
        for (line, last) in [
            ("isready", "readyok"),
            ("go depth 3", "bestmove "),
            ("go perft 3", "Nodes searched: 8902"),
            ("setoption name Threads value 2", "info string error: "),
            ("go nodes 500", "bestmove "),
        ] {
            let refused = line.contains("Threads").then_some(Next::Refused);
            let executed = session.execute(line, || None);
            assert_eq!(executed, refused.unwrap_or(Next::Continue), "{line}");
            let text = output.take();
            let found = text.lines().last().unwrap_or_default();
            assert!(found.starts_with(last), "{line}: {text}");
        }
        assert_eq!(session.execute("quit", || None), Next::Quit);
    }

    #[test]
    fn a_refused_line_changes_nothing() {
        let (mut session, _) = session();
        for (line, executed) in [
            ("position startpos moves e2e4", Next::Continue),
            ("position fen nonsense", Next::Refused),
            ("position startpos moves e2e4 e2e4", Next::Continue),
            ("setoption name MultiPV value 2", Next::Continue),
            ("setoption name MultiPV value 0", Next::Refused),
            ("setoption name Nonsense", Next::Refused),
            ("nonsense", Next::Refused),
        ] {
            assert_eq!(session.execute(line, || None), executed, "{line}");
        }
    }

    #[test]
    fn a_signal_reaches_a_running_search() {
        for (line, signal) in [
            ("go infinite", Signal::Stop),
            ("go perft 12", Signal::Stop),
            ("go ponder movetime 1", Signal::PonderHit),
        ] {
            let (mut session, output) = session();
            assert_eq!(session.execute(line, move || Some(signal)), Next::Continue);
            let text = output.take();
            let last = text.lines().last().unwrap_or_default();
            let ended =
                last.starts_with("bestmove ") || last.starts_with("info string perft stopped");
            assert!(ended, "{line}: {text}");
        }
    }

    #[test]
    fn a_result_is_held_until_stop_ponderhit_or_quit() {
        for (line, end) in [
            ("go infinite depth 2", "stop"),
            ("go ponder depth 2", "ponderhit"),
            ("go infinite depth 2", "quit"),
        ] {
            let (mut session, output) = session();
            session.execute(line, || None);
            assert!(!output.take().contains("bestmove"), "{line}");
            session.execute(end, || None);
            assert!(output.take().contains("bestmove "), "{line} {end}");
        }
    }

    #[test]
    fn options_that_are_set_while_a_result_is_held_apply_after_it() {
        let (mut session, output) = session();
        session.execute("go infinite depth 1", || None);
        session.execute("setoption name MultiPV value 2", || None);
        session.execute("go depth 1", || None);
        let text = output.take();
        assert_eq!(text.matches("bestmove ").count(), 2, "{text}");
        assert!(text.contains(" multipv 2 "), "{text}");
    }
}
