//! The program: training from game files to a network, resumption, and error messages.

use crate::common::{TempFolder, random_game, write};
use saavedra::nnue::arch::OUTPUT_BUCKETS;
use saavedra::nnue::format::Parameters;
use saavedra_trainer::checkpoint::{TrainingState, WeightsFile};
use saavedra_trainer::model::Shape;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

fn trainer(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_saavedra-trainer"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("it starts")
}

#[test]
fn training_writes_a_network_a_card_and_a_loss_curve() {
    let temporary = TempFolder::new("command");
    let folder = &temporary.0;
    write(&folder.join("a.games"), (0..150).map(|seed| random_game(seed, 120)));
    let train = [
        "train",
        "--data",
        ".",
        "--out",
        "net.nnue",
        "--hidden",
        "64",
        "--buckets",
        "2",
        "--wdl",
        "0.3",
        "--samples",
        "200e3",
        "--batch",
        "1024",
        "--generation",
        "5",
        "--threads",
        "2",
        "--held-out",
        "100",
    ];
    let output = trainer(&train, folder);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "net.nnue\n");
    let bytes = fs::read(folder.join("net.nnue")).expect("a network");
    let network = Parameters::from_bytes(&bytes).expect("valid");
    assert_eq!((network.hidden(), network.output_buckets(), network.generation), (64, 2, 5));
    let csv = fs::read_to_string(folder.join("net.csv")).expect("a CSV file");
    assert_eq!(csv.lines().count(), 41, "{csv}");
    let card = fs::read_to_string(folder.join("net.md")).expect("a card");
    assert!(card.contains("(768 -> 64) x 2 -> 1 x 2") && card.contains("games      150"), "{card}");
    assert!(!folder.join("net.checkpoint").exists());

    let inspect = trainer(&["inspect", "net.nnue"], folder);
    let stdout = String::from_utf8_lossy(&inspect.stdout);
    assert!(inspect.status.success() && stdout.contains("generation      5"), "{stdout}");
}

