//! Syzygy probes against python-chess, won positions played out, broken files.
//!
//! `tests/tables` holds a few small tables. The tests that need all tables of three and four
//! pieces are ignored; the environment variable `SYZYGY_TEST_PATH` lists the folders of the tables:
//!
//! ```text
//! SYZYGY_TEST_PATH=/path/to/tables cargo test -p saavedra-syzygy --test tablebase -- --include-ignored
//! ```

mod memory;
#[path = "../../../chess/tests/support/mod.rs"]
mod support;

use saavedra_chess::{Board, Color, Game, GameStatus, Move, Piece, PieceKind, Setup, Square};
use saavedra_syzygy::{RootRank, TableError, TableProblem, Tablebase, WdlScore};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use support::Random;

/// The folder of the tables in the repository.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables")
}

/// Those tables. Fewer than half of the tables of four pieces are there, so none is listed as
/// missing.
fn own_tables() -> Tablebase {
    let (tables, problems) = Tablebase::open_folders([folder()]);
    assert_eq!(problems, []);
    tables
}

/// All tables of three and four pieces.
fn all_tables() -> Tablebase {
    let path = std::env::var("SYZYGY_TEST_PATH").expect("SYZYGY_TEST_PATH names their folders");
    let (tables, problems) = Tablebase::open(&path);
    assert_eq!(problems, [], "in {path:?}");
    assert!(tables.files().0 >= 35, "too few tables in {path:?}");
    tables
}

fn board(fen: &str) -> Board {
    Board::from_fen(fen).unwrap()
}

/// A random position with the material of a table, such as `KRPvKR`; the first side has a random
/// colour.
fn random_position(random: &mut Random, table: &str) -> Board {
    loop {
        let mut setup = Setup::empty();
        let mut color = Color::ALL[random.below(2)];
        for letter in table.chars() {
            match PieceKind::from_letter(letter) {
                None => color = !color,
                Some(kind) => {
                    let square = Square::from_index(random.below(64) as u8);
                    setup.set_piece(square, Some(Piece::new(color, kind)));
                }
            }
        }
        setup.set_turn(Color::ALL[random.below(2)]);
        if let Ok((board, _)) = setup.to_board()
            && board.occupied().count() as usize == table.len() - 1
        {
            return board;
        }
    }
}

#[test]
fn wdl_and_dtz_are_those_of_python_chess() {
    let tables = own_tables();
    let suite = fs::read_to_string(folder().join("positions.epd")).unwrap();
    let mut count = 0;
    for line in suite.lines() {
        let (fen, answers) = line.split_at(line.find(" wdl").unwrap());
        let board = board(fen);
        let wdl = tables.probe_wdl(&board).map(|wdl| wdl.value().to_string());
        let dtz = tables.probe_dtz(&board).map(|dtz| dtz.to_string());
        let got = format!(" wdl {}; dtz {};", wdl.unwrap(), dtz.unwrap_or("-".to_owned()));
        // python-chess gives no DTZ if it needs a DTZ table that is missing.
        match answers.strip_suffix(" dtz -;") {
            Some(outcome) => assert!(got.starts_with(outcome), "{line}"),
            None => assert_eq!(got, answers, "{line}"),
        }
        count += 1;
    }
    assert_eq!(count, 218);
}

#[test]
fn positions_without_a_table_cannot_be_probed() {
    let tables = own_tables();
    for (fen, why) in [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "too many pieces"),
        ("8/8/8/8/8/2k5/8/R3K3 w Q - 0 1", "castling right"),
        ("8/3k4/8/8/8/8/8/Q3K2Q w - - 0 1", "no such table"),
        ("8/3k4/8/8/8/8/3r4/Q3K2Q w - - 0 1", "more pieces than any table"),
    ] {
        let board = board(fen);
        assert_eq!(tables.probe_wdl(&board), None, "{why}");
        assert_eq!(tables.probe_dtz(&board), None, "{why}");
        assert_eq!(tables.rank_root(&board, false, true), None, "{why}");
    }
    let none = Tablebase::empty();
    assert_eq!((none.max_pieces(), none.files()), (0, (0, 0)));
    assert_eq!(none.probe_wdl(&board("8/8/8/8/8/2k5/8/4K3 w - - 0 1")), None);
}

