//! Perft suites: files with lines `FEN ;D1 n ;D2 n …`, perhaps with a comment `;# …` at the end.

use super::counter::Counter;
use crate::chess::Board;
use crate::chess::perft::MAX_DEPTH;
use crate::cmd::{CommandError, CommandResult, files, progress};
use crate::formats;
use std::io::Write;
use std::path::Path;

/// A line of a suite: a position and its node counts at some depths.
struct Line {
    /// Line number in the file, from 1.
    number: usize,
    fen: String,
    board: Board,
    /// Pairs of depth and count.
    counts: Vec<(u32, u64)>,
}

/// Checks all counts of a suite that are at most `max_nodes`.
pub(super) fn run(
    file: &Path,
    max_nodes: u64,
    counter: &Counter,
    out: &mut impl Write,
) -> CommandResult {
    let name = file.display();
    let lines = open(file)?;
    let counts = lines.iter().flat_map(|line| &line.counts);
    let counts = counts.map(|(_, count)| *count);
    let nodes = counts.filter(|count| *count <= max_nodes);
    let template = "{wide_bar} {human_pos}/{human_len} ({per_sec}, {eta} left)";
    let bar = progress::bar(nodes.fold(0, u64::saturating_add), template);
    let mut mismatches = 0;
    for line in &lines {
        for &(depth, expected) in line.counts.iter().filter(|(_, count)| *count <= max_nodes) {
            let counted = counter.count(&line.board, depth)?;
            if counted != expected {
                mismatches += 1;
                bar.suspend(|| {
                    writeln!(
                        out,
                        "{name}:{}: depth {depth}: {counted}, not {expected}: {}",
                        line.number, line.fen
                    )
                })?;
            }
            bar.inc(expected);
        }
    }
    bar.finish_and_clear();
    writeln!(out, "{} lines, {mismatches} mismatches", lines.len())?;
    match mismatches {
        0 => Ok(()),
        _ => Err(CommandError::CheckFailed),
    }
}

/// Reads a suite from a file. A suite without lines is refused.
fn open(file: &Path) -> Result<Vec<Line>, CommandError> {
    let name = file.display().to_string();
    let text = formats::decode_text(files::read_all(file)?)
        .map_err(|error| CommandError::Refused(files::message(Some(&name), &error)))?;
    let lines = read(&text).map_err(|(line, column, message)| {
        CommandError::Refused(format!("{name}:{line}:{column}: {message}"))
    })?;
    if lines.is_empty() {
        Err(CommandError::Refused(format!("{name}: no position found")))
    } else {
        Ok(lines)
    }
}

/// Parses a suite; an error is line, column and message.
fn read(text: &str) -> Result<Vec<Line>, (usize, usize, String)> {
    let mut lines = Vec::new();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (number, line) in (1..).zip(text.lines()) {
        let content = line.split(";#").next().unwrap_or_default();
        if content.trim().is_empty() || content.starts_with('#') {
            continue;
        }
        let mut fields = content.split(';');
        let fen = fields.next().unwrap_or_default();
        let board = Board::from_fen(fen).map_err(|error| (number, 1, error.to_string()))?;
        let mut counts = Vec::new();
        let mut column = fen.len() + 2;
        for field in fields {
            if !field.trim().is_empty() {
                let count = read_count(field.trim());
                let message = || format!("{:?} is not of the form D1 20", field.trim());
                counts.push(count.ok_or_else(|| (number, column, message()))?);
            }
            column += field.len() + 1;
        }
        if counts.is_empty() {
            let message = "expected counts after the position, such as ;D1 20";
            return Err((number, fen.len() + 1, message.to_owned()));
        }
        lines.push(Line { number, fen: fen.trim().to_owned(), board, counts });
    }
    Ok(lines)
}

/// Parses `D1 20`: a depth and a count.
fn read_count(text: &str) -> Option<(u32, u64)> {
    let (depth, count) = text.strip_prefix('D')?.split_once(char::is_whitespace)?;
    let depth = depth.parse().ok().filter(|depth| *depth <= MAX_DEPTH)?;
    Some((depth, count.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn a_suite_is_read_with_comments_and_missing_depths() {
        let text = format!(
            "\u{feff}# a suite\n\n{START} ;D1 20 ;D3 8902 ;# all ;D2 1\r\n{START}; D2 400;\n\
             startpos ;D1 20\n"
        );
        let lines = read(&text).unwrap();
        let counts: Vec<_> = lines.iter().map(|line| (line.number, &line.counts[..])).collect();
        assert_eq!(counts, [(3, &[(1, 20), (3, 8902)][..]), (4, &[(2, 400)]), (5, &[(1, 20)])]);
    }

    #[test]
    fn a_malformed_suite_names_line_and_column() {
        let cases = [
            ("nonsense ;D1 20".to_owned(), 1, 1),
            (format!("{START} ;D1 20\n{START} ;D1"), 2, START.len() + 3),
            (format!("{START} ;D1 20 ;Dx 1"), 1, START.len() + 10),
            (format!("{START} ;D1 -20"), 1, START.len() + 3),
            (format!("{START} ;D999999999 1"), 1, START.len() + 3),
            (format!("{START} ;D1 20\n{START}\n"), 2, START.len() + 1),
            (format!("{START} ; ;# all"), 1, START.len() + 2),
        ];
        for (text, line, column) in cases {
            let Err(error) = read(&text) else {
                panic!("{text} was read");
            };
            assert_eq!((error.0, error.1), (line, column), "{text}: {}", error.2);
        }
    }
}
