//! The UCI protocol of the program as GUIs, match runners and bots use it, with one thread and with
//! two.

mod driver;
mod fuzz;
mod knowledge;
mod limits;
mod log;
mod options;
mod positions;

use driver::{Engine, THREADS, TIMEOUT, assert_valid_output, best_move, field};
use saavedra::chess::Game;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// The time within which the program must end: a second, and slack for a busy machine.
const MAX_END: Duration = Duration::from_secs(10);

#[test]
fn uci_is_answered_by_name_author_and_options() {
    let mut engine = Engine::new();
    engine.send("uci");
    let output = engine.read_until("uciok");
    assert!(output[0].starts_with("id name Saavedra "), "{output:?}");
    assert_eq!(output[1], "id author the Saavedra authors");
    for line in &output[2..output.len() - 1] {
        assert!(line.starts_with("option name "), "{line}");
    }
    for line in &output {
        assert!(line.is_ascii() && line.trim() == line && !line.contains('&'));
    }
}

#[test]
fn option_lines_have_a_type_default_and_bounds() {
    let mut engine = Engine::new();
    engine.send("uci");
    let output = engine.read_until("uciok");
    for line in output.iter().filter(|line| line.starts_with("option")) {
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
            Some("string") => {
                assert!(field(line, "default").is_some_and(|d| !d.is_empty()), "{line}")
            }
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
        let prefix = format!("option name {name} type ");
        assert!(output.iter().any(|line| line.starts_with(&prefix)), "{name}");
    }
}

#[test]
fn commands_work_without_uci() {
    let mut engine = Engine::new();
    engine.send("setoption name Hash value 2");
    assert!(engine.sync().is_empty());
    assert_ne!(engine.best("go depth 2"), "(none)");
}

#[test]
fn readyok_follows_the_output_of_earlier_commands() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        engine.send("setoption name Hash value 64");
        engine.send("ucinewgame");
        engine.send("setoption name Threads value 0");
        let output = engine.sync();
        assert_eq!(output.len(), 1, "{output:?}");
        assert!(output[0].starts_with("info string error"), "{output:?}");
    }
}

#[test]
fn isready_is_answered_during_a_search() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        engine.send("go infinite");
        for _ in 0..20 {
            let output = engine.sync();
            assert!(!output.iter().any(|line| line.starts_with("bestmove")));
        }
        engine.send("stop");
        engine.read_until("bestmove");
    }
}

#[test]
fn stop_right_after_go_is_not_lost() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        for _ in 0..50 {
            engine.send_bytes(b"position startpos moves e2e4\ngo infinite\nstop\n");
            let output = engine.read_until("bestmove");
            assert_valid_output(&driver::game(driver::STARTPOS_FEN, &["e2e4"]), &output);
        }
        let output = engine.sync();
        assert!(output.is_empty(), "one bestmove for each go: {output:?}");
    }
}

#[test]
fn stop_right_after_go_plays_a_mate_in_one() {
    let fen = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1";
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        for go in ["go infinite", "go ponder wtime 1000 btime 1000", "go depth 20"] {
            engine.send_bytes(format!("position fen {fen}\n{go}\nstop\n").as_bytes());
            let output = engine.read_until("bestmove");
            assert_valid_output(&driver::game(fen, &[]), &output);
            assert_eq!(best_move(&output), "a1a8");
        }
    }
}

#[test]
fn stop_and_ponderhit_without_a_search_print_nothing() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        engine.send_bytes(b"stop\nponderhit\nstop\nwait\n");
        assert!(engine.sync().is_empty());
        engine.send("go infinite");
        engine.send("ponderhit");
        engine.assert_no_bestmove();
        engine.send("stop");
        engine.read_until("bestmove");
    }
}

