//! What all commands have in common, as they are called: `-` for standard input.

#![cfg(feature = "cli")]

#[path = "support/program.rs"]
mod program;

use program::{saavedra, stderr, stdout};

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
