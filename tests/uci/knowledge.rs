//! What the engine may know beside what it searches: endgame tables and opening books.

use crate::driver::{Engine, START, THREADS, answer, assert_sound, best_of, field, game};
use saavedra::book::Builder;
use saavedra::chess::{Game, GameResult};
use std::fs;
use std::path::{Path, PathBuf};

/// A folder with blanks and more than ASCII in its name, removed at the end.
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
    let said = answer(engine, &format!("setoption name {name} value {value}"));
    assert!(said.is_empty(), "{name} {value}: {said:?}");
}

fn hits(said: &[String]) -> u64 {
    let counts = said.iter().filter_map(|line| field(line, "tbhits"));
    let counts = counts.filter_map(|count| count.parse().ok());
    counts.max().unwrap_or(0)
}

#[cfg(feature = "syzygy")]
#[test]
fn endgame_tables_are_looked_into_and_their_lines_end_in_mate() {
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/syzygy");
    let fen = "8/8/8/8/3k4/8/8/R3K3 w - - 0 1";
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        let line = format!("setoption name SyzygyPath value {}", tables.display());
        let said = answer(&mut engine, &line);
        assert!(said[0].contains("up to 4 pieces"), "{said:?}");
        engine.send(&format!("position fen {fen}"));
        let said = engine.go("go depth 4");
        assert_sound(&game(fen, &[]), &said);
        assert!(hits(&said) > 0, "{said:?}");
        let score = |said: &[String]| field(&said[said.len() - 2], "cp")?.parse::<i32>().ok();
        assert!(score(&said).is_none_or(|score| score > 1000), "{said:?}");
        let said = answer(&mut engine, "setoption name SyzygyPath value /nowhere");
        assert!(
            said.iter().any(|line| line.contains("keeps its value")),
            "{said:?}"
        );
        assert!(hits(&engine.go("go depth 4")) > 0);
        set(&mut engine, "SyzygyProbeLimit", "2");
        assert_eq!(hits(&engine.go("go depth 4")), 0);
        set(&mut engine, "SyzygyProbeLimit", "7");
        // Won by the tables, but not in the moves that are left before the fifty-move rule.
        let late = "8/8/8/8/3k4/8/8/R3K3 w - - 90 100";
        engine.send(&format!("position fen {late}"));
        let said = engine.go("go depth 4");
        assert!(
            score(&said).is_some_and(|score| score.abs() < 100),
            "{said:?}"
        );
        set(&mut engine, "Syzygy50MoveRule", "false");
        assert!(hits(&engine.go("go depth 4")) > 0);
    }
}

#[cfg(feature = "syzygy")]
#[test]
fn several_lines_show_what_the_tables_would_leave_out() {
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/syzygy");
    // Taking the rook wins; what else there is draws or loses.
    let fen = "8/8/8/8/4k3/8/8/KR5r w - - 0 1";
    for variety in ["0", "100"] {
        let mut engine = Engine::bare();
        let line = format!("setoption name SyzygyPath value {}", tables.display());
        answer(&mut engine, &line);
        set(&mut engine, "MultiPV", "4");
        set(&mut engine, "Variety", variety);
        engine.send(&format!("position fen {fen}"));
        let said = engine.go("go depth 6");
        assert_sound(&game(fen, &[]), &said);
        assert_eq!(best_of(&said), "b1h1");
        let mut lines = vec![];
        for number in ["1", "2", "3", "4"] {
            let of_number = |line: &&String| field(line, "multipv") == Some(number);
            lines.push(said.iter().rfind(of_number).expect("all four lines"));
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

#[cfg(feature = "syzygy")]
#[test]
fn damaged_endgame_tables_are_named_and_survived() {
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/syzygy");
    let folder = Folder::new("tables");
    fs::write(folder.0.join("KQvK.rtbw"), b"no table").expect("a file");
    let file = "KRvK.rtbw";
    fs::copy(tables.join(file), folder.0.join(file)).expect("a table");
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        let line = format!("setoption name SyzygyPath value {}", folder.0.display());
        let said = answer(&mut engine, &line);
        let remarks = said.iter().all(|line| line.starts_with("info string "));
        assert!(
            remarks && said.iter().any(|line| line.contains("KQvK")),
            "{said:?}"
        );
        for fen in [
            "8/8/8/8/3k4/8/8/R3K3 w - - 0 1",
            "8/8/8/8/4k3/8/8/Q3K3 w - - 0 1",
        ] {
            engine.send(&format!("position fen {fen}"));
            let said = engine.go("go depth 5");
            assert_sound(&game(fen, &[]), &said);
        }
    }
}

#[test]
fn the_book_is_played_when_asked_for_and_only_in_games() {
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
        assert_ne!(
            unbooked, "a2a3",
            "this test needs a move that is not played by itself"
        );
        set(&mut engine, "OwnBook", "true");
        let said = engine.go(go);
        assert_eq!(best_of(&said), "a2a3");
        assert_sound(&game(START, &[]), &said);
        engine.send("position startpos moves a2a3");
        assert_eq!(engine.best("go wtime 500 btime 500"), "h7h5");
        engine.send("position startpos moves e2e4");
        let said = engine.go(go);
        assert_sound(&game(START, &["e2e4"]), &said);
        engine.send("position startpos");
        engine.send("go infinite");
        engine.no_best_move();
        engine.send("stop");
        assert_ne!(best_of(&engine.until("bestmove")), "a2a3");
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
fn a_book_that_is_none_is_refused_with_the_reason() {
    let folder = Folder::new("no book");
    let short = folder.0.join("short.bin");
    fs::write(&short, [7; 25]).expect("a file");
    for threads in THREADS {
        let mut engine = Engine::with_threads(threads);
        for path in [short.as_path(), &folder.0, &folder.0.join("missing")] {
            let line = format!("setoption name BookFile value {}", path.display());
            let said = answer(&mut engine, &line);
            assert_eq!(said.len(), 1, "{said:?}");
            assert!(said[0].contains("BookFile keeps its value"), "{said:?}");
        }
        set(&mut engine, "OwnBook", "true");
        assert_sound(&game(START, &[]), &engine.go("go movetime 20"));
    }
}
