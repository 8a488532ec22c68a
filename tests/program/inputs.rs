//! Inputs of the commands: names that are not UTF-8, `startpos`, games with errors.

use crate::support::{folder, saavedra, stderr, stdout};

#[test]
fn startpos_is_a_position_wherever_a_fen_is() {
    let folder = folder("startpos");
    let book = folder.join("book.bin");
    let book = book.to_str().expect("a name");
    let cases: [(&[&str], &str); 8] = [
        (&["perft", "2", "--fen", "startpos"], "Nodes searched: 400\n"),
        (&["perft", "1", "--fen", " startpos "], "Nodes searched: 20\n"),
        (&["show", "startpos"], "Moves 20"),
        (&["analyse", "startpos", "--nodes", "500"], " w KQkq - 0 1\n"),
        (&["explain", "startpos", "--nodes", "500"], "The best move is "),
        (
            &["book", "analyse", "-o", book, "--plies", "1", "--nodes", "500", "--fen", "startpos"],
            "1 searches",
        ),
        (&["book", "show", book, "startpos"], "%"),
        (&["play", "--nodes", "100", "--fen", "startpos"], "[Result \"*\"]"),
    ];
    for (arguments, expected) in cases {
        let output = saavedra(arguments, "");
        assert_eq!(output.status.code(), Some(0), "{arguments:?} {}", stderr(&output));
        assert!(stdout(&output).contains(expected), "{}", stdout(&output));
    }
    let suite = saavedra(&["perft", "--suite", "-"], "startpos ;D1 20\n");
    assert_eq!(stdout(&suite), "1 lines, 0 mismatches\n");
    let refused = saavedra(&["perft", "2", "--fen", "endpos"], "");
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn a_missing_file_is_no_malformed_position() {
    let cases: [&[&str]; 3] =
        [&["explain", "missing.pgn", "1w"], &["analyse", "missing.pgn"], &["show", "missing.pgn"]];
    for arguments in cases {
        let refused = saavedra(arguments, "");
        let told = stderr(&refused);
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}");
        assert!(told.starts_with("saavedra: missing.pgn: "), "{arguments:?}: {told}");
    }
}

/// Three games: with an illegal move, whole, truncated in a move.
const DAMAGED: &str = "\
[White \"a\"]\n\n1. e4 e5 2. Ke3 Nf6 *\n\n[White \"b\"]\n\n1. d4 d5 (1... Nf6 2. c4) 2. c4 *\n\n\
[White \"c\"]\n\n1. c4 e5 2. Nf";

#[test]
fn legal_prefixes_are_kept_if_asked() {
    let folder = folder("prefixes");
    let (input, output) = (folder.join("damaged.pgn"), folder.join("kept.uci"));
    std::fs::write(&input, DAMAGED).expect("written");
    let [input, path] = [&input, &output].map(|path| path.to_str().expect("a name"));
    let convert = ["convert", "--to", "uci", input];
    let kept = "e2e4 e7e5\nd2d4 d7d5 c2c4\nc2c4 e7e5\n";
    for (extra, expected) in [(&[][..], "d2d4 d7d5 c2c4\n"), (&["--keep-prefix"], kept)] {
        let read = saavedra(&[&convert[..], extra].concat(), "");
        assert_eq!(stdout(&read), expected);
        assert_eq!(read.status.code(), Some(3));
        assert_eq!(stderr(&read).lines().count(), 2, "{}", stderr(&read));
        assert!(stderr(&read).contains("damaged.pgn:3:13: game 1: "), "{}", stderr(&read));
    }
    saavedra(&[&convert[..], &["-o", path]].concat(), "");
    assert!(!output.exists(), "without the flag a file is complete or not written");
    saavedra(&[&convert[..], &["-o", path, "--keep-prefix"]].concat(), "");
    assert_eq!(std::fs::read_to_string(&output).expect("written"), kept);

    // `analyse` reads the same games.
    for (extra, games) in [(&[][..], 1), (&["--keep-prefix"], 3)] {
        let analyse = ["analyse", input, "--nodes", "200", "--format", "json"];
        let read = saavedra(&[&analyse[..], extra].concat(), "");
        assert_eq!(stdout(&read).lines().count(), games);
        assert_eq!(read.status.code(), Some(3));
        assert_eq!(stderr(&read).lines().count(), 2, "{}", stderr(&read));
    }
    // Games in UCI notation too.
    let text = "e2e4 e7e5 e1e3\nd2d4\n";
    let read = saavedra(&["convert", "--from", "uci", "--to", "uci", "--keep-prefix"], text);
    assert_eq!(stdout(&read), "e2e4 e7e5\nd2d4\n");
    assert!(stderr(&read).starts_with("saavedra: -:1:11: "), "{}", stderr(&read));
}

