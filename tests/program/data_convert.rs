//! `saavedra data convert`: from each record format to the other, and commands on files of both.

use crate::support::{folder, saavedra, stderr, stdout};
use saavedra::data::{GameFile, GameRecord, RecordFormat};
use std::fs;
use std::path::Path;

const GAMES: &str = "1. f3 {+0.10/9} e5 {-0.33/9} 2. g4 {-M2/9} Qh4# {+M1/9} 0-1\n\n\
    1. Nf3 {+0.22/9} Nf6 2. Ng1 {+4.00/9} Ng8 3. Nf3 Nf6 {-9.00/9} 4. Ng1 Ng8 {0.00/1} 1/2-1/2\n";

fn games(path: &Path) -> (RecordFormat, Vec<GameRecord>) {
    let file = GameFile::open(path).expect("read").expect("a header");
    (file.format(), file.games().map(|game| game.expect("intact")).collect())
}

#[test]
fn games_are_converted_to_the_other_format_and_back() {
    let folder = folder("data-convert");
    let name = |name: &str| folder.join(name).display().to_string();
    let [pgn, plain, compact, back] = ["in.pgn", "a.games", "b.games", "c.games"].map(name);
    fs::write(&pgn, GAMES).expect("written");
    let import = saavedra(&["data", "import", &pgn, "-o", &plain], "");
    assert!(stdout(&import).starts_with("2 games"), "{import:?}");
    for (format, from, to) in [("compact", &plain, &compact), ("games", &compact, &back)] {
        let output = saavedra(&["data", "convert", "--to", format, from, "--out", to], "");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(stdout(&output), "2 games, 12 plies\n");
    }
    let [plain_games, compact_games, back_games] =
        [&plain, &compact, &back].map(|path| games(path.as_ref()));
    assert_eq!(compact_games.0, RecordFormat::Compact);
    assert_eq!(back_games, (RecordFormat::Games, compact_games.1.clone()));
    let moves = |games: &[GameRecord]| -> Vec<Vec<u16>> {
        games.iter().map(|game| game.plies.iter().map(|ply| ply.move_bits).collect()).collect()
    };
    assert_eq!(moves(&plain_games.1), moves(&compact_games.1));
    // The other commands read both; the games are the same but for their scores.
    for command in [&["data", "check", &plain, &compact][..], &["data", "info", &compact]] {
        let output = saavedra(command, "");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
    let merged = saavedra(&["data", "merge", &plain, &compact, "-o", &back], "");
    assert_eq!(stdout(&merged), "2 of 4 games\n", "{merged:?}");
}

#[test]
fn what_cannot_be_converted_is_refused_or_left_out() {
    let folder = folder("data-convert-refused");
    let name = |name: &str| folder.join(name).display().to_string();
    let [pgn, plain, out] = ["in.pgn", "a.games", "b.games"].map(name);
    fs::write(&pgn, GAMES).expect("written");
    saavedra(&["data", "import", &pgn, "-o", &plain], "");
    let mut bytes = fs::read(&plain).expect("read");
    *bytes.last_mut().expect("a byte") ^= 1;
    fs::write(&plain, bytes).expect("written");
    let output = saavedra(&["data", "convert", "--to", "compact", &plain, "-o", &out], "");
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(stderr(&output).contains("a.games: offset"), "{output:?}");
    assert_eq!(games(out.as_ref()).1.len(), 1, "the intact game");
    fs::remove_file(&out).expect("removed");
    for arguments in [
        &["--to", "pgn", &plain, "-o", &out][..],
        &["--to", "compact", &plain, "-o", "-"],
        &["--to", "compact", &name("absent"), "-o", &out],
        &[&plain, "-o", &out],
    ] {
        let output = saavedra(&[&["data", "convert"], arguments].concat(), "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        assert!(!Path::new(&out).exists(), "{arguments:?}");
    }
}