#[test]
fn bare_kings_checkmates_and_stalemates_need_no_table() {
    let tables = own_tables();
    for (fen, wdl, dtz) in [
        ("8/8/8/8/8/2k5/8/4K3 w - - 0 1", WdlScore::Draw, 0),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", WdlScore::Loss, -1),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", WdlScore::Draw, 0),
        ("7k/5Q2/6K1/8/8/8/8/8 w - - 0 1", WdlScore::Win, 1),
    ] {
        assert_eq!(tables.probe_wdl(&board(fen)), Some(wdl), "{fen}");
        assert_eq!(tables.probe_dtz(&board(fen)), Some(dtz), "{fen}");
    }
}

/// Checks the probed values of a position against those of its children.
fn check_one_ply(tables: &Tablebase, board: &Board) {
    let fen = board.to_fen();
    let wdl = tables.probe_wdl(board).unwrap();
    let best = board.children().map(|(_, child)| -tables.probe_wdl(&child).unwrap());
    let best = best.max().unwrap_or(if board.in_check() { WdlScore::Loss } else { WdlScore::Draw });
    assert_eq!(wdl, best, "{fen}");
    let dtz = tables.probe_dtz(board).unwrap();
    let sign = wdl.value().signum();
    assert_eq!(dtz.signum(), sign, "{fen}");
    assert_eq!(dtz.abs() > 100, wdl.value().abs() == 1, "{fen}");
    let ranks = tables.rank_root(board, true, true).unwrap();
    if let Some((_, rank)) = ranks.iter().max_by_key(|(_, rank)| *rank) {
        assert_eq!((rank.wdl, rank.dtz.unwrap().signum()), (wdl, sign), "{fen}");
        // The DTZ of the parent and of its best child may each be one ply too small.
        assert!(rank.dtz.unwrap().abs_diff(dtz) <= 1, "{fen}: {dtz}, {rank:?}");
    }
}

#[test]
fn a_position_has_the_value_of_its_best_move() {
    let tables = own_tables();
    let mut random = Random::new(0x1234_5678_9ABC_DEF1);
    for name in ["KQvK", "KRvK", "KPvK", "KRRvK", "KRvKR", "KRvKB"] {
        for _ in 0..100 {
            check_one_ply(&tables, &random_position(&mut random, name));
        }
    }
}

/// How the winning side chooses among moves of equal rank.
#[derive(Clone, Copy)]
enum Policy {
    /// The smallest DTZ.
    Fastest,
    /// A random move.
    Random,
}

/// Whether a position since the last capture or pawn move has occurred twice.
fn has_repeated(game: &Game) -> bool {
    let reach = game.board().halfmove_clock() as usize + 1;
    let boards = &game.boards()[game.boards().len().saturating_sub(reach)..];
    let twice = |(i, b): (usize, &Board)| boards[..i].iter().any(|other| other.same_position(b));
    boards.iter().enumerate().any(twice)
}

/// Plays out a won position by the root ranks; the losing side resists as long as possible. The
/// winning side must mate before the fifty-move rule or repetition ends the game.
fn play_out(tables: &Tablebase, start: Board, winner: Policy, random: &mut Random) -> Game {
    let mut game = Game::new(start);
    let attacker = start.turn();
    while game.status() == GameStatus::Ongoing {
        let board = *game.board();
        let ranks = tables.rank_root(&board, has_repeated(&game), true).unwrap();
        let best: RootRank = ranks.iter().map(|(_, rank)| *rank).max().unwrap();
        let is_candidate = |(_, rank): &&(Move, RootRank)| match winner {
            Policy::Random if board.turn() == attacker => rank.rank == best.rank,
            _ => *rank == best,
        };
        let candidates: Vec<_> = ranks.iter().filter(is_candidate).collect();
        game.push(candidates[random.below(candidates.len())].0);
    }
    let moves: Vec<String> = game.moves().iter().map(|m| start.uci(*m, false)).collect();
    let end = game.board();
    assert!(
        game.status() == GameStatus::Checkmate && end.turn() != attacker,
        "{}: {:?} after {moves:?}",
        start.to_fen(),
        game.status(),
    );
    game
}

/// The position with a halfmove clock close to the maximum with which it is a safe win.
fn with_late_clock(tables: &Tablebase, board: &Board, random: &mut Random) -> Board {
    let dtz = tables.probe_dtz(board).unwrap();
    let latest = (99 - dtz).clamp(0, 98) as usize;
    let clock = latest - random.below(latest.min(3) + 1);
    let fen = board.to_fen();
    let fen = fen.rsplit_once(" 0 ").unwrap().0;
    self::board(&format!("{fen} {clock} 60"))
}

