//! `saavedra replay`: a recorded conversation again, with its timing, and where it goes otherwise.
//!
//! What counts are answers: `uciok`, `readyok`, `bestmove` with the last line of the search before it,
//! perft counts, remarks, a bench's nodes. Times and speeds do not, nor what is told while a search
//! runs.

use super::{Failure, Outcome, files};
use crossbeam_channel::{Receiver, unbounded};
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

/// What to replay.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A file that the option `Log File` wrote, or `-` for standard input: lines `MICROSECONDS < TEXT`
    /// of what was read and `MICROSECONDS > TEXT` of what was printed.
    file: PathBuf,
}

/// A line of the log.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Entry {
    /// Its number in the file, from 1.
    number: usize,
    time: Duration,
    /// Whether the GUI said it.
    is_input: bool,
    text: String,
}

/// An answer, without what changes from run to run.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Answer {
    /// The line of the log, if it is from there.
    number: usize,
    text: String,
}

/// An answer that was due may take this much longer than it did.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> Outcome {
    let name = arguments.file.display();
    let text = files::read_all(&arguments.file)?;
    let text = String::from_utf8_lossy(&text);
    let entries =
        parse(&text).map_err(|(line, why)| Failure::Refused(format!("{name}:{line}:1: {why}")))?;
    let mut out = io::stdout().lock();
    let (mut answers, mut differences) = (0, 0);
    for session in sessions(&entries) {
        let recorded = answers_of(session.iter().filter(|entry| !entry.is_input));
        let now = play(session)?;
        answers += recorded.len();
        for (i, was) in recorded.iter().enumerate() {
            let is = now.get(i).map_or("nothing", |answer| &answer.text);
            if is != was.text {
                differences += 1;
                writeln!(
                    out,
                    "line {}:\n  then: {}\n  now:  {is}",
                    was.number, was.text
                )?;
            }
        }
    }
    writeln!(out, "{answers} answers, {differences} differences")?;
    match differences {
        0 => Ok(()),
        _ => Err(Failure::Check),
    }
}

/// Reads a log; errors are the line's number and what is wrong with it.
fn parse(text: &str) -> Result<Vec<Entry>, (usize, &'static str)> {
    let mut entries = Vec::new();
    for (i, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let error = (
            i + 1,
            "expected MICROSECONDS, a blank, < or >, a blank, and a text",
        );
        let (time, rest) = line.split_once(' ').ok_or(error)?;
        let time = time.parse().map(Duration::from_micros).map_err(|_| error)?;
        let (sign, text) = rest.split_at_checked(1).ok_or(error)?;
        let is_input = match sign {
            "<" => true,
            ">" => false,
            _ => return Err(error),
        };
        entries.push(Entry {
            number: i + 1,
            time,
            is_input,
            text: text.strip_prefix(' ').unwrap_or(text).trim_end().to_owned(),
        });
    }
    Ok(entries)
}

/// The conversations of a log: in each time goes forward.
fn sessions(entries: &[Entry]) -> impl Iterator<Item = &[Entry]> {
    entries.chunk_by(|before, after| before.time <= after.time)
}

/// Whether a line ends what a command asked for.
fn is_end(text: &str) -> bool {
    ["uciok", "readyok", "bestmove", "Nodes searched"]
        .iter()
        .any(|end| text.starts_with(end))
        || bench_nodes(text).is_some()
}

/// What counts of the line `N nodes M nps` that ends a bench: `N nodes`.
fn bench_nodes(text: &str) -> Option<&str> {
    let (nodes, _speed) = text.strip_suffix(" nps")?.rsplit_once(' ')?;
    nodes.ends_with(" nodes").then_some(nodes)
}

/// What counts of the lines that an engine printed.
fn answers_of<'a>(lines: impl Iterator<Item = &'a Entry>) -> Vec<Answer> {
    let mut answers = Vec::new();
    let mut last = None;
    for entry in lines {
        let answer = |text: String| Answer {
            number: entry.number,
            text,
        };
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

/// An `info` line without the time and the speed.
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

/// This program in a process of its own.
struct Engine {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    said: Vec<Entry>,
    /// How many of the lines said end something.
    ends: usize,
}

impl Engine {
    fn start() -> io::Result<Engine> {
        let mut child = Command::new(std::env::current_exe()?)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (sender, lines) = unbounded();
        if let Some(stdout) = child.stdout.take() {
            std::thread::spawn(move || {
                let lines = BufReader::new(stdout).lines().map_while(Result::ok);
                lines.for_each(|line| drop(sender.send(line)));
            });
        }
        Ok(Engine {
            stdin: child.stdin.take(),
            child,
            lines,
            said: Vec::new(),
            ends: 0,
        })
    }

    /// Listens until so many ends were said and this moment has come; not beyond the deadline.
    fn listen(&mut self, ends: usize, moment: Instant, deadline: Instant) {
        loop {
            let until = if self.ends < ends { deadline } else { moment };
            match self.lines.recv_deadline(until) {
                Ok(text) => {
                    self.ends += usize::from(is_end(&text));
                    self.said.push(Entry {
                        number: 0,
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
            // One that has ended is noticed by its missing answers.
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

/// Says again what the GUI said: after the same answers, with the same pauses.
fn play(session: &[Entry]) -> io::Result<Vec<Answer>> {
    let mut engine = Engine::start()?;
    let mut ends = 0;
    let mut anchor = Duration::ZERO;
    for entry in session {
        if !entry.is_input {
            if is_end(&entry.text) {
                ends += 1;
                let took = entry.time.saturating_sub(anchor);
                let now = Instant::now();
                engine.listen(ends, now, now + took * 2 + PATIENCE);
                anchor = entry.time;
            }
            continue;
        }
        let moment = Instant::now() + entry.time.saturating_sub(anchor);
        engine.listen(ends, moment, moment);
        anchor = entry.time;
        match entry.text.trim() {
            // So the end of input is written down too, which lets a bench end. It is as good for both.
            "quit" => engine.stdin = None,
            // It would write into the file that we read.
            text if text.to_ascii_lowercase().contains("log file") => {}
            text => engine.send(text),
        }
    }
    engine.stdin = None;
    let end = Instant::now() + PATIENCE;
    engine.listen(usize::MAX, end, end);
    Ok(answers_of(engine.said.iter()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_what_counts() {
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
        let entries = parse(log).expect("a sound log");
        assert_eq!(sessions(&entries).count(), 2);
        let answers = answers_of(entries.iter().filter(|entry| !entry.is_input));
        let texts: Vec<&str> = answers.iter().map(|answer| answer.text.as_str()).collect();
        let line = "info depth 2 score cp 4 pv d2d4";
        let expected = [line, "bestmove d2d4", "readyok", " 8  r . b", "31 nodes"];
        assert_eq!(texts, expected);
        let ends: Vec<usize> = entries
            .iter()
            .filter(|entry| is_end(&entry.text))
            .map(|entry| entry.number)
            .collect();
        assert_eq!(ends, [5, 7, 11]);
    }

    #[test]
    fn a_line_that_is_none_is_named() {
        for line in ["x < go", "5 go", "5 = go", "5", "5 é"] {
            let error = parse(&format!("1 < uci\n{line}\n")).expect_err(line);
            assert_eq!(error.0, 2, "{line}");
        }
    }
}
