//! The traps that GUIs, match runners and bots set, tried on the real program with one thread and
//! with two.

#[path = "uci/driver.rs"]
mod driver;
#[path = "uci/fuzz.rs"]
mod fuzz;
#[path = "uci/knowledge.rs"]
mod knowledge;
#[path = "uci/limits.rs"]
mod limits;
#[path = "uci/log.rs"]
mod log;
#[path = "uci/options.rs"]
mod options;
#[path = "uci/positions.rs"]
mod positions;

use driver::{Engine, LONG, THREADS, assert_sound, best_of, field};
use saavedra::chess::Game;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// The program may take a second to end; ten times as much for a busy machine.
const END: Duration = Duration::from_secs(10);

#[test]
fn nothing_is_said_before_uci_and_only_what_belongs_there_after() {
    let mut engine = Engine::bare();
    engine.send("uci");
    let said = engine.until("uciok");
    assert!(said[0].starts_with("id name Saavedra "), "{said:?}");
    assert_eq!(said[1], "id author the Saavedra authors");
    for line in &said[2..said.len() - 1] {
        assert!(line.starts_with("option name "), "{line}");
    }
    for line in &said {
        assert!(line.is_ascii() && line.trim() == line && !line.contains('&'));
    }
}

#[test]
fn options_are_declared_as_guis_parse_them() {
    let mut engine = Engine::bare();
    engine.send("uci");
    let said = engine.until("uciok");
    for line in said.iter().filter(|line| line.starts_with("option")) {
        let (_, kind) = line.split_once(" type ").expect("a type");
        let number = |name| field(line, name).and_then(|n| n.parse::<i64>().ok());
        match kind.split(' ').next() {
            Some("spin") => {
                let (min, default, max) = (number("min"), number("default"), number("max"));
                assert!(min.is_some() && min <= default && default <= max, "{line}");
            }
            Some("check") => {
                assert!(kind.ends_with("default true") || kind.ends_with("default false"))
            }
            Some("string") => assert!(
                field(line, "default").is_some_and(|d| !d.is_empty()),
                "{line}"
            ),
            Some("button") => assert_eq!(kind, "button"),
            other => panic!("{other:?}: {line}"),
        }
    }
    for name in [
        "Hash",
        "Threads",
        "Ponder",
        "MultiPV",
        "Move Overhead",
        "UCI_Chess960",
        "SyzygyPath",
        "UCI_ShowWDL",
    ] {
        let beginning = format!("option name {name} type ");
        assert!(
            said.iter().any(|line| line.starts_with(&beginning)),
            "{name}"
        );
    }
}

#[test]
fn works_without_uci() {
    let mut engine = Engine::bare();
    engine.send("setoption name Hash value 2");
    assert!(engine.sync().is_empty());
    assert_ne!(engine.best("go depth 2"), "(none)");
}

#[test]
fn readyok_is_a_barrier() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        engine.send("setoption name Hash value 64");
        engine.send("ucinewgame");
        engine.send("setoption name Threads value 0");
        let said = engine.sync();
        assert_eq!(
            said.len(),
            1,
            "what came before has been answered: {said:?}"
        );
        assert!(said[0].starts_with("info string error"), "{said:?}");
    }
}

#[test]
fn isready_is_answered_while_searching_and_does_not_disturb() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        engine.send("go infinite");
        for _ in 0..20 {
            let said = engine.sync();
            assert!(!said.iter().any(|line| line.starts_with("bestmove")));
        }
        engine.send("stop");
        engine.until("bestmove");
    }
}

#[test]
fn stop_right_behind_go_is_never_lost() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        for _ in 0..50 {
            engine.send_bytes(b"position startpos moves e2e4\ngo infinite\nstop\n");
            let said = engine.until("bestmove");
            assert_sound(&driver::game(driver::START, &["e2e4"]), &said);
        }
        let said = engine.sync();
        assert!(said.is_empty(), "one best move for each go: {said:?}");
    }
}

#[test]
fn stray_stop_and_ponderhit_say_nothing() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        engine.send_bytes(b"stop\nponderhit\nstop\nwait\n");
        assert!(engine.sync().is_empty());
        engine.send("go infinite");
        engine.send("ponderhit");
        engine.no_best_move();
        engine.send("stop");
        engine.until("bestmove");
    }
}

