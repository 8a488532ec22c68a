//! The binary: the UCI engine without arguments, a command with arguments.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let program = std::env::current_exe().unwrap_or_else(|_| "saavedra".into());
    ExitCode::from(saavedra::cmd::run(&program, &arguments))
}