fn play_out_tables(tables: &Tablebase, names: &[&str], each: usize) -> usize {
    let mut random = Random::new(0x9E37_79B9_7F4A_7C15);
    let mut games = 0;
    for name in names {
        let mut left = each;
        while left > 0 {
            let mut start = random_position(&mut random, name);
            if tables.probe_wdl(&start) != Some(WdlScore::Win) {
                continue;
            }
            let winner = match left % 2 {
                0 => Policy::Fastest,
                _ => Policy::Random,
            };
            if left % 4 > 1 {
                start = with_late_clock(tables, &start, &mut random);
            }
            play_out(tables, start, winner, &mut random);
            (left, games) = (left - 1, games + 1);
        }
    }
    games
}

#[test]
fn won_positions_are_won_within_fifty_moves() {
    let names = ["KQvK", "KRvK", "KPvK", "KRRvK", "KRvKB", "KRvKR"];
    assert_eq!(play_out_tables(&own_tables(), &names, 12), 72);
}

/// All tables of three and four pieces.
const TABLES: [&str; 35] = [
    "KBBvK", "KBNvK", "KBPvK", "KBvKB", "KBvKN", "KBvKP", "KNNvK", "KNPvK", "KNvKN", "KNvKP",
    "KPPvK", "KPvKP", "KPvK", "KQBvK", "KQNvK", "KQPvK", "KQQvK", "KQRvK", "KQvK", "KQvKB",
    "KQvKN", "KQvKP", "KQvKQ", "KQvKR", "KRBvK", "KRNvK", "KRPvK", "KRRvK", "KRvK", "KRvKB",
    "KRvKN", "KRvKP", "KRvKR", "KBvK", "KNvK",
];

#[test]
#[ignore = "needs all tables, SYZYGY_TEST_PATH"]
fn all_won_endgames_of_four_pieces_are_won() {
    let tables = all_tables();
    let names: Vec<&str> = TABLES.into_iter().filter(|name| can_win(&tables, name)).collect();
    let games = play_out_tables(&tables, &names, 24);
    eprintln!("{games} games won in {} endgames", names.len());
    assert!(games >= 500);
}

/// Whether a random sample of positions of a table has a win for the side to move.
fn can_win(tables: &Tablebase, name: &str) -> bool {
    let mut random = Random::new(77);
    (0..5_000).any(|_| tables.probe_wdl(&random_position(&mut random, name)) == Some(WdlScore::Win))
}

#[test]
#[ignore = "needs all tables, SYZYGY_TEST_PATH"]
fn all_tables_are_consistent_over_one_ply() {
    let tables = all_tables();
    let mut random = Random::new(0xDEAD_BEEF_CAFE_F00D);
    for name in TABLES {
        for _ in 0..100 {
            check_one_ply(&tables, &random_position(&mut random, name));
        }
    }
    assert_eq!(tables.verify(), []);
    assert_eq!(tables.take_problems(), []);
}

#[test]
fn ranks_follow_the_fifty_move_rule() {
    let tables = own_tables();
    // With a clock of 99 − DTZ the queen mates in time, with two plies more it does not.
    let fen = "8/8/3k4/8/8/8/8/K6Q w - -";
    let dtz = tables.probe_dtz(&board(fen)).unwrap();
    assert!((3..60).contains(&dtz));
    let best = |clock: i32, rule50| {
        let board = board(&format!("{fen} {clock} 80"));
        let ranks = tables.rank_root(&board, false, rule50).unwrap();
        ranks.into_iter().map(|(_, rank)| rank).max().unwrap()
    };
    assert_eq!(best(99 - dtz, true).wdl, WdlScore::Win);
    assert_eq!(best(101 - dtz, true).wdl, WdlScore::CursedWin);
    assert_eq!(best(99, true).wdl, WdlScore::Draw);
    assert_eq!(best(101 - dtz, false).wdl, WdlScore::Win);
    assert_eq!(best(99, false).wdl, WdlScore::Win);
    assert!(best(99 - dtz, true) > best(101 - dtz, true));
    assert!(best(101 - dtz, true) > best(99, true));
}

#[test]
fn a_mate_on_the_hundredth_ply_counts() {
    let tables = own_tables();
    let board = board("k7/8/1K6/8/8/8/7Q/8 w - - 99 80");
    let ranks = tables.rank_root(&board, false, true).unwrap();
    for (m, rank) in ranks {
        let is_mate = board.make(m).status() == GameStatus::Checkmate;
        let wdl = if is_mate { WdlScore::Win } else { WdlScore::Draw };
        assert_eq!(rank.wdl, wdl, "{m:?}");
    }
}