#[test]
fn infinite_waits_for_stop_even_when_there_is_nothing_left_to_search() {
    let cases = [
        (
            "mate found",
            "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1",
            "go infinite",
        ),
        ("deep enough", driver::START, "go depth 1 infinite"),
        (
            "checkmate",
            "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
            "go infinite",
        ),
        ("stalemate", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "go infinite"),
        ("one node", driver::START, "go nodes 1 infinite"),
    ];
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        for (name, fen, go) in cases {
            engine.send(&format!("position fen {fen}"));
            engine.send(go);
            let said = engine.no_best_move();
            assert!(
                said.iter().any(|line| line.contains(" score ")),
                "{name}: {said:?}"
            );
            assert_eq!(
                engine
                    .sync()
                    .iter()
                    .filter(|l| l.starts_with("bestmove"))
                    .count(),
                0
            );
            engine.send("stop");
            engine.until("bestmove");
            assert!(engine.sync().is_empty(), "{name}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn waiting_takes_no_processor_time() {
    for threads in THREADS {
        for (position, go) in [
            ("startpos", ""),
            ("fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "go infinite"),
            ("startpos", "go ponder depth 1"),
        ] {
            let mut engine = Engine::with_threads(threads);
            engine.send(&format!("position {position}"));
            engine.send(go);
            engine.sync();
            let deadline = Instant::now() + LONG;
            while !engine.is_idle() {
                assert!(Instant::now() < deadline, "{go:?}: it spins");
            }
        }
    }
}

#[test]
fn ponder_holds_the_move_until_ponderhit_or_stop() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        for limit in [
            "depth 1",
            "nodes 50",
            "movetime 1",
            "mate 1",
            "wtime 1 btime 1",
            "wtime 1000 btime 1000 winc 10 binc 10",
        ] {
            for word in ["ponderhit", "stop"] {
                engine.send("position fen 6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1");
                engine.send(&format!("go ponder {limit}"));
                engine.no_best_move();
                engine.send(word);
                engine.until("bestmove");
                assert!(engine.sync().is_empty(), "{limit} {word}");
            }
        }
    }
}

#[test]
fn pondering_without_a_limit_goes_on_after_ponderhit_as_without_pondering() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        // So few moves are searched to the end at once.
        engine.send("position fen 7k/8/5K2/8/8/8/8/R7 w - - 99 80");
        engine.send("go ponder");
        engine.send("ponderhit");
        engine.no_best_move();
        engine.send("stop");
        engine.until("bestmove");
    }
}

#[test]
fn the_clock_starts_at_ponderhit() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        engine.send("go ponder movetime 400");
        let time = |line: &str| field(line, "time").and_then(|time| time.parse::<u64>().ok());
        let mut said = engine.until_lines(1, |line| time(line) > Some(400));
        let pondered = said.last().and_then(|line| time(line));
        engine.send("ponderhit");
        said.extend(engine.until("bestmove"));
        let times: Vec<u64> = said.iter().filter_map(|line| time(line)).collect();
        assert!(times.is_sorted(), "the time goes on: {times:?}");
        // No further iteration is started after more than half of the time.
        assert!(
            times.last().copied() >= pondered.map(|time| time + 200),
            "{times:?}"
        );
    }
}

#[test]
fn go_position_and_newgame_during_a_search_end_or_await_it() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        engine.send("go infinite");
        engine.send("position startpos moves e2e4 e7e5");
        engine.no_best_move();
        engine.send("go infinite");
        engine.until("bestmove");
        engine.send("ucinewgame");
        engine.until("bestmove");
        assert!(engine.sync().is_empty());
        let said = engine.go("go depth 3");
        assert_sound(&driver::game(driver::START, &["e2e4", "e7e5"]), &said);
    }
}

#[test]
fn end_of_input_ends_the_program() {
    for threads in THREADS {
        for go in [
            "",
            "go infinite",
            "go ponder wtime 1000 btime 1000",
            "go depth 200",
        ] {
            let mut engine = Engine::with_threads(threads);
            engine.send(go);
            let (said, time) = engine.end_of_input();
            let best = said.iter().filter(|line| line.starts_with("bestmove"));
            assert_eq!(best.count(), usize::from(!go.is_empty()), "{go}");
            assert!(time < END, "{go}: {time:?}");
        }
    }
}

