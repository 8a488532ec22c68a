//! A program that speaks UCI, and what one may expect of it.

use saavedra::chess::{Board, Game, GameStatus};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Nothing takes so long unless something hangs.
pub const LONG: Duration = Duration::from_secs(60);

/// How often the state of the program is looked at.
const POLL: Duration = Duration::from_millis(10);

/// The numbers of threads with which traps are tried; with more than one, also with little memory.
pub const THREADS: [usize; 2] = [1, 2];

/// Little memory, in kilobytes of address space.
#[cfg(target_os = "linux")]
const LITTLE: usize = 1 << 20;

pub struct Engine {
    pub child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Engine {
    /// The program as it is, before a word has been said.
    pub fn bare() -> Engine {
        Engine::spawn(&mut Command::new(env!("CARGO_BIN_EXE_saavedra")))
    }

    /// With so many kilobytes of address space.
    #[cfg(target_os = "linux")]
    pub fn limited(kilobytes: usize) -> Engine {
        let script = format!("ulimit -v {kilobytes} && exec \"$0\"");
        let mut shell = Command::new("sh");
        Engine::spawn(shell.args(["-c", &script, env!("CARGO_BIN_EXE_saavedra")]))
    }

    /// With so many threads, ready. With more than one it has little memory, where that can be set.
    pub fn with_threads(threads: usize) -> Engine {
        #[cfg(target_os = "linux")]
        let mut engine = match threads {
            0 | 1 => Engine::bare(),
            _ => Engine::limited(LITTLE),
        };
        #[cfg(not(target_os = "linux"))]
        let mut engine = Engine::bare();
        engine.send(&format!("setoption name Threads value {threads}"));
        assert!(engine.sync().is_empty());
        engine
    }

    pub fn spawn(command: &mut Command) -> Engine {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines() {
                let line = line.expect("output is UTF-8");
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Engine {
            stdin: child.stdin.take(),
            child,
            lines,
        }
    }

    pub fn send(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("still open");
        stdin.write_all(bytes).expect("the engine is alive");
        stdin.flush().expect("the engine is alive");
    }

    /// The lines up to the first that begins so.
    pub fn until(&mut self, beginning: &str) -> Vec<String> {
        let mut said = Vec::new();
        loop {
            match self.lines.recv_timeout(LONG) {
                Ok(line) => {
                    let found = line.starts_with(beginning);
                    said.push(line);
                    if found {
                        return said;
                    }
                }
                Err(error) => panic!("no {beginning:?} ({error}) after {said:?}"),
            }
        }
    }

    /// Reads lines until there are `count` for which the condition holds.
    pub fn until_lines(&mut self, count: usize, condition: impl Fn(&str) -> bool) -> Vec<String> {
        let mut lines = Vec::new();
        let mut found = 0;
        while found < count {
            match self.lines.recv_timeout(LONG) {
                Ok(line) => {
                    found += usize::from(condition(&line));
                    lines.push(line);
                }
                Err(error) => panic!("{found} of {count} lines ({error}): {lines:?}"),
            }
        }
        lines
    }

    /// Sends `isready` and returns what was said before `readyok`.
    pub fn sync(&mut self) -> Vec<String> {
        self.send("isready");
        let mut said = self.until("readyok");
        said.pop();
        said
    }

    /// Sends a `go` and returns all up to its `bestmove`.
    pub fn go(&mut self, line: &str) -> Vec<String> {
        self.send(line);
        self.until("bestmove")
    }

    /// The move of a `go`.
    pub fn best(&mut self, line: &str) -> String {
        best_of(&self.go(line))
    }

    /// Reads until the search goes on after what was sent, or has ended and holds its result, and
    /// asserts that there is no `bestmove`. Returns the lines read.
    pub fn no_best_move(&mut self) -> Vec<String> {
        let mut lines = self.sync();
        let before = lines.len();
        let deadline = Instant::now() + LONG;
        // A search that ended would print its last line and `bestmove`.
        while lines.len() < before + 3 {
            assert!(
                Instant::now() < deadline,
                "it does nothing, but is not idle"
            );
            match self.lines.recv_timeout(POLL) {
                Ok(line) => lines.push(line),
                Err(RecvTimeoutError::Timeout) if self.is_idle() => break,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => panic!("it ended after {lines:?}"),
            }
        }
        let best = lines.iter().find(|line| line.starts_with("bestmove"));
        assert_eq!(best, None, "too early");
        lines
    }

    /// Ends the input, and returns the output up to the end of the program and how long that took.
    pub fn end_of_input(&mut self) -> (Vec<String>, Duration) {
        let begin = Instant::now();
        self.stdin = None;
        (self.rest(), begin.elapsed())
    }

    /// What is said until the end of the program, which must be a good one.
    pub fn rest(&mut self) -> Vec<String> {
        let mut said = Vec::new();
        loop {
            match self.lines.recv_timeout(LONG) {
                Ok(line) => said.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("it does not end after {said:?}"),
            }
        }
        let status = self.child.wait().expect("it has ended");
        assert!(status.success(), "{status} after {said:?}");
        said
    }

    /// Whether all threads of the program sleep.
    #[cfg(target_os = "linux")]
    pub fn is_idle(&self) -> bool {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.child.id()));
        let sleeps = |task: std::io::Result<std::fs::DirEntry>| {
            let stat = std::fs::read_to_string(task.ok()?.path().join("stat")).ok()?;
            let (_, state) = stat.rsplit_once(") ")?;
            Some(state.starts_with('S'))
        };
        tasks
            .expect("the program runs")
            .all(|task| sleeps(task) == Some(true))
    }

