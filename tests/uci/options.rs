//! What can be set.

use crate::driver::{Engine, START, THREADS, assert_sound, game};

/// Sends a line; returns what was said to it.
fn answer(engine: &mut Engine, line: &str) -> Vec<String> {
    engine.send(line);
    engine.sync()
}

fn assert_plays(engine: &mut Engine) {
    engine.send("position startpos");
    let said = engine.go("go depth 2");
    assert_sound(&game(START, &[]), &said);
}

#[test]
fn setoption_is_understood_in_all_its_forms() {
    let mut engine = Engine::bare();
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

#[test]
fn what_does_not_fit_is_refused_with_one_line() {
    let mut engine = Engine::bare();
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