#[test]
fn go_infinite_waits_for_stop_also_after_the_search_has_ended() {
    let cases = [
        ("mate found", "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "go infinite"),
        ("deep enough", driver::STARTPOS_FEN, "go depth 1 infinite"),
        (
            "checkmate",
            "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
            "go infinite",
        ),
        ("stalemate", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "go infinite"),
        ("one node", driver::STARTPOS_FEN, "go nodes 1 infinite"),
    ];
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        for (name, fen, go) in cases {
            engine.send(&format!("position fen {fen}"));
            engine.send(go);
            let output = engine.assert_no_bestmove();
            assert!(output.iter().any(|line| line.contains(" score ")), "{name}: {output:?}");
            assert_eq!(engine.sync().iter().filter(|l| l.starts_with("bestmove")).count(), 0);
            engine.send("stop");
            engine.read_until("bestmove");
            assert!(engine.sync().is_empty(), "{name}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn waiting_uses_no_cpu_time() {
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
            let deadline = Instant::now() + TIMEOUT;
            while !engine.is_idle() {
                assert!(Instant::now() < deadline, "{go:?}: the program uses CPU time");
            }
        }
    }
}

#[test]
fn go_ponder_holds_bestmove_until_ponderhit_or_stop() {
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
            for command in ["ponderhit", "stop"] {
                engine.send("position fen 6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1");
                engine.send(&format!("go ponder {limit}"));
                engine.assert_no_bestmove();
                engine.send(command);
                engine.read_until("bestmove");
                assert!(engine.sync().is_empty(), "{limit} {command}");
            }
        }
    }
}

#[test]
fn go_ponder_without_a_limit_is_infinite_after_ponderhit() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        // The search of this position reaches its maximum depth at once.
        engine.send("position fen 7k/8/5K2/8/8/8/8/R7 w - - 99 80");
        engine.send("go ponder");
        engine.send("ponderhit");
        engine.assert_no_bestmove();
        engine.send("stop");
        engine.read_until("bestmove");
    }
}

#[test]
fn movetime_starts_at_ponderhit() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        engine.send("go ponder movetime 400");
        let time = |line: &str| field(line, "time").and_then(|time| time.parse::<u64>().ok());
        let mut output = engine.read_until_lines(1, |line| time(line) > Some(400));
        let ponder_hit = Instant::now();
        engine.send("ponderhit");
        output.extend(engine.read_until("bestmove"));
        // On a busy machine it is longer.
        assert!(ponder_hit.elapsed() > Duration::from_millis(300));
        let times: Vec<u64> = output.iter().filter_map(|line| time(line)).collect();
        assert!(times.is_sorted(), "{times:?}");
    }
}

#[test]
fn go_and_ucinewgame_end_a_search_and_position_waits_for_its_end() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        engine.send("go infinite");
        engine.send("position startpos moves e2e4 e7e5");
        engine.assert_no_bestmove();
        engine.send("go infinite");
        engine.read_until("bestmove");
        engine.send("ucinewgame");
        engine.read_until("bestmove");
        assert!(engine.sync().is_empty());
        let output = engine.go("go depth 3");
        assert_valid_output(&driver::game(driver::STARTPOS_FEN, &["e2e4", "e7e5"]), &output);
    }
}

#[test]
fn the_end_of_input_ends_the_program() {
    for threads in THREADS {
        for go in ["", "go infinite", "go ponder wtime 1000 btime 1000", "go depth 200"] {
            let mut engine = Engine::with_threads(threads);
            engine.send(go);
            let (output, time) = engine.close_input();
            let best = output.iter().filter(|line| line.starts_with("bestmove"));
            assert_eq!(best.count(), usize::from(!go.is_empty()), "{go}");
            assert!(time < MAX_END, "{go}: {time:?}");
        }
    }
}

#[test]
fn the_end_of_input_ends_a_search_but_not_a_bench() {
    let mut engine = Engine::new();
    engine.send("bench");
    engine.send("go infinite");
    let (output, _) = engine.close_input();
    let best = output.iter().position(|line| line.starts_with("bestmove"));
    let bench = output.iter().position(|line| line.ends_with(" nps"));
    assert!(best.is_some() && best < bench, "{output:?}");
}

#[test]
fn quit_ends_the_program() {
    for go in ["", "go infinite", "go ponder movetime 5"] {
        let mut engine = Engine::with_threads(2);
        engine.send(go);
        let start = Instant::now();
        engine.send("quit");
        engine.read_to_end();
        assert!(start.elapsed() < MAX_END, "{go}: {:?}", start.elapsed());
    }
}

/// Scripts send their commands and close the pipe.
#[test]
fn a_perft_and_a_bench_are_finished_before_the_command_that_would_end_them() {
    for (lines, ends) in [
        ("go perft 4\nquit\n", ["Nodes searched: 197281"].as_slice()),
        ("go perft 4\n", &["Nodes searched: 197281"]),
        ("go perft 4\nucinewgame\nisready\n", &["Nodes searched: 197281", "readyok"]),
        ("go perft 4\ngo perft 3\nquit\n", &["Nodes searched: 197281", "Nodes searched: 8902"]),
        ("go perft 4\ngo depth 1\nwait\nquit\n", &["Nodes searched: 197281", "bestmove"]),
        ("bench\nquit\n", &[" nps"]),
    ] {
        let mut engine = Engine::with_threads(1);
        engine.send_bytes(lines.as_bytes());
        let (output, _) = engine.close_input();
        let mut rest = output.iter();
        for end in ends {
            assert!(rest.any(|line| line.contains(end)), "{lines:?}: {output:?}");
        }
    }
}

