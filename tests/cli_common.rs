//! What all commands have in common, as they are called: `-` for standard input, refused usage, readers
//! that have had enough.

#![cfg(feature = "cli")]

#[path = "support/program.rs"]
mod program;

use program::{folder, saavedra, stderr, stdout, unread};
use saavedra::data::record::{FileHeader, GameWriter};

#[test]
fn a_dash_is_standard_input() {
    let suite = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 400\n";
    let log = "1 < isready\n2 > readyok\n";
    let cases = [
        (
            &["perft", "--suite", "-"][..],
            suite,
            "1 lines, 0 mismatches\n",
        ),
        (&["replay", "-"], log, "1 answers, 0 differences\n"),
        (&["book", "show", "-"], "", ""),
    ];
    for (arguments, input, expected) in cases {
        let output = saavedra(arguments, input);
        assert_eq!(stdout(&output), expected, "{arguments:?}");
        assert_eq!(stderr(&output), "", "{arguments:?}");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    }
}

#[test]
fn games_are_neither_read_from_a_dash_nor_written_to_one() {
    let manifest = env!("CARGO_MANIFEST_DIR");
    for arguments in [
        &["data", "info", "-"][..],
        &["data", "check", manifest, "-"],
        &["data", "merge", manifest, "-o", "-"],
        &["data", "filter", manifest, "-o", "-"],
        &["data", "shuffle", manifest, "-o", "-"],
        &["data", "relabel", manifest, "-o", "-"],
    ] {
        let output = saavedra(arguments, "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let expected = "saavedra: -: games are kept in files, name one\n";
        assert_eq!(stderr(&output), expected, "{arguments:?}");
    }
}

#[test]
fn wrong_usage_is_told_as_any_error_and_help_is_none() {
    for (arguments, message) in [
        (&["nonsense"][..], "unrecognized subcommand 'nonsense'\n"),
        (
            &["show", "--no-such-flag"],
            "unexpected argument '--no-such-flag' found\n",
        ),
        (
            &["perft", "--fen", "x"],
            "the following required arguments were not provided:\n",
        ),
        (
            &["perft", "2", "--max-nodes", "3"],
            "the argument '[DEPTH]' cannot be used with '--max-nodes <N>'\n",
        ),
        (&["perft", "x"], "invalid value 'x' for '[DEPTH]': "),
    ] {
        let output = saavedra(arguments, "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let said = stderr(&output);
        assert!(said.starts_with(&format!("saavedra: {message}")), "{said}");
        assert!(
            !said.contains("error:") && output.stdout.is_empty(),
            "{said}"
        );
    }
    for (arguments, status) in [
        (&["--help"][..], 0),
        (&["book", "--help"], 0),
        (&["--version"], 0),
        (&["book"], 2),
    ] {
        let output = saavedra(arguments, "");
        assert_eq!(output.status.code(), Some(status), "{arguments:?}");
        let said = if status == 0 {
            stdout(&output)
        } else {
            stderr(&output)
        };
        assert!(
            said.contains("Usage: saavedra") || said.starts_with("saavedra "),
            "{said}"
        );
    }
}

#[test]
fn a_reader_that_has_had_enough_is_no_failure() {
    let folder = folder("unread");
    let file = |name: &str| folder.join(name).display().to_string();
    let (suite, log, games) = (file("a.epd"), file("a.log"), file("a.games"));
    // The first line does not agree with what is counted: there is more to print than the sum.
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    std::fs::write(&suite, format!("{start} ;D1 21\n{start} ;D1 20\n")).expect("written");
    std::fs::write(&log, "1 < isready\n2 > readyok\n").expect("written");
    let header = FileHeader {
        engine: "test".into(),
        nodes: 1,
        generation: 0,
        seed: 0,
    };
    GameWriter::create(games.as_ref(), &header).expect("a file of games");
    for arguments in [
        &["perft", "2", "--divide"][..],
        &["perft", "--suite", &suite],
        &["doctor", "--json"],
        &["data", "info", &games],
        &["data", "check", &games],
        &["datagen", "--out", &file("new"), "--games", "0"],
        &["replay", &log],
        &["genfens 1 seed 1 book None"],
        &["show"],
        &["convert", "--to", "svg", start],
    ] {
        let output = unread(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {output:?}");
        assert!(!stderr(&output).contains("saavedra: "), "{output:?}");
    }
}

#[test]
fn suites_of_counts_that_are_none_are_refused() {
    let path = folder("suites").join("a.epd");
    let name = path.to_str().expect("a name");
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    for (text, message) in [
        (b"".to_vec(), ": there is no position in it\n"),
        (b"# nothing\n".to_vec(), ": there is no position in it\n"),
        (
            b"# a\nrnb\xff".to_vec(),
            ":2:4: this is no text: it is not in UTF-8\n",
        ),
        (
            start.into(),
            ":1:57: expected counts after the position, as in ;D1 20\n",
        ),
    ] {
        std::fs::write(&path, text).expect("written");
        let output = saavedra(&["perft", "--suite", name], "");
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(output.stdout.is_empty(), "{output:?}");
        assert_eq!(stderr(&output), format!("saavedra: {name}{message}"));
    }
    let good = format!("\u{feff}{start} ;D1 20\n");
    std::fs::write(&path, good).expect("written");
    let output = saavedra(&["perft", "--suite", name], "");
    assert_eq!(stdout(&output), "1 lines, 0 mismatches\n", "{output:?}");
}