    /// Elsewhere this is not checked.
    #[cfg(not(target_os = "linux"))]
    pub fn is_idle(&self) -> bool {
        true
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a line; returns what was said to it.
pub fn answer(engine: &mut Engine, line: &str) -> Vec<String> {
    engine.send(line);
    engine.sync()
}

/// The move of the last line.
pub fn best_of(said: &[String]) -> String {
    let last = said.last().expect("a last line");
    let mut words = last.split(' ');
    assert_eq!(words.next(), Some("bestmove"), "{last}");
    words.next().expect("a move").to_owned()
}

/// What stands behind a word of a line.
pub fn field<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let mut words = line.split(' ');
    words.find(|word| *word == name)?;
    words.next()
}

/// Asserts all that must be so of what a search said: its last line before the best move is exact,
/// whole and begins with that move; every line of play is legal and ends where the game does.
pub fn assert_sound(game: &Game, said: &[String]) {
    let best = best_of(said);
    let final_line = &said[said
        .len()
        .checked_sub(2)
        .expect("a line before the best move")];
    for name in ["depth", "seldepth", "nodes", "nps", "hashfull", "time"] {
        let number = field(final_line, name).and_then(|n| n.parse::<u64>().ok());
        assert!(number.is_some(), "{name} in {final_line}");
    }
    let (_, score) = final_line.split_once(" score ").expect("a score");
    let (kind, rest) = score.split_once(' ').expect("a number");
    let number = rest.split(' ').next().and_then(|n| n.parse::<i32>().ok());
    assert!(
        matches!(kind, "cp" | "mate") && number.is_some(),
        "{final_line}"
    );
    assert!(!final_line.contains("bound"), "{final_line}");
    assert_eq!(field(final_line, "multipv"), Some("1"), "{final_line}");
    assert_eq!(field(final_line, "pv"), Some(best.as_str()), "{said:?}");
    for line in said.iter().filter(|line| line.contains(" pv ")) {
        assert_line_of_play(game, line);
    }
    let last = said.last().expect("the best move");
    if let Some(ponder) = field(last, "ponder") {
        let mut game = game.clone();
        game.push_uci(&best).expect("a legal best move");
        game.push_uci(ponder).expect("a legal move to ponder on");
    }
}

fn assert_line_of_play(game: &Game, line: &str) {
    let mut game = game.clone();
    let moves = line.split(" pv ").nth(1).expect("a line of play");
    let mut plies = 0i32;
    for text in moves.split(' ') {
        assert!(
            plies == 0 || game.status() == GameStatus::Ongoing,
            "goes on when the game is over: {line}"
        );
        game.push_uci(text)
            .unwrap_or_else(|error| panic!("{error}: {line}"));
        plies += 1;
    }
    if let Some(mate) = field(line, "mate").filter(|_| !line.contains("bound")) {
        let mate: i32 = mate.parse().expect("a number");
        let expected = if mate > 0 { 2 * mate - 1 } else { -2 * mate };
        assert_eq!(plies, expected, "the length of a mate: {line}");
        assert_eq!(game.status(), GameStatus::Checkmate, "{line}");
    }
}

/// The game that a `position` line with a FEN and moves sets up.
pub fn game(fen: &str, moves: &[&str]) -> Game {
    let mut game = Game::new(Board::from_fen(fen).expect("a sound position"));
    for m in moves {
        game.push_uci(m).expect("a legal move");
    }
    game
}

/// Where games begin.
pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
