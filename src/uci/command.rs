//! Parses the commands of a GUI.

use std::time::Duration;

/// A command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// `uci`: identify the engine and list its options.
    Uci,
    /// `isready`: answer when all earlier commands are done.
    IsReady,
    /// `ucinewgame`: the next position is from another game.
    NewGame,
    /// `setoption`.
    SetOption {
        /// The name of the option.
        name: String,
        /// The value; empty for buttons.
        value: String,
    },
    /// `position`.
    Position {
        /// The FEN; `None` is the start position.
        fen: Option<String>,
        /// The moves played from there.
        moves: Vec<String>,
    },
    /// `go`: start a search.
    Go(Go),
    /// `go perft`: count leaf nodes to this depth.
    Perft(u32),
    /// `stop`: end the search.
    Stop,
    /// `ponderhit`: the opponent played the ponder move.
    PonderHit,
    /// `wait`: read no further command until `bestmove` is printed.
    Wait,
    /// `quit`: end the program.
    Quit,
    /// `d`: display the board.
    Display,
    /// `eval`: print the static evaluation.
    Eval,
    /// `bench`: run the bench.
    Bench,
    /// `help`: list the commands.
    Help,
    /// An empty line, or a command without effect.
    Ignored,
    /// A known command that is incomplete or has another form.
    Malformed(String),
    /// A line without a known command.
    Unknown(String),
}

/// The parameters of `go`. Moves are not parsed yet.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Go {
    /// White's remaining time.
    pub wtime: Option<Duration>,
    /// Black's remaining time.
    pub btime: Option<Duration>,
    /// White's increment.
    pub winc: Option<Duration>,
    /// Black's increment.
    pub binc: Option<Duration>,
    /// Moves until the next time control.
    pub movestogo: Option<u32>,
    /// Maximum depth in plies.
    pub depth: Option<u32>,
    /// Maximum nodes.
    pub nodes: Option<u64>,
    /// Search for a mate in at most this many moves; 0 ends at once.
    pub mate: Option<u32>,
    /// Fixed time for this move.
    pub movetime: Option<Duration>,
    /// Search until `stop`.
    pub infinite: bool,
    /// Ponder.
    pub ponder: bool,
    /// Search only these root moves.
    pub searchmoves: Vec<String>,
}

/// The answer to `help`.
pub const HELP: &str = "\
uci                                     identify the engine and list its options
isready                                 answer readyok when all earlier commands are done
setoption name NAME [value VALUE]       set an option
ucinewgame                              the next position is from another game
position startpos [moves MOVE...]       set the position, from the start
position fen FEN [moves MOVE...]        set the position
go [LIMIT...]                           search; without a limit until stop
    depth N, nodes N, movetime MS, mate N, infinite, ponder, searchmoves MOVE...,
    wtime MS, btime MS, winc MS, binc MS, movestogo N
go perft N                              count the leaf nodes of the legal move tree
stop                                    end the search and print its best move
ponderhit                               the opponent has played the expected move
d                                       show the board
eval                                    show the static evaluation
bench                                   search fixed positions
wait                                    read no further command until the search has ended
quit                                    end the program
help                                    list these commands

Play, analyse and more: saavedra --help";

/// The keywords of `go`. Each of them ends the list of `searchmoves`.
const GO_KEYWORDS: [&str; 13] = [
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

/// Parses a line.
///
/// ```
/// use saavedra::uci::command::{Command, parse};
///
/// assert_eq!(parse("isready"), Command::IsReady);
/// assert_eq!(parse("go perft 5"), Command::Perft(5));
/// ```
///
/// As the protocol requires, unknown words before a known command are skipped.
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
            "help" => Command::Help,
            "debug" | "register" => Command::Ignored,
            _ => continue,
        };
    }
    match words.first() {
        None => Command::Ignored,
        Some(_) => Command::Unknown(line.trim().to_owned()),
    }
}

fn set_option(words: &[&str], line: &str) -> Command {
    let is = |word: &str, keyword: &str| word.eq_ignore_ascii_case(keyword);
    let name = words.iter().position(|w| is(w, "name")).map_or(0, |i| i + 1);
    let value = words.iter().skip(name).position(|w| is(w, "value")).map(|i| name + i);
    // The value may be a path: its blanks are kept.
    let rest_after = |word: &str| {
        let end = word.as_ptr().addr() - line.as_ptr().addr() + word.len();
        line.get(end..).unwrap_or_default().trim().to_owned()
    };
    Command::SetOption {
        name: words[name..value.unwrap_or(words.len())].join(" "),
        value: value.map_or_else(String::new, |i| rest_after(words[i])),
    }
}

