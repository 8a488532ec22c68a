//! Loading of game files: filters and their counts, the validation split, corrupt files.

use crate::common::{TempFolder, material, random_game, write};
use saavedra::chess::{Board, Color, Move, Random};
use saavedra::data::{
    DECISIVE, GameFile, GameRecord, NO_SCORE, PackedPosition, PlyRecord, RecordFormat,
    RecordWriter, ReplayError, ReplayedPly,
};
use saavedra_trainer::load::{Counts, Dataset, Filter, Leaves, find_files, load};
use saavedra_trainer::sample::Sample;
use std::collections::HashSet;
use std::fs;
use std::sync::Mutex;

const ALL: Filter = Filter {
    min_ply: 0,
    max_score: 10_000,
    validation_per_mille: 0,
    td_lambda: 0.0,
    leaves: Leaves::No,
};

fn loaded(game: &GameRecord, filter: &Filter) -> Dataset {
    let mut data = Dataset::default();
    data.add(game, filter).expect("legal");
    data
}

#[test]
fn filters_remove_the_positions_they_should() {
    let game = (0..).map(|seed| random_game(seed, 200)).find(|game| game.plies.len() == 200);
    let game = game.expect("a long game");
    let (mut quiet, mut noisy, mut in_check) = (0, 0, 0);
    for ply in game.replay().expect("sound").map(|ply| ply.expect("legal")).skip(16) {
        let child = ply.board.make(ply.played);
        let captures = child.occupied().count() < ply.board.occupied().count();
        if ply.board.in_check() {
            in_check += 1;
        } else if captures || ply.played.is_promotion() {
            noisy += 1;
        } else {
            quiet += 1;
        }
    }
    let filter = Filter { min_ply: 16, ..ALL };
    let Dataset { train, validation, counts } = loaded(&game, &filter);
    assert!(quiet > 60 && noisy > 10 && in_check > 0, "{quiet} {noisy} {in_check}");
    assert_eq!((counts.kept, counts.noisy, counts.in_check), (quiet, noisy, in_check));
    assert_eq!((train.len() as u64, validation.len()), (quiet, 0));
    assert_eq!((counts.games, counts.positions, counts.early), (1, game.plies.len() as u64, 16));
    // The plies of the random opening are always filtered out.
    assert_eq!(loaded(&game, &ALL).counts.early, 8);
}

#[test]
fn quiet_positions_are_filtered_by_score() {
    let mut extreme = random_game(3, 60);
    let filter = Filter { min_ply: 10, ..ALL };
    let Counts { kept: quiet, noisy, in_check, .. } = loaded(&extreme, &filter).counts;
    for (number, ply) in extreme.plies.iter_mut().enumerate() {
        ply.score = [DECISIVE, -DECISIVE, i16::MAX, 5000, -5000, 4000][number % 6];
    }
    let extreme = loaded(&extreme, &Filter { max_score: 4000, ..filter }).counts;
    assert_eq!((extreme.noisy, extreme.in_check), (noisy, in_check));
    assert_eq!(extreme.kept + extreme.decisive + extreme.large, quiet);
    let sixth = quiet as f64 / 6.0;
    for (found, sixths) in [(extreme.decisive, 3.0), (extreme.large, 2.0), (extreme.kept, 1.0)] {
        assert!((found as f64 / sixth - sixths).abs() < 1.0, "{extreme:?}");
    }
}

#[test]
fn samples_have_the_lambda_returns_of_their_game() {
    let mut game = random_game(3, 60);
    game.plies.last_mut().expect("plies").score = 123;
    let td_lambda = 1.0;
    let samples = loaded(&game, &Filter { td_lambda, ..ALL }).train;
    // With λ 1 every return is the last score.
    assert!(samples.len() > 10);
    assert!(samples.iter().all(|sample| sample.score.abs() == 123));
}

