//! The program as people call it.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// Runs the program with these arguments and this on its standard input.
pub(crate) fn saavedra(arguments: &[&str], input: impl AsRef<[u8]>) -> Output {
    run(Command::new(env!("CARGO_BIN_EXE_saavedra")).args(arguments), input)
}

/// Runs the program with these arguments and nobody who reads what it prints.
pub(crate) fn unread(arguments: &[&str]) -> Output {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = Command::new(env!("CARGO_BIN_EXE_saavedra"));
    command.args(arguments).stdin(Stdio::null()).stdout(writer);
    command.output().expect("the program runs")
}

/// Runs the program with these arguments and nobody who reads what it prints, also on standard
/// error; its exit status.
pub(crate) fn unread_errors(arguments: &[&str]) -> Option<i32> {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = Command::new(env!("CARGO_BIN_EXE_saavedra"));
    command.args(arguments).stdin(Stdio::null());
    command.stdout(writer.try_clone().expect("a pipe"));
    command.stderr(writer);
    command.status().expect("the program runs").code()
}

/// Runs a command with this on its standard input.
pub(crate) fn run(command: &mut Command, input: impl AsRef<[u8]>) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    // It may end without reading all.
    let _ = stdin.write_all(input.as_ref());
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("text")
}

/// A folder of its own for a test, without what an earlier run has left.
pub(crate) fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a folder");
    path
}
