//! What can be set.

use crate::driver::{Engine, START, THREADS, answer, assert_sound, game};

fn assert_plays(engine: &mut Engine) {
    engine.send("position startpos");
    let said = engine.go("go depth 2");
    assert_sound(&game(START, &[]), &said);
}

#[test]
fn setoption_is_understood_in_all_its_forms() {
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
            assert!(answer(&mut engine, line).is_empty(), "{line}");
        }
        assert_plays(&mut engine);
    }
}

#[test]
fn what_does_not_fit_is_refused_with_one_line() {
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
            let said = answer(&mut engine, line);
            assert_eq!(said.len(), 1, "{line}: {said:?}");
            assert!(said[0].starts_with("info string error"), "{line}: {said:?}");
        }
        assert_plays(&mut engine);
    }
}

#[test]
fn more_hash_or_threads_than_the_machine_has_are_refused() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        let said = answer(&mut engine, "setoption name Hash value 33554432");
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(
            said[0].contains("Hash") && said[0].contains("memory"),
            "{said:?}"
        );
        assert_plays(&mut engine);
        // Works or is refused, but nothing dies.
        answer(&mut engine, "setoption name Threads value 1024");
        answer(&mut engine, "setoption name Threads value 1");
        assert_plays(&mut engine);
    }
}

#[test]
fn the_order_of_threads_and_hash_does_not_matter() {
    for order in [
        ["Threads value 2", "Hash value 32"],
        ["Hash value 32", "Threads value 2"],
    ] {
        let mut engine = Engine::bare();
        for option in order {
            assert!(answer(&mut engine, &format!("setoption name {option}")).is_empty());
        }
        assert_plays(&mut engine);
    }
}

#[test]
fn options_set_while_searching_wait_for_its_end() {
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
            let said = answer(&mut engine, &format!("setoption name {option}"));
            assert!(
                said.iter().all(|line| line.starts_with("info ")),
                "{said:?}"
            );
            assert!(!said.iter().any(|line| line.contains("error")), "{said:?}");
        }
        engine.no_best_move();
        engine.send("stop");
        engine.until("bestmove");
        let said = engine.sync();
        assert_eq!(said.len(), 1, "the one refused: {said:?}");
        engine.send("position startpos");
        let said = engine.go("go depth 3");
        assert!(
            said.iter().any(|line| line.contains(" multipv 2 ")),
            "{said:?}"
        );
    }
}

/// With little memory to be had, what cannot be had is refused and the game goes on.
#[cfg(target_os = "linux")]
#[test]
fn a_memory_limit_is_survived() {
    let mut engine = Engine::limited(600_000);
    for line in [
        "setoption name Hash value 4096",
        "setoption name Threads value 1024",
        "setoption name Hash value 64",
        "setoption name Threads value 2",
        "setoption name Hash value 2000",
        "ucinewgame",
    ] {
        let said = answer(&mut engine, line);
        assert!(said.len() <= 1, "{line}: {said:?}");
        assert_plays(&mut engine);
    }
}

#[test]
fn chances_are_shown_only_when_asked_for() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        let shown = |said: &[String]| said.iter().any(|line| line.contains(" wdl "));
        assert!(!shown(&engine.go("go depth 3")));
        engine.send("setoption name UCI_ShowWDL value true");
        for position in ["startpos", "fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"] {
            engine.send(&format!("position {position}"));
            for line in engine
                .go("go depth 3")
                .iter()
                .filter(|line| line.contains(" score "))
            {
                let chances = line.split(" wdl ").nth(1).expect("chances");
                let numbers = chances.split(' ').take(3).map(|n| n.parse::<u32>());
                let sum: u32 = numbers.map(|n| n.expect("a number")).sum();
                assert_eq!(sum, 1000, "{line}");
                assert!(line.contains(" score cp ") || line.contains(" score mate "));
            }
        }
    }
}

#[test]
fn minimal_output_is_a_line_and_a_move() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        engine.send("setoption name Minimal value true");
        let said = engine.go("go depth 6");
        assert_eq!(said.len(), 2, "{said:?}");
        assert_sound(&game(START, &[]), &said);
    }
}