/// A random game with a principal variation of up to seven random moves at each searched ply.
fn game_with_pvs(seed: u64) -> GameRecord {
    let mut game = random_game(seed, 80);
    let mut random = Random::new(seed);
    let plies = game.replay().expect("sound").map(|ply| ply.expect("legal"));
    let pv = |ply: ReplayedPly| {
        let (mut board, mut pv) = (ply.board, Vec::new());
        let length = if ply.is_opening { 0 } else { 1 + random.below(7) };
        while pv.len() < length && !board.legal_moves().is_empty() {
            let moves = board.legal_moves();
            let m = if pv.is_empty() { ply.played } else { moves[random.below(moves.len())] };
            board = board.make(m);
            pv.push(m.bits());
        }
        pv
    };
    game.pvs = plies.map(pv).collect();
    game
}

#[test]
fn leaves_are_the_quiet_ends_of_principal_variations_with_the_score_of_the_search() {
    let mut sides = [0; 4];
    for seed in 0..40 {
        let game = game_with_pvs(seed);
        let [no, also, only] = [Leaves::No, Leaves::Also, Leaves::Only]
            .map(|leaves| loaded(&game, &Filter { min_ply: 10, leaves, ..ALL }));
        let mut leaves = only.train.iter();
        for (number, ply) in game.replay().expect("sound").enumerate().skip(10) {
            let ply = ply.expect("legal");
            let leaf = game.leaf(number, &ply.board).expect("legal");
            let moves = leaf.legal_moves();
            let wins = |m: &&Move| leaf.is_capture(**m) && leaf.see_ge(**m, 50);
            let promotions = moves.iter().filter(|m| m.is_promotion()).count();
            let noisy = promotions + moves.iter().filter(wins).count();
            if game.pvs[number].len() < 3 || leaf.in_check() || moves.is_empty() || noisy > 0 {
                continue;
            }
            let sample = leaves.next().expect("as many leaves");
            let (white, searched) = (leaf.turn() == Color::White, ply.board.turn());
            assert_eq!(sample.score, if white { ply.score } else { -ply.score });
            let result = game.result.half_points(leaf.turn());
            assert_eq!(sample.result, result);
            assert_eq!(sample.piece_count(), leaf.occupied().count() as usize);
            sides[2 * usize::from(white) + usize::from(searched == Color::White)] += 1;
        }
        assert!(leaves.next().is_none());
        assert_eq!(only.counts.leaves, only.train.len() as u64);
        assert_eq!(also.train.len(), no.train.len() + only.train.len());
        assert_eq!((no.counts.leaves, also.counts.leaves), (0, only.counts.leaves));
        assert_eq!((no.counts.kept, also.counts.kept), (only.counts.kept, only.counts.kept));
    }
    assert!(sides.iter().all(|&side| side > 20), "{sides:?}");
}

#[test]
fn validation_games_have_no_leaves() {
    let filter = Filter { validation_per_mille: 1000, leaves: Leaves::Only, ..ALL };
    let data = loaded(&game_with_pvs(1), &filter);
    assert_eq!((data.train.len(), data.counts.leaves), (0, 0));
    assert_eq!(data.validation.len() as u64, data.counts.kept);
}

#[test]
fn leaves_of_scores_out_of_bounds_are_left_out() {
    let mut game = game_with_pvs(2);
    for (score, td_lambda, has_leaves) in [
        (300, 0.0, true),
        (-300, 0.0, true),
        (301, 0.0, false),
        (-301, 0.0, false),
        (DECISIVE, 0.0, false),
        (NO_SCORE, 0.0, false),
        (300, 1.0, true),
    ] {
        for ply in &mut game.plies {
            ply.score = score;
        }
        let filter = Filter { max_score: 300, td_lambda, leaves: Leaves::Only, ..ALL };
        assert_eq!(loaded(&game, &filter).train.is_empty(), !has_leaves, "{score}");
    }
}

#[test]
fn a_game_with_an_illegal_principal_variation_is_refused() {
    let mut game = game_with_pvs(1);
    let number = game.pvs.iter().position(|pv| pv.len() > 1).expect("a principal variation");
    game.pvs[number][1] = game.pvs[number][0];
    for leaves in [Leaves::Also, Leaves::Only] {
        let mut data = Dataset::default();
        let error = data.add(&game, &Filter { leaves, ..ALL });
        assert_eq!(error, Err(ReplayError::IllegalPv(number)));
        assert_eq!((data.train.len(), data.counts), (0, Counts::default()));
    }
    assert!(!loaded(&game, &ALL).train.is_empty());
}

