//! From files of games to positions: what is left out and counted, what is held out, and that
//! damage does not get in.

mod common;

use common::{Scratch, material, random_game, write};
use saavedra::chess::{Board, Color};
use saavedra::data::record::{DECISIVE, GameRecord, Ply};
use saavedra_trainer::load::{Counts, Data, Filter, files, load};
use saavedra_trainer::sample::Sample;
use std::collections::HashSet;
use std::fs;
use std::sync::Mutex;

const ALL: Filter = Filter {
    min_ply: 0,
    max_score: 10_000,
    held_out_per_mille: 0,
};

fn loaded(game: &GameRecord, filter: &Filter) -> Data {
    let mut data = Data::default();
    data.add(game, filter).expect("legal");
    data
}

#[test]
fn filters_leave_out_what_they_say() {
    let game = (0..)
        .map(|seed| random_game(seed, 200))
        .find(|game| game.plies.len() == 200);
    let game = game.expect("a long game");
    let (mut quiet, mut noisy, mut in_check) = (0, 0, 0);
    for moment in game
        .replay()
        .expect("sound")
        .map(|moment| moment.expect("legal"))
        .skip(16)
    {
        let child = moment.board.make(moment.played);
        let captures = child.occupied().count() < moment.board.occupied().count();
        if moment.board.in_check() {
            in_check += 1;
        } else if captures || moment.played.is_promotion() {
            noisy += 1;
        } else {
            quiet += 1;
        }
    }
    let filter = Filter { min_ply: 16, ..ALL };
    let Data {
        train,
        held_out,
        counts,
    } = loaded(&game, &filter);
    assert!(
        quiet > 60 && noisy > 10 && in_check > 0,
        "{quiet} {noisy} {in_check}"
    );
    assert_eq!(
        (counts.kept, counts.noisy, counts.in_check),
        (quiet, noisy, in_check)
    );
    assert_eq!((train.len() as u64, held_out.len()), (quiet, 0));
    assert_eq!(
        (counts.games, counts.positions, counts.early),
        (1, game.plies.len() as u64, 16)
    );
    // The opening's plies are left out whatever the filter says.
    assert_eq!(loaded(&game, &ALL).counts.early, 8);
}

#[test]
fn scores_matter_for_quiet_positions_only() {
    let mut extreme = random_game(3, 60);
    let filter = Filter { min_ply: 10, ..ALL };
    let Counts {
        kept: quiet,
        noisy,
        in_check,
        ..
    } = loaded(&extreme, &filter).counts;
    for (number, ply) in extreme.plies.iter_mut().enumerate() {
        ply.score = [DECISIVE, -DECISIVE, i16::MAX, 5000, -5000, 4000][number % 6];
    }
    let extreme = loaded(
        &extreme,
        &Filter {
            max_score: 4000,
            ..filter
        },
    )
    .counts;
    assert_eq!((extreme.noisy, extreme.in_check), (noisy, in_check));
    assert_eq!(extreme.kept + extreme.decisive + extreme.large, quiet);
    let sixth = quiet as f64 / 6.0;
    for (found, sixths) in [
        (extreme.decisive, 3.0),
        (extreme.large, 2.0),
        (extreme.kept, 1.0),
    ] {
        assert!((found as f64 / sixth - sixths).abs() < 1.0, "{extreme:?}");
    }
}

#[test]
fn castling_is_no_capture() {
    let mut board = Board::startpos();
    let mut plies = Vec::new();
    for text in [
        "g1f3", "g8f6", "g2g3", "g7g6", "f1g2", "f8g7", "e1g1", "e8g8",
    ] {
        let played = board.parse_uci(text).expect("legal");
        plies.push(Ply {
            move_bits: played.bits(),
            score: 10,
        });
        board = board.make(played);
    }
    let game = GameRecord {
        opening_plies: 0,
        plies,
        ..random_game(1, 1)
    };
    assert_eq!(loaded(&game, &ALL).counts.kept, 8);
}

#[test]
fn labels_are_those_of_the_side_to_move() {
    let game = random_game(5, 120);
    let Data { train, counts, .. } = loaded(&game, &ALL);
    let moments = game
        .replay()
        .expect("sound")
        .map(|moment| moment.expect("legal"));
    let mut samples = train.iter();
    let mut sides = [0; 2];
    for moment in moments.filter(|moment| !moment.opening && !moment.board.in_check()) {
        let child = moment.board.make(moment.played);
        if child.occupied().count() < moment.board.occupied().count()
            || moment.played.is_promotion()
        {
            continue;
        }
        let sample = samples.next().expect("as many samples");
        let white = moment.board.turn() == Color::White;
        let sign = if white { 1 } else { -1 };
        assert_eq!(sample.score, sign * material(&moment.board));
        let result = game.result.half_points(Color::White);
        assert_eq!(sample.result, if white { result } else { 2 - result });
        sides[usize::from(white)] += 1;
    }
    assert!(samples.next().is_none() && sides.iter().all(|&side| side > 20));
    assert_eq!(counts.results.iter().sum::<u64>(), 1);
}

