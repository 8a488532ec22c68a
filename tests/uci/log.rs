//! What goes to stderr for who asks for it by `RUST_LOG`.

use std::io::Write;
use std::process::{Command, Stdio};

/// A conversation with something to be told of each kind.
const CONVERSATION: &str = "\
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

/// What the program writes to stdout and to stderr in the conversation.
fn converse(log: Option<&str>) -> [String; 2] {
    let mut command = Command::new(env!("CARGO_BIN_EXE_saavedra"));
    match log {
        Some(wanted) => command.env("RUST_LOG", wanted),
        None => command.env_remove("RUST_LOG"),
    };
    let all = [Stdio::piped(), Stdio::piped(), Stdio::piped()];
    let [stdin, stdout, stderr] = all;
    let child = command.stdin(stdin).stdout(stdout).stderr(stderr).spawn();
    let mut child = child.expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(CONVERSATION.as_bytes()).expect("it reads");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success());
    [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("UTF-8"))
}

/// The text without what depends on the clock.
fn timeless(text: &str) -> String {
    let mut kept = Vec::new();
    for line in text.lines() {
        let mut words = line.split(' ');
        while let Some(word) = words.next() {
            match word {
                "time" | "nps" => drop(words.next()),
                _ => kept.push(word),
            }
        }
        kept.push("\n");
    }
    kept.join(" ")
}

#[test]
fn a_log_is_written_to_stderr_and_changes_nothing_on_stdout() {
    let [said, silence] = converse(None);
    assert_eq!(silence, "");
    let [said_with_log, log] = converse(Some("debug"));
    assert_eq!(timeless(&said_with_log), timeless(&said));
    for part in [
        concat!("Saavedra ", env!("CARGO_PKG_VERSION"), ", kernel "),
        "option Hash: \"8\"",
        "option Hash takes a whole number, not \"many\"",
        "the moves before it are played",
        "position rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b",
        "unknown command: nonsense",
        "depth: Some(5)",
        "best move ",
    ] {
        assert!(log.contains(part), "{part:?} is not in\n{log}");
    }
    let [_, warnings] = converse(Some("warn"));
    assert_eq!(warnings.lines().count(), 3, "{warnings}");
    let [_, nothing] = converse(Some("off"));
    assert_eq!(nothing, "");
}