#[test]
fn castling_is_not_a_capture() {
    let mut board = Board::startpos();
    let mut plies = Vec::new();
    for text in ["g1f3", "g8f6", "g2g3", "g7g6", "f1g2", "f8g7", "e1g1", "e8g8"] {
        let played = board.parse_uci(text).expect("legal");
        plies.push(PlyRecord { move_bits: played.bits(), score: 10 });
        board = board.make(played);
    }
    let game = GameRecord { opening_plies: 0, plies, ..random_game(1, 1) };
    assert_eq!(loaded(&game, &ALL).counts.kept, 8);
}

#[test]
fn labels_are_from_the_side_to_moves_view() {
    let game = random_game(5, 120);
    let Dataset { train, counts, .. } = loaded(&game, &ALL);
    let plies = game.replay().expect("sound").map(|ply| ply.expect("legal"));
    let mut samples = train.iter();
    let mut sides = [0; 2];
    for ply in plies.filter(|ply| !ply.is_opening && !ply.board.in_check()) {
        let child = ply.board.make(ply.played);
        if child.occupied().count() < ply.board.occupied().count() || ply.played.is_promotion() {
            continue;
        }
        let sample = samples.next().expect("as many samples");
        let white = ply.board.turn() == Color::White;
        let sign = if white { 1 } else { -1 };
        assert_eq!(sample.score, sign * material(&ply.board));
        let result = game.result.half_points(Color::White);
        assert_eq!(sample.result, if white { result } else { 2 - result });
        sides[usize::from(white)] += 1;
    }
    assert!(samples.next().is_none() && sides.iter().all(|&side| side > 20));
    assert_eq!(counts.results.iter().sum::<u64>(), 1);
}

#[test]
fn scores_correlate_with_results_unless_a_sign_is_wrong() {
    let (mut right, mut wrong) = (Dataset::default(), Dataset::default());
    for seed in 0..400 {
        let mut game = random_game(seed, 80);
        right.add(&game, &ALL).expect("legal");
        // Scores from the side to move's view instead of White's.
        for (number, ply) in game.plies.iter_mut().enumerate() {
            ply.score = if number % 2 == 0 { ply.score } else { ply.score.saturating_neg() };
        }
        wrong.add(&game, &ALL).expect("legal");
    }
    assert!(right.counts.correlation() > 0.5, "{}", right.counts.correlation());
    assert!(wrong.counts.correlation() < 0.2, "{}", wrong.counts.correlation());
    // Without data the correlation is 0.
    assert_eq!(Counts::default().correlation(), 0.0);
}

#[test]
fn the_split_is_by_game_and_copies_stay_together() {
    let filter = Filter { validation_per_mille: 300, ..ALL };
    let key = |sample: &Sample| format!("{sample:?}");
    let (mut train, mut validation) = (HashSet::new(), HashSet::new());
    let mut games = [0; 2];
    for seed in 0..200 {
        let game = random_game(seed, 60);
        let once = loaded(&game, &filter);
        assert!(once.train.is_empty() || once.validation.is_empty());
        assert_eq!(once.counts.validation_games, u64::from(once.train.is_empty()));
        // Another game from the same opening is in the same set.
        let mut shorter = game.clone();
        shorter.plies.truncate(40);
        let other = loaded(&shorter, &filter);
        assert_eq!(once.train.is_empty(), other.train.is_empty());
        games[usize::from(once.train.is_empty())] += 1;
        train.extend(once.train.iter().skip(10).map(key));
        validation.extend(once.validation.iter().skip(10).map(key));
    }
    assert!((100..180).contains(&games[0]), "{games:?}");
    assert!(train.is_disjoint(&validation));
}

