//! Writing game files: existing and partial files, files of other processes.

use super::{Scratch, file_with, game, header};
use saavedra::data::store::{ResumableOutput, prepare_folder};
use saavedra::data::{FileHeader, GameWriter, relabel};
use saavedra::eval::Evaluation;
use std::fs;

#[test]
fn an_existing_file_is_never_overwritten() {
    let scratch = Scratch::new("existing");
    fs::write(&scratch.0, "precious").expect("written");
    assert!(GameWriter::create(&scratch.0, &header()).is_err());
    assert!(GameWriter::resume(&scratch.0).is_err());
    assert_eq!(fs::read(&scratch.0).expect("read"), b"precious");
}

#[test]
fn a_partial_file_is_continued_only_by_the_same_run() {
    let partial = Scratch::new("output.partial");
    let output = Scratch(partial.0.with_extension(""));
    let path = &output.0;
    let other_run = format!(
        "{}: this partial file is of a run with other games or settings; remove it first",
        partial.0.display()
    );
    // A file has only the start of a long name.
    for engine in ["test".to_owned(), "\u{e9}".repeat(800)] {
        let of_run = |nodes, generation, seed| FileHeader {
            engine: engine.clone(),
            nodes,
            generation,
            seed,
        };
        let header = of_run(5, 6, 7);
        let (mut first, games) = ResumableOutput::open(path, &header).expect("created");
        assert_eq!(games, []);
        first.write(&game(1)).expect("written");
        drop(first);
        let bytes = fs::read(&partial.0).expect("a partial file");
        for other in [of_run(4, 6, 7), of_run(5, 4, 7), of_run(5, 6, 4), self::header()] {
            let refused = ResumableOutput::open(path, &other).expect_err("refused");
            assert_eq!(refused.to_string(), other_run, "{other:?}");
        }
        let evaluation = Evaluation::Material;
        let other_games = relabel(&[game(2)], path, &header, &evaluation, 1, &mut |_| {});
        assert_eq!(other_games.expect_err("refused").to_string(), other_run);
        assert_eq!(fs::read(&partial.0).expect("still there"), bytes);
        let (second, games) = ResumableOutput::open(path, &header).expect("continued");
        assert_eq!(games, [game(1)]);
        second.finish().expect("renamed");
        assert_eq!(fs::read(path).expect("complete"), bytes);
        assert!(!partial.0.exists());
        fs::remove_file(path).expect("removed");
    }
    fs::write(&partial.0, "no games").expect("written");
    let refused = ResumableOutput::open(path, &header()).expect_err("refused");
    assert_eq!(refused.to_string(), other_run);
}

/// Windows has no locks that let others read.
#[cfg(unix)]
#[test]
fn a_file_has_one_writer_at_a_time() {
    let folder = std::env::temp_dir().join(format!("saavedra-{}-writers", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("created");
    let path = folder.join("x.games.partial");
    let (mut output, _) = ResumableOutput::open(&folder.join("x.games"), &header()).expect("new");
    output.write(&game(1)).expect("written");
    let refused = ResumableOutput::open(&folder.join("x.games"), &header()).expect_err("refused");
    let message = format!("{}: another process writes this file", path.display());
    assert_eq!(refused.to_string(), message);
    drop(output);
    assert!(GameWriter::resume(&path).is_ok(), "closed");

    // Another process has written a part of a game, or of the header.
    let path = folder.join("y.games");
    let (bytes, _) = file_with(1);
    for length in [10, bytes.len() - 5] {
        fs::write(&path, &bytes[..length]).expect("written");
        let file = fs::File::open(&path).expect("opened");
        file.lock().expect("locked");
        prepare_folder(&folder).expect("read");
        assert_eq!(fs::read(&path).expect("read"), &bytes[..length]);
        drop(file);
        prepare_folder(&folder).expect("read");
        assert_ne!(fs::read(&path).ok().as_deref(), Some(&bytes[..length]));
    }
    fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn a_file_without_a_whole_header_is_begun_anew() {
    let folder = std::env::temp_dir().join(format!("saavedra-{}-headers", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    let (path, partial) = (folder.join("x.games"), folder.join("y.partial"));
    let (bytes, ends) = file_with(1);
    fs::create_dir_all(&folder).expect("created");
    for length in 0..=bytes.len() {
        let is_begun = length >= ends[0];
        fs::write(&path, &bytes[..length]).expect("written");
        prepare_folder(&folder).expect("read");
        assert_eq!(path.exists(), is_begun, "{length} bytes");
        fs::write(&partial, &bytes[..length]).expect("written");
        let opened = ResumableOutput::open(&folder.join("y"), &header());
        assert_eq!(opened.expect("opened").1.len(), length / bytes.len());
        let after = fs::read(&partial).expect("read");
        assert!(after.len() >= ends[0], "{length} bytes");
    }
    // A file with games is kept, whatever is wrong with its header.
    for at in 0..ends[0] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x03;
        fs::write(&path, &damaged).expect("written");
        let content = prepare_folder(&folder).expect("read");
        assert_eq!(content.damage.len(), 1, "byte {at}");
        assert_eq!(fs::read(&path).expect("still there"), damaged, "byte {at}");
    }
    fs::remove_dir_all(&folder).expect("removed");
}