#[test]
fn scores_agree_with_results_unless_a_sign_is_wrong() {
    let (mut right, mut wrong) = (Data::default(), Data::default());
    for seed in 0..100 {
        let mut game = random_game(seed, 80);
        right.add(&game, &ALL).expect("legal");
        // Scores from the side to move's view, where they should be White's.
        for (number, ply) in game.plies.iter_mut().enumerate() {
            ply.score = if number % 2 == 0 {
                ply.score
            } else {
                ply.score.saturating_neg()
            };
        }
        wrong.add(&game, &ALL).expect("legal");
    }
    assert!(
        right.counts.correlation() > 0.5,
        "{}",
        right.counts.correlation()
    );
    assert!(
        wrong.counts.correlation() < 0.2,
        "{}",
        wrong.counts.correlation()
    );
    // Where nothing varies, nothing agrees.
    assert_eq!(Counts::default().correlation(), 0.0);
}

#[test]
fn whole_games_are_held_out_and_copies_stay_together() {
    let filter = Filter {
        held_out_per_mille: 300,
        ..ALL
    };
    let key = |sample: &Sample| format!("{sample:?}");
    let (mut train, mut held_out) = (HashSet::new(), HashSet::new());
    let mut games = [0; 2];
    for seed in 0..200 {
        let game = random_game(seed, 60);
        let once = loaded(&game, &filter);
        assert!(once.train.is_empty() || once.held_out.is_empty());
        assert_eq!(once.counts.held_out_games, u64::from(once.train.is_empty()));
        // Another game from the same opening is on the same side.
        let mut shorter = game.clone();
        shorter.plies.truncate(40);
        let other = loaded(&shorter, &filter);
        assert_eq!(once.train.is_empty(), other.train.is_empty());
        games[usize::from(once.train.is_empty())] += 1;
        train.extend(once.train.iter().skip(10).map(key));
        held_out.extend(once.held_out.iter().skip(10).map(key));
    }
    assert!((100..180).contains(&games[0]), "{games:?}");
    assert!(train.is_disjoint(&held_out));
}

#[test]
fn files_are_found_read_in_order_and_damage_is_skipped() {
    let scratch = Scratch::new("files");
    fs::create_dir(scratch.0.join("inner")).expect("a folder");
    write(
        &scratch.0.join("b.games"),
        (0..10).map(|seed| random_game(seed, 50)),
    );
    write(
        &scratch.0.join("inner/a.games"),
        (10..20).map(|seed| random_game(seed, 50)),
    );
    fs::write(scratch.0.join("notes.txt"), "not games").expect("written");
    let found = files(std::slice::from_ref(&scratch.0)).expect("readable");
    assert_eq!(found.len(), 2);
    let faults = Mutex::new(Vec::new());
    let note = |fault: &str| faults.lock().expect("unpoisoned").push(fault.to_string());
    let whole = load(&found, &ALL, 1, &note).expect("readable");
    assert_eq!(whole.counts.games, 20);
    assert_eq!(
        load(&found, &ALL, 2, &note).expect("readable").train,
        whole.train
    );
    assert!(faults.lock().expect("unpoisoned").is_empty());

    // An illegal move under a correct checksum, a damaged frame, a foreign file.
    let mut illegal = random_game(30, 50);
    illegal.plies[20].move_bits = illegal.plies[3].move_bits;
    write(&scratch.0.join("c.games"), [illegal, random_game(31, 50)]);
    let path = scratch.0.join("b.games");
    let mut bytes = fs::read(&path).expect("read");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, bytes).expect("written");
    fs::write(scratch.0.join("d.games"), "RIFF").expect("written");
    let found = files(std::slice::from_ref(&scratch.0)).expect("readable");
    let damaged = load(&found, &ALL, 2, &note).expect("readable");
    let counts = damaged.counts;
    assert_eq!(
        (counts.games, counts.broken_games, counts.faults),
        (20, 1, 2)
    );
    let faults = faults.into_inner().expect("unpoisoned").join("\n");
    for words in [
        "b.games: offset",
        "c.games: offset",
        "ply 20",
        "d.games: offset 0: not a file",
    ] {
        assert!(faults.contains(words), "{words:?} in {faults}");
    }
    assert!(files(&[scratch.0.join("absent.games")]).is_ok());
    assert!(load(&[scratch.0.join("absent.games")], &ALL, 1, &|_| {}).is_err());
}
