//! Lines of a GUI as values.

use std::time::Duration;

/// What a GUI, or a person, may say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// Name yourself and your options.
    Uci,
    /// Answer when all earlier work is done.
    IsReady,
    /// The next position is of another game.
    NewGame,
    /// Set an option.
    SetOption {
        /// Its name.
        name: String,
        /// The value; empty for buttons.
        value: String,
    },
    /// Set up a position.
    Position {
        /// The FEN, or the start position.
        fen: Option<String>,
        /// The moves made from it.
        moves: Vec<String>,
    },
    /// Search.
    Go(Go),
    /// Count paths.
    Perft(u32),
    /// End the search.
    Stop,
    /// The opponent made the expected move.
    PonderHit,
    /// Read nothing until the best move is out.
    Wait,
    /// End the program.
    Quit,
    /// Show the board.
    Display,
    /// Show the evaluation.
    Eval,
    /// Run the benchmark.
    Bench,
    /// Nothing that would need an answer.
    Nothing,
    /// Not understood.
    Unknown(String),
}

/// What a search is asked for, as written: moves are text, times may be nonsense.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Go {
    /// White's time.
    pub wtime: Option<Duration>,
    /// Black's time.
    pub btime: Option<Duration>,
    /// White's increment.
    pub winc: Option<Duration>,
    /// Black's increment.
    pub binc: Option<Duration>,
    /// Moves to the next time control.
    pub movestogo: Option<u32>,
    /// Plies.
    pub depth: Option<u32>,
    /// Boards.
    pub nodes: Option<u64>,
    /// Moves to a mate.
    pub mate: Option<u32>,
    /// Time for this move.
    pub movetime: Option<Duration>,
    /// Until told to stop.
    pub infinite: bool,
    /// In the opponent's time.
    pub ponder: bool,
    /// Only these moves.
    pub searchmoves: Vec<String>,
}

/// Words of a `go` line; a list of moves ends at any of them.
const GO_WORDS: [&str; 13] = [
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "infinite",
    "ponder",
    "searchmoves",
    "perft",
];

/// Reads a line. Unknown words before a known command are skipped, as the protocol asks.
pub fn parse(line: &str) -> Command {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    for (i, word) in words.iter().enumerate() {
        let rest = &words[i + 1..];
        return match *word {
            "uci" => Command::Uci,
            "isready" => Command::IsReady,
            "ucinewgame" => Command::NewGame,
            "setoption" => set_option(rest, line),
            "position" => position(rest, line),
            "go" => go(rest),
            "stop" => Command::Stop,
            "ponderhit" => Command::PonderHit,
            "wait" => Command::Wait,
            "quit" => Command::Quit,
            "d" => Command::Display,
            "eval" => Command::Eval,
            "bench" => Command::Bench,
            "debug" | "register" => Command::Nothing,
            _ => continue,
        };
    }
    match words.first() {
        None => Command::Nothing,
        Some(_) => Command::Unknown(line.trim().to_owned()),
    }
}

fn set_option(words: &[&str], line: &str) -> Command {
    let is = |word: &str, wanted: &str| word.eq_ignore_ascii_case(wanted);
    let name = words
        .iter()
        .position(|w| is(w, "name"))
        .map_or(0, |i| i + 1);
    let value = words
        .iter()
        .skip(name)
        .position(|w| is(w, "value"))
        .map(|i| name + i);
    // As it stands, with all its blanks: it may be a path.
    let behind = |word: &str| {
        let end = word.as_ptr().addr() - line.as_ptr().addr() + word.len();
        line.get(end..).unwrap_or_default().trim().to_owned()
    };
    Command::SetOption {
        name: words[name..value.unwrap_or(words.len())].join(" "),
        value: value.map_or_else(String::new, |i| behind(words[i])),
    }
}

fn position(words: &[&str], line: &str) -> Command {
    let moves_at = words
        .iter()
        .position(|w| *w == "moves")
        .unwrap_or(words.len());
    let moves = words
        .iter()
        .skip(moves_at + 1)
        .map(|w| (*w).to_owned())
        .collect();
    match words.first() {
        // Moves that are not announced as such would be left out unseen.
        Some(&"startpos") if moves_at == 1 => Command::Position { fen: None, moves },
        Some(&"fen") => Command::Position {
            fen: Some(words[1..moves_at].join(" ")),
            moves,
        },
        _ => Command::Unknown(line.trim().to_owned()),
    }
}