#[test]
fn end_of_input_ends_a_search_beside_a_benchmark_that_is_told_to_its_end() {
    let mut engine = Engine::bare();
    engine.send("bench");
    engine.send("go infinite");
    let (said, _) = engine.end_of_input();
    let best = said.iter().position(|line| line.starts_with("bestmove"));
    let bench = said.iter().position(|line| line.ends_with(" nps"));
    assert!(best.is_some() && best < bench, "{said:?}");
}

#[test]
fn quit_ends_the_program() {
    for go in [
        "",
        "go infinite",
        "go ponder movetime 5",
        "go perft 9",
        "bench",
    ] {
        let mut engine = Engine::with_threads(2);
        engine.send(go);
        let begin = Instant::now();
        engine.send("quit");
        engine.rest();
        assert!(begin.elapsed() < END, "{go}: {:?}", begin.elapsed());
    }
}

#[test]
fn closed_output_ends_the_program() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_saavedra"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(b"uci\ngo infinite\n").expect("it reads");
    let (sender, ended) = channel();
    std::thread::spawn(move || sender.send(child.wait().map(drop)));
    ended
        .recv_timeout(LONG)
        .expect("it ends")
        .expect("a status");
}

#[test]
fn scripts_can_wait() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        engine.send_bytes(b"position startpos\ngo depth 6\nwait\nquit\n");
        let said = engine.rest();
        assert!(
            said.iter().any(|line| field(line, "depth") == Some("6")),
            "{said:?}"
        );
        assert!(
            said.last()
                .is_some_and(|line| line.starts_with("bestmove "))
        );
        let mut engine = Engine::with_threads(threads);
        engine.send_bytes(b"go perft 3\nwait\nquit\n");
        assert!(engine.rest().contains(&"Nodes searched: 8902".to_owned()));
    }
}

#[test]
fn carriage_returns_tabs_blanks_and_unknown_words_are_accepted() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        engine.send_bytes(b"\r\n\n   \t \n  joho debug on\r\nregister later\r\ndebug off\n");
        engine.send_bytes(b"\t position \t startpos  moves   e2e4\t\r\n  go   depth\t2 \r\n");
        let said = engine.until("bestmove");
        assert_sound(&driver::game(driver::START, &["e2e4"]), &said);
    }
}

#[test]
fn garbage_is_survived_and_answered_in_readable_lines() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        engine.send_bytes(b"\xff\xfe\x00\x80 garbage \x1b[31m\n");
        engine.send_bytes(b"setoption name \xc3\x28 value \xf0\x9f\n");
        engine.send_bytes(b"position fen \xff\xff w - - 0 1\n");
        engine.send("position fen ♔♕♖♗♘♙ w - - 0 1");
        engine.send("position startpos moves é2e4 e2é4 \u{1F600}");
        engine.send("go depth 1 searchmoves ä1b2 éé");
        for line in engine.until("bestmove") {
            assert!(
                line.len() < 2000 && !line.contains(char::is_control),
                "{line:?}"
            );
        }
    }
}

#[test]
fn lines_of_megabytes_are_survived() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        let megabytes = "knight ".repeat(600_000);
        for beginning in [
            "",
            "setoption name ",
            "setoption name Hash value ",
            "go searchmoves ",
        ] {
            engine.send(&format!("{beginning}{megabytes}"));
            if beginning.starts_with("go") {
                engine.send("stop");
                engine.until("bestmove");
            }
            let said = engine.sync();
            assert!(said.iter().all(|line| line.len() < 2000));
        }
        engine.send_bytes(&vec![b'a'; 20 << 20]);
        engine.send("");
        assert_eq!(engine.sync().len(), 1);
    }
}

#[test]
fn nothing_is_written_to_standard_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_saavedra"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let text =
        "uci\nsetoption name Hash value -1\nnonsense\nposition fen x\ngo depth 2\nwait\nquit\n";
    stdin.write_all(text.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(output.stdout.ends_with(b"\n") && !output.stdout.contains(&b'\r'));
}

#[test]
fn output_consists_of_known_lines() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        engine.send("go movetime 300");
        for line in engine.until("bestmove") {
            let known = ["info depth ", "info nodes ", "bestmove "];
            assert!(
                known.iter().any(|beginning| line.starts_with(beginning)),
                "{line}"
            );
        }
    }
}

