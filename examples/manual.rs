//! Writes the manual pages and the shell completions: `cargo run --example manual FOLDER`.

use clap_complete::{Shell, generate_to};
use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder = PathBuf::from(env::args_os().nth(1).unwrap_or("target/manual".into()));
    let (pages, completions) = (folder.join("man"), folder.join("completions"));
    fs::create_dir_all(&pages)?;
    fs::create_dir_all(&completions)?;
    let command = saavedra::cmd::command_line();
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell] {
        generate_to(shell, &mut command.clone(), "saavedra", &completions)?;
    }
    clap_mangen::generate_to(command, pages)
}
