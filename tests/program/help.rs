//! The help of the commands: its examples work, and options are spelled alike.

use crate::support::{folder, saavedra, stderr, stdout};
use saavedra::cmd::command_line;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The commands without commands of their own, with their names as they are typed.
fn commands() -> Vec<(String, clap::Command)> {
    fn add(command: &clap::Command, name: &str, commands: &mut Vec<(String, clap::Command)>) {
        for command in command.get_subcommands() {
            let name = format!("{name} {}", command.get_name());
            if command.has_subcommands() {
                add(command, &name, commands);
            } else {
                commands.push((name, command.clone()));
            }
        }
    }
    let mut commands = Vec::new();
    add(&command_line(), "saavedra", &mut commands);
    commands
}

/// The examples in the help of a command.
fn examples(name: &str, command: &clap::Command) -> Vec<String> {
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let (_, examples) = help.split_once("Examples:\n").unwrap_or_else(|| panic!("{name}: {help}"));
    let examples: Vec<String> = examples.lines().map(|line| line.trim().to_owned()).collect();
    for example in &examples {
        assert!(example.starts_with(name), "{example}");
    }
    examples
}

/// Examples that take minutes, or tablebases. Their arguments are checked only.
const NOT_RUN: [&str; 5] = [
    "saavedra analyse games.pgn --total-time 60 --format html -o report.html",
    "saavedra book analyse --threads 8 -o book.bin",
    "saavedra datagen -o data --time 3600 --threads 8",
    "saavedra doctor --tables /tables/syzygy",
    "saavedra duel new.nnue embedded --games 1000 --threads 8",
];

/// Writes the files that the examples name.
fn write_stand_ins(folder: &Path) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let game = "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n";
    let suite = "6k1/5ppp/8/8/8/8/8/R3K3 w - - bm Ra8; id \"mate\";\n";
    let scores = "1. f3 {+0.10/9} e5 {-0.10/9} 2. g4 {-M2/9} Qh4# {+M1/9} 0-1\n";
    for name in ["archive", "data", "perft"] {
        fs::create_dir(folder.join(name)).expect("a folder");
    }
    for (name, text) in [
        ("game.pgn", game.to_owned()),
        ("games.pgn", format!("{game}\n{game}")),
        ("archive/a.pgn", game.repeat(2)),
        ("match.pgn", scores.to_owned()),
        ("suite.epd", suite.to_owned()),
        ("positions.epd", suite.to_owned()),
        ("session.log", "1 < isready\n2 > readyok\n".to_owned()),
    ] {
        fs::write(folder.join(name), text).expect("written");
    }
    for (from, to) in
        [("networks/default.nnue", "new.nnue"), ("perft/standard.epd", "perft/standard.epd")]
    {
        fs::copy(root.join(from), folder.join(to)).expect("copied");
    }
    for name in ["a.games", "b.games", "data/c.games"] {
        let [input, output] = ["match.pgn", name].map(|name| folder.join(name));
        let [input, output] = [&input, &output].map(|path| path.to_str().expect("a name"));
        let import = saavedra(&["data", "import", input, "-o", output], "");
        assert!(import.status.success(), "{import:?}");
    }
}

/// Runs each example as a shell does.
#[cfg(unix)]
#[test]
fn the_examples_of_all_commands_work() {
    use std::process::Command;
    let folder = folder("examples");
    write_stand_ins(&folder);
    let program = Path::new(env!("CARGO_BIN_EXE_saavedra"));
    let programs = program.parent().expect("a folder").display();
    let mut not_run = Vec::new();
    for (name, command) in commands() {
        for example in examples(&name, &command) {
            if NOT_RUN.contains(&example.as_str()) {
                let parsed = command_line().try_get_matches_from(example.split(' '));
                parsed.unwrap_or_else(|error| panic!("{example}: {error}"));
                not_run.push(example);
                continue;
            }
            let script = format!("PATH='{programs}':$PATH; {example}");
            let mut shell = Command::new("sh");
            let shell = shell.args(["-c", &script]).current_dir(&folder);
            let output = crate::support::run(shell, "");
            let printed = (stdout(&output), stderr(&output));
            assert_eq!(output.status.code(), Some(0), "{example}: {printed:?}");
        }
    }
    not_run.sort();
    assert_eq!(not_run, NOT_RUN);
}

#[test]
fn options_of_all_commands_are_spelled_alike_and_name_their_units() {
    // By option: its letter, the name of its value.
    let mut spellings = BTreeMap::new();
    let common = ["threads", "movetime", "nodes", "depth", "seed", "side", "hash", "eval", "fen"];
    let units = [
        ("MS", "milliseconds"),
        ("SECONDS", "seconds"),
        ("MB", "megabytes"),
        ("CENTIPAWNS", "centipawns"),
        ("CP", "entipawns"),
    ];
    for (name, command) in commands() {
        for option in command.get_opts() {
            let long = option.get_long().expect("a name");
            let value = option.get_value_names().expect("a value")[0].to_string();
            let help = option.get_help().expect("a help").to_string();
            for (_, unit) in units.iter().filter(|(short, _)| *short == value) {
                assert!(help.contains(unit), "{name} --{long}: {help}");
            }
            assert_eq!(option.get_short() == Some('o'), long == "out", "{name} --{long}");
            assert!(!["output", "color", "colour"].contains(&long), "{name} --{long}");
            if common.contains(&long) {
                let spelling = (option.get_short(), value);
                let first = spellings.entry(long.to_owned()).or_insert_with(|| spelling.clone());
                assert_eq!(*first, spelling, "{name} --{long}");
            }
        }
    }
    assert_eq!(spellings.len(), common.len(), "{spellings:?}");
    let usage = command_line().render_usage().to_string();
    assert!(usage.contains("saavedra [COMMAND]"), "{usage}");
}

/// Scripts use it.
#[test]
fn the_old_spellings_are_still_read() {
    for words in [
        &["saavedra", "convert", "--to", "pgn", "--output", "x.pgn"][..],
        &["saavedra", "analyse", "x.pgn", "--output", "y.pgn", "--resume"],
        &["saavedra", "play", "--color", "black"],
    ] {
        let parsed = command_line().try_get_matches_from(words);
        parsed.unwrap_or_else(|error| panic!("{words:?}: {error}"));
    }
}
