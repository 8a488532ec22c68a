//! The program as a whole: games in, a network out, and what it says when something is wrong.

mod common;

use common::{Scratch, random_game, write};
use saavedra::nnue::format::Parameters;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn trainer(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_saavedra-trainer"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("it starts")
}

#[test]
fn games_become_a_network_with_its_papers() {
    let scratch = Scratch::new("command");
    let folder = &scratch.0;
    write(
        &folder.join("a.games"),
        (0..150).map(|seed| random_game(seed, 120)),
    );
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
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "net.nnue\n");
    let bytes = fs::read(folder.join("net.nnue")).expect("a network");
    let network = Parameters::from_bytes(&bytes).expect("whole");
    assert_eq!(
        (
            network.hidden(),
            network.output_buckets(),
            network.generation
        ),
        (64, 2, 5)
    );
    let csv = fs::read_to_string(folder.join("net.csv")).expect("a table");
    assert_eq!(csv.lines().count(), 41, "{csv}");
    let svg = fs::read_to_string(folder.join("net.svg")).expect("a picture");
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n") && !svg.contains("NaN"));
    let card = fs::read_to_string(folder.join("net.md")).expect("a card");
    assert!(
        card.contains("(768 -> 64) x 2 -> 1 x 2") && card.contains("games      150"),
        "{card}"
    );
    assert!(!folder.join("net.checkpoint").exists());

    // The same again is the same network; another seed is not.
    assert!(trainer(&train, folder).status.success());
    assert_eq!(fs::read(folder.join("net.nnue")).expect("a network"), bytes);
    assert!(
        trainer(&[&train[..], &["--seed", "2"]].concat(), folder)
            .status
            .success()
    );
    assert_ne!(fs::read(folder.join("net.nnue")).expect("a network"), bytes);

    let inspect = trainer(&["inspect", "net.nnue"], folder);
    let said = String::from_utf8_lossy(&inspect.stdout);
    assert!(
        inspect.status.success() && said.contains("generation      5"),
        "{said}"
    );
}

#[test]
fn refusals_have_status_2_and_say_why() {
    let scratch = Scratch::new("refusals");
    fs::write(scratch.0.join("x.nnue"), "no network").expect("written");
    write(&scratch.0.join("a.games"), [random_game(1, 10)]);
    for (arguments, words) in [
        (&["inspect", "x.nnue"][..], "x.nnue: not a Saavedra network"),
        (&["inspect", "absent.nnue"], "absent.nnue"),
        (
            &["train", "--data", "absent.games", "--out", "y.nnue"],
            "absent.games",
        ),
        (&["train", "--data", ".", "--out", "y.nnue"], "no positions"),
        (
            &["train", "--data", ".", "--out", "y.nnue", "--hidden", "33"],
            "hidden",
        ),
        (
            &["train", "--data", ".", "--out", "y.nnue", "--wdl", "2"],
            "from 0 to 1",
        ),
        (&["speed", "--kernel", "abacus"], "portable"),
    ] {
        let output = trainer(arguments, &scratch.0);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
}
