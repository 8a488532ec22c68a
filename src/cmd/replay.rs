//! `saavedra replay`: repeats a logged UCI session with its timing, pauses of at most a minute, and
//! compares the answers.
//!
//! Compared are `uciok`, `readyok`, `bestmove` with the last `info` line before it, perft counts,
//! `info string` lines and the nodes of a bench. Times, speeds and earlier `info` lines are not
//! compared.

use super::{CommandError, CommandResult, files};
use crate::uci::command;
use crossbeam_channel::{Receiver, unbounded};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

/// Arguments of the command.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// A log of the UCI option `Log File`, or `-` for standard input. Its lines are
    /// `MICROSECONDS < TEXT` for input and `MICROSECONDS > TEXT` for output.
    file: PathBuf,
}

const AFTER_HELP: &str = "\
Examples:
  saavedra replay session.log";

/// A line of the log.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Entry {
    /// Line number in the file, from 1.
    line: usize,
    time: Duration,
    /// Whether the GUI sent it.
    is_input: bool,
    text: String,
}

/// An answer without times and speeds.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Answer {
    /// Line number in the log; 0 for an answer of the replay.
    line: usize,
    text: String,
}

/// A longer pause before an input is shortened to this.
const MAX_PAUSE: Duration = Duration::from_secs(60);
/// A longer search of the log counts as one of this length.
const MAX_SEARCH_TIME: Duration = Duration::from_secs(3600);
/// How long an answer may be late before the replay goes on without it.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Runs the command.
pub(super) fn run(arguments: &Arguments, program: &Path) -> CommandResult {
    let name = arguments.file.display();
    let text = files::read_all(&arguments.file)?;
    let text = String::from_utf8_lossy(&text);
    let entries = parse(text.strip_prefix('\u{feff}').unwrap_or(&text))
        .map_err(|(line, why)| CommandError::Refused(format!("{name}:{line}:1: {why}")))?;
    let mut out = io::stdout().lock();
    let (mut answers, mut differences) = (0, 0);
    for session in sessions(&entries) {
        let recorded = answers_of(session.iter().filter(|entry| !entry.is_input));
        let replayed = replay(session, program)?;
        answers += recorded.len();
        for (i, then) in recorded.iter().enumerate() {
            let now = replayed.get(i).map_or("nothing", |answer| &answer.text);
            if now != then.text {
                differences += 1;
                writeln!(out, "line {}:\n  then: {}\n  now:  {now}", then.line, then.text)?;
            }
        }
    }
    writeln!(out, "{answers} answers, {differences} differences")?;
    match differences {
        0 => Ok(()),
        _ => Err(CommandError::CheckFailed),
    }
}

/// Parses a log; an error is line number and message.
fn parse(text: &str) -> Result<Vec<Entry>, (usize, &'static str)> {
    let mut entries = Vec::new();
    for (i, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let error = (i + 1, "expected MICROSECONDS < TEXT or MICROSECONDS > TEXT");
        let (time, rest) = line.split_once(' ').ok_or(error)?;
        let time = time.parse().map(Duration::from_micros).map_err(|_| error)?;
        let (direction, text) = rest.split_at_checked(1).ok_or(error)?;
        let is_input = match direction {
            "<" => true,
            ">" => false,
            _ => return Err(error),
        };
        entries.push(Entry {
            line: i + 1,
            time,
            is_input,
            text: text.strip_prefix(' ').unwrap_or(text).trim_end().to_owned(),
        });
    }
    Ok(entries)
}

/// The sessions of a log: a new one begins where the time goes back.
fn sessions(entries: &[Entry]) -> impl Iterator<Item = &[Entry]> {
    entries.chunk_by(|before, after| before.time <= after.time)
}

/// Whether a line is the last one of the answer to a command.
fn ends_answer(text: &str) -> bool {
    ["uciok", "readyok", "bestmove", "Nodes searched", "info string perft stopped"]
        .iter()
        .any(|end| text.starts_with(end))
        || bench_nodes(text).is_some()
}

/// The part `N nodes` of the line `N nodes M nps` that ends a bench.
fn bench_nodes(text: &str) -> Option<&str> {
    let (nodes, _speed) = text.strip_suffix(" nps")?.rsplit_once(' ')?;
    nodes.ends_with(" nodes").then_some(nodes)
}

/// The answers in the output of an engine.
fn answers_of<'a>(lines: impl Iterator<Item = &'a Entry>) -> Vec<Answer> {
    let mut answers = Vec::new();
    let mut last = None;
    for entry in lines {
        let answer = |text: String| Answer { line: entry.line, text };
        if entry.text.starts_with("info string") || !entry.text.starts_with("info ") {
            if entry.text.starts_with("bestmove") {
                answers.extend(last.take());
            }
            if !entry.text.is_empty() {
                let text = bench_nodes(&entry.text).unwrap_or(&entry.text);
                answers.push(answer(text.to_owned()));
            }
        } else if entry.text.contains(" score ") {
            last = Some(answer(without_times(&entry.text)));
        }
    }
    answers
}

/// An `info` line without time and speed.
fn without_times(line: &str) -> String {
    let mut words = line.split(' ');
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        match word {
            "time" | "nps" => {
                words.next();
            }
            _ => kept.push(word),
        }
    }
    kept.join(" ")
}

