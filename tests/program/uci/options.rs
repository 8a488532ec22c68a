//! The options.

use super::driver::{Engine, STARTPOS_FEN, THREADS, assert_valid_output, game, send_and_sync};
use std::time::{Duration, Instant};

fn assert_searches(engine: &mut Engine) {
    engine.send("position startpos");
    let output = engine.go("go depth 2");
    assert_valid_output(&game(STARTPOS_FEN, &[]), &output);
}

#[test]
fn setoption_ignores_case_and_extra_blanks() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        for line in [
            "setoption name hash value 8",
            "setoption name HASH value 4",
            "setoption   name  Move   Overhead   value  30 ",
            "setoption name move overhead value 0",
            "setoption name Clear Hash",
            "setoption name clear hash value",
            "setoption name Ponder value true",
            "setoption name Ponder value FALSE",
        ] {
            assert!(send_and_sync(&mut engine, line).is_empty(), "{line}");
        }
        assert_searches(&mut engine);
    }
}

#[test]
fn invalid_names_and_values_are_refused_with_one_line() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        for line in [
            "setoption",
            "setoption name",
            "setoption name Nonsense value 3",
            "setoption name Nonsense",
            "setoption name Hash",
            "setoption name Hash value",
            "setoption name Hash value abc",
            "setoption name Hash value -5",
            "setoption name Hash value 0",
            "setoption name Hash value 1.5",
            "setoption name Hash value 99999999999999999999",
            "setoption name Threads value 0",
            "setoption name Threads value -1",
            "setoption name MultiPV value 0",
            "setoption name UCI_Chess960 value maybe",
            "setoption name Ponder value",
            "setoption value 3",
        ] {
            let output = send_and_sync(&mut engine, line);
            assert_eq!(output.len(), 1, "{line}: {output:?}");
            assert!(output[0].starts_with("info string error"), "{line}: {output:?}");
        }
        assert_searches(&mut engine);
    }
}

#[test]
fn more_hash_than_the_machine_has_is_refused() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        let output = send_and_sync(&mut engine, "setoption name Hash value 33554432");
        assert_eq!(output.len(), 1, "{output:?}");
        assert!(output[0].contains("Hash") && output[0].contains("memory"), "{output:?}");
        assert_searches(&mut engine);
        // It depends on the machine whether this is refused.
        send_and_sync(&mut engine, "setoption name Threads value 1024");
        send_and_sync(&mut engine, "setoption name Threads value 1");
        assert_searches(&mut engine);
    }
}

#[test]
fn the_order_of_threads_and_hash_does_not_matter() {
    for order in [["Threads value 2", "Hash value 32"], ["Hash value 32", "Threads value 2"]] {
        let mut engine = Engine::new();
        for option in order {
            assert!(send_and_sync(&mut engine, &format!("setoption name {option}")).is_empty());
        }
        assert_searches(&mut engine);
    }
}

#[test]
fn options_set_during_a_search_are_applied_after_it() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        engine.send("go infinite");
        for option in [
            "Threads value 2",
            "Hash value 4",
            "Clear Hash",
            "MultiPV value 2",
            "UCI_Chess960 value true",
            "Hash value -3",
        ] {
            let output = send_and_sync(&mut engine, &format!("setoption name {option}"));
            assert!(output.iter().all(|line| line.starts_with("info ")), "{output:?}");
            assert!(!output.iter().any(|line| line.contains("error")), "{output:?}");
        }
        engine.assert_no_bestmove();
        engine.send("stop");
        engine.read_until("bestmove");
        let output = engine.sync();
        assert_eq!(output.len(), 1, "only the last one is refused: {output:?}");
        engine.send("position startpos");
        let output = engine.go("go depth 3");
        assert!(output.iter().any(|line| line.contains(" multipv 2 ")), "{output:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn options_are_refused_if_there_is_not_enough_memory() {
    let mut engine = Engine::with_address_space(600_000);
    for line in [
        "setoption name Hash value 4096",
        "setoption name Threads value 1024",
        "setoption name Hash value 64",
        "setoption name Threads value 2",
        "setoption name Hash value 2000",
        "ucinewgame",
    ] {
        let output = send_and_sync(&mut engine, line);
        assert!(output.len() <= 1, "{line}: {output:?}");
        assert_searches(&mut engine);
    }
}

#[test]
fn wdl_is_printed_only_with_the_option() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        let shown = |output: &[String]| output.iter().any(|line| line.contains(" wdl "));
        assert!(!shown(&engine.go("go depth 3")));
        engine.send("setoption name UCI_ShowWDL value true");
        for position in ["startpos", "fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"] {
            engine.send(&format!("position {position}"));
            for line in engine.go("go depth 3").iter().filter(|line| line.contains(" score ")) {
                let wdl = line.split(" wdl ").nth(1).expect("probabilities");
                let numbers = wdl.split(' ').take(3).map(|n| n.parse::<u32>());
                let sum: u32 = numbers.map(|n| n.expect("a number")).sum();
                assert_eq!(sum, 1000, "{line}");
                assert!(line.contains(" score cp ") || line.contains(" score mate "));
            }
        }
    }
}

#[test]
fn minimal_output_is_one_info_line_and_bestmove() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        engine.send("setoption name Minimal value true");
        let output = engine.go("go depth 6");
        assert_eq!(output.len(), 2, "{output:?}");
        assert_valid_output(&game(STARTPOS_FEN, &[]), &output);
    }
}