#[test]
fn without_dtz_tables_moves_are_ranked_by_wdl() {
    let copy = Folder::new("wdl only");
    for name in ["KQvK.rtbw", "KRvK.rtbw", "KPvK.rtbw", "KBvK.rtbw", "KNvK.rtbw"] {
        fs::copy(folder().join(name), copy.0.join(name)).unwrap();
    }
    let (tables, problems) = Tablebase::open_folders([copy.0.clone()]);
    assert_eq!(problems, []);
    let queen = board("8/8/8/8/8/1k6/8/K6Q w - - 0 1");
    assert_eq!(tables.probe_wdl(&queen), Some(WdlScore::Win));
    assert_eq!(tables.probe_dtz(&queen), None);
    let board = board("8/4P3/8/8/8/1k6/8/K7 w - - 0 1");
    let ranks = tables.rank_root(&board, false, true).unwrap();
    let best = ranks.iter().map(|(_, rank)| rank.rank).max().unwrap();
    let best: Vec<String> = ranks
        .iter()
        .filter(|(_, rank)| rank.rank == best)
        .map(|(m, _)| board.uci(*m, false))
        .collect();
    assert!(best.contains(&"e7e8q".to_owned()) && best.contains(&"e7e8r".to_owned()));
    assert!(!best.contains(&"e7e8n".to_owned()) && !best.contains(&"e7e8b".to_owned()));
    assert!(ranks.iter().all(|(_, rank)| rank.dtz.is_none()));
}

/// A temporary folder with a non-ASCII name, removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let name = format!("saavedra Ťábulky ♜ {name} {}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// A folder with copies of the tables in the repository.
    fn with_tables(name: &str) -> Folder {
        let copy = Folder::new(name);
        for entry in fs::read_dir(folder()).unwrap() {
            let path = entry.unwrap().path();
            fs::copy(&path, copy.0.join(path.file_name().unwrap())).unwrap();
        }
        copy
    }

    fn change(&self, file: &str, change: impl FnOnce(&mut Vec<u8>)) {
        let path = self.0.join(file);
        let mut bytes = fs::read(&path).unwrap();
        change(&mut bytes);
        fs::write(path, bytes).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Probes many positions of the tables in the repository; returns the number of successful probes.
fn probe_many(tables: &Tablebase) -> usize {
    let mut random = Random::new(0xFEED_5EED);
    let mut answered = 0;
    for _ in 0..300 {
        for name in ["KQvK", "KRvK", "KPvK", "KRRvK", "KRvKR", "KRvKB"] {
            let board = random_position(&mut random, name);
            answered += usize::from(tables.probe_wdl(&board).is_some());
            let _ = (tables.probe_dtz(&board), tables.rank_root(&board, false, true));
        }
    }
    answered
}

/// Description, file, change of its bytes, expected error.
type Corruption = (&'static str, &'static str, fn(&mut Vec<u8>), TableError);

fn corruptions() -> [Corruption; 8] {
    use TableError::{BadMagic, Checksum, Size};
    [
        ("truncated", "KQvK.rtbw", |b| b.truncate(100), Size(100)),
        ("truncated by a block", "KRvK.rtbz", |b| b.truncate(b.len() - 64), Checksum),
        ("empty", "KPvK.rtbw", |b| b.clear(), Size(0)),
        ("longer", "KQvK.rtbz", |b| b.extend([0; 64]), Checksum),
        ("a changed bit", "KPvK.rtbw", |b| b[5000] ^= 4, Checksum),
        ("a changed header", "KRRvK.rtbz", |b| b[9] ^= 0x70, Checksum),
        ("no table", "KRvKB.rtbw", |b| b.fill(7), BadMagic),
        ("a changed checksum", "KRvKR.rtbw", |b| *b.last_mut().unwrap() ^= 1, Checksum),
    ]
}

#[test]
fn broken_files_are_listed_once_and_skipped() {
    for (what, file, change, error) in corruptions() {
        let copy = Folder::with_tables(what);
        copy.change(file, change);
        let (tables, problems) = Tablebase::open_folders([copy.0.clone()]);
        let path = copy.0.join(file);
        assert_eq!(problems, [TableProblem { path, error }], "{what}");
        assert!(problems[0].to_string().contains(file), "{what}");
        assert!(probe_many(&tables) > 500, "{what}: the others are used");
        assert_eq!(tables.take_problems(), [], "{what}: listed once");
    }
}

#[test]
fn a_file_of_other_material_is_refused() {
    let copy = Folder::with_tables("other material");
    fs::copy(copy.0.join("KRvK.rtbw"), copy.0.join("KBvK.rtbw")).unwrap();
    fs::copy(copy.0.join("KQvK.rtbw"), copy.0.join("KQvK.rtbz")).unwrap();
    let (_, problems) = Tablebase::open_folders([copy.0.clone()]);
    let errors: Vec<_> = problems.iter().map(|p| &p.error).collect();
    assert!(matches!(errors[..], [TableError::Corrupt(_), TableError::BadMagic]), "{problems:?}");
}

#[test]
fn missing_files_are_listed_once() {
    let copy = Folder::with_tables("missing");
    fs::remove_file(copy.0.join("KRvK.rtbw")).unwrap();
    let (tables, problems) = Tablebase::open_folders([copy.0.clone()]);
    let texts: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["tablebase file KRvK.rtbw is missing"]);
    assert!(probe_many(&tables) > 500);
    assert_eq!(tables.take_problems(), []);
}

