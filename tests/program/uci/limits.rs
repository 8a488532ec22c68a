//! The limits of `go`.

use super::driver::{Engine, STARTPOS_FEN, THREADS, assert_valid_output, best_move, field, game};
use std::time::{Duration, Instant};

/// The maximum time of a search with a tiny limit.
const MAX_TIME: Duration = Duration::from_secs(10);

#[test]
fn tiny_and_invalid_limits_give_a_move_at_once() {
    let cases = [
        "wtime 1 btime 1",
        "wtime 1 btime 1 winc 0 binc 0",
        "wtime 0 btime 0",
        "wtime -20 btime -170671",
        "wtime -1 btime -1 winc -5 binc -5 movestogo -3",
        "wtime 100",
        "btime 100",
        "wtime 100 movestogo 0",
        "wtime 100 btime 100 movestogo -5",
        "wtime 100 btime 100 movestogo 1",
        "wtime 10 btime 10 movestogo 99999999999",
        "binc 100 winc 100 btime 100 wtime 100",
        "movetime 0",
        "movetime 1",
        "movetime -100",
        "nodes 0",
        "nodes -7",
        "depth 0",
        "depth -1",
        "mate 0 movetime 5",
        "wtime 99999999999999999999 btime 99999999999999999999 movetime 5",
    ];
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        for case in cases {
            let start = Instant::now();
            let output = engine.go(&format!("go {case}"));
            assert!(start.elapsed() < MAX_TIME, "{case}: {:?}", start.elapsed());
            assert_valid_output(&game(STARTPOS_FEN, &[]), &output);
        }
    }
}

#[test]
fn go_nodes_is_never_exceeded() {
    let mut engine = Engine::new();
    for nodes in [1, 2, 3, 10, 1000, 5000] {
        let output = engine.go(&format!("go nodes {nodes}"));
        assert_valid_output(&game(STARTPOS_FEN, &[]), &output);
        for line in &output {
            let counted = field(line, "nodes").and_then(|n| n.parse::<u64>().ok());
            assert!(counted.is_none_or(|counted| counted <= nodes), "{line}");
        }
    }
}

#[test]
fn all_limits_apply_in_any_order_among_unknown_words() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        for case in [
            "depth 2 nodes 100000000",
            "nodes 100000000 depth 2",
            "movetime 600000 depth 2 wtime 600000 btime 600000",
            "foo depth 2 bar baz 17 infinit",
            "depth 2 movetime 600000 nodes 99999999999999999999 mate 200",
            "searchmoves e2e4 d2d4 depth 2",
            "depth 2 searchmoves e2e4 d2d4",
        ] {
            let output = engine.go(&format!("go {case}"));
            assert_valid_output(&game(STARTPOS_FEN, &[]), &output);
            let depths = output.iter().filter_map(|line| field(line, "depth"));
            assert_eq!(depths.max(), Some("2"), "{case}: {output:?}");
        }
    }
}

#[test]
fn searchmoves_may_stand_anywhere_and_illegal_moves_are_ignored() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        for case in [
            "searchmoves a2a3 depth 3",
            "depth 3 searchmoves a2a3",
            "depth 3 searchmoves a2a3 a2a3 e2e5 0000 nodes 100000",
            "wtime 1000 searchmoves a2a3 btime 1000",
        ] {
            let output = engine.go(&format!("go {case}"));
            assert_eq!(best_move(&output), "a2a3", "{case}");
        }
        for case in ["searchmoves", "searchmoves 0000", "searchmoves e7e5 zzzz"] {
            let output = engine.go(&format!("go depth 2 {case}"));
            assert_ne!(best_move(&output), "(none)", "{case}");
            let output = engine.go(&format!("go {case} depth 2"));
            assert_ne!(best_move(&output), "(none)", "{case}");
        }
        engine.send("setoption name MultiPV value 5");
        let output = engine.go("go depth 3 searchmoves a2a3 h2h3");
        assert!(!output.iter().any(|line| field(line, "multipv") == Some("3")));
    }
}

#[test]
fn go_mate_ends_when_the_mate_is_found() {
    let mating = ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "go mate 2", "2");
    let mated = ("8/8/8/8/8/1k6/7r/K7 w - - 0 1", "go mate 3", "-1");
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        for (fen, go, mate) in [mating, mated] {
            engine.send(&format!("position fen {fen}"));
            let output = engine.go(go);
            assert_valid_output(&game(fen, &[]), &output);
            assert_eq!(field(&output[output.len() - 2], "mate"), Some(mate), "{output:?}");
        }
    }
}

#[test]
fn go_mate_without_a_number_of_moves_ends() {
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        for go in ["go mate", "go mate 0", "go mate -3", "go mate x", "go mate searchmoves e2e4"] {
            engine.send("position startpos");
            assert_valid_output(&game(STARTPOS_FEN, &[]), &engine.go(go));
        }
    }
}

#[test]
fn every_search_prints_an_exact_score() {
    let fens = [
        STARTPOS_FEN,
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/8/8/8/8/8/5k1p/7K w - - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 99 80",
    ];
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        for fen in fens {
            for go in ["depth 1", "nodes 1", "nodes 777", "movetime 1", "movetime 60", "depth 7"] {
                engine.send(&format!("position fen {fen}"));
                let output = engine.go(&format!("go {go}"));
                assert_valid_output(&game(fen, &[]), &output);
            }
        }
    }
}
