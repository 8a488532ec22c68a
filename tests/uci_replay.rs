//! `saavedra doctor` and `saavedra replay`, run as a person runs them.

#![cfg(feature = "cli")]

#[path = "support/program.rs"]
mod program;

use saavedra::nnue::arch::{HIDDEN, OUTPUT_BUCKETS};
use saavedra::nnue::format::Parameters;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

fn saavedra() -> Command {
    Command::new(env!("CARGO_BIN_EXE_saavedra"))
}

fn scratch(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("saavedra-{}-{name}", std::process::id()))
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn replay(log: &PathBuf) -> Output {
    saavedra().arg("replay").arg(log).output().expect("it runs")
}

#[test]
fn a_recorded_game_of_fixed_nodes_is_reproduced_and_a_change_is_found() {
    let log = scratch("game.log");
    let _ = fs::remove_file(&log);
    let mut said = String::from("setoption name Hash value 4\n");
    writeln!(said, "setoption name Log File value {}", log.display()).unwrap();
    let mut moves = String::new();
    for m in [
        "e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6",
    ] {
        moves = format!("{moves} {m}");
        writeln!(
            said,
            "isready\nposition startpos moves{moves}\ngo nodes 2000\nwait"
        )
        .unwrap();
    }
    writeln!(said, "quit").unwrap();
    assert!(program::saavedra(&[], &said).status.success());

    let output = replay(&log);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(
        text(&output).ends_with(" answers, 0 differences\n"),
        "{}",
        text(&output)
    );

    let recorded = fs::read_to_string(&log).expect("a log");
    let at = recorded.find("bestmove").expect("a best move");
    let changed = format!("{}bestmove h7h5\n", &recorded[..at]);
    fs::write(&log, changed).expect("a log");
    let output = replay(&log);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(
        text(&output).contains("then: bestmove h7h5\n"),
        "{}",
        text(&output)
    );
    assert!(
        text(&output).ends_with(" 1 differences\n"),
        "{}",
        text(&output)
    );
    fs::remove_file(&log).expect("still there");
}

#[test]
fn a_drawn_board_and_a_bench_are_reproduced() {
    let log = scratch("board.log");
    let _ = fs::remove_file(&log);
    // The input ends, and the bench outlives it.
    let lines = "position startpos\nd\nisready\nbench\n";
    let said = format!("setoption name Log File value {}\n{lines}", log.display());
    assert!(program::saavedra(&[], &said).status.success());
    let recorded = fs::read_to_string(&log).expect("a log");
    assert!(
        recorded.contains(" >  "),
        "lines that begin with blanks: {recorded}"
    );
    assert!(recorded.ends_with(" nps\n"), "{recorded}");
    let output = replay(&log);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    fs::remove_file(&log).expect("still there");
}

#[test]
fn what_is_no_log_is_refused_by_line() {
    let log = scratch("nonsense.log");
    fs::write(&log, "1 < uci\nnonsense\n").expect("a file");
    let output = replay(&log);
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        errors.contains(&format!("{}:2:1: ", log.display())),
        "{errors}"
    );
    fs::remove_file(&log).expect("still there");
    assert_eq!(replay(&log).status.code(), Some(2), "it is gone");
}

#[test]
fn a_sound_program_is_found_sound_and_a_damaged_network_damaged() {
    let (whole, damaged) = (scratch("whole.nnue"), scratch("damaged.nnue"));
    let mut file = Parameters::zero(HIDDEN, OUTPUT_BUCKETS).to_bytes();
    fs::write(&whole, &file).expect("a file");
    let middle = file.len() / 2;
    file[middle] ^= 1;
    fs::write(&damaged, &file).expect("a file");
    let doctor = |arguments: &[&str], network: &PathBuf| {
        let mut command = saavedra();
        let command = command.arg("doctor").args(arguments);
        let output = command.arg("--network").arg(network).output();
        output.expect("it runs")
    };

    let output = doctor(&[], &whole);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(text(&output).contains("ok      kernel scalar"));
    assert!(text(&output).contains(&format!("ok      {}", whole.display())));
    assert!(!text(&output).contains("FAILED"));

    let output = doctor(&["--json"], &damaged);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert_eq!(text(&output).lines().count(), 1, "one object");
    assert_eq!(text(&output).matches("\"ok\":false").count(), 1);
    assert!(text(&output).contains("checksum"), "{}", text(&output));
    for file in [whole, damaged] {
        fs::remove_file(file).expect("still there");
    }
}