#[test]
fn perft_counts_and_stops() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        engine.send("go perft 0");
        assert_eq!(
            engine.until("Nodes searched").last().unwrap(),
            "Nodes searched: 1"
        );
        engine.send("go perft 2");
        let said = engine.until("Nodes searched");
        assert!(said.contains(&"e2e4: 20".to_owned()));
        assert_eq!(said.last().unwrap(), "Nodes searched: 400");
        assert!(engine.sync().is_empty(), "that was the last line");
        let cut = |line: &String| line.starts_with("info string stopped");
        assert!(!said.iter().any(cut), "{said:?}");
        engine.send("go perft 4000000000");
        engine.send("stop");
        let said = engine.until("Nodes searched");
        assert!(said.iter().any(cut), "{said:?}");
        assert_eq!(engine.best("go depth 1").len(), 4);
    }
}

#[test]
fn a_search_that_takes_long_shows_signs_of_life() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        engine.send("go infinite");
        let alive = |line: &str| line.contains(" currmove ") || line.starts_with("info nodes ");
        let said = engine.until_lines(2, alive);
        engine.send("stop");
        engine.until("bestmove");
        let moves = said.iter().filter(|line| line.contains(" currmove "));
        assert!(
            moves
                .clone()
                .all(|line| field(line, "currmovenumber").is_some())
        );
    }
}

#[test]
fn mates_do_not_flood_and_the_last_line_is_whole() {
    let fens = [
        "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1",
        "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1",
        "k7/8/1K6/8/8/8/8/7R w - - 0 1",
        "8/8/8/8/8/1k6/7r/K7 w - - 0 1",
    ];
    for threads in THREADS {
        for multipv in [1, 3] {
            let mut engine = Engine::with_threads(threads);
            engine.send(&format!("setoption name MultiPV value {multipv}"));
            for fen in fens {
                engine.send(&format!("position fen {fen}"));
                let said = engine.go("go movetime 700");
                let last = said.len().checked_sub(2).expect("a last line");
                let time = field(&said[last], "time").and_then(|time| time.parse::<usize>().ok());
                let most = 80 + 30 * (1 + time.expect("a time") / 1000) * multipv;
                assert!(said.len() < most, "{} lines: {fen}", said.len());
                assert_sound(&driver::game(fen, &[]), &said);
            }
        }
    }
}

#[test]
fn all_lines_of_an_iteration_come_together() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        engine.send("setoption name MultiPV value 500");
        assert_eq!(engine.sync().len(), 1, "out of bounds");
        engine.send("setoption name MultiPV value 256");
        engine.send("position startpos");
        let said = engine.go("go depth 3");
        assert_sound(&Game::default(), &said);
        let lines: Vec<&String> = said
            .iter()
            .filter(|line| line.contains(" multipv "))
            .collect();
        let at_depth_2 = lines
            .iter()
            .filter(|line| field(line, "depth") == Some("2"));
        let numbers: Vec<usize> = at_depth_2
            .filter_map(|line| field(line, "multipv")?.parse().ok())
            .collect();
        assert_eq!(numbers, (1..=20).collect::<Vec<_>>());
        assert_ne!(best_of(&said), "(none)");
    }
}

#[test]
fn fewer_root_moves_than_lines_are_told_all_the_same() {
    let mut engine = Engine::bare();
    // A weak player thinks a move ahead, and does not see every move.
    for (name, value) in [
        ("UCI_LimitStrength", "true"),
        ("UCI_Elo", "500"),
        ("Seed", "1"),
        ("MultiPV", "256"),
    ] {
        engine.send(&format!("setoption name {name} value {value}"));
    }
    let said = engine.go("go depth 1");
    assert_sound(&Game::default(), &said);
    let numbers = said.iter().filter_map(|line| field(line, "multipv"));
    let mut numbers: Vec<usize> = numbers.filter_map(|n| n.parse().ok()).collect();
    assert_eq!(numbers.pop(), Some(1), "the final line");
    assert!((2..20).contains(&numbers.len()), "{said:?}");
    assert!(numbers.iter().copied().eq(1..=numbers.len()), "{said:?}");
}
