//! Outputs of the commands: devices.

#![cfg(all(feature = "cli", unix))]

#[path = "support/program.rs"]
mod program;

use program::{saavedra, stderr};

/// A device that is always full.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_is_an_error_with_the_name_of_the_output() {
    let games = "[White \"a\"]\n\n1. e4 e5 1-0\n";
    for (arguments, input) in [
        (
            &["convert", "--from", "fen", "--to", "pgn", "startpos"][..],
            "",
        ),
        (&["analyse", "startpos", "--nodes", "100"], ""),
        (&["book", "build", "--from", "-"], games),
        (&["book", "analyse", "--plies", "1", "--nodes", "100"], ""),
        (&["play", "--nodes", "100"], "e4\n"),
    ] {
        let output = saavedra(&[arguments, &["-o", "/dev/full"]].concat(), input);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let errors = stderr(&output);
        assert!(
            errors.starts_with("saavedra: /dev/full: No space left"),
            "{arguments:?}: {errors}"
        );
    }
}
