//! Behaviour common to all commands: `-` for standard input, usage errors, a closed standard
//! output.

use crate::support::{folder, saavedra, stderr, stdout, unread, unread_errors};
use saavedra::data::{FileHeader, GameWriter};

#[test]
fn a_dash_is_standard_input() {
    let suite = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 400\n";
    let log = "1 < isready\n2 > readyok\n";
    let cases = [
        (&["perft", "--suite", "-"][..], suite, "1 lines, 0 mismatches\n"),
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
fn commands_on_game_files_read_standard_input_as_a_file() {
    let folder = folder("stdin-games");
    let file = |name: &str| folder.join(name).display().to_string();
    let (games, from_file, from_stdin) = (file("in.games"), file("a.games"), file("b.games"));
    let pgn = "1. e4 {+0.10/9} e5 {+0.10/9} 1/2-1/2\n\n1. d4 {+0.20/9} d5 {-0.20/9} 1-0\n";
    let import = saavedra(&["data", "import", "-", "-o", &games], pgn);
    assert_eq!(stdout(&import), "2 games, 4 positions\n", "{import:?}");
    let bytes = std::fs::read(&games).expect("read");
    for (action, options, writes) in [
        ("info", &[][..], false),
        ("info", &["--json"], false),
        ("check", &[], false),
        ("merge", &[], true),
        ("filter", &["--result", "draw"], true),
        ("shuffle", &["--seed", "1"], true),
        ("relabel", &["--nodes", "20", "--eval", "piece-square"], true),
    ] {
        let run = |input: &str, output: &str, bytes: &[u8]| {
            let output = ["-o", output];
            let output = if writes { &output[..] } else { &[] };
            let words = [&["data", action, input][..], options, output].concat();
            saavedra(&words, bytes)
        };
        let (one, two) = (run(&games, &from_file, b""), run("-", &from_stdin, &bytes));
        assert_eq!(two.status.code(), Some(0), "{action}: {two:?}");
        assert_eq!(two, one, "{action}");
        if writes {
            let [a, b] = [&from_file, &from_stdin].map(|path| std::fs::read(path).expect("read"));
            assert!(a == b, "{action}: the files differ");
        }
        let damaged = run("-", &from_stdin, b"no games");
        let status = if action == "check" { 1 } else { 2 };
        assert_eq!(damaged.status.code(), Some(status), "{damaged:?}");
        let errors = stderr(&damaged);
        assert!(errors.starts_with("saavedra: -: offset 0: not a game file"), "{errors}");
    }
}

#[test]
fn commands_on_game_files_do_not_write_to_standard_output() {
    let manifest = env!("CARGO_MANIFEST_DIR");
    for action in ["import", "merge", "filter", "shuffle", "relabel"] {
        let output = saavedra(&["data", action, manifest, "-o", "-"], "");
        assert_eq!(output.status.code(), Some(2), "{action}");
        let expected = "saavedra: -: game files cannot be written to standard output\n";
        assert_eq!(stderr(&output), expected, "{action}");
    }
}

#[test]
fn usage_errors_have_the_form_of_all_errors_and_help_has_status_0() {
    for (arguments, message) in [
        (&["nonsense"][..], "unrecognized subcommand 'nonsense'\n"),
        (&["show", "--no-such-flag"], "unexpected argument '--no-such-flag' found\n"),
        (&["perft", "--fen", "x"], "the following required arguments were not provided:\n"),
        (
            &["perft", "2", "--max-nodes", "3"],
            "the argument '[DEPTH]' cannot be used with '--max-nodes <N>'\n",
        ),
        (&["perft", "x"], "invalid value 'x' for '[DEPTH]': "),
    ] {
        let output = saavedra(arguments, "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let printed = stderr(&output);
        assert!(printed.starts_with(&format!("saavedra: {message}")), "{printed}");
        assert!(!printed.contains("error:") && output.stdout.is_empty(), "{printed}");
    }
    for (arguments, status) in
        [(&["--help"][..], 0), (&["book", "--help"], 0), (&["--version"], 0), (&["book"], 2)]
    {
        let output = saavedra(arguments, "");
        assert_eq!(output.status.code(), Some(status), "{arguments:?}");
        let printed = if status == 0 { stdout(&output) } else { stderr(&output) };
        assert!(
            printed.contains("Usage: saavedra") || printed.starts_with("saavedra "),
            "{printed}"
        );
    }
}

#[test]
fn a_closed_standard_output_is_no_error() {
    let folder = folder("unread");
    let file = |name: &str| folder.join(name).display().to_string();
    let (suite, log, games) = (file("a.epd"), file("a.log"), file("a.games"));
    // The first count is wrong, so a mismatch is printed before the summary.
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    std::fs::write(&suite, format!("{start} ;D1 21\n{start} ;D1 20\n")).expect("written");
    std::fs::write(&log, "1 < isready\n2 > readyok\n").expect("written");
    let header = FileHeader { engine: "test".into(), nodes: 1, generation: 0, seed: 0 };
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

/// A device that is always full. What cannot be written is an error, of the help as of results.
#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_an_error() {
    for arguments in [
        &["--version"][..],
        &["--help"],
        &["help"],
        &["book", "--help"],
        &["show"],
        &["perft", "1"],
    ] {
        let full = std::fs::File::options().write(true).open("/dev/full");
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_saavedra"));
        let command = command.args(arguments).stdout(full.expect("the device"));
        let output = command.output().expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let printed = stderr(&output);
        assert!(printed.starts_with("saavedra: No space left"), "{printed}");
    }
}

/// As in `saavedra … 2>&1 | head -1`.
#[test]
fn a_closed_standard_error_does_not_end_a_command() {
    let folder = folder("closed-stderr");
    let file = |name: &str| folder.join(name).display().to_string();
    let (pgn, games, out) = (file("in.pgn"), file("in.games"), file("out.games"));
    let bad = "1. e5 {+0.10/9} 1-0\n";
    let good = "1. e4 {+0.10/9} e5 {+0.10/9} 1/2-1/2\n";
    std::fs::write(&pgn, format!("{bad}\n{bad}\n{good}")).expect("written");
    let import = ["data", "import", &pgn, "-o", &games];
    // Nobody reads the summary either, so the command ends with it.
    assert_eq!(unread_errors(&import), Some(0));
    std::fs::write(file("damaged.games"), "no games").expect("written");
    let merge = ["data", "merge", &file("damaged.games"), &games, "-o", &out];
    assert_eq!(unread_errors(&merge), Some(0));
    let [read, written] = [&games, &out].map(|path| std::fs::read(path).expect("written"));
    assert_eq!(read, written);
    for refused in [&["nonsense"][..], &["convert", &pgn], &["show", "x/y"]] {
        assert_eq!(unread_errors(refused), Some(2), "{refused:?}");
    }
}

#[test]
fn repairs_of_a_fen_are_reported() {
    let fen = "4k3/8/8/8/8/8/8/4K3 w K - 0 1";
    for command in [&["perft", "1", "--fen", fen][..], &["explain", fen, "--nodes", "9"]] {
        let output = saavedra(command, "");
        assert_eq!(output.status.code(), Some(0), "{command:?}");
        assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
    }
}

#[test]
fn malformed_perft_suites_are_refused() {
    let path = folder("suites").join("a.epd");
    let name = path.to_str().expect("a name");
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    for (text, message) in [
        (b"".to_vec(), ": no position found\n"),
        (b"# nothing\n".to_vec(), ": no position found\n"),
        (b"# a\nrnb\xff".to_vec(), ":2:4: not a text: invalid UTF-8\n"),
        (start.into(), ":1:57: expected counts after the position, such as ;D1 20\n"),
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