/// A whole game, an illegal one, and one with a sign that means nothing.
const PARTLY_GOOD: &str = "\
[White \"a\"]\n\n1. e4 {+0.10/9} e5 {+0.10/9} 1/2-1/2\n\n[White \"b\"]\n\n1. e5 *\n\n\
[White \"c\"]\n\n1. d4 {+0.20/9} ≈≈ d5 {-0.20/9} 1-0\n";

#[test]
fn every_command_that_reads_games_names_what_it_leaves_out() {
    let folder = folder("left-out");
    let path = |name: &str| folder.join(name).to_str().expect("a path").to_owned();
    let (games, book, records) = (path("games.pgn"), path("a.bin"), path("a.games"));
    let bad = path("bad.pgn");
    std::fs::write(&games, PARTLY_GOOD).expect("written");
    std::fs::write(&bad, "1. e5 *\n").expect("written");
    let commands: [(&[&str], &[&str]); 7] = [
        (&["analyse"], &["--nodes", "100"]),
        (&["show"], &[]),
        (&["convert", "--to", "uci"], &[]),
        (&["convert", "--to", "uci", "--keep-prefix", "-o", &path("a.uci")], &[]),
        (&["puzzles", "--nodes", "100"], &[]),
        (&["book", "build", "-o", &book, "--from"], &[]),
        (&["data", "import", "-o", &records], &[]),
    ];
    for (before, after) in commands {
        let run = |input| saavedra(&[before, &[input], after].concat(), "");
        let output = run(games.as_str());
        assert_eq!(output.status.code(), Some(3), "{before:?}: {output:?}");
        let errors = stderr(&output);
        for place in [":7:4: game 2: ", ":11:17: game 3: "] {
            assert!(errors.contains(&format!("saavedra: {games}{place}")), "{before:?}: {errors}");
        }
        assert_eq!(
            run(&bad).status.code(),
            Some(if before.contains(&"--keep-prefix") { 3 } else { 2 }),
            "{before:?}"
        );
    }
}

/// Names that are not UTF-8 stay what they are, in reading and writing.
#[cfg(target_os = "linux")]
#[test]
fn names_need_not_be_utf_8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::process::Command;
    let folder = folder("names");
    let path = |name: &[u8]| folder.join(OsStr::from_bytes(name));
    let (input, output) = (path(b"Jos\xe9.pgn"), path(b"\xff.uci"));
    std::fs::write(&input, "1. e4 e5 *\n").expect("written");
    let run = |first: &[&str], last: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_saavedra"));
        command.args(first).arg(&input).args(last);
        command
    };
    let convert = crate::support::run(run(&["convert", "--to", "uci"], &["-o"]).arg(&output), "");
    assert_eq!(convert.status.code(), Some(0), "{}", stderr(&convert));
    assert_eq!(std::fs::read_to_string(&output).expect("written"), "e2e4 e7e5\n");
    let show = crate::support::run(&mut run(&["show"], &["--json"]), "");
    assert_eq!(show.status.code(), Some(0), "{}", stderr(&show));
    let analysed = path(b"\xfe.pgn");
    let mut analyse = run(&["analyse", "--nodes", "200"], &["-o"]);
    let analyse = crate::support::run(analyse.arg(&analysed), "");
    assert_eq!(analyse.status.code(), Some(0), "{}", stderr(&analyse));
    assert!(analysed.exists());
    let mut book = Command::new(env!("CARGO_BIN_EXE_saavedra"));
    book.args(["book", "build", "-o"]).arg(path(b"\xfd.bin")).arg("--from").arg(&input);
    let book = crate::support::run(&mut book, "");
    assert_eq!(book.status.code(), Some(0), "{}", stderr(&book));
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 4);
}

#[test]
fn repairs_of_positions_are_reported() {
    let folder = folder("repairs");
    let book = folder.join("empty.bin");
    std::fs::write(&book, "").expect("written");
    let book = book.to_str().expect("a name");
    let fen = "4k3/8/8/8/8/8/4P3/4K3 w KQ - 0 1";
    let pgn = format!("[FEN \"{fen}\"]\n\n1. e4 *\n");
    let analyse = ["analyse", "--nodes", "200"];
    for (arguments, input, place) in [
        (&[&analyse[..], &[fen]].concat(), "", ""),
        (&[&analyse[..], &["-"]].concat(), &*pgn, "-:1:1: "),
        (&vec!["book", "show", book, fen], "", ""),
        (&vec!["explain", fen, "--nodes", "200"], "", ""),
    ] {
        let output = saavedra(arguments, input);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let reported = stderr(&output);
        let expected = format!("saavedra: {place}");
        assert!(reported.starts_with(&expected), "{arguments:?}: {reported}");
        assert!(reported.contains("castling"), "{arguments:?}: {reported}");
    }
}
