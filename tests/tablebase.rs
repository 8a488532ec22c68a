//! Endgame tables against what python-chess reads from the same files, won games played out, and
//! broken files.
//!
//! `tests/data/syzygy` holds a few small tables. With all tables of three and four men in the
//! folders of the environment variable `SYZYGY_TEST_PATH`, the tests that need them run too:
//!
//! ```text
//! SYZYGY_TEST_PATH=/path/to/tables cargo test --test tablebase
//! ```

#![cfg(feature = "syzygy")]

use saavedra::chess::{Board, Color, Game, GameStatus, Move, Piece, PieceKind, Setup, Square};
use saavedra::tablebase::{RootRank, TableFault, TableProblem, Tablebase, WdlScore};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The tables that come with the project.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/syzygy")
}

/// Those tables; a few of four men are there on purpose, so nothing is called missing.
fn own_tables() -> Tablebase {
    let (tables, problems) = Tablebase::open_folders([folder()]);
    assert_eq!(problems, []);
    tables
}

/// All tables, if the environment names them.
fn all_tables(test: &str) -> Option<Tablebase> {
    let Ok(path) = std::env::var("SYZYGY_TEST_PATH") else {
        eprintln!("{test}: SKIPPED, SYZYGY_TEST_PATH does not name a folder of tables");
        return None;
    };
    let (tables, problems) = Tablebase::open(&path);
    assert_eq!(problems, [], "in {path:?}");
    assert!(tables.files().0 >= 35, "too few tables in {path:?}");
    Some(tables)
}

fn board(fen: &str) -> Board {
    Board::from_fen(fen).unwrap()
}

/// A small random number generator (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    fn square(&mut self) -> Square {
        Square::from_index(self.below(64) as u8)
    }

    /// A random position with the men of a table: `KRPvKR`, the first side in a random colour.
    fn position(&mut self, table: &str) -> Board {
        loop {
            let mut setup = Setup::empty();
            let mut color = Color::ALL[self.below(2)];
            for letter in table.chars() {
                match PieceKind::from_letter(letter) {
                    None => color = !color,
                    Some(kind) => setup.set_piece(self.square(), Some(Piece::new(color, kind))),
                }
            }
            setup.set_turn(Color::ALL[self.below(2)]);
            if let Ok((board, _)) = setup.to_board()
                && board.occupied().count() as usize == table.len() - 1
            {
                return board;
            }
        }
    }
}

#[test]
fn outcomes_and_distances_are_those_of_python_chess() {
    let tables = own_tables();
    let suite = fs::read_to_string(folder().join("positions.epd")).unwrap();
    let mut count = 0;
    for line in suite.lines() {
        let (fen, answers) = line.split_at(line.find(" wdl").unwrap());
        let board = board(fen);
        let wdl = tables.probe_wdl(&board).map(|wdl| wdl.value().to_string());
        let dtz = tables.probe_dtz(&board).map(|dtz| dtz.to_string());
        let got = format!(
            " wdl {}; dtz {};",
            wdl.unwrap(),
            dtz.unwrap_or("-".to_owned())
        );
        // Without all its DTZ tables python-chess knows no distance.
        match answers.strip_suffix(" dtz -;") {
            Some(outcome) => assert!(got.starts_with(outcome), "{line}"),
            None => assert_eq!(got, answers, "{line}"),
        }
        count += 1;
    }
    assert_eq!(count, 218);
}

#[test]
fn nothing_is_said_about_positions_outside_the_tables() {
    let tables = own_tables();
    for (fen, why) in [
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "too many men",
        ),
        ("8/8/8/8/8/2k5/8/R3K3 w Q - 0 1", "castling right"),
        ("8/3k4/8/8/8/8/8/Q3K2Q w - - 0 1", "no such table"),
        (
            "8/3k4/8/8/8/8/3r4/Q3K2Q w - - 0 1",
            "more men than any table",
        ),
    ] {
        let board = board(fen);
        assert_eq!(tables.probe_wdl(&board), None, "{why}");
        assert_eq!(tables.probe_dtz(&board), None, "{why}");
        assert_eq!(tables.rank_root(&board, false, true), None, "{why}");
    }
    let none = Tablebase::empty();
    assert_eq!((none.max_men(), none.files()), (0, (0, 0)));
    assert_eq!(
        none.probe_wdl(&board("8/8/8/8/8/2k5/8/4K3 w - - 0 1")),
        None
    );
}

