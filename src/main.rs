//! The binary: without arguments the UCI engine, with arguments one of the commands.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|a| a.to_string_lossy().into_owned())
        .collect();
    saavedra::cmd::run(&arguments)
}