/// This program as a child process.
struct Engine {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    output: Vec<Entry>,
    /// Number of complete answers in the output.
    answers: usize,
}

impl Engine {
    fn start(program: &Path) -> io::Result<Engine> {
        let mut child =
            Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (sender, lines) = unbounded();
        if let Some(stdout) = child.stdout.take() {
            std::thread::spawn(move || {
                let lines = BufReader::new(stdout).lines().map_while(Result::ok);
                lines.for_each(|line| drop(sender.send(line)));
            });
        }
        Ok(Engine { stdin: child.stdin.take(), child, lines, output: Vec::new(), answers: 0 })
    }

    /// Reads output until `time`, and on until there are `answers` complete answers or the deadline
    /// has passed.
    fn read_output(&mut self, answers: usize, time: Instant, deadline: Instant) {
        loop {
            let until = if self.answers < answers { deadline } else { time };
            match self.lines.recv_deadline(until) {
                Ok(text) => {
                    self.answers += usize::from(ends_answer(&text));
                    self.output.push(Entry {
                        line: 0,
                        time: Duration::ZERO,
                        is_input: false,
                        text: text.trim_end().to_owned(),
                    });
                }
                Err(_) => return,
            }
        }
    }

    fn send(&mut self, text: &str) {
        if let Some(stdin) = &mut self.stdin {
            // If the engine has exited, its answers will be missing.
            let _ = writeln!(stdin, "{text}");
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The pause between two times of the log.
fn pause(last: Duration, time: Duration) -> Duration {
    time.saturating_sub(last).min(MAX_PAUSE)
}

/// Sends the input of a session again, each line after the same answers and with the same delay.
fn replay(session: &[Entry], program: &Path) -> io::Result<Vec<Answer>> {
    let mut engine = Engine::start(program)?;
    let mut answers = 0;
    // The log's time of the last answer or input.
    let mut last = Duration::ZERO;
    for entry in session {
        if !entry.is_input {
            if ends_answer(&entry.text) {
                answers += 1;
                let recorded = entry.time.saturating_sub(last).min(MAX_SEARCH_TIME);
                let now = Instant::now();
                engine.read_output(answers, now, now + recorded * 2 + TIMEOUT);
                last = entry.time;
            }
            continue;
        }
        let time = Instant::now() + pause(last, entry.time);
        engine.read_output(answers, time, time);
        last = entry.time;
        match entry.text.trim() {
            // The log has `quit` also for the end of input, which, unlike `quit`, lets a bench end.
            "quit" => engine.stdin = None,
            // The engine would write to the log that is being read.
            text if sets_log_file(text) => {}
            text => engine.send(text),
        }
    }
    engine.stdin = None;
    let end = Instant::now() + TIMEOUT;
    engine.read_output(usize::MAX, end, end);
    Ok(answers_of(engine.output.iter()))
}

/// Whether a command sets the option `Log File`.
fn sets_log_file(text: &str) -> bool {
    match command::parse(&text.to_ascii_lowercase()) {
        command::Command::SetOption { name, .. } => name.eq_ignore_ascii_case("Log File"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_option_log_file_sets_the_log_file() {
        assert!(sets_log_file("setoption name Log File value /tmp/log"));
        assert!(sets_log_file(" SetOption  name log file"));
        assert!(!sets_log_file("setoption name EvalFile value /tmp/log files/a.nnue"));
    }

    #[test]
    fn answers_leave_out_times_and_earlier_info_lines() {
        let log = "0 < go nodes 5\n\
                   3 > info depth 1 score cp 3 nps 7 time 1 pv e2e4\n\
                   5 > info depth 2 score cp 4 nps 9 time 2 pv d2d4\n\
                   6 > info nodes 5 nps 3\n\
                   9 > bestmove d2d4\n\
                   2 < isready\n\
                   4 > readyok\n\
                   5 < d\n\
                   6 >  8  r . b\n\
                   7 < bench\n\
                   9 > 31 nodes 12 nps\n";
        let entries = parse(log).expect("a valid log");
        assert_eq!(sessions(&entries).count(), 2);
        let answers = answers_of(entries.iter().filter(|entry| !entry.is_input));
        let texts: Vec<&str> = answers.iter().map(|answer| answer.text.as_str()).collect();
        let line = "info depth 2 score cp 4 pv d2d4";
        let expected = [line, "bestmove d2d4", "readyok", " 8  r . b", "31 nodes"];
        assert_eq!(texts, expected);
        let last_lines: Vec<usize> = entries
            .iter()
            .filter(|entry| ends_answer(&entry.text))
            .map(|entry| entry.line)
            .collect();
        assert_eq!(last_lines, [5, 7, 11]);
    }

    #[test]
    fn pauses_are_as_long_as_recorded_but_at_most_a_minute() {
        for (last, time, expected) in [(0, 3, 3), (5, 7, 2), (9, 5, 0), (0, u64::MAX, 60_000_000)] {
            let [last, time, expected] = [last, time, expected].map(Duration::from_micros);
            assert_eq!(pause(last, time), expected);
        }
    }

    #[test]
    fn the_error_of_a_malformed_line_has_its_number() {
        for line in ["x < go", "5 go", "5 = go", "5", "5 é"] {
            let error = parse(&format!("1 < uci\n{line}\n")).expect_err(line);
            assert_eq!(error.0, 2, "{line}");
        }
    }
}
