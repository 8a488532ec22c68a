//! Self-play: games are reproducible, complete, legal, and scored from White's view; interruptions
//! lose only unfinished games.

use saavedra::chess::{GameResult, Random};
use saavedra::data::statistics::{Statistics, fingerprint};
use saavedra::data::store;
use saavedra::data::{
    DECISIVE, FileHeader, GameFile, GameRecord, GameWriter, NO_SCORE, Termination, check_game,
    relabel,
};
use saavedra::engine::Searcher;
use saavedra::eval::Evaluation;
use saavedra::selfplay::opening;
use saavedra::selfplay::play::{GameConfig, SelfPlayer};
use saavedra::selfplay::run::{RunConfig, RunCounts, RunEvent, run};
use std::collections::HashSet;
use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A folder of this test that is removed when dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let name = format!("saavedra-selfplay-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }
}

impl Deref for Scratch {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const GAME: GameConfig = GameConfig { nodes: 60, chess960: 0.25, records_pvs: false };

fn config(folder: &Path) -> RunConfig {
    RunConfig {
        folder: folder.to_path_buf(),
        game: GAME,
        generation: 5,
        threads: 1,
        seed: 11,
        max_games: Some(10),
        max_positions: None,
        max_time: None,
        max_file_size: 1 << 20,
    }
}

fn play(config: &RunConfig) -> RunCounts {
    run(config, &Evaluation::PieceSquare, &mut |_| {}).unwrap()
}

/// All games under the folder; panics at damage.
fn games_in(folder: &Path) -> Vec<GameRecord> {
    let mut games = Vec::new();
    for path in store::find_files(&[folder.to_path_buf()]).unwrap() {
        let file = GameFile::open(&path).unwrap().unwrap();
        games.extend(file.games().map(|game| game.unwrap()));
    }
    games
}

/// Enough games for statistics (with 80, the correlation of scores and results was 0.45 to 0.5),
/// played once for all tests.
fn sample() -> &'static [GameRecord] {
    static SAMPLE: OnceLock<Vec<GameRecord>> = OnceLock::new();
    SAMPLE.get_or_init(|| games(GAME, 400))
}

/// The first games of [`sample`], with their principal variations.
fn with_pvs(count: u64) -> Vec<GameRecord> {
    games(GameConfig { records_pvs: true, ..GAME }, count)
}

fn games(config: GameConfig, count: u64) -> Vec<GameRecord> {
    let mut player = SelfPlayer::new(&Evaluation::PieceSquare, config).unwrap();
    (0..count).map(|game| player.play(Random::for_game(1, game))).collect()
}

#[test]
fn a_game_depends_on_its_seed_and_not_on_earlier_games() {
    let mut player = SelfPlayer::new(&Evaluation::PieceSquare, GAME).unwrap();
    for game in [7, 3] {
        let again = player.play(Random::for_game(1, game));
        assert_eq!(again, sample()[game as usize]);
    }
    let distinct: HashSet<u64> = sample().iter().map(fingerprint).collect();
    assert_eq!(distinct.len(), sample().len());
}

#[test]
fn every_game_is_legal_and_ends_as_recorded() {
    for (number, game) in sample().iter().enumerate() {
        check_game(game).unwrap_or_else(|error| panic!("game {number}: {error}"));
    }
    let has = |wanted| sample().iter().any(|game| game.termination == wanted);
    assert!(has(Termination::AdjudicatedWin));
    assert!(has(Termination::Checkmate), "some games are played out");
    let other_starts = sample().iter().filter(|game| game.start.is_some()).count();
    assert!((40..175).contains(&other_starts), "{other_starts}");
}

#[test]
fn all_plies_but_those_of_openings_have_scores() {
    let mut lengths = HashSet::new();
    for game in sample() {
        let opening = usize::from(game.opening_plies);
        lengths.insert(opening);
        let (before, after) = game.plies.split_at(opening);
        assert!(before.iter().all(|ply| ply.score == NO_SCORE));
        assert!(after.iter().all(|ply| ply.score != NO_SCORE));
        assert!(!after.is_empty());
    }
    assert_eq!(lengths, HashSet::from([8, 9]), "both sides leave openings");
}