/// Match runners play both games of a pair from the same position of a book.
#[test]
fn games_from_the_same_start_position_stay_together() {
    let filter = Filter { validation_per_mille: 300, ..ALL };
    let mut games = [0; 2];
    for seed in 0..100 {
        let opening = random_game(seed, 8);
        let mut replay = opening.replay().expect("sound");
        assert!(replay.by_ref().all(|ply| ply.is_ok()));
        let start = Some(PackedPosition::from_board(replay.board()));
        let from_start = |first_move: usize| {
            let played = replay.board().legal_moves()[first_move];
            GameRecord {
                start,
                opening_plies: 0,
                plies: vec![PlyRecord { move_bits: played.bits(), score: 10 }],
                ..opening.clone()
            }
        };
        let validation = |game| loaded(&game, &filter).counts.validation_games;
        let of_pair = [0, 1].map(|first_move| validation(from_start(first_move)));
        assert_eq!(of_pair[0], of_pair[1], "seed {seed}");
        games[of_pair[0] as usize] += 1;
    }
    assert!((50..90).contains(&games[0]), "{games:?}");
}

#[test]
fn files_are_loaded_in_order_and_corruption_is_skipped() {
    let folder = TempFolder::new("files");
    fs::create_dir(folder.0.join("inner")).expect("a folder");
    write(&folder.0.join("b.games"), (0..10).map(|seed| random_game(seed, 50)));
    write(&folder.0.join("inner/a.games"), (10..20).map(|seed| random_game(seed, 50)));
    fs::write(folder.0.join("notes.txt"), "not games").expect("written");
    let found = find_files(std::slice::from_ref(&folder.0)).expect("readable");
    assert_eq!(found.len(), 2);
    let warnings = Mutex::new(Vec::new());
    let warn = |warning: &str| {
        let mut warnings = warnings.lock().expect("unpoisoned");
        warnings.push(warning.to_string());
    };
    let whole = load(&found, &ALL, 1, &warn).expect("readable");
    assert_eq!(whole.counts.games, 20);
    assert_eq!(load(&found, &ALL, 2, &warn).expect("readable").train, whole.train);
    assert!(warnings.lock().expect("unpoisoned").is_empty());

    // An illegal move with a correct checksum, a corrupt record, a file of another format.
    let mut illegal = random_game(30, 50);
    illegal.plies[20].move_bits = illegal.plies[3].move_bits;
    write(&folder.0.join("c.games"), [illegal, random_game(31, 50)]);
    let path = folder.0.join("b.games");
    let mut bytes = fs::read(&path).expect("read");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, bytes).expect("written");
    fs::write(folder.0.join("d.games"), "RIFF").expect("written");
    let found = find_files(std::slice::from_ref(&folder.0)).expect("readable");
    let corrupt = load(&found, &ALL, 2, &warn).expect("readable");
    let counts = corrupt.counts;
    assert_eq!((counts.games, counts.illegal_games, counts.corrupt), (20, 1, 2));
    let warnings = warnings.into_inner().expect("unpoisoned").join("\n");
    for expected in
        ["b.games: offset", "c.games: offset", "ply 20", "d.games: offset 0: not a game file"]
    {
        assert!(warnings.contains(expected), "{expected:?} in {warnings}");
    }
    assert!(find_files(&[folder.0.join("absent.games")]).is_ok());
    assert!(load(&[folder.0.join("absent.games")], &ALL, 1, &|_| {}).is_err());
}

#[test]
fn compact_files_give_the_same_positions_with_targets_within_their_error() {
    let folder = TempFolder::new("compact");
    let games: Vec<GameRecord> = (0..10).map(|seed| random_game(seed, 80)).collect();
    let [plain, compact] = ["a.games", "b.games"].map(|name| folder.0.join(name));
    write(&plain, games.iter().cloned());
    let file = GameFile::open(&plain).expect("read").expect("a header");
    let mut writer =
        RecordWriter::new(Vec::new(), file.header(), RecordFormat::Compact).expect("written");
    for game in &games {
        writer.write(game).expect("written");
    }
    fs::write(&compact, writer.finish().expect("written")).expect("written");
    let load = |path| load(&[path], &ALL, 1, &|warning| panic!("{warning}")).expect("readable");
    let [plain, compact] = [plain, compact].map(load);
    assert_eq!(plain.train.len(), compact.train.len());
    for (a, b) in plain.train.iter().zip(&compact.train) {
        assert_eq!(a.result, b.result);
        assert!((a.target(0.0) - b.target(0.0)).abs() < 1.0 / 127.0);
    }
}