fn position(words: &[&str], line: &str) -> Command {
    let moves_at = words.iter().position(|w| *w == "moves").unwrap_or(words.len());
    let moves = words.iter().skip(moves_at + 1).map(|w| (*w).to_owned()).collect();
    match words.first() {
        // Without the keyword `moves`, moves would be ignored without a message.
        Some(&"startpos") if moves_at == 1 => Command::Position { fen: None, moves },
        Some(&"fen") => Command::Position { fen: Some(words[1..moves_at].join(" ")), moves },
        _ => Command::Malformed(line.trim().to_owned()),
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
                while let Some(m) = words.next_if(|w| !GO_KEYWORDS.contains(w)) {
                    go.searchmoves.push(m.to_owned());
                }
            }
            _ if GO_KEYWORDS.contains(&word) => {
                let number = words.peek().and_then(|w| parse_number(w));
                if word == "perft" {
                    // Without a depth it is no search either.
                    let malformed = || Command::Malformed("go perft".to_owned());
                    return number.map_or_else(malformed, |depth| Command::Perft(clamp(depth)));
                }
                match number {
                    Some(number) => {
                        words.next();
                        set_number(&mut go, word, number);
                    }
                    // Without a number there is no mate to be found.
                    None if word == "mate" => go.mate = Some(0),
                    None => {}
                }
            }
            _ => {}
        }
    }
    Command::Go(go)
}

/// Parses a whole number, or the whole part of a decimal number. A number that does not fit
/// saturates.
fn parse_number(word: &str) -> Option<i64> {
    let word = word.split_once('.').map_or(word, |(whole, _)| whole);
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    if digits.is_empty() || !digits.bytes().all(|c| c.is_ascii_digit()) {
        return None;
    }
    let limit = if word.starts_with('-') { i64::MIN } else { i64::MAX };
    Some(word.parse().unwrap_or(limit))
}

fn clamp(number: i64) -> u32 {
    number.clamp(0, i64::from(u32::MAX)) as u32
}