#[test]
fn all_plies_with_scores_have_the_principal_variation_of_the_move_that_was_played() {
    let mut leaves = 0;
    for (game, without) in with_pvs(40).iter().zip(sample()) {
        assert_eq!(GameRecord { pvs: vec![], ..game.clone() }, *without);
        assert_eq!(game.pvs.len(), game.plies.len());
        let mut replay = game.replay().unwrap();
        for (number, (ply, pv)) in game.plies.iter().zip(&game.pvs).enumerate() {
            let board = replay.next().unwrap().unwrap().board;
            let expected = (ply.score != NO_SCORE).then_some(&ply.move_bits);
            assert_eq!(pv.first(), expected);
            leaves += usize::from(game.leaf(number, &board).unwrap() != board);
        }
    }
    assert!(leaves > 1000, "{leaves}");
}

#[test]
fn unbalanced_openings_are_rejected() {
    let mut searcher = Searcher::new(1, &Evaluation::PieceSquare).unwrap();
    let mut random = Random::new(5);
    // White is a queen ahead in every opening, so it is accepted only when the bound has grown.
    let queen_up = "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let queen_up = saavedra::chess::Board::from_fen(queen_up).unwrap();
    let mut tries = 0;
    let start = |_: &mut Random| {
        tries += 1;
        queen_up
    };
    assert!(opening::balanced(&mut searcher, &mut random, start, [2, 3]).is_some());
    assert!(tries > 5, "{tries}");
}

#[test]
fn scores_are_from_whites_view_with_either_side_to_move() {
    let mut statistics = Statistics::default();
    let mut mates = [0; 2];
    for game in sample() {
        statistics.add(game);
        if game.termination != Termination::Checkmate {
            continue;
        }
        // The search of the last move has found the mate.
        let last = game.plies.last().unwrap().score;
        match game.result {
            GameResult::WhiteWins => assert!(last >= DECISIVE, "{last}"),
            GameResult::BlackWins => assert!(last <= -DECISIVE, "{last}"),
            GameResult::Draw => panic!("a mate is no draw"),
        }
        mates[usize::from(game.result == GameResult::WhiteWins)] += 1;
    }
    assert!(mates.iter().all(|count| *count > 0), "{mates:?}");
    for correlation in &statistics.correlations {
        let coefficient = correlation.coefficient().unwrap();
        assert!(coefficient > 0.5, "{coefficient}");
    }
}

#[test]
fn one_thread_writes_the_same_files_again_and_more_threads_the_same_games() {
    let (one, again, three) = (Scratch::new("one"), Scratch::new("again"), Scratch::new("three"));
    let counts = play(&config(&one));
    assert_eq!(counts.games, 10);
    assert_eq!(counts.results.iter().sum::<u64>(), 10);
    play(&config(&again));
    assert_eq!(games_in(&one), games_in(&again));
    let threads = RunConfig { threads: 3, ..config(&three) };
    assert_eq!(play(&threads).games, 10);
    let sorted = |folder: &Path| {
        let mut prints: Vec<u64> = games_in(folder).iter().map(fingerprint).collect();
        prints.sort_unstable();
        prints
    };
    assert_eq!(sorted(&one), sorted(&three));
}

#[test]
fn files_are_split_before_they_grow_too_large_and_say_who_played() {
    let folder = Scratch::new("split");
    let small = RunConfig { max_file_size: 2500, ..config(&folder) };
    play(&small);
    let files = store::find_files(&[folder.to_path_buf()]).unwrap();
    assert!(files.len() > 1);
    for path in &files {
        assert!(fs::metadata(path).unwrap().len() <= 2500, "{path:?}");
        let file = GameFile::open(path).unwrap().unwrap();
        let header = file.header();
        assert_eq!((header.nodes, header.generation, header.seed), (60, 5, 11));
        assert!(header.engine.starts_with("Saavedra "), "{}", header.engine);
    }
    assert_eq!(games_in(&folder).len(), 10);
}

#[test]
fn a_folder_with_a_partial_game_is_repaired_and_gets_new_games() {
    let folder = Scratch::new("resume");
    play(&config(&folder));
    let path = &store::find_files(&[folder.to_path_buf()]).unwrap()[0];
    let bytes = fs::read(path).unwrap();
    fs::write(path, &bytes[..bytes.len() - 7]).unwrap();
    let mut seeds = Vec::new();
    let mut damages = 0;
    run(&config(&folder), &Evaluation::PieceSquare, &mut |event| {
        if let RunEvent::Start(seed, content) = event {
            seeds.push(seed);
            damages += content.damage.len();
        }
    })
    .unwrap();
    assert_eq!(damages, 1, "the partial game is reported");
    assert_ne!(seeds, [11]);
    let games = games_in(&folder);
    assert_eq!(games.len(), 19);
    let distinct: HashSet<u64> = games.iter().map(fingerprint).collect();
    assert_eq!(distinct.len(), 19, "no game is repeated");
}

