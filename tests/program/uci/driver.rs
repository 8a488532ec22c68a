//! Runs the program, and checks what it prints.

use saavedra::chess::{Board, Game, GameStatus};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Nothing takes this long unless the program hangs.
pub const TIMEOUT: Duration = Duration::from_secs(60);

/// The interval at which the state of the program is checked.
const POLL: Duration = Duration::from_millis(10);

/// The thread counts of the tests.
pub const THREADS: [usize; 2] = [1, 2];

/// The address space with more than one thread, in kilobytes.
#[cfg(target_os = "linux")]
const SMALL_ADDRESS_SPACE: usize = 1 << 20;

pub struct Engine {
    pub child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Engine {
    /// The program with its default options.
    pub fn new() -> Engine {
        Engine::spawn(&mut Command::new(env!("CARGO_BIN_EXE_saavedra")))
    }

    /// The program with its address space limited to this number of kilobytes.
    #[cfg(target_os = "linux")]
    pub fn with_address_space(kilobytes: usize) -> Engine {
        let script = format!("ulimit -v {kilobytes} && exec \"$0\"");
        let mut shell = Command::new("sh");
        Engine::spawn(shell.args(["-c", &script, env!("CARGO_BIN_EXE_saavedra")]))
    }

    /// The program with this number of threads. With more than one, its address space is limited
    /// too, on Linux; not under a sanitizer, which reserves terabytes of it.
    pub fn with_threads(threads: usize) -> Engine {
        #[cfg(target_os = "linux")]
        let mut engine = match threads {
            0 | 1 => Engine::new(),
            _ if std::env::var_os("TSAN_OPTIONS").is_some() => Engine::new(),
            _ => Engine::with_address_space(SMALL_ADDRESS_SPACE),
        };
        #[cfg(not(target_os = "linux"))]
        let mut engine = Engine::new();
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
        Engine { stdin: child.stdin.take(), child, lines }
    }

    pub fn send(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("the input is open");
        stdin.write_all(bytes).expect("the program is running");
        stdin.flush().expect("the program is running");
    }

    /// The lines up to the first one with this prefix.
    pub fn read_until(&mut self, prefix: &str) -> Vec<String> {
        let mut output = Vec::new();
        loop {
            match self.lines.recv_timeout(TIMEOUT) {
                Ok(line) => {
                    let found = line.starts_with(prefix);
                    output.push(line);
                    if found {
                        return output;
                    }
                }
                Err(error) => panic!("no {prefix:?} ({error}) after {output:?}"),
            }
        }
    }

    /// Reads lines until there are `count` for which the condition holds.
    pub fn read_until_lines(
        &mut self,
        count: usize,
        condition: impl Fn(&str) -> bool,
    ) -> Vec<String> {
        let mut lines = Vec::new();
        let mut found = 0;
        while found < count {
            match self.lines.recv_timeout(TIMEOUT) {
                Ok(line) => {
                    found += usize::from(condition(&line));
                    lines.push(line);
                }
                Err(error) => panic!("{found} of {count} lines ({error}): {lines:?}"),
            }
        }
        lines
    }

    /// Sends `isready` and returns the lines before `readyok`.
    pub fn sync(&mut self) -> Vec<String> {
        self.send("isready");
        let mut output = self.read_until("readyok");
        output.pop();
        output
    }

    /// Sends a `go` command and returns the lines up to `bestmove`.
    pub fn go(&mut self, line: &str) -> Vec<String> {
        self.send(line);
        self.read_until("bestmove")
    }

    /// Sends a `go` command and returns the best move.
    pub fn best(&mut self, line: &str) -> String {
        best_move(&self.go(line))
    }

    /// Reads until the search has printed more lines, or the program is idle because the search has
    /// ended and holds its result. Asserts that there is no `bestmove`, and returns the lines.
    pub fn assert_no_bestmove(&mut self) -> Vec<String> {
        let mut lines = self.sync();
        let before = lines.len();
        let deadline = Instant::now() + TIMEOUT;
        // A search that ended would print its last line and `bestmove`.
        while lines.len() < before + 3 {
            assert!(Instant::now() < deadline, "no output, but the program is not idle");
            match self.lines.recv_timeout(POLL) {
                Ok(line) => lines.push(line),
                Err(RecvTimeoutError::Timeout) if self.is_idle() => break,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => panic!("the program ended after {lines:?}"),
            }
        }
        let best = lines.iter().find(|line| line.starts_with("bestmove"));
        assert_eq!(best, None, "bestmove is too early");
        lines
    }

    /// Ends the input, and returns the output up to the end of the program and how long that took.
    pub fn close_input(&mut self) -> (Vec<String>, Duration) {
        let start = Instant::now();
        self.stdin = None;
        (self.read_to_end(), start.elapsed())
    }

    /// The lines up to the end of the program, whose exit status must be 0.
    pub fn read_to_end(&mut self) -> Vec<String> {
        let mut output = Vec::new();
        loop {
            match self.lines.recv_timeout(TIMEOUT) {
                Ok(line) => output.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    panic!("the program does not end after {output:?}")
                }
            }
        }
        let status = self.child.wait().expect("it has ended");
        assert!(status.success(), "{status} after {output:?}");
        output
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
        tasks.expect("the program runs").all(|task| sleeps(task) == Some(true))
    }

