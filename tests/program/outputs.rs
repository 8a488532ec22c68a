//! Outputs of the commands: devices, pipes and symbolic links.

use crate::support::{folder, saavedra, stderr};
use saavedra::data::{GameFile, OutputTarget};
use std::fs;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A device that is always full.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_is_an_error_with_the_name_of_the_output() {
    let games = "[White \"a\"]\n\n1. e4 e5 1-0\n";
    for (arguments, input) in [
        (&["convert", "--from", "fen", "--to", "pgn", "startpos"][..], ""),
        (&["analyse", "startpos", "--nodes", "100"], ""),
        (&["book", "build", "--from", "-"], games),
        (&["book", "analyse", "--plies", "1", "--nodes", "100"], ""),
        (&["play", "--nodes", "100"], "e4\n"),
    ] {
        let output = saavedra(&[arguments, &["-o", "/dev/full"]].concat(), input);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let errors = stderr(&output);
        assert!(
            errors.starts_with("saavedra: /dev/full: No space left"),
            "{arguments:?}: {errors}"
        );
    }
}

/// Writes a game as PGN and as a game file. The commands that write a game file, with their inputs.
fn commands_on_games(folder: &Path) -> [Vec<String>; 7] {
    let (pgn, games) = (folder.join("in.pgn"), folder.join("in.games"));
    let scores = "1. f3 {+0.10/9} e5 {-0.10/9} 2. g4 {-M2/9} Qh4# {+M1/9} 0-1\n";
    fs::write(&pgn, scores).expect("written");
    let [pgn, games] = [&pgn, &games].map(|path| path.to_str().expect("a name"));
    let import = saavedra(&["data", "import", pgn, "-o", games], "");
    assert_eq!(import.status.code(), Some(0), "{import:?}");
    let relabel = ["data", "relabel", games, "--nodes", "20", "--eval", "piece-square"];
    [
        &["data", "import", pgn][..],
        &["data", "merge", games],
        &["data", "filter", games],
        &["data", "shuffle", games],
        &["data", "convert", "--to", "compact", games],
        &["data", "convert", "--to", "games", games],
        &relabel,
    ]
    .map(|words| words.iter().map(|word| (*word).to_owned()).collect())
}

/// Runs a command with this output.
fn write_to(command: &[String], path: &Path) -> std::process::Output {
    let words = command.iter().map(String::as_str);
    let path = path.to_str().expect("a name");
    saavedra(&words.chain(["-o", path]).collect::<Vec<_>>(), "")
}

/// The number of games in the bytes of a game file.
fn count(bytes: Vec<u8>) -> usize {
    let file = GameFile::from_bytes("out".as_ref(), bytes).expect("a game file");
    file.games().filter(Result::is_ok).count()
}

#[test]
fn commands_on_game_files_keep_links_and_replace_their_files() {
    let folder = folder("output-link");
    let (real, link) = (folder.join("real.games"), folder.join("link.games"));
    symlink("real.games", &link).expect("a link");
    for command in commands_on_games(&folder) {
        // The link leads to no file yet, or to an old one.
        for old in [None, Some("old")] {
            let _ = fs::remove_file(&real);
            if let Some(old) = old {
                fs::write(&real, old).expect("written");
            }
            let output = write_to(&command, &link);
            assert_eq!(output.status.code(), Some(0), "{output:?}");
            let target = fs::read_link(&link).expect("still a link");
            assert_eq!(target, PathBuf::from("real.games"), "{command:?}");
            assert_eq!(count(fs::read(&real).expect("read")), 1, "{command:?}");
            let files = fs::read_dir(&folder).expect("a folder").count();
            assert_eq!(files, 4, "{command:?}: no temporary file is left");
        }
    }
}

#[test]
fn a_link_to_no_file_yet_is_followed() {
    let folder = folder("output-target");
    fs::create_dir(folder.join("inner")).expect("created");
    let absolute = folder.join("absolute");
    for (link, target, file) in [
        ("relative", Path::new("file"), "file"),
        ("twice", Path::new("relative"), "file"),
        ("inner/above", Path::new("../file"), "inner/../file"),
        ("to-absolute", &absolute, "absolute"),
        ("loop", Path::new("loop"), "loop"),
    ] {
        let link = folder.join(link);
        symlink(target, &link).expect("a link");
        let expected = OutputTarget::File(folder.join(file));
        assert_eq!(OutputTarget::of(&link), expected);
    }
}