#[test]
fn a_closed_output_ends_the_program() {
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
    ended.recv_timeout(TIMEOUT).expect("the program ends").expect("a status");
}

#[test]
fn wait_delays_the_next_command_until_the_search_has_ended() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        engine.send_bytes(b"position startpos\ngo depth 6\nwait\nquit\n");
        let output = engine.read_to_end();
        assert!(output.iter().any(|line| field(line, "depth") == Some("6")), "{output:?}");
        assert!(output.last().is_some_and(|line| line.starts_with("bestmove ")));
        let mut engine = Engine::with_threads(threads);
        engine.send_bytes(b"go perft 3\nwait\nquit\n");
        assert!(engine.read_to_end().contains(&"Nodes searched: 8902".to_owned()));
    }
}

#[test]
fn white_space_and_unknown_words_are_skipped() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        engine.send_bytes(b"\r\n\n   \t \n  joho debug on\r\nregister later\r\ndebug off\n");
        engine.send_bytes(b"\t position \t startpos  moves   e2e4\t\r\n  go   depth\t2 \r\n");
        let output = engine.read_until("bestmove");
        assert_valid_output(&driver::game(driver::STARTPOS_FEN, &["e2e4"]), &output);
    }
}

#[test]
fn help_and_unknown_words_are_answered_in_plain_text() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        for line in ["hello", "moves e2e4", "HELP"] {
            engine.send(line);
            let answer = format!("Unknown command: '{line}'. Type help for more information.");
            assert_eq!(engine.sync(), [answer]);
        }
        for line in ["position startpos e2e4", "go perft"] {
            engine.send(line);
            assert_eq!(engine.sync(), [format!("info string error: malformed command: {line}")]);
        }
        engine.send("help");
        let help = engine.sync();
        assert!(help.iter().all(|line| line.is_ascii()), "{help:?}");
        for word in ["position ", "go ", "quit ", "bench "] {
            assert!(help.iter().any(|line| line.starts_with(word)), "{word}: {help:?}");
        }
    }
}

/// A person at a pseudo-terminal, created by the program `script`.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "needs the program `script`; run by .ci/run"]
fn only_a_person_at_a_terminal_is_greeted() {
    let program = env!("CARGO_BIN_EXE_saavedra");
    let at_terminal = |command: &str| {
        let output = crate::support::run(
            Command::new("script").args(["-qec", command, "/dev/null"]),
            "isready\nquit\n",
        );
        crate::support::stdout(&output)
    };
    let greeting = "Saavedra ";
    let text = at_terminal(&format!("'{program}'"));
    let greeted = text.lines().any(|line| line.starts_with(greeting));
    assert!(greeted && text.contains("Type help") && text.contains("saavedra --help"), "{text}");
    let text = at_terminal(&format!("'{program}' | cat"));
    assert!(text.contains("readyok") && !text.contains(greeting), "{text}");
}

#[test]
fn random_bytes_are_answered_by_printable_lines() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        engine.send_bytes(b"\xff\xfe\x00\x80 garbage \x1b[31m\n");
        engine.send_bytes(b"setoption name \xc3\x28 value \xf0\x9f\n");
        engine.send_bytes(b"position fen \xff\xff w - - 0 1\n");
        engine.send("position fen ♔♕♖♗♘♙ w - - 0 1");
        engine.send("position startpos moves é2e4 e2é4 \u{1F600}");
        engine.send("go depth 1 searchmoves ä1b2 éé");
        for line in engine.read_until("bestmove") {
            assert!(line.len() < 2000 && !line.contains(char::is_control), "{line:?}");
        }
    }
}

#[test]
fn lines_of_megabytes_are_read() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        let megabytes = "knight ".repeat(600_000);
        for prefix in ["", "setoption name ", "setoption name Hash value ", "go searchmoves "] {
            engine.send(&format!("{prefix}{megabytes}"));
            if prefix.starts_with("go") {
                engine.send("stop");
                engine.read_until("bestmove");
            }
            let output = engine.sync();
            assert!(output.iter().all(|line| line.len() < 2000));
        }
        engine.send_bytes(&vec![b'a'; 20 << 20]);
        engine.send("");
        assert_eq!(engine.sync().len(), 1);
    }
}

