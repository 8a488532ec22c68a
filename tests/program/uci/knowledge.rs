//! Tablebases and opening books.

use super::driver::{
    Engine, STARTPOS_FEN, THREADS, assert_valid_output, best_move, field, game, send_and_sync,
};
use saavedra::book::Builder;
use saavedra::chess::{Game, GameResult};
use std::fs;
use std::path::{Path, PathBuf};

/// A temporary folder with blanks and non-ASCII letters in its name.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let name = format!("saavedra uci é {name} {}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn set(engine: &mut Engine, name: &str, value: &str) {
    let output = send_and_sync(engine, &format!("setoption name {name} value {value}"));
    assert!(output.is_empty(), "{name} {value}: {output:?}");
}

fn hits(output: &[String]) -> u64 {
    let counts = output.iter().filter_map(|line| field(line, "tbhits"));
    let counts = counts.filter_map(|count| count.parse().ok());
    counts.max().unwrap_or(0)
}

#[test]
fn tablebases_are_probed() {
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/syzygy/tests/tables");
    let fen = "8/8/8/8/3k4/8/8/R3K3 w - - 0 1";
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        let line = format!("setoption name SyzygyPath value {}", tables.display());
        let output = send_and_sync(&mut engine, &line);
        assert!(output[0].contains("up to 4 pieces"), "{output:?}");
        engine.send(&format!("position fen {fen}"));
        let output = engine.go("go depth 4");
        assert_valid_output(&game(fen, &[]), &output);
        assert!(hits(&output) > 0, "{output:?}");
        let score = |output: &[String]| field(&output[output.len() - 2], "cp")?.parse::<i32>().ok();
        assert!(score(&output).is_none_or(|score| score > 1000), "{output:?}");
        let output = send_and_sync(&mut engine, "setoption name SyzygyPath value /nowhere");
        assert!(output.iter().any(|line| line.contains("keeps its value")), "{output:?}");
        assert!(hits(&engine.go("go depth 4")) > 0);
        set(&mut engine, "SyzygyProbeLimit", "2");
        assert_eq!(hits(&engine.go("go depth 4")), 0);
        set(&mut engine, "SyzygyProbeLimit", "7");
        // A tablebase win, but not before the fifty-move rule draws.
        let late = "8/8/8/8/3k4/8/8/R3K3 w - - 90 100";
        engine.send(&format!("position fen {late}"));
        let output = engine.go("go depth 4");
        assert!(score(&output).is_some_and(|score| score.abs() < 100), "{output:?}");
        set(&mut engine, "Syzygy50MoveRule", "false");
        let output = engine.go("go depth 4");
        assert!(score(&output).is_none_or(|score| score > 1000), "{output:?}");
    }
}

#[test]
fn multipv_includes_root_moves_with_a_lower_tablebase_rank() {
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/syzygy/tests/tables");
    // Capturing the rook wins; all other moves draw or lose.
    let fen = "8/8/8/8/4k3/8/8/KR5r w - - 0 1";
    for variety in ["0", "100"] {
        let mut engine = Engine::new();
        let line = format!("setoption name SyzygyPath value {}", tables.display());
        send_and_sync(&mut engine, &line);
        set(&mut engine, "MultiPV", "4");
        set(&mut engine, "Variety", variety);
        engine.send(&format!("position fen {fen}"));
        let output = engine.go("go depth 6");
        assert_valid_output(&game(fen, &[]), &output);
        assert_eq!(best_move(&output), "b1h1");
        let mut lines = vec![];
        for number in ["1", "2", "3", "4"] {
            let of_number = |line: &&String| field(line, "multipv") == Some(number);
            lines.push(output.iter().rfind(of_number).expect("all four lines"));
        }
        let mut firsts: Vec<_> = lines.iter().filter_map(|l| field(l, "pv")).collect();
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts.len(), 4, "{lines:?}");
        for line in &lines[1..] {
            let score = field(line, "cp").and_then(|n| n.parse::<i32>().ok());
            assert!(score.is_none_or(|score| score <= 0), "{line}");
        }
    }
}