#[test]
fn only_relabelling_uses_the_partial_file_of_an_interrupted_run() {
    let folder = folder("output-partial");
    let (path, partial) = (folder.join("out"), folder.join("out.partial"));
    for command in commands_on_games(&folder) {
        fs::write(&partial, "another run").expect("written");
        let output = write_to(&command, &path);
        let is_refused = command[1] == "relabel";
        let status = if is_refused { 2 } else { 0 };
        assert_eq!(output.status.code(), Some(status), "{output:?}");
        assert_eq!(stderr(&output).contains("remove it first"), is_refused);
        let kept = fs::read(&partial).expect("still there");
        assert_eq!(kept, b"another run", "{command:?}");
    }
}

#[test]
fn commands_on_game_files_write_to_pipes() {
    let folder = folder("output-pipe");
    let pipe = folder.join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo runs").success());
    for command in commands_on_games(&folder) {
        let mut cat = Command::new("cat");
        let cat = cat.arg(&pipe).stdout(Stdio::piped());
        let mut reader = cat.spawn().expect("cat runs");
        let output = write_to(&command, &pipe);
        let is_pipe = fs::symlink_metadata(&pipe).is_ok_and(|pipe| pipe.file_type().is_fifo());
        if !is_pipe || !output.status.success() {
            // Nobody has opened the pipe.
            reader.kill().expect("killed");
        }
        let read = reader.wait_with_output().expect("it ends");
        assert!(is_pipe, "{command:?}: {output:?}");
        assert_eq!(output.status.code(), Some(0), "{command:?}: {output:?}");
        assert_eq!(count(read.stdout), 1, "{command:?}");
    }
}

/// The link of a pipe has no path at its end.
#[test]
fn outputs_may_be_the_pipe_of_standard_output() {
    let output = saavedra(&["convert", "--to", "uci", "-", "-o", "/dev/stdout"], "1. e4 e5 *\n");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "e2e4 e7e5\n");
}

#[test]
fn exercises_do_not_replace_their_games() {
    let path = folder("output-games").join("games.pgn");
    let name = path.to_str().expect("a name");
    let games = "1. f3 e5 2. g4 Qh4# 0-1\n";
    fs::write(&path, games).expect("written");
    let output = saavedra(&["puzzles", name, "-o", name], "");
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert_eq!(fs::read_to_string(&path).expect("the games"), games);
}

#[test]
fn the_format_of_an_analysis_follows_from_the_extension_in_any_case() {
    let folder = folder("output-extension");
    for (name, start) in [("a.HTML", "<!"), ("a.Json", "{"), ("a.TXT", "? – ?")] {
        let path = folder.join(name);
        let command = ["analyse", "-", "--nodes", "100", "-o"];
        let words = [&command[..], &[path.to_str().expect("a name")]].concat();
        let output = saavedra(&words, "1. e4 e5 *\n");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let text = fs::read_to_string(&path).expect("text");
        assert!(text.starts_with(start), "{name}: {text}");
    }
}

#[test]
fn an_extension_that_is_no_format_of_the_output_is_refused() {
    let folder = folder("output-unknown");
    let game = "1. e4 e5 *\n";
    for (command, name, options, status) in [
        ("analyse", "a.csv", &[][..], 2),
        ("analyse", "a.pgn.gz", &[], 2),
        ("analyse", "a.csv", &["--format", "text"], 0),
        ("analyse", "a", &[], 0),
        ("puzzles", "p.html", &[], 2),
        ("puzzles", "p.csv", &[], 0),
        ("puzzles", "p.JSONL", &[], 0),
        ("puzzles", "p.html", &["--format", "pgn"], 0),
    ] {
        let path = folder.join(name);
        let words = [command, "-", "--nodes", "100", "-o", path.to_str().expect("a name")];
        let output = saavedra(&[&words, options].concat(), game);
        assert_eq!(output.status.code(), Some(status), "{command} {name}: {output:?}");
        assert_eq!(path.exists(), status == 0, "{command} {name}");
        let errors = stderr(&output);
        assert_eq!(errors.contains("the extension is not one of"), status == 2, "{errors}");
        let _ = fs::remove_file(path);
    }
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 0, "no temporary file");
}

/// A device that is always full.
#[cfg(target_os = "linux")]
#[test]
fn commands_on_game_files_name_a_device_that_is_full() {
    let folder = folder("output-full");
    for command in commands_on_games(&folder) {
        let output = write_to(&command, Path::new("/dev/full"));
        assert_eq!(output.status.code(), Some(2), "{command:?}");
        let errors = stderr(&output);
        assert!(errors.starts_with("saavedra: /dev/full: No space left"), "{command:?}: {errors}");
    }
}
