//! The binary: the UCI engine without arguments, a command with arguments.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|a| a.to_string_lossy().into_owned())
        .collect();
    saavedra::cmd::run(&arguments)
}