#[test]
fn limits_end_a_run() {
    let folder = Scratch::new("limits");
    let no_time =
        RunConfig { max_time: Some(std::time::Duration::ZERO), max_games: None, ..config(&folder) };
    let no_positions = RunConfig { max_positions: Some(0), max_games: None, ..config(&folder) };
    for none in [no_time, no_positions] {
        assert_eq!(play(&none).games, 0);
    }
    let some = RunConfig { max_positions: Some(100), max_games: None, ..config(&folder) };
    let counts = play(&some);
    assert!((100..2000).contains(&counts.positions), "{counts:?}");
}

#[test]
fn relabelling_does_not_depend_on_threads_and_continues_an_interrupted_run() {
    let folder = Scratch::new("relabel");
    // Half of them with principal variations.
    let games = &[&with_pvs(3)[..], &sample()[3..6]].concat()[..];
    let header = FileHeader { engine: "test".into(), nodes: 30, generation: 1, seed: 2 };
    let label = |name: &str, threads| {
        let (path, mut progress) = (folder.join(name), Vec::new());
        relabel(games, &path, &header, &Evaluation::PieceSquare, threads, &mut |done| {
            progress.push(done)
        })
        .unwrap();
        (fs::read(path).unwrap(), progress)
    };
    let (one, progress) = label("one.games", 1);
    assert_eq!((progress.first(), progress.last()), (Some(&0), Some(&6)));
    assert_eq!(label("three.games", 3).0, one);

    // The partial file of a run that was interrupted while it wrote the last game.
    fs::write(folder.join("again.games.partial"), &one[..one.len() - 9]).unwrap();
    let (again, progress) = label("again.games", 2);
    assert_eq!(progress.first(), Some(&5));
    assert_eq!(again, one);
    assert!(!folder.join("again.games.partial").exists());

    let relabelled = GameFile::from_bytes(Path::new("one"), one).unwrap();
    let mut changed = 0;
    for (new, old) in relabelled.games().zip(games) {
        let new = new.unwrap();
        check_game(&new).unwrap();
        assert_eq!(fingerprint(&new), fingerprint(old));
        assert_eq!((new.result, new.opening_plies), (old.result, old.opening_plies));
        for (new, old) in new.plies.iter().zip(&old.plies) {
            assert_eq!(new.score == NO_SCORE, old.score == NO_SCORE);
            changed += usize::from(new.score != old.score);
        }
        assert_eq!(new.pvs.len(), old.pvs.len());
        for (ply, pv) in new.plies.iter().zip(&new.pvs) {
            assert_eq!(ply.score == NO_SCORE, pv.is_empty());
        }
    }
    assert!(changed > 50, "{changed}");
}

/// The commands, through the binary.
mod commands {
    use super::*;
    use saavedra::chess::Board;
    use std::process::{Command, Output};

    fn saavedra(arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_saavedra")).args(arguments).output().unwrap()
    }

    fn stdout(output: &Output) -> String {
        String::from_utf8(output.stdout.clone()).unwrap()
    }

    #[test]
    fn genfens_prints_distinct_legal_positions_that_depend_on_the_seed() {
        let fens = |seed: &str| {
            let request = format!("genfens 5 seed {seed} book None");
            let output = saavedra(&[&request, "quit"]);
            assert!(output.status.success());
            let text = stdout(&output);
            let line = |line: &str| line.strip_prefix("info string genfens ").unwrap().to_owned();
            text.lines().map(line).collect::<Vec<String>>()
        };
        let first = fens("1");
        assert_eq!(first, fens("1"));
        let mut all: HashSet<String> = first.into_iter().collect();
        all.extend(fens("2"));
        assert_eq!(all.len(), 10);
        for fen in all {
            Board::from_fen(&fen).unwrap();
        }
        for wrong in ["genfens", "genfens 1 seed 1 book /nowhere/at/all.epd"] {
            assert_eq!(saavedra(&[wrong, "quit"]).status.code(), Some(2), "{wrong}");
        }
    }

    #[cfg(feature = "cli")]
    mod cli {
        use super::*;
        use std::process::Stdio;
        use std::time::{Duration, Instant};