fn go(words: &[&str]) -> Command {
    let mut go = Go::default();
    let mut words = words.iter().copied().peekable();
    while let Some(word) = words.next() {
        match word {
            "infinite" => go.infinite = true,
            "ponder" => go.ponder = true,
            "searchmoves" => {
                while let Some(m) = words.next_if(|w| !GO_WORDS.contains(w)) {
                    go.searchmoves.push(m.to_owned());
                }
            }
            _ if GO_WORDS.contains(&word) => {
                let Some(number) = words.peek().and_then(|w| parse_number(w)) else {
                    continue;
                };
                words.next();
                if word == "perft" {
                    return Command::Perft(clamp(number));
                }
                set_number(&mut go, word, number);
            }
            _ => {}
        }
    }
    Command::Go(go)
}

/// A whole number, or the whole part of one; one too large for us is as good as the largest.
fn parse_number(word: &str) -> Option<i64> {
    let word = word.split_once('.').map_or(word, |(whole, _)| whole);
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    if digits.is_empty() || !digits.bytes().all(|c| c.is_ascii_digit()) {
        return None;
    }
    let most = if word.starts_with('-') {
        i64::MIN
    } else {
        i64::MAX
    };
    Some(word.parse().unwrap_or(most))
}

fn clamp(number: i64) -> u32 {
    number.clamp(0, i64::from(u32::MAX)) as u32
}

fn set_number(go: &mut Go, word: &str, number: i64) {
    // A clock that has run out, or nonsense: a millisecond.
    let time = Duration::from_millis(number.clamp(1, 1 << 50) as u64);
    let increment = Duration::from_millis(number.clamp(0, 1 << 50) as u64);
    match word {
        "wtime" => go.wtime = Some(time),
        "btime" => go.btime = Some(time),
        "winc" => go.winc = Some(increment),
        "binc" => go.binc = Some(increment),
        "movestogo" => go.movestogo = Some(clamp(number)).filter(|n| *n > 0),
        "depth" => go.depth = Some(clamp(number).max(1)),
        "nodes" => go.nodes = Some(number.max(1) as u64),
        "mate" => go.mate = Some(clamp(number).max(1)),
        _ => go.movetime = Some(time),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_guis_are_understood() {
        let option = |name: &str, value: &str| Command::SetOption {
            name: name.to_owned(),
            value: value.to_owned(),
        };
        for (line, command) in [
            ("uci", Command::Uci),
            ("  joho   isready\t", Command::IsReady),
            ("", Command::Nothing),
            ("debug on", Command::Nothing),
            (
                "setoption name Move Overhead value 30",
                option("Move Overhead", "30"),
            ),
            ("setoption name Clear Hash", option("Clear Hash", "")),
            ("setoption name SyzygyPath value", option("SyzygyPath", "")),
            (
                "setoption name SyzygyPath value  /two  blanks \r\n",
                option("SyzygyPath", "/two  blanks"),
            ),
            ("go perft 5", Command::Perft(5)),
            ("hello there", Command::Unknown("hello there".into())),
            (
                "position startpos e2e4",
                Command::Unknown("position startpos e2e4".into()),
            ),
            (
                "position startpos moves e2e4",
                Command::Position {
                    fen: None,
                    moves: vec!["e2e4".into()],
                },
            ),
        ] {
            assert_eq!(parse(line), command, "{line:?}");
        }
    }

    #[test]
    fn a_limit_with_a_fraction_is_a_limit() {
        for (line, whole) in [
            ("go movetime 50.5", "go movetime 50"),
            ("go wtime 1000.0 btime 900.75", "go wtime 1000 btime 900"),
            ("go depth 3.0", "go depth 3"),
        ] {
            assert_eq!(parse(line), parse(whole), "{line}");
        }
        assert_ne!(parse("go depth 3.0"), parse("go"));
    }

    #[test]
    fn all_limits_bind_in_any_order() {
        let Command::Go(go) = parse(
            "go searchmoves e2e4 d2d4 wtime -5 foo depth 7 nodes 99999999999999999999 ponder",
        ) else {
            panic!("a go command");
        };
        assert_eq!(go.searchmoves, ["e2e4", "d2d4"]);
        assert_eq!(go.wtime, Some(Duration::from_millis(1)));
        assert_eq!(
            (go.depth, go.nodes, go.ponder),
            (Some(7), Some(i64::MAX as u64), true)
        );
    }
}
