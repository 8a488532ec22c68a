//! `saavedra book`: build, analyse and show.

use saavedra::book::Book;
use saavedra::chess::Board;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

/// A temporary folder, removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("saavedra-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn saavedra(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_saavedra")).arg("book").args(arguments).output().unwrap()
}

/// The standard output of a command, which must succeed.
fn text(arguments: &[&str]) -> String {
    let output = saavedra(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), errors.as_ref()), (Some(0), ""), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

const GAMES: &str = "\
[Event \"one\"]
[Result \"1-0\"]

1. e4 e5 2. Nf3 (2. f4 exf4) 2... Nc6 1-0

[Event \"two\"]
[Result \"1/2-1/2\"]

1. e4 c5 1/2-1/2

[Event \"three\"]
[Result \"0-1\"]

1. a3 e5 0-1
";

#[test]
fn a_book_is_made_from_games_and_shown() {
    let folder = Folder::new("book-build");
    let games = folder.file("games.pgn", GAMES);
    let lines = folder.file("games.uci", "d2d4 d7d5\nposition startpos moves e2e4 e7e5\n");
    let book = folder.path("out.bin");
    let said = text(&["build", "--from", &games, &lines, "-o", &book, "--plies", "3"]);
    assert_eq!(said, "7 moves in 5 positions, from 5 games\n");
    let shown = text(&["show", &book]);
    assert_eq!(shown, "e4           4   80.0 %\nd4           1   20.0 %\n");
    let after_e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1";
    let shown = text(&["show", "--json", &book, after_e4]);
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["key"], "823c9b50fd114196");
    assert_eq!(shown["turn"], "black");
    let moves = shown["moves"].as_array().unwrap();
    let moves: Vec<_> = moves.iter().map(|m| (&m["san"], &m["uci"], &m["weight"])).collect();
    assert_eq!(format!("{moves:?}").matches("String").count(), 4);
    assert_eq!(moves[0].0, "c5");
    assert_eq!(moves[1].1, "e7e5");
    let again = folder.path("again.bin");
    text(&["build", "--from", &lines, &games, "-o", &again, "--plies", "3"]);
    assert_eq!(fs::read(&book).unwrap(), fs::read(&again).unwrap(), "reproducible");
}

#[test]
fn a_book_on_standard_output_is_nothing_but_the_book() {
    let folder = Folder::new("book-stdout");
    let games = folder.file("games.pgn", GAMES);
    let book = folder.path("out.bin");
    for command in
        [&["build", "--from", &games][..], &["analyse", "--plies", "1", "--nodes", "100"]]
    {
        let summary = text(&[command, &["-o", &book]].concat());
        let output = saavedra(&[command, &["-o", "-"]].concat());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert!(output.stdout == fs::read(&book).unwrap(), "{command:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), summary);
    }
}

#[test]
fn malformed_games_are_reported_and_skipped() {
    let folder = Folder::new("book-bad");
    let games = "1. e4 e5 1-0\n\n1. e4 e5 2. Ke3 1-0\n\n1. d4 1-0\n";
    let games = folder.file("games.pgn", games);
    let book = folder.path("out.bin");
    let output = saavedra(&["build", "--from", &games, "-o", &book]);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(errors.contains("games.pgn:3:13") && errors.lines().count() == 1, "{errors}");
    assert_eq!(Book::open(&book).unwrap().moves(&Board::startpos(), None).len(), 2);
}

#[test]
fn invalid_arguments_are_refused() {
    let folder = Folder::new("book-refused");
    let empty = folder.file("empty.pgn", "");
    let short = folder.file("short.bin", "not sixteen");
    let (book, nowhere) = (folder.path("out.bin"), folder.path("nowhere"));
    let cases: [&[&str]; 6] = [
        &["build", "--from", &empty, "-o", &book],
        &["build", "--from", &nowhere, "-o", &book],
        &["build", "--from", &empty],
        &["show", &nowhere],
        &["show", &short, "8/8/8/8/8/8/8/8 w - - 0 1"],
        &["analyse", "-o", &book, "--fen", "nonsense"],
    ];
    for arguments in cases {
        let output = saavedra(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(!output.stderr.is_empty() && output.stdout.is_empty(), "{arguments:?}");
    }
    assert!(!PathBuf::from(&book).exists());
}

#[test]
fn an_empty_book_is_not_written() {
    let folder = Folder::new("empty-book");
    let games = folder.file("position.fen", "4k3/8/8/8/8/8/8/4K2R w K - 0 1\n");
    let book = folder.path("book.bin");
    let stalemate = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";
    for arguments in
        [["build", "--from", &games, "-o", &book], ["analyse", "--fen", stalemate, "-o", &book]]
    {
        let output = saavedra(&arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains("no move"), "{arguments:?}: {errors}");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(!PathBuf::from(&book).exists(), "{arguments:?}");
    }
}

#[test]
fn a_book_ends_at_a_null_move_and_counts_a_repeated_move_once() {
    let folder = Folder::new("null-book");
    let games = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 *\n\n1. e4 e5 2. -- Nc6 3. d4 *\n";
    let games = folder.file("games.pgn", games);
    let book = folder.path("book.bin");
    text(&["build", "--from", &games, "-o", &book]);
    let entries = |moves: &str| {
        let board = moves
            .split_whitespace()
            .fold(Board::startpos(), |board, m| board.try_make_uci(m).unwrap());
        let book = Book::open(&book).unwrap();
        let mut moves: Vec<(String, u16)> = book
            .moves(&board, None)
            .iter()
            .map(|entry| (board.uci(entry.m, false), entry.weight))
            .collect();
        moves.sort();
        moves
    };
    assert_eq!(entries(""), [("e2e4".to_owned(), 1), ("g1f3".to_owned(), 1)]);
    assert_eq!(entries("e2e4"), [("e7e5".to_owned(), 1)]);
    assert_eq!(entries("e2e4 e7e5"), []);
}

#[test]
fn the_moves_of_a_damaged_book_are_shown_and_its_status_is_2() {
    let folder = Folder::new("book-damaged");
    let lines = folder.file("games.uci", "e2e4 e7e5\n");
    let book = folder.path("out.bin");
    text(&["build", "--from", &lines, "-o", &book, "--plies", "1"]);
    let entry = fs::read(&book).unwrap();
    let e4 = "e4           1  100.0 %\n";
    for (bytes, moves, count) in [
        (&b"not sixteen"[..], "", 11),
        (&[&entry[..], b"abc"].concat(), e4, 3),
        (&[0xA5; 100], "", 4),
    ] {
        fs::write(&book, bytes).unwrap();
        let output = saavedra(&["show", &book]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), moves);
        assert_eq!(
            String::from_utf8_lossy(&output.stderr),
            format!("saavedra: {book}: {count} bytes at the end are not a book entry\n")
        );
    }
}

#[test]
fn book_analyse_is_reproducible() {
    let folder = Folder::new("book-analyse");
    let make = |name: &str, threads: &str| {
        let path = folder.path(name);
        let limits = ["--plies", "3", "--nodes", "300", "--width", "2", "--margin", "60"];
        let mut arguments = vec!["analyse", "-o", &path, "--threads", threads];
        arguments.extend(limits);
        assert!(text(&arguments).ends_with("searches\n"));
        Book::open(&path).unwrap()
    };
    let book = make("one.bin", "1");
    assert_eq!(book, make("two.bin", "2"));
    let start = Board::startpos();
    let moves = book.moves(&start, None);
    assert!((1..=2).contains(&moves.len()));
    // The best move has the margin plus one.
    assert_eq!(moves[0].weight, 61);
    for entry in &moves {
        assert!(!book.moves(&start.make(entry.m), entry.m.double_push_square()).is_empty());
    }
}