#[test]
fn a_network_file_that_is_none_is_refused_with_the_reason() {
    let folder = std::env::temp_dir().join(format!("saavedra uci é {}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("a  network.nnue");
    std::fs::write(&file, b"SAAVNNUE and nothing else").expect("a file");
    let mut engine = Engine::bare();
    for path in [
        file.as_path(),
        folder.as_path(),
        &folder.join("missing"),
        "/dev/zero".as_ref(),
    ] {
        let line = format!("setoption name EvalFile value {}", path.display());
        let said = answer(&mut engine, &line);
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].contains("EvalFile keeps its value"), "{said:?}");
        assert!(said[0].contains(&path.display().to_string()), "{said:?}");
        assert_plays(&mut engine);
    }
    for name in ["<piece-square>", "<embedded>", "<empty>"] {
        let said = answer(
            &mut engine,
            &format!("setoption name EvalFile value {name}"),
        );
        assert!(said.is_empty(), "{said:?}");
        assert_plays(&mut engine);
    }
    std::fs::remove_dir_all(&folder).expect("still there");
}

#[test]
fn missing_endgame_tables_are_told_and_change_nothing() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        for value in ["value /nonexistent folder", "value", "value <empty>", ""] {
            let said = answer(&mut engine, &format!("setoption name SyzygyPath {value}"));
            assert!(
                said.iter().all(|line| line.starts_with("info string ")),
                "{said:?}"
            );
            assert_eq!(said.is_empty(), !value.contains('/'), "{value}: {said:?}");
            assert_plays(&mut engine);
        }
        for (name, value) in [
            ("SyzygyProbeDepth", "5"),
            ("SyzygyProbeLimit", "0"),
            ("Syzygy50MoveRule", "false"),
            ("UCI_Opponent", "GM 2800 human Gary Kasparov"),
            ("UCI_EngineAbout", "me"),
        ] {
            let said = answer(&mut engine, &format!("setoption name {name} value {value}"));
            assert!(said.is_empty(), "{name}: {said:?}");
        }
    }
}

#[test]
fn the_log_has_both_directions_with_times() {
    let name = format!("saavedra-uci-log-{}", std::process::id());
    let path = std::env::temp_dir().join(name);
    let _ = std::fs::remove_file(&path);
    let mut engine = Engine::bare();
    answer(&mut engine, "setoption name Hash value 8");
    let said = answer(
        &mut engine,
        &format!("setoption name Log File value {}", path.display()),
    );
    assert!(said.is_empty(), "{said:?}");
    assert_plays(&mut engine);
    let text = std::fs::read_to_string(&path).expect("a log");
    let mut last = 0;
    for line in text.lines() {
        let (time, rest) = line.split_once(' ').expect("a time");
        let time: u64 = time.parse().expect("microseconds");
        assert!(
            time >= last && (rest.starts_with("< ") || rest.starts_with("> ")),
            "{line}"
        );
        last = time;
    }
    for part in [
        " < setoption name Hash value 8\n",
        " < go depth 2\n",
        " > bestmove ",
        " > readyok",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    answer(&mut engine, "setoption name Log File value");
    answer(&mut engine, "uci");
    let after = std::fs::read_to_string(&path).expect("a log");
    assert!(!after.contains("uciok"));
    std::fs::remove_file(&path).expect("still there");
}

#[test]
fn a_kernel_can_be_forced_and_one_that_is_not_there_is_refused() {
    use std::process::Command;
    let program = env!("CARGO_BIN_EXE_saavedra");
    let mut engine = Engine::spawn(Command::new(program).env("SAAVEDRA_KERNEL", "scalar"));
    assert_plays(&mut engine);
    let mut commands = vec![&[][..], &["bench"], &["genfens 1 seed 1 book None"]];
    if cfg!(feature = "cli") {
        const FEN: &str = "7k/5Q2/8/6K1/8/8/8/8 b - - 0 1";
        commands.extend([
            &["analyse", FEN][..],
            &["book", "analyse", "-o", "never.bin"],
            &["datagen", "--out", "never", "--games", "1"],
            &["duel", "embedded", "material"],
            &["explain", FEN],
            &["levels"],
        ]);
    }
    for arguments in commands {
        let mut command = Command::new(program);
        let output = command
            .args(arguments)
            .env("SAAVEDRA_KERNEL", "abacus")
            .output();
        let output = output.expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("abacus"));
    }
}