fn set_number(go: &mut Go, word: &str, number: i64) {
    // Zero and negative times count as a millisecond.
    let time = Duration::from_millis(number.max(1) as u64);
    let increment = Duration::from_millis(number.max(0) as u64);
    match word {
        "wtime" => go.wtime = Some(time),
        "btime" => go.btime = Some(time),
        "winc" => go.winc = Some(increment),
        "binc" => go.binc = Some(increment),
        "movestogo" => go.movestogo = Some(clamp(number)).filter(|n| *n > 0),
        "depth" => go.depth = Some(clamp(number).max(1)),
        "nodes" => go.nodes = Some(number.max(1) as u64),
        "mate" => go.mate = Some(clamp(number)),
        _ => go.movetime = Some(time),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_parsed() {
        let option = |name: &str, value: &str| Command::SetOption {
            name: name.to_owned(),
            value: value.to_owned(),
        };
        for (line, command) in [
            ("uci", Command::Uci),
            ("  joho   isready\t", Command::IsReady),
            ("", Command::Ignored),
            ("debug on", Command::Ignored),
            ("register later", Command::Ignored),
            ("ucinewgame", Command::NewGame),
            ("stop", Command::Stop),
            ("ponderhit", Command::PonderHit),
            ("wait", Command::Wait),
            ("quit", Command::Quit),
            ("d", Command::Display),
            ("eval", Command::Eval),
            ("bench", Command::Bench),
            ("go foo 5 bar 6", Command::Go(Go::default())),
            (
                "position fen 8/8 w moves a1a2 b1b2",
                Command::Position {
                    fen: Some("8/8 w".into()),
                    moves: vec!["a1a2".into(), "b1b2".into()],
                },
            ),
            ("setoption name Move Overhead value 30", option("Move Overhead", "30")),
            ("setoption name Clear Hash", option("Clear Hash", "")),
            ("setoption name SyzygyPath value", option("SyzygyPath", "")),
            (
                "setoption name SyzygyPath value  /two  blanks \r\n",
                option("SyzygyPath", "/two  blanks"),
            ),
            ("go perft 5", Command::Perft(5)),
            ("go perft", Command::Malformed("go perft".into())),
            ("go perft x", Command::Malformed("go perft".into())),
            ("hello there", Command::Unknown("hello there".into())),
            ("position startpos e2e4", Command::Malformed("position startpos e2e4".into())),
            (
                "position startpos moves e2e4",
                Command::Position { fen: None, moves: vec!["e2e4".into()] },
            ),
        ] {
            assert_eq!(parse(line), command, "{line:?}");
        }
    }

    #[test]
    fn help_lists_known_commands_and_all_keywords_of_go() {
        let names = HELP.lines().take_while(|line| !line.is_empty());
        let names = names.filter(|line| !line.starts_with(' '));
        for name in names.map(|line| line.split(' ').next().unwrap_or_default()) {
            assert!(!matches!(parse(name), Command::Unknown(_)), "{name}");
        }
        for word in GO_KEYWORDS {
            assert!(
                HELP.contains(&format!("{word} ")) || HELP.contains(&format!("{word},")),
                "{word}"
            );
        }
    }

    #[test]
    fn every_limit_has_its_parameter_and_its_least_value() {
        let milliseconds = |n| Some(Duration::from_millis(n));
        let expected =
            |[wtime, btime, winc, binc, movestogo, depth, nodes, mate, movetime]: [u64; 9]| Go {
                wtime: milliseconds(wtime),
                btime: milliseconds(btime),
                winc: milliseconds(winc),
                binc: milliseconds(binc),
                movestogo: Some(movestogo as u32).filter(|moves| *moves > 0),
                depth: Some(depth as u32),
                nodes: Some(nodes),
                mate: Some(mate as u32),
                movetime: milliseconds(movetime),
                ..Go::default()
            };
        let all = |values: [&str; 9]| {
            let words = GO_KEYWORDS.iter().zip(values).map(|(w, v)| format!(" {w} {v}"));
            parse(&format!("go{}", words.collect::<String>()))
        };
        let given = all(["11", "22", "33", "44", "55", "66", "77", "88", "99"]);
        let values = [11, 22, 33, 44, 55, 66, 77, 88, 99];
        assert_eq!(given, Command::Go(expected(values)));
        let least = Command::Go(expected([1, 1, 0, 0, 0, 1, 1, 0, 1]));
        for low in ["0", "-1", "-99999999999999999999", "+0"] {
            assert_eq!(all([low; 9]), least, "{low}");
        }
        let (most, max) = (i64::MAX as u64, u64::from(u32::MAX));
        let most = [most, most, most, most, max, max, most, max, most];
        let most = Command::Go(expected(most));
        assert_eq!(all(["+99999999999999999999"; 9]), most);
        for malformed in ["", "x", "-", "+", "--5", "5x", "1e3", ".5"] {
            let command = all([malformed; 9]);
            let mate_in_none = Go { mate: Some(0), ..Go::default() };
            assert_eq!(command, Command::Go(mate_in_none), "{malformed:?}");
        }
        assert_eq!(parse("go perft -3"), Command::Perft(0));
        let infinite = Go { infinite: true, ..Go::default() };
        assert_eq!(parse("go infinite"), Command::Go(infinite));
    }

    #[test]
    fn limits_may_be_decimal_numbers() {
        for (line, expected) in [
            ("go movetime 50.5", "go movetime 50"),
            ("go wtime 1000.0 btime 900.75", "go wtime 1000 btime 900"),
            ("go depth 3.0", "go depth 3"),
        ] {
            assert_eq!(parse(line), parse(expected), "{line}");
        }
        assert_ne!(parse("go depth 3.0"), parse("go"));
    }

    #[test]
    fn limits_are_parsed_in_any_order() {
        let Command::Go(go) = parse(
            "go searchmoves e2e4 d2d4 wtime -5 foo depth 7 nodes 99999999999999999999 ponder",
        ) else {
            panic!("a go command");
        };
        assert_eq!(go.searchmoves, ["e2e4", "d2d4"]);
        assert_eq!(go.wtime, Some(Duration::from_millis(1)));
        assert_eq!((go.depth, go.nodes, go.ponder), (Some(7), Some(i64::MAX as u64), true));
    }
}