        fn text(path: &Path) -> &str {
            path.to_str().unwrap()
        }

        #[test]
        fn a_killed_datagen_leaves_complete_games_and_its_folder_can_be_continued() {
            let folder = Scratch::new("killed");
            let arguments = ["datagen", "--nodes", "60", "--threads", "2", "--seed", "4"];
            let mut child = Command::new(env!("CARGO_BIN_EXE_saavedra"))
                .args(arguments)
                .args(["--out", text(&folder)])
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let begin = Instant::now();
            while complete_games(&folder) < 3 {
                assert!(begin.elapsed() < Duration::from_secs(120), "no games");
                std::thread::sleep(Duration::from_millis(50));
            }
            child.kill().unwrap();
            child.wait().unwrap();
            let before = complete_games(&folder);
            let more = [&arguments[..], &["--games", "3", "--out", text(&folder)]].concat();
            let output = saavedra(&more);
            assert!(output.status.success());
            assert!(stdout(&output).starts_with("games 3\n"), "{output:?}");
            assert!(games_in(&folder).len() >= before + 3);
            let output = saavedra(&["data", "check", text(&folder)]);
            assert_eq!(output.status.code(), Some(0), "{output:?}");
            assert!(stdout(&output).ends_with(" 0 faults\n"), "{output:?}");
        }

        #[test]
        fn damage_is_reported_with_its_place_and_skipped() {
            let folder = Scratch::new("damage");
            play(&config(&folder));
            let path = &store::find_files(&[folder.to_path_buf()]).unwrap()[0];
            let mut bytes = fs::read(path).unwrap();
            let mut games = GameFile::open(path).unwrap().unwrap();
            let offset = {
                let mut games = games.games();
                games.nth(3);
                games.offset()
            };
            bytes[offset + 40] ^= 1;
            fs::write(path, &bytes).unwrap();
            fs::write(folder.join("foreign.games"), "no games").unwrap();
            let output = saavedra(&["data", "check", text(&folder)]);
            assert_eq!(output.status.code(), Some(1));
            assert!(stdout(&output).starts_with("2 files, 9 games, "), "{output:?}");
            assert!(stdout(&output).ends_with(" 2 faults\n"), "{output:?}");
            let errors = String::from_utf8(output.stderr).unwrap();
            let place = format!("saavedra: {}: offset {offset}: wrong checksum", path.display());
            assert!(errors.contains(&place), "{errors}");
            assert!(errors.contains("foreign.games: offset 0: not a game file"), "{errors}");
            games = GameFile::from_bytes(path, bytes).unwrap();
            assert_eq!(games.games().filter(Result::is_ok).count(), 9);
        }

        #[test]
        fn damage_sets_the_status_but_a_truncated_last_game_does_not() {
            let folder = Scratch::new("status");
            play(&config(&folder));
            let whole = &store::find_files(&[folder.to_path_buf()]).unwrap()[0];
            let bytes = fs::read(whole).unwrap();
            let [cut, foreign, illegal] =
                ["cut.games", "foreign.games", "illegal.games"].map(|name| folder.join(name));
            write_illegal_game(&illegal, &games_in(&folder)[0]);
            fs::write(&cut, &bytes[..bytes.len() - 7]).unwrap();
            fs::write(&foreign, "").unwrap();
            let out = folder.join("out");
            let outputs: &[&str] = &["-o", text(&out)];
            for (action, options) in [
                ("info", &[][..]),
                ("check", &[]),
                ("merge", outputs),
                ("filter", outputs),
                ("shuffle", outputs),
                ("relabel", &["-o", text(&out), "--nodes", "20"]),
            ] {
                // The damage is a failed check for `check` only.
                let status_of_damage = if action == "check" { 1 } else { 3 };
                for (damaged, status, message) in [
                    (&cut, 0, "the file ends within a game"),
                    (&foreign, status_of_damage, "not a game file"),
                    (&illegal, status_of_damage, "the move at ply 3 is illegal"),
                ] {
                    let files = ["data", action, text(whole), text(damaged)];
                    let output = saavedra(&[&files[..], options].concat());
                    assert_eq!(output.status.code(), Some(status), "{action}: {output:?}");
                    let errors = String::from_utf8_lossy(&output.stderr);
                    assert!(errors.contains(message), "{action}: {errors}");
                    if !options.is_empty() {
                        let games = games_in(&out);
                        assert!(games.len() >= 10, "{action}: the intact games are there");
                        assert!(games.iter().all(|game| check_game(game).is_ok()), "{action}");
                        fs::remove_file(&out).unwrap();
                    }
                }
            }
        }

