//! `saavedra analyse -o` and `play` when a signal interrupts them, and `--resume`.

use crate::support::{folder, saavedra, stderr};
use saavedra::formats;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Games of different lengths, with and without moves and tags.
fn games(count: usize) -> String {
    let moves = [
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O",
        "1. d4 d5 2. c4 dxc4 3. e3 b5 4. a4 c6 5. axb5 cxb5 6. Qf3",
        "1. f3 e5 2. g4 Qh4#",
        "",
        "1. e4 {a comment} (1. d4 d5) 1... c5 $1 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6",
    ];
    let game = |number: usize| {
        let result = ["1-0", "0-1", "1/2-1/2", "*"][number % 4];
        format!(
            "[Event \"Match\"]\n[Round \"{number}\"]\n[White \"Anna\"]\n[Result \"{result}\"]\n\n{} {result}\n\n",
            moves[number % moves.len()]
        )
    };
    (1..=count).map(game).collect()
}

fn start(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_saavedra"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

fn signal(child: &Child, name: &str) {
    // A shell has `kill`; the program of that name is not everywhere.
    let kill = format!("kill -s {name} {}", child.id());
    let status = Command::new("sh").args(["-c", &kill]).status();
    assert!(status.expect("kill runs").success());
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// The size of the temporary file, 0 if there is none.
fn part_size(folder: &Path) -> u64 {
    let names = names(folder);
    let part = names.iter().find(|name| name.ends_with(".part"));
    part.and_then(|name| std::fs::metadata(folder.join(name)).ok())
        .map_or(0, |metadata| metadata.len())
}

/// Runs an analysis to its end in one go, and in several that are interrupted. The outputs and the
/// number of interruptions.
fn interrupted(format: &str, name: &str) -> (PathBuf, PathBuf, usize) {
    let folder = folder(name);
    let input = folder.join("games.pgn");
    std::fs::write(&input, games(40)).expect("written");
    let input = input.to_str().expect("a name");
    let output = |name: &str| match format {
        "folder" => folder.join(format!("{name}/")),
        format => folder.join(format!("{name}.{format}")),
    };
    let (whole, pieces) = (output("whole"), output("pieces"));
    let arguments = |path: &Path, threads: &str| {
        let path = path.to_str().expect("a name");
        let all =
            ["analyse", input, "--nodes", "3000", "--hash", "1", "--threads", threads, "-o", path];
        all.map(str::to_owned)
    };
    let run = arguments(&whole, "2");
    let run: Vec<&str> = run.iter().map(String::as_str).collect();
    assert!(saavedra(&run, "").status.success());
    let mut interruptions = 0;
    for round in 0.. {
        assert!(round < 400, "it ends");
        // One thread or two make no difference.
        let run = arguments(&pieces, if round % 2 == 0 { "1" } else { "2" });
        let run: Vec<&str> = run.iter().map(String::as_str).chain(["--resume"]).collect();
        let mut child = start(&run);
        // Some runs are killed at once, others when they have written something.
        let deadline = Instant::now() + Duration::from_millis(40 * (round % 5));
        while Instant::now() < deadline && child.try_wait().expect("a state").is_none() {
            std::thread::sleep(Duration::from_millis(2));
        }
        let running = child.try_wait().expect("a state").is_none();
        if running && interruptions < 12 {
            signal(&child, ["TERM", "INT"][interruptions % 2]);
        }
        let output = child.wait_with_output().expect("it ends");
        match output.status.code() {
            Some(0) => break,
            // Before the handler is there, the signal itself ends the program.
            Some(130) | None => interruptions += 1,
            _ => panic!("{}", stderr(&output)),
        }
        let left = names(&folder);
        assert!(!left.iter().any(|name| name.ends_with(".part")), "{left:?}");
        if format == "pgn" && pieces.exists() {
            let text = std::fs::read_to_string(&pieces).expect("text");
            let pgn = formats::by_name("pgn").expect("a format");
            let read: Result<Vec<_>, _> = pgn.read(Box::new(text.as_bytes())).collect();
            assert!(!read.expect("whole games").is_empty());
        }
    }
    (whole, pieces, interruptions)
}

#[test]
fn interrupted_runs_leave_the_same_file_as_one() {
    for format in ["pgn", "json", "html"] {
        let (whole, pieces, interruptions) = interrupted(format, &format!("interrupted-{format}"));
        let [whole, pieces] = [whole, pieces].map(|path| std::fs::read(path).expect("a file"));
        assert!(interruptions >= 3, "{interruptions} interruptions");
        assert!(whole == pieces, "{format}: the files differ");
    }
}

#[test]
fn interrupted_runs_leave_the_same_folder_as_one() {
    let (whole, pieces, interruptions) = interrupted("folder", "interrupted-folder");
    assert!(interruptions >= 3, "{interruptions} interruptions");
    assert_eq!(names(&whole), names(&pieces));
    assert_eq!(names(&whole).len(), 41, "40 games and an index");
    for name in names(&whole) {
        let [whole, pieces] = [&whole, &pieces].map(|path| fs::read(path.join(&name)));
        assert!(whole.expect("a page") == pieces.expect("a page"), "{name} differs");
    }
}

/// Runs an analysis with `--resume` and kills it whenever it has written something, until it ends by
/// itself; the number of kills.
fn killed_until_done(arguments: &[&str], output: &Path) -> usize {
    let part = PathBuf::from(format!("{}.part", output.display()));
    let size = || fs::metadata(&part).map_or(0, |metadata| metadata.len());
    for kills in 0..1000 {
        let before = size();
        let mut child = start(arguments);
        loop {
            if let Some(status) = child.try_wait().expect("a state") {
                let ended = child.wait_with_output().expect("its output");
                assert_eq!(status.code(), Some(0), "{}", stderr(&ended));
                assert!(!part.exists(), "nothing else is left");
                return kills;
            }
            if size() > before {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().expect("it is killed");
        child.wait().expect("it ends");
        // Whatever was being written is cut off, unless the run was faster.
        let cut = size().saturating_sub([0, 1, 100][kills % 3]).max(1);
        if let Ok(file) = fs::OpenOptions::new().write(true).open(&part) {
            file.set_len(cut).expect("cut off");
        }
    }
    panic!("it never ends");
}

#[test]
fn killed_shards_leave_the_same_output_as_one_run() {
    for (format, shards) in [("pgn", 8), ("json", 8), ("html", 1)] {
        let folder = folder(&format!("killed-{format}"));
        let path = |name: &str| folder.join(name).to_str().expect("a name").to_owned();
        let (input, whole) = (path("games.pgn"), path(&format!("whole.{format}")));
        fs::write(&input, games(40)).expect("written");
        let limits = ["--nodes", "500", "--hash", "1"];
        let run = [&["analyse", &input, "-o", &whole], &limits[..]].concat();
        assert!(saavedra(&run, "").status.success());
        let (mut joined, mut kills) = (Vec::new(), 0);
        for shard in 1..=shards {
            let (shard, output) =
                (format!("{shard}/{shards}"), path(&format!("shard-{shard}.{format}")));
            let run = ["analyse", &input, "-o", &output, "--shard", &shard, "--resume"];
            kills += killed_until_done(&[&run, &limits[..]].concat(), output.as_ref());
            joined.extend(fs::read(&output).expect("an output"));
        }
        assert!(kills > 0, "{format}");
        assert!(joined == fs::read(&whole).expect("an output"), "{format}: the outputs differ");
    }
}

#[test]
fn what_a_killed_run_left_is_resumed_or_removed_but_not_lost() {
    let folder = folder("killed-once");
    let path = |name: &str| folder.join(name).to_str().expect("a name").to_owned();
    let (input, output, part) = (path("games.pgn"), path("out.json"), path("out.json.part"));
    fs::write(&input, games(6)).expect("written");
    let run = |extra: &[&str]| {
        let run = ["analyse", &input, "--nodes", "100", "-o", &output];
        saavedra(&[&run[..], extra].concat(), "")
    };
    assert!(run(&[]).status.success());
    let whole = fs::read_to_string(&output).expect("an output");
    let end = whole.lines().take(3).map(|line| line.len() + 1).sum::<usize>() + 20;
    // The output itself has less, as after an interruption before the kill.
    let less = &whole[..whole.find('\n').expect("a line") + 1];
    for earlier in [None, Some(less), Some("")] {
        let _ = fs::remove_file(&output);
        if let Some(text) = earlier {
            fs::write(&output, text).expect("written");
        }
        fs::write(&part, &whole[..end]).expect("written");
        let refused = run(&[]);
        assert_eq!(refused.status.code(), Some(2));
        assert!(stderr(&refused).contains("out.json.part"), "{}", stderr(&refused));
        let other = run(&["--resume", "--hash", "3"]);
        assert_eq!(other.status.code(), Some(2), "other settings");
        assert_eq!(fs::read_to_string(&part).expect("still there"), whole[..end]);
        assert!(run(&["--resume"]).status.success());
        assert!(fs::read_to_string(&output).expect("an output") == whole);
        assert_eq!(names(&folder), ["games.pgn", "out.json"]);
    }
    // The output is of a run with other settings.
    assert!(run(&["--hash", "3"]).status.success());
    fs::write(&part, &whole[..end]).expect("written");
    assert!(run(&["--resume"]).status.success());
    assert!(fs::read_to_string(&output).expect("an output") == whole);
    // Less than in the output.
    fs::write(&part, &whole[..20]).expect("written");
    assert!(run(&["--resume"]).status.success());
    assert!(fs::read_to_string(&output).expect("an output") == whole);
}

#[test]
fn two_runs_do_not_write_one_output() {
    let folder = folder("running-twice");
    let path = |name: &str| folder.join(name).to_str().expect("a name").to_owned();
    let (input, output) = (path("games.pgn"), path("out.pgn"));
    fs::write(&input, games(400)).expect("written");
    let run = ["analyse", &input, "--nodes", "1000000", "-o", &output, "--resume"];
    let mut first = start(&run);
    let part = folder.join("out.pgn.part");
    let deadline = Instant::now() + Duration::from_secs(60);
    while !part.exists() {
        assert!(Instant::now() < deadline, "it starts");
        std::thread::sleep(Duration::from_millis(5));
    }
    let second = saavedra(&run, "");
    assert_eq!(second.status.code(), Some(2));
    assert!(stderr(&second).contains("another run"), "{}", stderr(&second));
    assert!(part.exists());
    first.kill().expect("it is killed");
    first.wait().expect("it ends");
}

#[test]
fn an_output_made_with_other_settings_is_not_resumed() {
    let folder = folder("resumed-settings");
    let path = |name: &str| folder.join(name).to_str().expect("a name").to_owned();
    let input = path("games.pgn");
    fs::write(&input, games(3)).expect("written");
    for format in ["pgn", "json", "html"] {
        let output = path(&format!("out.{format}"));
        let run = |extra: &[&str]| {
            let common = ["analyse", &input, "-o", &output];
            saavedra(&[&common[..], extra].concat(), "")
        };
        assert!(run(&["--nodes", "100"]).status.success());
        let whole = fs::read_to_string(&output).expect("an output");
        for (extra, message) in [
            (&["--nodes", "200"][..], "nodes 100, not nodes 200"),
            (&["--depth", "2"], "nodes 100, not depth 2"),
            (&["--nodes", "100", "--hash", "2"], "hash 32, not hash 2"),
            (&["--nodes", "100", "--multipv", "2"], "multipv 1, not multipv 2"),
            (&["--nodes", "100", "--scale", "wdl"], "scale lichess, not scale wdl"),
        ] {
            let refused = run(&[extra, &["--resume"]].concat());
            assert_eq!(refused.status.code(), Some(2), "{format} {extra:?}");
            let message = format!("game 1 was made with {message}");
            assert!(stderr(&refused).contains(&message), "{format}: {}", stderr(&refused));
        }
        for threads in ["1", "2"] {
            let resumed = run(&["--nodes", "100", "--threads", threads, "--resume"]);
            assert!(resumed.status.success(), "{format}: {}", stderr(&resumed));
        }
        for (old, new, message) in [
            (
                format!("version {}", env!("CARGO_PKG_VERSION")),
                "version 0.0.1",
                "version 0.0.1, not",
            ),
            ("hash 32".into(), "", "was made with"),
            ("[Analysis ".into(), "[Other ", "is not the game"),
            ("\"settings\"".into(), "\"other\"", "has no settings"),
            ("\"generator\"".into(), "\"other\"", "has no settings"),
        ] {
            let changed = whole.replace(&old, new);
            if changed != whole {
                fs::write(&output, changed).expect("written");
                let refused = run(&["--nodes", "100", "--resume"]);
                assert_eq!(refused.status.code(), Some(2), "{format} {old}");
                assert!(stderr(&refused).contains(message), "{format}: {}", stderr(&refused));
            }
        }
    }
    let output = path("out.json");
    fs::write(&output, "something else\n").expect("written");
    let refused = saavedra(&["analyse", &input, "-o", &output, "--resume"], "");
    assert!(stderr(&refused).contains("out.json: not an analysis"), "{}", stderr(&refused));
    assert_eq!(fs::read_to_string(&output).expect("still there"), "something else\n");
    fs::remove_file(&output).expect("removed");
    let all = ["analyse", &input, "-o", &output, "--nodes", "100"];
    let compact = [&all[..], &["--compact", "--resume"]].concat();
    assert!(saavedra(&all, "").status.success());
    assert!(stderr(&saavedra(&compact, "")).contains("fields all, not fields compact"));
}

/// Interrupts an analysis when it has written the first game; its standard error.
fn interrupt_after_a_game(arguments: &[&str], folder: &Path) -> String {
    let child = start(arguments);
    let deadline = Instant::now() + Duration::from_secs(60);
    while part_size(folder) == 0 {
        assert!(Instant::now() < deadline, "the first game is written");
        std::thread::sleep(Duration::from_millis(5));
    }
    signal(&child, "TERM");
    let ended = child.wait_with_output().expect("it ends");
    assert_eq!(ended.status.code(), Some(130));
    stderr(&ended)
}

#[test]
fn an_interruption_does_not_replace_the_input() {
    let folder = folder("interrupted-in-place");
    let (input, link) = (folder.join("games.pgn"), folder.join("link.pgn"));
    std::fs::write(&input, games(400)).expect("written");
    std::os::unix::fs::symlink("games.pgn", &link).expect("a link");
    let input = input.to_str().expect("a name");
    for output in [input, link.to_str().expect("a name")] {
        let limits = ["--nodes", "4000", "--hash", "1"];
        let arguments = [&["analyse", input, "-o", output], &limits[..]].concat();
        let message = interrupt_after_a_game(&arguments, &folder);
        let expected = format!("interrupted: {output} is also an input and is unchanged");
        assert!(message.contains(&expected), "{message}");
        assert_eq!(std::fs::read_to_string(input).expect("text"), games(400));
        assert_eq!(names(&folder), ["games.pgn", "link.pgn"]);
    }
}

#[test]
fn finished_games_are_kept_and_resumed_only_for_the_same_input() {
    let folder = folder("interrupted-once");
    let (input, output) = (folder.join("games.pgn"), folder.join("out.pgn"));
    std::fs::write(&input, games(400)).expect("written");
    let [input, path] = [&input, &output].map(|path| path.to_str().expect("a name"));
    let arguments = ["analyse", input, "--nodes", "4000", "--hash", "1", "-o", path];
    let message = interrupt_after_a_game(&arguments, &folder);
    assert!(message.contains("interrupted: "), "{message}");
    assert_eq!(names(&folder), ["games.pgn", "out.pgn"]);
    let kept = std::fs::read_to_string(&output).expect("finished games");
    assert!(kept.starts_with("[Event \"Match\"]") && kept.ends_with('\n'));

    // Another input is refused, and the file stays as it is.
    let other = folder.join("other.pgn");
    std::fs::write(&other, games(400).replace("Anna", "Berta")).expect("written");
    let other = other.to_str().expect("a name");
    let refused = saavedra(&["analyse", other, "--nodes", "100", "-o", path, "--resume"], "");
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("game 1 is not the game"), "{}", stderr(&refused));
    assert_eq!(std::fs::read_to_string(&output).expect("a file"), kept);
    assert_eq!(names(&folder).len(), 3);
    let without = saavedra(&["analyse", input, "--resume"], "");
    assert_eq!(without.status.code(), Some(2));
}

#[test]
fn an_interrupted_game_is_printed() {
    for name in ["INT", "TERM"] {
        let mut child = start(&["play", "--nodes", "500", "--fen", "startpos"]);
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(b"e4\n").expect("it listens");
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut line = String::new();
        while !line.starts_with("Saavedra plays") {
            line.clear();
            assert!(stdout.read_line(&mut line).expect("text") > 0);
        }
        signal(&child, name);
        let mut rest = String::new();
        stdout.read_to_string(&mut rest).expect("text");
        assert_eq!(child.wait().expect("it ends").code(), Some(130));
        let record = &rest[rest.find("[Event ").expect("a record")..];
        let pgn = formats::by_name("pgn").expect("a format");
        let game = pgn.import(record).expect("a game");
        assert_eq!(game.tree.len(), 2, "{record}");
        assert_eq!(game.tag("White"), Some("You"));
    }
}

#[test]
fn only_games_with_the_same_moves_are_resumed() {
    let folder = folder("resumed-moves");
    let path = |name: &str| folder.join(name).to_str().expect("a name").to_owned();
    let moves = ["1. e4 e5 2. Nf3 *", "1. d4 d5 2. c4 *", "1. e4 e5 *", "*"];
    for format in ["pgn", "json", "html"] {
        let (input, output) = (path("games.pgn"), path(&format!("out.{format}")));
        let run = |game: &str, extra: &[&str]| {
            std::fs::write(&input, format!("{game}\n")).expect("written");
            let arguments = ["analyse", &input, "--nodes", "100", "-o", &output];
            saavedra(&[&arguments[..], extra].concat(), "")
        };
        for (first, next) in (0..4).flat_map(|first| (0..4).map(move |next| (first, next))) {
            assert!(run(moves[first], &[]).status.success());
            let kept = std::fs::read(&output).expect("a file");
            let resumed = run(moves[next], &["--resume"]);
            let expected = if first == next { 0 } else { 2 };
            let case = format!("{format}: {} {}", moves[first], moves[next]);
            assert_eq!(resumed.status.code(), Some(expected), "{case}");
            assert!(std::fs::read(&output).expect("a file") == kept, "{case}");
        }
    }
}

#[test]
fn standard_output_is_not_resumed() {
    let refused = saavedra(&["analyse", "startpos", "-o", "-", "--resume"], "");
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("--resume"), "{}", stderr(&refused));

    let folder = folder("interrupted-standard");
    let input = folder.join("games.pgn");
    std::fs::write(&input, games(400)).expect("written");
    let input = input.to_str().expect("a name");
    let arguments = ["analyse", input, "--nodes", "4000", "--hash", "1", "-o", "-"];
    let mut child = start(&arguments);
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    assert!(stdout.read_line(&mut line).expect("text") > 0);
    signal(&child, "TERM");
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).expect("text");
    let ended = child.wait_with_output().expect("it ends");
    assert_eq!(ended.status.code(), Some(130));
    let message = stderr(&ended);
    assert!(message.contains(" of 400 finished\n"), "{message}");
}

#[test]
fn an_interruption_leaves_no_temporary_file() {
    let folder = folder("interrupted-book");
    let output = folder.join("book.bin");
    let path = output.to_str().expect("a name");
    for arguments in [
        &["book", "analyse", "--nodes", "1000000000", "-o", path][..],
        &["book", "build", "--from", "-", "-o", path],
        &["convert", "--to", "uci", "-", "-o", path],
        &["puzzles", "-", "--format", "csv", "-o", path],
    ] {
        let mut child = start(arguments);
        std::thread::sleep(Duration::from_millis(500));
        assert!(child.try_wait().expect("a state").is_none(), "it works");
        signal(&child, "TERM");
        // Standard input stays open to the end.
        let input = child.stdin.take();
        child.wait().expect("it ends");
        drop(input);
        assert_eq!(names(&folder), Vec::<String>::new(), "{arguments:?}");
    }
    // A file that cannot be created is refused before the work.
    let missing = folder.join("missing").join("book.bin");
    let missing = missing.to_str().expect("a name");
    for command in [&["analyse", "--nodes", "1000000000"][..], &["build", "--from", "-"]] {
        let refused = saavedra(&[&["book"], command, &["-o", missing]].concat(), "");
        assert_eq!(refused.status.code(), Some(2));
        assert!(stderr(&refused).contains(missing), "{}", stderr(&refused));
    }
}

#[test]
fn an_analysis_that_fails_leaves_nothing() {
    let folder = folder("failed");
    let output = folder.join("out.json");
    // More memory than any address space.
    let limits = ["--hash", "1048576", "--threads", "1024", "-o"];
    let path = output.to_str().expect("a name");
    let failed = saavedra(&[&["analyse", "startpos"], &limits[..], &[path]].concat(), "");
    assert_eq!(failed.status.code(), Some(2), "{}", stderr(&failed));
    assert_eq!(names(&folder), Vec::<String>::new());
}
