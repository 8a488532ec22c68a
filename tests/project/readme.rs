//! The README agrees with the program. (The feature `tune` adds options.)

#![cfg(not(feature = "tune"))]

use saavedra::uci::{OPTIONS, OptionKind};

const README: &str = include_str!("../../README.md");

thread_local! {
    static PRINTED: std::cell::RefCell<Vec<String>> = const { std::cell::RefCell::new(Vec::new()) };
}

/// Keeps what the example prints.
macro_rules! println {
    ($($argument:tt)*) => {
        crate::readme::PRINTED.with_borrow_mut(|lines| lines.push(format!($($argument)*)))
    };
}

#[path = "../../examples/first.rs"]
mod first;

#[test]
#[cfg(feature = "cli")]
fn the_first_example_prints_what_analyse_does() {
    let source = include_str!("../../examples/first.rs");
    let (_, code) = source.split_once("\n\n").expect("a comment, then code");
    let code = code.replace("/// Public, so that a test can call it.\npub ", "");
    assert!(README.contains(&format!("```rust\n{code}```\n")));
    first::main().expect("it runs");
    let printed = PRINTED.take();
    let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_saavedra"))
        .args(["analyse", "--format", "json", "--threads", "1", "--depth", "8", fen])
        .output()
        .expect("it runs");
    let analysed: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    // The command shows scores from White's view; Black is to move.
    let centipawns = -analysed["eval"]["cp"].as_i64().expect("centipawns");
    let score = format!("depth 8: {:.2}", centipawns as f64 / 100.0);
    let best = analysed["best"]["san"].as_str().expect("a move");
    let last = [score, format!("best move {best}")];
    assert_eq!(printed[printed.len() - 2..], last);
}

#[test]
fn the_table_of_options_is_current() {
    let rows = OPTIONS.iter().map(|option| {
        let values = match option.kind {
            OptionKind::Check { default } => format!("`true` or `false` ({default})"),
            OptionKind::Spin { default, min, max } => format!("{min} to {max} ({default})"),
            OptionKind::Text { default: "" } => "text".to_owned(),
            OptionKind::Text { default } => format!("text (`{default}`)"),
            OptionKind::Button => "–".to_owned(),
        };
        format!("| {} | {values} | {} |\n", option.name, option.help)
    });
    let head = "| Option | Values (default) | What it does |\n|---|---|---|\n";
    let table = head.to_owned() + &rows.collect::<String>() + "\n";
    assert!(README.contains(&table), "README.md should have this table:\n\n{table}");
}

#[test]
fn linked_files_exist() {
    let links = README.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    for link in links.filter(|link| !link.starts_with("http")) {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(link);
        assert!(file.exists(), "README.md links {link}");
    }
}

#[test]
#[cfg(feature = "cli")]
fn all_commands_are_listed_and_have_a_help() {
    let saavedra = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_saavedra"));
        let output = command.args(arguments).output().expect("it runs");
        assert!(output.status.success(), "{arguments:?}");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let help = saavedra(&["help"]);
    let (_, commands) = help.split_once("Commands:\n").expect("a list");
    let lines = commands.lines().take_while(|line| !line.is_empty());
    // Continuation lines are indented further.
    let lines = lines.filter(|line| !line.starts_with("   "));
    let names: Vec<&str> = lines.filter_map(|l| l.split_whitespace().next()).collect();
    assert!(names.contains(&"bench"), "{help}");
    for name in names {
        let listed = [format!("| `saavedra {name}"), format!(", `{name}`")];
        let found = listed.iter().any(|row| README.contains(row));
        assert!(found, "README.md should list saavedra {name}");
        if name == "help" {
            continue;
        }
        let help = saavedra(&[name, "--help"]);
        assert!(help.contains("Usage"), "{name}: {help}");
    }
}