        #[test]
        fn datagen_reports_the_partial_game_of_an_interrupted_run() {
            let folder = Scratch::new("partial");
            play(&config(&folder));
            let path = &store::find_files(&[folder.to_path_buf()]).unwrap()[0];
            let bytes = fs::read(path).unwrap();
            fs::write(path, &bytes[..bytes.len() - 7]).unwrap();
            let output = saavedra(&["datagen", "--games", "0", "--out", text(&folder)]);
            assert_eq!(output.status.code(), Some(0), "{output:?}");
            let errors = String::from_utf8(output.stderr).unwrap();
            let message = format!("\nsaavedra: {}: offset ", path.display());
            assert!(errors.contains(&message), "{errors}");
        }

        /// Writes a file with this game, but with an illegal move.
        fn write_illegal_game(path: &Path, game: &GameRecord) {
            let header = FileHeader { engine: "test".into(), nodes: 0, generation: 0, seed: 0 };
            let mut illegal = game.clone();
            illegal.plies[3] = illegal.plies[1];
            let mut writer = GameWriter::create(path, &header).unwrap();
            writer.write(&illegal).unwrap();
        }

        /// Counts the complete games, also while a file grows.
        fn complete_games(folder: &Path) -> usize {
            let files = store::find_files(&[folder.to_path_buf()]).unwrap();
            let count = |path: &PathBuf| match GameFile::open(path).unwrap() {
                Ok(file) => file.games().filter(Result::is_ok).count(),
                Err(_) => 0,
            };
            files.iter().map(count).sum()
        }

        fn data(arguments: &[&str]) -> String {
            let output = saavedra(&[&["data"], arguments].concat());
            assert!(output.status.success(), "{arguments:?} {output:?}");
            stdout(&output)
        }

        fn prints(games: &[GameRecord]) -> HashSet<u64> {
            games.iter().map(fingerprint).collect()
        }

        #[test]
        fn files_are_merged_without_duplicates_and_shuffled() {
            let folder = Scratch::new("merge");
            let (a, b, copy) = (folder.join("a"), folder.join("b"), folder.join("copy.games"));
            play(&config(&a));
            play(&RunConfig { seed: 12, ..config(&b) });
            fs::copy(&store::find_files(std::slice::from_ref(&a)).unwrap()[0], &copy).unwrap();
            let all = folder.join("all.games");
            let merge = ["merge", text(&a), text(&b), text(&copy), "-o", text(&all)];
            assert_eq!(data(&merge), "20 of 30 games\n");
            let merged = games_in(&all);
            assert_eq!(prints(&merged).len(), 20);

            let mixed = folder.join("mixed.games");
            let shuffle = ["shuffle", text(&all), "-o", text(&mixed), "--seed", "3"];
            assert_eq!(data(&shuffle), "20 games\n");
            let shuffled = games_in(&mixed);
            assert_ne!(shuffled, merged);
            assert_eq!(prints(&shuffled), prints(&merged));
        }

        #[test]
        fn files_are_filtered_relabelled_and_described() {
            let folder = Scratch::new("filter");
            play(&config(&folder));
            let all = games_in(&folder);
            let out = Scratch::new("filtered");
            let some = out.join("some.games");
            let filter = ["filter", text(&folder), "-o", text(&some)];
            data(&[&filter[..], &["--min-plies", "40", "--result", "white"]].concat());
            let fits =
                |game: &&GameRecord| game.plies.len() >= 40 && game.result == GameResult::WhiteWins;
            let expected: Vec<GameRecord> = all.iter().filter(fits).cloned().collect();
            assert!((1..10).contains(&expected.len()));
            assert_eq!(games_in(&some), expected);

            let new = out.join("new.games");
            data(&["relabel", text(&some), "-o", text(&new), "--nodes", "40"]);
            assert_eq!(prints(&games_in(&new)), prints(&expected));

            assert!(data(&["info", text(&folder)]).contains("games        10, 0 of them repeated"));
            let json = data(&["info", "--json", text(&folder)]);
            let begin = "{\"files\":1,\"games\":10,\"duplicates\":0,";
            assert!(json.starts_with(begin), "{json}");
            let missing = saavedra(&["data", "info", "/nowhere/at/all.games"]);
            assert_eq!(missing.status.code(), Some(2));
        }
    }
}