#[test]
fn bare_kings_are_drawn_and_mates_are_over() {
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

/// What the tables say of a position must follow from what they say one move later.
fn check_one_ply(tables: &Tablebase, board: &Board) {
    let fen = board.to_fen();
    let wdl = tables.probe_wdl(board).unwrap();
    let best = board
        .children()
        .map(|(_, child)| -tables.probe_wdl(&child).unwrap());
    let best = best.max().unwrap_or(match board.in_check() {
        true => WdlScore::Loss,
        false => WdlScore::Draw,
    });
    assert_eq!(wdl, best, "{fen}");
    let dtz = tables.probe_dtz(board).unwrap();
    let sign = wdl.value().signum();
    assert_eq!(dtz.signum(), sign, "{fen}");
    assert_eq!(dtz.abs() > 100, wdl.value().abs() == 1, "{fen}");
    let ranks = tables.rank_root(board, true, true).unwrap();
    if let Some((_, rank)) = ranks.iter().max_by_key(|(_, rank)| *rank) {
        assert_eq!((rank.wdl, rank.dtz.unwrap().signum()), (wdl, sign), "{fen}");
        // The distances of a parent and its best child may each be one too few.
        assert!(
            rank.dtz.unwrap().abs_diff(dtz) <= 1,
            "{fen}: {dtz}, {rank:?}"
        );
    }
}

#[test]
fn a_position_is_worth_its_best_move() {
    let tables = own_tables();
    let mut random = Random(0x1234_5678_9ABC_DEF1);
    for name in ["KQvK", "KRvK", "KPvK", "KRRvK", "KRvKR", "KRvKB"] {
        for _ in 0..100 {
            check_one_ply(&tables, &random.position(name));
        }
    }
}

/// How the winner chooses among moves of equal rank.
#[derive(Clone, Copy)]
enum Winner {
    /// The least distance.
    Straight,
    /// Any move.
    Wandering,
}

/// Whether any position since the last capture or pawn move has been on the board twice.
fn has_repeated(game: &Game) -> bool {
    let reach = game.board().halfmove_clock() as usize + 1;
    let boards = &game.boards()[game.boards().len().saturating_sub(reach)..];
    let twice = |(i, b): (usize, &Board)| boards[..i].iter().any(|other| other.same_position(b));
    boards.iter().enumerate().any(twice)
}

/// Plays a won position out by the ranks of the tables, against the longest resistance. The winner
/// must mate before the fifty-move rule or repetition ends the game.
fn play_out(tables: &Tablebase, start: Board, winner: Winner, random: &mut Random) -> Game {
    let mut game = Game::new(start);
    let attacker = start.turn();
    while game.status() == GameStatus::Ongoing {
        let board = *game.board();
        let ranks = tables.rank_root(&board, has_repeated(&game), true).unwrap();
        let best: RootRank = ranks.iter().map(|(_, rank)| *rank).max().unwrap();
        let is_candidate = |(_, rank): &&(Move, RootRank)| match winner {
            Winner::Wandering if board.turn() == attacker => rank.rank == best.rank,
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

/// The position with its clock at the last moment at which it is still won for certain.
fn with_late_clock(tables: &Tablebase, board: &Board, random: &mut Random) -> Board {
    let dtz = tables.probe_dtz(board).unwrap();
    let latest = (99 - dtz).clamp(0, 98) as usize;
    let clock = latest - random.below(latest.min(3) + 1);
    let fen = board.to_fen();
    let fen = fen.rsplit_once(" 0 ").unwrap().0;
    self::board(&format!("{fen} {clock} 60"))
}

fn play_out_tables(tables: &Tablebase, names: &[&str], each: usize) -> usize {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut games = 0;
    for name in names {
        let mut left = each;
        while left > 0 {
            let mut start = random.position(name);
            if tables.probe_wdl(&start) != Some(WdlScore::Win) {
                continue;
            }
            let winner = match left % 2 {
                0 => Winner::Straight,
                _ => Winner::Wandering,
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

const WON: [&str; 35] = [
    "KBBvK", "KBNvK", "KBPvK", "KBvKB", "KBvKN", "KBvKP", "KNNvK", "KNPvK", "KNvKN", "KNvKP",
    "KPPvK", "KPvKP", "KPvK", "KQBvK", "KQNvK", "KQPvK", "KQQvK", "KQRvK", "KQvK", "KQvKB",
    "KQvKN", "KQvKP", "KQvKQ", "KQvKR", "KRBvK", "KRNvK", "KRPvK", "KRRvK", "KRvK", "KRvKB",
    "KRvKN", "KRvKP", "KRvKR", "KBvK", "KNvK",
];

#[test]
fn all_won_endings_of_four_men_are_won() {
    let Some(tables) = all_tables("all_won_endings_of_four_men_are_won") else {
        return;
    };
    let names: Vec<&str> = WON
        .into_iter()
        .filter(|name| can_win(&tables, name))
        .collect();
    let games = play_out_tables(&tables, &names, 24);
    eprintln!("{games} games won in {} endings", names.len());
    assert!(games >= 500);
}

/// Whether a sample of the positions of a table has wins for the side to move.
fn can_win(tables: &Tablebase, name: &str) -> bool {
    let mut random = Random(77);
    (0..5_000).any(|_| tables.probe_wdl(&random.position(name)) == Some(WdlScore::Win))
}

#[test]
fn all_tables_are_consistent_from_move_to_move() {
    let Some(tables) = all_tables("all_tables_are_consistent_from_move_to_move") else {
        return;
    };
    let mut random = Random(0xDEAD_BEEF_CAFE_F00D);
    for name in WON {
        for _ in 0..100 {
            check_one_ply(&tables, &random.position(name));
        }
    }
    assert_eq!(tables.verify(), []);
    assert_eq!(tables.take_problems(), []);
}

#[test]
fn ranks_count_the_fifty_moves() {
    let tables = own_tables();
    // With this clock the queen mates just in time, with two more just too late.
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
        let wdl = if is_mate {
            WdlScore::Win
        } else {
            WdlScore::Draw
        };
        assert_eq!(rank.wdl, wdl, "{m:?}");
    }
}

#[test]
fn without_distances_the_outcomes_rank() {
    let copy = Folder::new("wdl only");
    for name in [
        "KQvK.rtbw",
        "KRvK.rtbw",
        "KPvK.rtbw",
        "KBvK.rtbw",
        "KNvK.rtbw",
    ] {
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

/// A folder of its own for a test, with a name that is not ASCII, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let name = format!("saavedra Ťábulky ♜ {name} {}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// A folder with the tables that come with the project.
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

/// Probes what the own tables know; tells how many positions were answered.
fn probe_much(tables: &Tablebase) -> usize {
    let mut random = Random(0xFEED_5EED);
    let mut answered = 0;
    for _ in 0..300 {
        for name in ["KQvK", "KRvK", "KPvK", "KRRvK", "KRvKR", "KRvKB"] {
            let board = random.position(name);
            answered += usize::from(tables.probe_wdl(&board).is_some());
            let _ = (
                tables.probe_dtz(&board),
                tables.rank_root(&board, false, true),
            );
        }
    }
    answered
}

/// What is done to which file, and what must be said of it.
type Damage = (&'static str, &'static str, fn(&mut Vec<u8>), TableFault);

fn damages() -> [Damage; 8] {
    use TableFault::{Checksum, NotATable, Size};
    [
        ("cut short", "KQvK.rtbw", |b| b.truncate(100), Size(100)),
        (
            "cut by a block",
            "KRvK.rtbz",
            |b| b.truncate(b.len() - 64),
            Checksum,
        ),
        ("empty", "KPvK.rtbw", |b| b.clear(), Size(0)),
        ("longer", "KQvK.rtbz", |b| b.extend([0; 64]), Checksum),
        ("a changed bit", "KPvK.rtbw", |b| b[5000] ^= 4, Checksum),
        ("a changed head", "KRRvK.rtbz", |b| b[9] ^= 0x70, Checksum),
        ("no table", "KRvKB.rtbw", |b| b.fill(7), NotATable),
        (
            "a changed checksum",
            "KRvKR.rtbw",
            |b| *b.last_mut().unwrap() ^= 1,
            Checksum,
        ),
    ]
}

#[test]
fn broken_files_are_named_once_and_survived() {
    for (what, file, change, fault) in damages() {
        let copy = Folder::with_tables(what);
        copy.change(file, change);
        let (tables, problems) = Tablebase::open_folders([copy.0.clone()]);
        let path = copy.0.join(file);
        assert_eq!(problems, [TableProblem { path, fault }], "{what}");
        assert!(problems[0].to_string().contains(file), "{what}");
        assert!(probe_much(&tables) > 500, "{what}: the others are used");
        assert_eq!(tables.take_problems(), [], "{what}: named once");
    }
}

#[test]
fn a_file_of_other_men_is_refused() {
    let copy = Folder::with_tables("other men");
    fs::copy(copy.0.join("KRvK.rtbw"), copy.0.join("KBvK.rtbw")).unwrap();
    fs::copy(copy.0.join("KQvK.rtbw"), copy.0.join("KQvK.rtbz")).unwrap();
    let (_, problems) = Tablebase::open_folders([copy.0.clone()]);
    let faults: Vec<_> = problems.iter().map(|p| &p.fault).collect();
    assert!(
        matches!(
            faults[..],
            [TableFault::Inconsistent(_), TableFault::NotATable]
        ),
        "{problems:?}"
    );
}

#[test]
fn missing_files_are_named_once_and_survived() {
    let copy = Folder::with_tables("missing");
    fs::remove_file(copy.0.join("KRvK.rtbw")).unwrap();
    let (tables, problems) = Tablebase::open_folders([copy.0.clone()]);
    let texts: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["table KRvK.rtbw is missing"]);
    assert!(probe_much(&tables) > 500);
    assert_eq!(tables.take_problems(), []);
}

#[test]
fn files_that_vanish_later_are_named_once_and_survived() {
    let copy = Folder::with_tables("vanished");
    let (tables, _) = Tablebase::open_folders([copy.0.clone()]);
    fs::remove_file(copy.0.join("KRvK.rtbw")).unwrap();
    copy.change("KPvK.rtbw", |bytes| bytes[600] ^= 1);
    probe_much(&tables);
    let mut problems = tables.take_problems();
    problems.sort_by(|a, b| a.path.cmp(&b.path));
    let faults: Vec<_> = problems.iter().map(|problem| &problem.fault).collect();
    assert!(
        matches!(
            faults[..],
            [TableFault::Checksum, TableFault::Unreadable(_)]
        ),
        "{problems:?}"
    );
    probe_much(&tables);
    assert_eq!(tables.take_problems(), []);
}

#[test]
fn several_folders_are_one_library() {
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
    assert_eq!((tables.files(), tables.max_men()), ((5, 0), 3));
    let rook = board("8/8/8/8/8/2k5/8/R3K3 w - - 0 1");
    assert_eq!(
        tables.probe_wdl(&rook),
        Some(WdlScore::Win),
        "from the second folder"
    );
}

#[test]
fn odd_paths_are_no_crash() {
    for path in ["", ":", ";", "<empty>", "\0", "/dev/null", "::/::", "ä:ö"] {
        let (tables, _) = Tablebase::open(path);
        assert_eq!(tables.files(), (0, 0), "{path:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_named_like_a_table_is_refused_unopened() {
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
    let found = opened.recv_timeout(Duration::from_secs(60));
    assert_eq!(found, Ok(((0, 0), 1)), "it waits for whoever writes");
}

#[test]
fn threads_and_engines_share_nothing_but_what_they_should() {
    let deadline = Instant::now() + Duration::from_secs(120);
    let engines = [Arc::new(own_tables()), Arc::new(own_tables())];
    let expected = probe_much(&engines[0]);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|i| {
                let tables = Arc::clone(&engines[i % 2]);
                scope.spawn(move || probe_much(&tables))
            })
            .collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), expected);
        }
    });
    assert!(Instant::now() < deadline);
}