#[test]
fn a_pv_is_extended_by_tablebases_only_with_dtz_files() {
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/syzygy/tests/tables");
    let wdl_only = Folder::new("wdl only");
    let file = "KRvK.rtbw";
    fs::copy(tables.join(file), wdl_only.0.join(file)).expect("a file");
    for (folder, is_extended) in [(&tables, true), (&wdl_only.0, false)] {
        let mut engine = Engine::new();
        let line = format!("setoption name SyzygyPath value {}", folder.display());
        send_and_sync(&mut engine, &line);
        engine.send("position fen 8/8/8/4k3/8/8/8/R3K3 w - - 0 1");
        let output = engine.go("go depth 1");
        let line = &output[output.len() - 2];
        let (_, pv) = line.split_once(" pv ").expect("a PV");
        assert_eq!(pv.split(' ').count() > 8, is_extended, "{line}");
    }
}

#[test]
fn damaged_tablebases_are_reported_by_name() {
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/syzygy/tests/tables");
    let folder = Folder::new("tables");
    fs::write(folder.0.join("KQvK.rtbw"), b"no tablebase").expect("a file");
    let file = "KRvK.rtbw";
    fs::copy(tables.join(file), folder.0.join(file)).expect("a file");
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        let line = format!("setoption name SyzygyPath value {}", folder.0.display());
        let output = send_and_sync(&mut engine, &line);
        let is_info_string = output.iter().all(|line| line.starts_with("info string "));
        assert!(is_info_string && output.iter().any(|line| line.contains("KQvK")), "{output:?}");
        for fen in ["8/8/8/8/3k4/8/8/R3K3 w - - 0 1", "8/8/8/8/4k3/8/8/Q3K3 w - - 0 1"] {
            engine.send(&format!("position fen {fen}"));
            let output = engine.go("go depth 5");
            assert_valid_output(&game(fen, &[]), &output);
        }
    }
}

#[test]
fn book_moves_are_played_with_own_book_but_not_in_analysis() {
    let folder = Folder::new("book");
    let path = folder.0.join("a  book.bin");
    let mut line = Game::default();
    for m in ["a2a3", "h7h5", "b2b3"] {
        line.push_uci(m).expect("a legal move");
    }
    let mut builder = Builder::new(3);
    builder.add(&line, Some(GameResult::WhiteWins));
    builder.add(&line, None);
    fs::write(&path, builder.build(1).to_bytes()).expect("a file");
    let go = "go movetime 20";
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        set(&mut engine, "BookFile", &path.display().to_string());
        let unbooked = engine.best(go);
        assert_ne!(unbooked, "a2a3", "the test needs a book move that a search does not play");
        set(&mut engine, "OwnBook", "true");
        let output = engine.go(go);
        assert_eq!(best_move(&output), "a2a3");
        assert_valid_output(&game(STARTPOS_FEN, &[]), &output);
        engine.send("position startpos moves a2a3");
        assert_eq!(engine.best("go wtime 500 btime 500"), "h7h5");
        engine.send("position startpos moves e2e4");
        let output = engine.go(go);
        assert_valid_output(&game(STARTPOS_FEN, &["e2e4"]), &output);
        engine.send("position startpos");
        engine.send("go infinite");
        engine.assert_no_bestmove();
        engine.send("stop");
        assert_ne!(best_move(&engine.read_until("bestmove")), "a2a3");
        assert_eq!(engine.best("go depth 1 searchmoves e2e4"), "e2e4");
        set(&mut engine, "UCI_AnalyseMode", "true");
        assert_ne!(engine.best(go), "a2a3");
        set(&mut engine, "UCI_AnalyseMode", "false");
        set(&mut engine, "BookDepth", "1");
        engine.send("position startpos moves a2a3 h7h5");
        assert_ne!(engine.best(go), "b2b3");
    }
}

#[test]
fn an_invalid_book_file_is_refused_with_the_reason() {
    let folder = Folder::new("no book");
    let short = folder.0.join("short.bin");
    fs::write(&short, [7; 25]).expect("a file");
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        for path in [short.as_path(), &folder.0, &folder.0.join("missing")] {
            let line = format!("setoption name BookFile value {}", path.display());
            let output = send_and_sync(&mut engine, &line);
            assert_eq!(output.len(), 1, "{output:?}");
            assert!(output[0].contains("BookFile keeps its value"), "{output:?}");
        }
        set(&mut engine, "OwnBook", "true");
        assert_valid_output(&game(STARTPOS_FEN, &[]), &engine.go("go movetime 20"));
    }
}