#[test]
fn files_that_break_after_opening_are_listed_once() {
    let copy = Folder::with_tables("broken later");
    let (tables, _) = Tablebase::open_folders([copy.0.clone()]);
    fs::remove_file(copy.0.join("KRvK.rtbw")).unwrap();
    copy.change("KPvK.rtbw", |bytes| bytes[600] ^= 1);
    probe_many(&tables);
    let mut problems = tables.take_problems();
    problems.sort_by(|a, b| a.path.cmp(&b.path));
    let errors: Vec<_> = problems.iter().map(|problem| &problem.error).collect();
    assert!(
        matches!(errors[..], [TableError::Checksum, TableError::Unreadable(_)]),
        "{problems:?}"
    );
    probe_many(&tables);
    assert_eq!(tables.take_problems(), []);
}

#[test]
fn several_folders_form_one_tablebase() {
    let (first, second) = (Folder::new("first"), Folder::new("second"));
    for (to, name) in [
        (&first, "KQvK.rtbw"),
        (&first, "KRvK.rtbw"),
        (&second, "KRvK.rtbw"),
        (&second, "KPvK.rtbw"),
        (&second, "KBvK.rtbw"),
        (&second, "KNvK.rtbw"),
    ] {
        fs::copy(folder().join(name), to.0.join(name)).unwrap();
    }
    first.change("KRvK.rtbw", |bytes| bytes[100] ^= 255);
    fs::write(first.0.join("KQvK.rtbw.md5"), "no table").unwrap();
    fs::write(first.0.join("notes.rtbw"), "no table either").unwrap();
    let nowhere = first.0.join("nowhere");
    let separator = if cfg!(windows) { ";" } else { ":" };
    let folders = [&first.0, &nowhere, &second.0].map(|path| path.to_str().unwrap());
    let (tables, problems) = Tablebase::open(&folders.join(separator));
    let at: Vec<&PathBuf> = problems.iter().map(|problem| &problem.path).collect();
    assert_eq!(at, [&first.0.join("KRvK.rtbw"), &nowhere]);
    assert_eq!((tables.files(), tables.max_pieces()), ((5, 0), 3));
    let rook = board("8/8/8/8/8/2k5/8/R3K3 w - - 0 1");
    assert_eq!(tables.probe_wdl(&rook), Some(WdlScore::Win), "from the second folder");
}

#[test]
fn invalid_paths_open_no_tables() {
    for path in ["", ":", ";", "<empty>", "\0", "/dev/null", "::/::", "ä:ö"] {
        let (tables, _) = Tablebase::open(path);
        assert_eq!(tables.files(), (0, 0), "{path:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_named_like_a_table_is_not_opened() {
    let folder = Folder::new("pipe");
    let path = folder.0.join("KQvK.rtbw");
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    let (sender, opened) = std::sync::mpsc::channel();
    let path = folder.0.clone();
    std::thread::spawn(move || {
        let (tables, problems) = Tablebase::open_folders([path]);
        sender.send((tables.files(), problems.len()))
    });
    // Opening the pipe would block forever; the timeout only ends a failing test.
    let found = opened.recv_timeout(std::time::Duration::from_secs(60));
    assert_eq!(found, Ok(((0, 0), 1)), "the pipe was opened");
}

#[test]
fn concurrent_probes_give_the_same_values() {
    let engines = [Arc::new(own_tables()), Arc::new(own_tables())];
    let expected = probe_many(&engines[0]);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|i| {
                let tables = Arc::clone(&engines[i % 2]);
                scope.spawn(move || probe_many(&tables))
            })
            .collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), expected);
        }
    });
}
