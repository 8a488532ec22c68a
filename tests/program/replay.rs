//! `saavedra doctor` and `saavedra replay`, run as programs.

use saavedra::nnue::arch::{HIDDEN, OUTPUT_BUCKETS};
use saavedra::nnue::format::Parameters;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

fn saavedra() -> Command {
    Command::new(env!("CARGO_BIN_EXE_saavedra"))
}

fn temporary_file(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("saavedra-{}-{name}", std::process::id()))
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn replay(log: &PathBuf) -> Output {
    saavedra().arg("replay").arg(log).output().expect("it runs")
}

#[test]
fn a_logged_game_with_fixed_nodes_is_reproduced_and_a_difference_is_found() {
    let log = temporary_file("game.log");
    let _ = fs::remove_file(&log);
    let mut input = String::from("setoption name Hash value 4\n");
    writeln!(input, "setoption name Log File value {}", log.display()).unwrap();
    let mut moves = String::new();
    for m in ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6"] {
        moves = format!("{moves} {m}");
        writeln!(input, "isready\nposition startpos moves{moves}\ngo nodes 2000\nwait").unwrap();
    }
    writeln!(input, "quit").unwrap();
    assert!(crate::support::saavedra(&[], &input).status.success());

    let output = replay(&log);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(text(&output).ends_with(" answers, 0 differences\n"), "{}", text(&output));

    let recorded = fs::read_to_string(&log).expect("a log");
    let at = recorded.find("bestmove").expect("a best move");
    let changed = format!("{}bestmove h7h5\n", &recorded[..at]);
    fs::write(&log, changed).expect("a log");
    let output = replay(&log);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("then: bestmove h7h5\n"), "{}", text(&output));
    assert!(text(&output).ends_with(" 1 differences\n"), "{}", text(&output));
    fs::remove_file(&log).expect("the file exists");
}

#[test]
fn the_output_of_d_and_bench_is_reproduced() {
    let log = temporary_file("board.log");
    let _ = fs::remove_file(&log);
    // The bench goes on after the end of the input.
    let lines = "position startpos\nd\nisready\nbench\n";
    let input = format!("setoption name Log File value {}\n{lines}", log.display());
    assert!(crate::support::saavedra(&[], &input).status.success());
    let recorded = fs::read_to_string(&log).expect("a log");
    assert!(recorded.contains(" >  "), "lines that begin with spaces: {recorded}");
    assert!(recorded.ends_with(" nps\n"), "{recorded}");
    let output = replay(&log);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    fs::remove_file(&log).expect("the file exists");
}

#[test]
fn a_malformed_log_is_refused_with_the_line_number() {
    let log = temporary_file("nonsense.log");
    fs::write(&log, "1 < uci\nnonsense\n").expect("a file");
    let output = replay(&log);
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains(&format!("{}:2:1: ", log.display())), "{errors}");
    fs::remove_file(&log).expect("the file exists");
    assert_eq!(replay(&log).status.code(), Some(2), "no such file");
}

#[test]
fn doctor_fails_with_tablebases_that_cannot_be_read() {
    let empty = temporary_file("no-tables");
    fs::create_dir_all(&empty).expect("a folder");
    let missing = PathBuf::from("/nonexistent");
    for (folder, reason) in [(&missing, "/nonexistent"), (&empty, "no tablebases")] {
        let output = saavedra().arg("doctor").arg("--tables").arg(folder).output();
        let output = output.expect("it runs");
        assert_eq!(output.status.code(), Some(1), "{}", text(&output));
        let printed = text(&output);
        let line = printed.lines().find(|line| line.starts_with("FAILED"));
        assert!(line.is_some_and(|line| line.contains(reason)), "{printed}");
    }
    fs::remove_dir(empty).expect("the folder exists");
}

#[test]
fn doctor_passes_and_reports_a_damaged_network() {
    let (intact, damaged) = (temporary_file("intact.nnue"), temporary_file("damaged.nnue"));
    let mut file = Parameters::zero(HIDDEN, OUTPUT_BUCKETS).to_bytes();
    fs::write(&intact, &file).expect("a file");
    let middle = file.len() / 2;
    file[middle] ^= 1;
    fs::write(&damaged, &file).expect("a file");
    let doctor = |arguments: &[&str], network: &PathBuf| {
        let mut command = saavedra();
        let command = command.arg("doctor").args(arguments);
        let output = command.arg("--network").arg(network).output();
        output.expect("it runs")
    };

    let output = doctor(&[], &intact);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(text(&output).contains("ok      kernel scalar"));
    assert!(text(&output).contains(&format!("ok      {}", intact.display())));
    assert!(!text(&output).contains("FAILED"));

    let output = doctor(&["--json"], &damaged);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert_eq!(text(&output).lines().count(), 1, "one object");
    assert_eq!(text(&output).matches("\"ok\":false").count(), 1);
    assert!(text(&output).contains("checksum"), "{}", text(&output));
    for file in [intact, damaged] {
        fs::remove_file(file).expect("the file exists");
    }
}