#[test]
fn files_are_replaced_only_when_complete() {
    let temporary = TempFolder::new("curves");
    let folder = &temporary.0;
    let games = (0..20).map(|seed| random_game(seed, 80));
    write(&folder.join("a.games"), games);
    for name in ["x.csv", "x.md", "x.nnue", "x.weights"] {
        fs::write(folder.join(name), "old").expect("written");
        // Another name of the file shows whether it is changed in place.
        fs::hard_link(folder.join(name), folder.join(format!("old-{name}"))).expect("a link");
    }
    trained(folder, "--samples 10e3");
    for name in ["x.csv", "x.md", "x.nnue", "x.weights"] {
        let old = fs::read(folder.join(format!("old-{name}"))).expect("read");
        assert_eq!(old, b"old", "{name}");
        assert_ne!(fs::read(folder.join(name)).expect("read"), b"old", "{name}");
    }
    assert_eq!(fs::read_dir(folder).expect("a folder").count(), 9);

    // What cannot be written is named, and costs no network.
    fs::remove_file(folder.join("x.csv")).expect("removed");
    fs::create_dir(folder.join("x.csv")).expect("created");
    let network = fs::read(folder.join("x.nnue")).expect("a network");
    fs::remove_file(folder.join("x.nnue")).expect("removed");
    let output = command(folder, "--samples 10e3").output().expect("it starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("saavedra-trainer: x.csv: "), "{stderr}");
    let written = fs::read(folder.join("x.nnue")).expect("a network");
    assert_eq!(written, network);

    // The error is printed when it occurs, before the card, and once more at the end.
    let message = "saavedra-trainer: x.csv: ";
    assert_eq!(stderr.matches(message).count(), 2, "{stderr}");
    assert!(stderr.find(message) < stderr.find("# x\n"), "{stderr}");
}

#[test]
fn outputs_that_cannot_be_written_are_refused_before_the_games_are_loaded() {
    let temporary = TempFolder::new("outputs");
    let folder = &temporary.0;
    write(&folder.join("a.games"), [random_game(1, 80)]);
    fs::create_dir(folder.join("folder")).expect("created");
    for (out, message) in [
        ("folder", "saavedra-trainer: folder: "),
        ("absent/x.nnue", "saavedra-trainer: absent/x.nnue: "),
        ("x.checkpoint", "the extension checkpoint belongs to a file beside"),
        ("x.csv", "the extension csv belongs"),
        ("x.MD", "the extension md belongs"),
    ] {
        let output = trainer(&["train", "--data", ".", "--out", out], folder);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{out}: {stderr}");
        assert!(stderr.contains(message), "{out}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{out}: {stderr}");
    }
    assert_eq!(fs::read_dir(folder).expect("a folder").count(), 2);
}

#[test]
fn closed_output_streams_do_not_end_a_command() {
    let temporary = TempFolder::new("streams");
    let folder = &temporary.0;
    write(&folder.join("a.games"), (0..20).map(|seed| random_game(seed, 80)));
    fs::write(folder.join("b.games"), "no games").expect("written");
    let unread = |arguments: &str| {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = Command::new(env!("CARGO_BIN_EXE_saavedra-trainer"));
        command.args(arguments.split(' ')).current_dir(folder);
        command.stdout(writer.try_clone().expect("a pipe"));
        command.stderr(writer);
        command.status().expect("it starts")
    };
    let train = OPTIONS.replace("--threads 1", "--threads 2 --samples 10e3");
    for arguments in [&train, "evaluate x.nnue --data .", "inspect x.nnue"] {
        assert_eq!(unread(arguments).code(), Some(0), "{arguments}");
    }
    assert_eq!(unread("inspect absent.nnue").code(), Some(2));
}

#[test]
fn the_length_of_a_run_may_be_a_fraction_of_an_epoch() {
    let temporary = TempFolder::new("epochs");
    let folder = &temporary.0;
    let games = (0..50).map(|seed| random_game(seed, 80));
    write(&folder.join("a.games"), games);
    for epochs in [0.5, 1.0, 1.5] {
        trained(folder, &format!("--held-out 0 --epochs {epochs}"));
        let card = fs::read_to_string(folder.join("x.md")).expect("a card");
        let number = |name: &str| -> u64 {
            let mut values = card.lines().filter_map(|line| line.strip_prefix(name));
            let value = values.next_back().expect("a value").trim_start();
            let end = value.find(|c: char| !c.is_ascii_digit()).expect("more");
            value[..end].parse().expect("a number")
        };
        let samples = (epochs * number("kept") as f64).round() as u64;
        let expected = samples.div_ceil(1024) * 1024;
        assert_eq!(number("positions"), expected, "{epochs} epochs: {card}");
    }
}

#[test]
fn evaluate_prints_losses_correlations_and_slopes() {
    let temporary = TempFolder::new("evaluate");
    let folder = &temporary.0;
    let games = (0..20).map(|seed| random_game(seed, 80));
    write(&folder.join("a.games"), games);
    trained(folder, "--samples 10e3");
    let output = trainer(&["evaluate", "x.nnue", "--data", "."], folder);
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{stdout}");
    let starts: Vec<_> = stdout.lines().map(|line| line.split(' ').next()).collect();
    let expected =
        ["scores", "results", "correlation", "network", "scores", "slope", "network", "scores"];
    assert_eq!(starts[1..], expected.map(Some), "{stdout}");
}

/// The options of every run of the tests below.
const OPTIONS: &str = "train --data . --out x.nnue --hidden 32 --batch 1024 --threads 1";

fn command(folder: &Path, options: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_saavedra-trainer"));
    command.args(OPTIONS.split(' ').chain(options.split(' '))).current_dir(folder);
    command
}

/// Trains with these further options and returns the network file.
fn trained(folder: &Path, options: &str) -> Vec<u8> {
    let output = command(folder, options).output().expect("it starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    fs::read(folder.join("x.nnue")).expect("a network")
}

#[test]
fn equal_options_give_equal_networks() {
    let temporary = TempFolder::new("same");
    let games = (0..50).map(|seed| random_game(seed, 80));
    write(&temporary.0.join("a.games"), games);
    let network = trained(&temporary.0, "--samples 100e3");
    assert_eq!(trained(&temporary.0, "--samples 100e3"), network);
    assert_ne!(trained(&temporary.0, "--samples 100e3 --seed 2"), network);
}

#[test]
fn a_killed_run_resumes_to_the_network_of_an_uninterrupted_one() {
    let temporary = TempFolder::new("killed");
    let folder = &temporary.0;
    let games = (0..50).map(|seed| random_game(seed, 80));
    write(&folder.join("a.games"), games);
    let options = "--samples 1e6 --reports 50 --checkpoint-every 0 --resume";
    let uninterrupted = trained(folder, options);
    let curve = || fs::read_to_string(folder.join("x.csv")).expect("a CSV file");
    let uninterrupted_curve = curve();
    fs::remove_file(folder.join("x.nnue")).expect("removed");
    let mut run = command(folder, options);
    let run = run.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = run.spawn().expect("it starts");
    while !folder.join("x.checkpoint").exists() && !folder.join("x.nnue").exists() {
        thread::sleep(Duration::from_millis(1));
    }
    child.kill().expect("killed");
    child.wait().expect("ended");
    assert!(!folder.join("x.nnue").exists(), "the run ended before it was killed");
    assert_eq!(trained(folder, options), uninterrupted);
    assert_eq!(curve(), uninterrupted_curve);
}

#[test]
fn a_network_that_fails_its_check_is_not_written() {
    let temporary = TempFolder::new("check");
    let folder = &temporary.0;
    let games = (0..20).map(|seed| random_game(seed, 80));
    write(&folder.join("a.games"), games);
    let run = || {
        let options = "--samples 10e3 --checkpoint-every 0 --resume";
        command(folder, options).output().expect("it starts")
    };
    // Without a place for its card the run leaves its network and its checkpoint.
    fs::create_dir(folder.join("x.md")).expect("created");
    assert_eq!(run().status.code(), Some(2));
    fs::remove_dir(folder.join("x.md")).expect("removed");
    fs::remove_file(folder.join("x.nnue")).expect("the network was written");

    let checkpoint = folder.join("x.checkpoint");
    let bytes = fs::read(&checkpoint).expect("a checkpoint");
    let id = u64::from_le_bytes(bytes[8..16].try_into().expect("eight bytes"));
    let shape = Shape { hidden: 32, buckets: OUTPUT_BUCKETS };
    let mut state = TrainingState::load(&checkpoint, id, shape).expect("loaded");
    state.model.values.fill(f32::NAN);
    state.save(&checkpoint, id).expect("saved");
    let output = run();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("quantisation changes scores"), "{stderr}");
    assert!(!folder.join("x.nnue").exists() && checkpoint.exists());
}

#[test]
fn a_run_from_another_network_does_not_resume() {
    let temporary = TempFolder::new("init");
    let folder = &temporary.0;
    let games = (0..20).map(|seed| random_game(seed, 80));
    write(&folder.join("a.games"), games);
    let first = trained(folder, "--samples 10e3");
    let second = trained(folder, "--samples 10e3 --seed 2");
    // Without a place for its card the run leaves its checkpoint.
    fs::remove_file(folder.join("x.md")).expect("removed");
    fs::create_dir(folder.join("x.md")).expect("created");
    let errors = |initial: &[u8]| {
        fs::write(folder.join("init.nnue"), initial).expect("written");
        let options = "--samples 10e3 --init init.nnue --checkpoint-every 0 --resume";
        let output = command(folder, options).output().expect("it starts");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let [new, resumed, refused] = [&first, &first, &second].map(|initial| errors(initial));
    assert!(!new.contains("resumed"), "{new}");
    assert!(resumed.contains("resumed after"), "{resumed}");
    assert!(refused.contains("other settings"), "{refused}");
}

/// The weights that a run has written.
fn weights(folder: &Path) -> WeightsFile {
    let bytes = fs::read(folder.join("x.weights")).expect("read");
    WeightsFile::from_bytes(&bytes).expect("weights")
}

#[test]
fn a_weights_file_continues_a_line_of_runs() {
    let temporary = TempFolder::new("line");
    let folder = &temporary.0;
    write(&folder.join("a.games"), (0..20).map(|seed| random_game(seed, 80)));
    trained(folder, "--samples 10e3");
    let first = weights(folder);
    assert!(first.scored > first.trained && first.trained > 0);
    fs::rename(folder.join("x.weights"), folder.join("line.weights")).expect("renamed");
    // Without a learning rate worth the name the weights stay, not even rounded.
    trained(folder, "--samples 10e3 --init line.weights --lr 1e-30 --lr-end 0");
    let second = weights(folder);
    assert_eq!(second.model, first.model);
    assert_eq!((second.scored, second.trained), (2 * first.scored, 2 * first.trained));
    let card = fs::read_to_string(folder.join("x.md")).expect("a card");
    assert!(card.contains(&format!("distinct        {} scored", second.scored)), "{card}");
}

#[test]
fn weights_decay_to_their_initial_values_or_to_zero() {
    let temporary = TempFolder::new("decay");
    let folder = &temporary.0;
    write(&folder.join("a.games"), (0..20).map(|seed| random_game(seed, 80)));
    trained(folder, "--samples 10e3");
    for (file, start) in [("x.weights", "line.weights"), ("x.nnue", "init.nnue")] {
        fs::rename(folder.join(file), folder.join(start)).expect("renamed");
    }
    let size = |options: &str| {
        trained(folder, &format!("--samples 100e3 --weight-decay 300 --init {options}"));
        weights(folder).model.values.iter().map(|value| value.abs()).sum::<f32>()
    };
    for start in ["line.weights", "init.nnue"] {
        let to_initial_values = size(start);
        let to_zero = size(&format!("{start} --decay-to-zero"));
        assert!(to_zero < 0.5 * to_initial_values, "{start}: {to_zero} {to_initial_values}");
    }
}

#[test]
fn two_networks_are_joined_and_trained_together() {
    let temporary = TempFolder::new("join");
    let folder = &temporary.0;
    write(&folder.join("a.games"), (0..20).map(|seed| random_game(seed, 80)));
    let run = |arguments: &str| {
        let output = trainer(&arguments.split(' ').collect::<Vec<_>>(), folder);
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    trained(folder, "--samples 10e3 --buckets 2");
    fs::rename(folder.join("x.nnue"), folder.join("buckets.nnue")).expect("renamed");
    trained(folder, "--samples 10e3");
    assert_eq!(
        run("join x.nnue x.weights --out joined.nnue --generation 7"),
        (Some(0), String::new())
    );
    let (status, message) =
        run("train --data . --out y.nnue --samples 10e3 --init joined.nnue --hidden 64");
    assert_eq!(status, Some(0), "{message}");
    let network = Parameters::from_bytes(&fs::read(folder.join("joined.nnue")).expect("read"));
    let network = network.expect("a network");
    assert_eq!((network.hidden(), network.generation), (64, 7));
    let (status, message) = run("join x.nnue buckets.nnue --out y.nnue");
    assert_eq!(status, Some(2), "{message}");
    assert!(message.contains("1 and 2 output buckets"), "{message}");
}

#[test]
fn invalid_input_has_status_2_and_an_error_message() {
    let temporary = TempFolder::new("refusals");
    fs::write(temporary.0.join("x.nnue"), "no network").expect("written");
    // Too short for the minimum ply.
    write(&temporary.0.join("a.games"), [random_game(1, 8)]);
    for (arguments, message) in [
        (&["inspect", "x.nnue"][..], "x.nnue: not a Saavedra network"),
        (&["inspect", "absent.nnue"], "absent.nnue"),
        (&["join", "x.nnue", "absent.nnue", "--out", "y.nnue"], "x.nnue: not a Saavedra network"),
        (&["train", "--data", "absent.games", "--out", "y.nnue"], "absent.games"),
        (&["train", "--data", ".", "--out", "y.nnue"], "no positions"),
        (&["train", "--data", ".", "--out", "y.nnue", "--leaves", "only"], "no leaves"),
        (&["evaluate", "x.nnue", "--data", "."], "x.nnue: not a Saavedra network"),
        (&["train", "--data", ".", "--out", "y.nnue", "--hidden", "33"], "hidden"),
        (&["train", "--data", ".", "--out", "y.nnue", "--wdl", "2"], "from 0 to 1"),
        (&["train", "--data", ".", "--out", "y.nnue", "--lr", "nan"], "from 0 to 1000"),
        (&["train", "--data", ".", "--out", "y.nnue", "--lr", "0"], "above 0"),
        (&["train", "--data", ".", "--out", "y.nnue", "--batch", "1.9"], "a whole number"),
        (&["train", "--data", ".", "--out", "y.nnue", "--epochs", "0"], "above 0"),
        (&["evaluate", "x.nnue", "--data", ".", "--kernel", "abacus"], "scalar"),
        (&["evaluate", "x.nnue", "--data", ".", "--threads", "0"], "1..=1024"),
    ] {
        let output = trainer(arguments, &temporary.0);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
        assert!(stderr.contains(message), "{arguments:?}: {stderr}");
    }
}

#[test]
fn usage_errors_have_the_form_of_all_errors_and_help_has_status_0() {
    let folder = std::env::temp_dir();
    for (arguments, message) in [
        (&["nonsense"][..], "unrecognized subcommand 'nonsense'\n"),
        (&["inspect", "--flag"], "unexpected argument '--flag' found\n"),
        (&["train"], "the following required arguments were not provided:\n"),
    ] {
        let output = trainer(arguments, &folder);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.starts_with(&format!("saavedra-trainer: {message}")), "{stderr}");
        assert!(!stderr.contains("error:"), "{stderr}");
    }
    for (arguments, status) in [(&["--help"][..], 0), (&["--version"], 0), (&[], 2)] {
        let output = trainer(arguments, &folder);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}");
        assert_eq!(output.stdout.is_empty(), status == 2, "{arguments:?}");
    }
}
