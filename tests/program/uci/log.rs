//! The log on standard error, selected by `RUST_LOG`.

use std::io::Write;
use std::process::{Command, Stdio};

/// Commands that cause log lines of every level.
const COMMANDS: &str = "\
uci
setoption name Hash value 8
setoption name Hash value many
position startpos moves e2e4 e2e4
position startpos moves e2e4
nonsense
go depth 5
wait
quit
";

/// Runs the commands; the text on standard output and on standard error.
fn run(log: Option<&str>) -> [String; 2] {
    let mut command = Command::new(env!("CARGO_BIN_EXE_saavedra"));
    match log {
        Some(level) => command.env("RUST_LOG", level),
        None => command.env_remove("RUST_LOG"),
    };
    let all = [Stdio::piped(), Stdio::piped(), Stdio::piped()];
    let [stdin, stdout, stderr] = all;
    let child = command.stdin(stdin).stdout(stdout).stderr(stderr).spawn();
    let mut child = child.expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(COMMANDS.as_bytes()).expect("the program reads");
    drop(stdin);
    let output = child.wait_with_output().expect("the program ends");
    assert!(output.status.success());
    [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("UTF-8"))
}

/// The text without times and speeds.
fn without_times(text: &str) -> String {
    let mut rest = Vec::new();
    for line in text.lines() {
        let mut words = line.split(' ');
        while let Some(word) = words.next() {
            match word {
                "time" | "nps" => drop(words.next()),
                _ => rest.push(word),
            }
        }
        rest.push("\n");
    }
    rest.join(" ")
}

#[test]
fn the_log_goes_to_stderr_and_does_not_change_stdout() {
    let [stdout, stderr] = run(None);
    assert_eq!(stderr, "");
    let [stdout_with_log, log] = run(Some("debug"));
    assert_eq!(without_times(&stdout_with_log), without_times(&stdout));
    for part in [
        concat!("Saavedra ", env!("CARGO_PKG_VERSION"), ", kernel "),
        "option Hash: \"8\"",
        "option Hash takes a whole number, not \"many\"",
        "earlier moves were played",
        "position rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b",
        "unknown command: nonsense",
        "depth: Some(5)",
        "best move ",
    ] {
        assert!(log.contains(part), "{part:?} is not in\n{log}");
    }
    let [_, warnings] = run(Some("warn"));
    assert_eq!(warnings.lines().count(), 3, "{warnings}");
    let [_, stderr] = run(Some("off"));
    assert_eq!(stderr, "");
}
