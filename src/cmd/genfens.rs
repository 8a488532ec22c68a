//! `saavedra "genfens N seed S book F|None" quit`: random openings, as OpenBench requests them for
//! data generation (<https://github.com/AndyGrant/OpenBench/wiki>). Each is printed as a line
//! `info string genfens FEN`.

use super::{CommandError, CommandResult, report};
use crate::chess::{Board, PositionError, Random};
use crate::engine::{self, Searcher};
use crate::selfplay::opening;
use std::fmt::Display;
use std::io::{self, Write};

/// The two lengths of an opening from the standard start position, in plies.
const PLIES: [usize; 2] = [8, 9];
/// The two lengths of an opening from a book position, in plies.
const PLIES_FROM_BOOK: [usize; 2] = [4, 5];
/// The transposition table of the search that rejects unbalanced openings, in megabytes.
const HASH: usize = 4;

/// A parsed request.
#[derive(Debug, PartialEq, Eq)]
struct Request<'a> {
    count: u64,
    seed: u64,
    book: Option<&'a str>,
}

fn parse(command: &str) -> Option<Request<'_>> {
    let mut words = command.split_whitespace();
    let mut next = |keyword: &str| match words.next() {
        Some(word) if word == keyword => words.next(),
        _ => None,
    };
    let count = next("genfens")?.parse().ok()?;
    let seed = next("seed")?.parse().ok()?;
    // Further arguments are specific to an engine; there are none here.
    let book = match next("book")? {
        "None" => None,
        file => Some(file),
    };
    Some(Request { count, seed, book })
}

/// Runs the command, which is a single argument.
pub(super) fn run(command: &str) -> CommandResult {
    let Some(request) = parse(command) else {
        let usage = "expected \"genfens N seed S book FILE|None\"";
        return Err(CommandError::Refused(usage.into()));
    };
    let (starts, plies) = match request.book {
        None => (vec![Board::startpos()], PLIES),
        Some(file) => (read_book(file)?, PLIES_FROM_BOOK),
    };
    let mut searcher = Searcher::new(HASH, &engine::embedded_evaluation()?)?;
    let mut out = io::stdout().lock();
    for number in 0..request.count {
        let mut random = Random::for_game(request.seed, number);
        let start = |random: &mut Random| *random.pick(&starts);
        searcher.clear();
        let Some(game) = opening::balanced(&mut searcher, &mut random, start, plies) else {
            return Err(CommandError::Refused(
                "every game from this book ends within the opening".into(),
            ));
        };
        writeln!(out, "info string genfens {}", game.board().to_fen())?;
    }
    Ok(())
}

/// The positions of a book with a FEN or EPD in each line, without empty lines and comments after
/// `#`. Any other line is reported and skipped.
fn read_book(file: &str) -> Result<Vec<Board>, CommandError> {
    let refused = |reason: &dyn Display| CommandError::Refused(format!("{file}: {reason}"));
    let text = std::fs::read_to_string(file).map_err(|error| refused(&error))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut boards = Vec::new();
    for (line, number) in text.lines().map(str::trim).zip(1..) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match position(line) {
            Ok(board) => boards.push(board),
            Err(error) => report(&format_args!("{file}:{number}: {error}")),
        }
    }
    if boards.is_empty() { Err(refused(&"no positions found")) } else { Ok(boards) }
}

/// The position of a line: four fields, and the two counters if they follow.
fn position(line: &str) -> Result<Board, PositionError> {
    let words: Vec<&str> = line.split_whitespace().take(6).collect();
    let is_counter = |word: &&str| word.parse::<u32>().is_ok();
    let counters = words.iter().skip(4).take_while(|word| is_counter(word));
    let fields = words.len().min(4) + counters.count();
    Board::from_fen(&words[..fields].join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_as_openbench_writes_them() {
        let request = |book| Some(Request { count: 12, seed: 7, book });
        assert_eq!(parse("genfens 12 seed 7 book None"), request(None));
        assert_eq!(parse("genfens 12 seed 7 book Books/x.epd"), request(Some("Books/x.epd")));
        assert_eq!(parse("genfens 12 seed 7 book None extra 3"), request(None));
        for wrong in [
            "genfens",
            "genfens x seed 1 book None",
            "genfens 1 book None",
            "genfens 1 seed -1 book None",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn lines_of_books_are_positions_with_or_without_counters() {
        let start = Board::startpos().to_fen();
        let bare = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        for line in [&start, bare, &format!("{bare} bm e4;"), &format!("{bare} hmvc 0; fmvn 1;")] {
            assert_eq!(position(line), Ok(Board::startpos()), "{line}");
        }
        assert!(position("1. e4 e5").is_err());
    }

    #[test]
    fn a_byte_order_mark_costs_no_line_of_a_book() {
        let name = format!("saavedra-genfens-{}.epd", std::process::id());
        let path = std::env::temp_dir().join(name);
        let start = Board::startpos().to_fen();
        let text = format!("\u{feff}{start}\r\n\r\n# a comment\r\nno position\r\n{start}\r\n");
        std::fs::write(&path, text).expect("a file");
        let boards = read_book(path.to_str().expect("a path in UTF-8"));
        std::fs::remove_file(&path).expect("removed");
        assert_eq!(boards.ok(), Some(vec![Board::startpos(); 2]));
    }
}