    /// Only Linux has this information.
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

/// Sends a line and returns the lines that answer it.
pub fn send_and_sync(engine: &mut Engine, line: &str) -> Vec<String> {
    engine.send(line);
    engine.sync()
}

/// The move of the last line.
pub fn best_move(output: &[String]) -> String {
    let last = output.last().expect("a last line");
    let mut words = last.split(' ');
    assert_eq!(words.next(), Some("bestmove"), "{last}");
    words.next().expect("a move").to_owned()
}

/// The word after this word in a line.
pub fn field<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let mut words = line.split(' ');
    words.find(|word| *word == name)?;
    words.next()
}

/// Asserts what must hold for the output of every search: the last line before `bestmove` has all
/// fields, an exact score and a PV that begins with the best move; every line has a score; every PV
/// is legal and does not go on after the end of the game.
pub fn assert_valid_output(game: &Game, output: &[String]) {
    let best = best_move(output);
    let final_line = &output[output.len().checked_sub(2).expect("a line before the best move")];
    for name in ["depth", "seldepth", "nodes", "nps", "hashfull", "time"] {
        let number = field(final_line, name).and_then(|n| n.parse::<u64>().ok());
        assert!(number.is_some(), "{name} in {final_line}");
    }
    let (_, score) = final_line.split_once(" score ").expect("a score");
    let (kind, rest) = score.split_once(' ').expect("a number");
    let number = rest.split(' ').next().and_then(|n| n.parse::<i32>().ok());
    assert!(matches!(kind, "cp" | "mate") && number.is_some(), "{final_line}");
    assert!(!final_line.contains("bound"), "{final_line}");
    assert_eq!(field(final_line, "multipv"), Some("1"), "{final_line}");
    assert_eq!(field(final_line, "pv"), Some(best.as_str()), "{output:?}");
    let infos = output.iter().filter(|line| line.starts_with("info "));
    for line in infos.filter(|line| !line.starts_with("info string ")) {
        assert!(line.contains(" score "), "{line}");
    }
    for line in output.iter().filter(|line| line.contains(" pv ")) {
        assert_legal_pv(game, line);
    }
    let last = output.last().expect("the best move");
    if let Some(ponder) = field(last, "ponder") {
        let mut game = game.clone();
        game.push_uci(&best).expect("a legal best move");
        game.push_uci(ponder).expect("a legal move to ponder on");
    }
}

fn assert_legal_pv(game: &Game, line: &str) {
    let mut game = game.clone();
    let moves = line.split(" pv ").nth(1).expect("a PV");
    let mut plies = 0i32;
    for text in moves.split(' ') {
        assert!(
            plies == 0 || game.status() == GameStatus::Ongoing,
            "the PV goes on after the end of the game: {line}"
        );
        game.push_uci(text).unwrap_or_else(|error| panic!("{error}: {line}"));
        plies += 1;
    }
    if let Some(mate) = field(line, "mate").filter(|_| !line.contains("bound")) {
        let mate: i32 = mate.parse().expect("a number");
        let expected = if mate > 0 { 2 * mate - 1 } else { -2 * mate };
        assert_eq!(plies, expected, "the length of a mate: {line}");
        assert_eq!(game.status(), GameStatus::Checkmate, "{line}");
    }
}

/// The game that a `position` command with this FEN and these moves sets up.
pub fn game(fen: &str, moves: &[&str]) -> Game {
    let mut game = Game::new(Board::from_fen(fen).expect("a legal position"));
    for m in moves {
        game.push_uci(m).expect("a legal move");
    }
    game
}

/// The FEN of the start position.
pub const STARTPOS_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