#[test]
fn nothing_is_written_to_standard_error_by_default() {
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
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(output.stdout.ends_with(b"\n") && !output.stdout.contains(&b'\r'));
}

#[test]
fn a_search_prints_only_info_and_bestmove_lines() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        for line in engine.go("go movetime 300") {
            let prefixes = ["info depth ", "bestmove "];
            assert!(prefixes.iter().any(|prefix| line.starts_with(prefix)), "{line}");
        }
    }
}

#[test]
fn perft_counts_leaf_nodes_and_obeys_stop() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        engine.send("go perft 0");
        assert_eq!(engine.read_until("Nodes searched").last().unwrap(), "Nodes searched: 1");
        engine.send("go perft 2");
        let output = engine.read_until("Nodes searched");
        assert!(output.contains(&"e2e4: 20".to_owned()));
        assert_eq!(output.last().unwrap(), "Nodes searched: 400");
        assert!(engine.sync().is_empty(), "a line after the last one");
        let is_stopped = |line: &String| line.starts_with("info string perft stopped");
        assert!(!output.iter().any(is_stopped), "{output:?}");
        engine.send("go perft 4000000000");
        engine.send("stop");
        let output = engine.read_until("info string perft stopped");
        assert!(!output.iter().any(|line| line.starts_with("Nodes searched")), "{output:?}");
        assert_eq!(engine.best("go depth 1").len(), 4);
    }
}

#[test]
fn a_long_search_prints_its_progress() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        engine.send("go infinite");
        let mut output = engine.read_until_lines(2, |line| line.contains(" currmove "));
        engine.send("stop");
        output.extend(engine.read_until("bestmove"));
        for line in output.iter().filter(|line| line.contains(" currmove ")) {
            assert!(field(line, "currmovenumber").is_some(), "{line}");
        }
        assert_valid_output(&Game::default(), &output);
    }
}

#[test]
fn the_number_of_lines_is_limited_near_a_mate() {
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
                let output = engine.go("go movetime 700");
                let last = output.len().checked_sub(2).expect("a last line");
                let time = field(&output[last], "time").and_then(|time| time.parse::<usize>().ok());
                let max_lines = 80 + 30 * (1 + time.expect("a time") / 1000) * multipv;
                assert!(output.len() < max_lines, "{} lines: {fen}", output.len());
                assert_valid_output(&driver::game(fen, &[]), &output);
            }
        }
    }
}

#[test]
fn multipv_prints_all_lines_of_an_iteration() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        engine.send("setoption name MultiPV value 500");
        assert_eq!(engine.sync().len(), 1, "out of bounds");
        engine.send("setoption name MultiPV value 256");
        engine.send("position startpos");
        let output = engine.go("go depth 3");
        assert_valid_output(&Game::default(), &output);
        let lines: Vec<&String> = output.iter().filter(|line| line.contains(" multipv ")).collect();
        let at_depth_2 = lines.iter().filter(|line| field(line, "depth") == Some("2"));
        let numbers: Vec<usize> =
            at_depth_2.filter_map(|line| field(line, "multipv")?.parse().ok()).collect();
        assert_eq!(numbers, (1..=20).collect::<Vec<_>>());
        assert_ne!(best_move(&output), "(none)");
    }
}

#[test]
fn multipv_is_limited_by_the_root_moves_of_a_handicapped_search() {
    let mut engine = Engine::new();
    // The handicap removes some root moves.
    for (name, value) in
        [("UCI_LimitStrength", "true"), ("UCI_Elo", "500"), ("Seed", "1"), ("MultiPV", "256")]
    {
        engine.send(&format!("setoption name {name} value {value}"));
    }
    let output = engine.go("go depth 1");
    assert_valid_output(&Game::default(), &output);
    let numbers = output.iter().filter_map(|line| field(line, "multipv"));
    let mut numbers: Vec<usize> = numbers.filter_map(|n| n.parse().ok()).collect();
    assert_eq!(numbers.pop(), Some(1), "the final PV line");
    assert!((2..20).contains(&numbers.len()), "{output:?}");
    assert!(numbers.iter().copied().eq(1..=numbers.len()), "{output:?}");
}
