//! The `position` command.

use super::driver::{Engine, STARTPOS_FEN, THREADS, assert_valid_output, best_move, field, game};

/// Sends a `position` command and returns the lines that answer it.
fn set_up(engine: &mut Engine, position: &str) -> Vec<String> {
    engine.send(&format!("position {position}"));
    engine.sync()
}

#[test]
fn incomplete_and_unusual_positions_are_accepted() {
    let cases = [
        ("startpos", 0),
        ("8/8/8/3k4/8/8/4R3/4K3 w", 0),
        ("8/8/8/3k4/8/8/4R3/4K3 w -", 0),
        ("8/8/8/3k4/8/8/4R3/4K3 w - -", 0),
        ("8/8/8/3k4/8/8/4R3/4K3 w - - 5", 0),
        ("8/8/8/3k4/8/8/4R3/4K3 w - - 0 0", 1),
        ("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2", 1),
        ("4k3/8/8/8/8/8/8/R3K3 w KQ - 0 1", 1),
        ("4k3/8/8/8/8/8/8/RR2K3 w AB - 0 1", 1),
        ("8/8/8/3k4/8/8/4R3/4K3 w - - 500 900", 0),
        ("8/8/8/3k4/8/8/4R3/4K3 w - - 0 1;", 0),
        ("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1", 0),
        ("k7/8/8/8/8/8/8/K7 w - - 0 1", 0),
    ];
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        for (fen, repairs) in cases {
            let output = set_up(&mut engine, &format!("fen {fen}"));
            assert_eq!(output.len(), repairs, "{fen}: {output:?}");
            let output = engine.go("go depth 3");
            assert_valid_output(&game(fen, &[]), &output);
        }
    }
}

#[test]
fn illegal_positions_are_refused_and_the_old_one_stays() {
    let cases = [
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "8/8/8/4k3/8/8/8/8 w - - 0 1",
        "8/8/8/4k3/8/8/8/2K1K3 w - - 0 1",
        "8/8/8/3kK3/8/8/8/8 w - - 0 1",
        "4k3/4R3/8/8/8/8/8/4K3 w - - 0 1",
        "P3k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/p3K3 w - - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1",
        "rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pppppppp/44/9/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/8/8/8/8/k6K w - - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQxq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e9 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - -1 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - a b",
        "nonsense",
        "",
    ];
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        for fen in cases {
            assert!(set_up(&mut engine, "startpos moves e2e4").is_empty());
            let output = set_up(&mut engine, &format!("fen {fen}"));
            assert_eq!(output.len(), 1, "{fen}: {output:?}");
            assert!(output[0].starts_with("info string error"), "{fen}: {output:?}");
            let output = engine.go("go depth 1");
            assert_valid_output(&game(STARTPOS_FEN, &["e2e4"]), &output);
        }
    }
}

#[test]
fn the_moves_before_an_illegal_one_are_played() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        for (moves, played) in [
            ("e2e4 e7e5 e1e3 g8f6", &["e2e4", "e7e5"][..]),
            ("e2e5", &[]),
            ("0000", &[]),
            ("e2e4 e7e5q", &["e2e4"]),
        ] {
            let output = set_up(&mut engine, &format!("startpos moves {moves}"));
            assert_eq!(output.len(), 1, "{moves}: {output:?}");
            assert!(output[0].starts_with("info string error"), "{output:?}");
            let output = engine.go("go depth 2");
            assert_valid_output(&game(STARTPOS_FEN, played), &output);
        }
        for empty in ["startpos moves", "startpos moves  "] {
            assert!(set_up(&mut engine, empty).is_empty());
        }
    }
}

#[test]
fn games_of_thousands_of_moves_are_accepted() {
    // After each round of knight moves the position repeats.
    let round = ["g1f3", "g8f6", "f3g1", "f6g8"];
    let moves = round.repeat(700);
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        let line = format!("startpos moves {} e2e4", moves.join(" "));
        assert!(set_up(&mut engine, &line).is_empty());
        let output = engine.go("go depth 2");
        let mut all = moves.clone();
        all.push("e2e4");
        assert_valid_output(&game(STARTPOS_FEN, &all), &output);
    }
}

#[test]
fn repetitions_count_from_the_whole_game() {
    // White is a queen ahead, but Kh8 is the third repetition.
    let fen = "7k/8/8/8/8/8/8/KQ6 w - - 0 1";
    let moves = ["a1a2", "h8g8", "a2a1", "g8h8", "a1a2", "h8g8", "a2a1"];
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        set_up(&mut engine, &format!("fen {fen} moves {}", moves.join(" ")));
        let output = engine.go("go depth 4 searchmoves g8h8");
        assert_eq!(field(&output[output.len() - 2], "cp"), Some("0"), "{output:?}");
    }
}

#[test]
fn a_position_without_legal_moves_has_a_score_and_no_best_move() {
    let mate = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
    let stalemate = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        for (fen, score) in [(mate, "score mate 0"), (stalemate, "score cp 0")] {
            for go in ["depth 3", "movetime 10", "nodes 1", "wtime 100 btime 100", "mate 3"] {
                set_up(&mut engine, &format!("fen {fen}"));
                let output = engine.go(&format!("go {go}"));
                assert_eq!(output.len(), 2, "{go}: {output:?}");
                assert!(output[0].starts_with("info depth 0 "), "{output:?}");
                assert!(output[0].contains(score), "{output:?}");
                assert_eq!(best_move(&output), "(none)");
            }
        }
    }
}

#[test]
fn castling_moves_are_parsed_in_both_notations() {
    let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        for chess960 in [false, true, false] {
            engine.send(&format!("setoption name UCI_Chess960 value {chess960}"));
            for notation in ["e1g1", "e1h1"] {
                let output = set_up(&mut engine, &format!("fen {fen} moves {notation}"));
                assert!(output.is_empty(), "{notation}: {output:?}");
                set_up(&mut engine, &format!("fen {fen}"));
                let best = engine.best(&format!("go depth 1 searchmoves {notation}"));
                assert_eq!(best, if chess960 { "e1h1" } else { "e1g1" });
            }
        }
        for castling in ["GCgc", "KQkq"] {
            let fen = format!("1nr1k1r1/6p1/8/8/8/8/6P1/1NR1K1R1 w {castling} - 0 1");
            engine.send("setoption name UCI_Chess960 value true");
            assert!(set_up(&mut engine, &format!("fen {fen}")).is_empty(), "{castling}");
            assert_eq!(engine.best("go depth 1 searchmoves e1g1"), "e1g1");
        }
    }
}