#[test]
fn an_invalid_network_file_is_refused_with_the_reason() {
    let folder = std::env::temp_dir().join(format!("saavedra uci é {}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("a  network.nnue");
    std::fs::write(&file, b"SAAVNNUE and nothing else").expect("a file");
    let mut engine = Engine::new();
    for path in [file.as_path(), folder.as_path(), &folder.join("missing"), "/dev/zero".as_ref()] {
        let line = format!("setoption name EvalFile value {}", path.display());
        let output = send_and_sync(&mut engine, &line);
        assert_eq!(output.len(), 1, "{output:?}");
        assert!(output[0].contains("EvalFile keeps its value"), "{output:?}");
        assert!(output[0].contains(&path.display().to_string()), "{output:?}");
        assert_searches(&mut engine);
    }
    for name in ["<piece-square>", "<embedded>", "<empty>"] {
        let output = send_and_sync(&mut engine, &format!("setoption name EvalFile value {name}"));
        assert!(output.is_empty(), "{output:?}");
        assert_searches(&mut engine);
    }
    std::fs::remove_dir_all(&folder).expect("the file exists");
}

#[test]
fn missing_tablebases_are_reported() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        for value in ["value /nonexistent folder", "value", "value <empty>", ""] {
            let output = send_and_sync(&mut engine, &format!("setoption name SyzygyPath {value}"));
            assert!(output.iter().all(|line| line.starts_with("info string ")), "{output:?}");
            assert_eq!(output.is_empty(), !value.contains('/'), "{value}: {output:?}");
            assert_searches(&mut engine);
        }
        for (name, value) in [
            ("SyzygyProbeDepth", "5"),
            ("SyzygyProbeLimit", "0"),
            ("Syzygy50MoveRule", "false"),
            ("UCI_Opponent", "GM 2800 human Gary Kasparov"),
            ("UCI_EngineAbout", "me"),
        ] {
            let output =
                send_and_sync(&mut engine, &format!("setoption name {name} value {value}"));
            assert!(output.is_empty(), "{name}: {output:?}");
        }
    }
}

#[test]
fn the_log_has_input_and_output_with_times() {
    let name = format!("saavedra-uci-log-{}", std::process::id());
    let path = std::env::temp_dir().join(name);
    let _ = std::fs::remove_file(&path);
    let mut engine = Engine::new();
    send_and_sync(&mut engine, "setoption name Hash value 8");
    let output =
        send_and_sync(&mut engine, &format!("setoption name Log File value {}", path.display()));
    assert!(output.is_empty(), "{output:?}");
    assert_searches(&mut engine);
    let text = std::fs::read_to_string(&path).expect("a log");
    let mut last = 0;
    for line in text.lines() {
        let (time, rest) = line.split_once(' ').expect("a time");
        let time: u64 = time.parse().expect("microseconds");
        assert!(time >= last && (rest.starts_with("< ") || rest.starts_with("> ")), "{line}");
        last = time;
    }
    for part in
        [" < setoption name Hash value 8\n", " < go depth 2\n", " > bestmove ", " > readyok"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    send_and_sync(&mut engine, "setoption name Log File value");
    send_and_sync(&mut engine, "uci");
    let after = std::fs::read_to_string(&path).expect("a log");
    assert!(!after.contains("uciok"));
    std::fs::remove_file(&path).expect("the file exists");
}

#[test]
fn the_environment_selects_the_kernel_and_an_unknown_one_is_refused() {
    use std::process::Command;
    let program = env!("CARGO_BIN_EXE_saavedra");
    let mut engine = Engine::spawn(Command::new(program).env("SAAVEDRA_KERNEL", "scalar"));
    assert_searches(&mut engine);
    let mut commands = vec![&[][..], &["bench"], &["genfens 1 seed 1 book None"]];
    if cfg!(feature = "cli") {
        const FEN: &str = "7k/5Q2/8/6K1/8/8/8/8 b - - 0 1";
        commands.extend([
            &["analyse", FEN][..],
            &["book", "analyse", "-o", "never.bin"],
            &["datagen", "--out", "never", "--games", "1"],
            &["duel", "embedded", "material"],
            &["explain", FEN],
        ]);
    }
    for arguments in commands {
        let mut command = Command::new(program);
        let output = command.args(arguments).env("SAAVEDRA_KERNEL", "abacus").output();
        let output = output.expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("abacus"));
    }
}

/// A person takes at least a third of a fiftieth of the time over a middlegame move.
#[test]
fn human_time_holds_the_move_back_at_limited_strength_until_a_stop() {
    let mut engine = Engine::new();
    let fen = "r1bq1rk1/ppp2ppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1 w - - 0 20";
    for line in [
        "setoption name UCI_LimitStrength value true",
        "setoption name UCI_Elo value 1000",
        "setoption name Human Time value true",
    ] {
        engine.send(line);
    }
    engine.send(&format!("position fen {fen}"));
    let start = Instant::now();
    let output = engine.go("go wtime 30000 btime 30000");
    assert!(start.elapsed() >= Duration::from_millis(200), "{:?}", start.elapsed());
    assert_valid_output(&game(fen, &[]), &output);
    // Without a clock and after a stop the move is not held back; this clock allows two minutes.
    engine.go("go nodes 300");
    engine.send("go wtime 3600000000 btime 3600000000");
    let mut output = engine.assert_no_bestmove();
    engine.send("stop");
    output.extend(engine.read_until("bestmove"));
    output.retain(|line| line != "readyok");
    assert_valid_output(&game(fen, &[]), &output);
    // The time begins with `ponderhit`.
    engine.send("go ponder wtime 3600000000 btime 3600000000");
    engine.assert_no_bestmove();
    engine.send("ponderhit");
    engine.assert_no_bestmove();
    engine.send("stop");
    engine.read_until("bestmove");
}
