//! Parts of large inputs: `analyse --games` and `--shard`, compressed files, folders, patterns.

use crate::support::{folder, saavedra, stderr, stdout};
use flate2::write::GzEncoder;
use std::fs;
use std::io::Write;

const NODES: [&str; 4] = ["--nodes", "60", "--threads", "1"];

/// Seven short games, the third with an illegal move.
fn games() -> Vec<String> {
    let moves =
        ["1. e4 e5", "1. d4 d5 2. c4", "1. e4 e4", "1. Nf3", "1. c4 c5", "1. g3", "1. f4 d5"];
    let game = |(number, moves)| format!("[Event \"{number}\"]\n\n{moves} *\n\n");
    (1..).zip(moves).map(game).collect()
}

fn analyse(arguments: &[&str], input: &str) -> (String, Option<i32>) {
    let output = saavedra(&[&["analyse"], arguments, &NODES].concat(), input);
    (stdout(&output), output.status.code())
}

#[test]
fn the_outputs_of_all_parts_are_the_output_of_the_whole() {
    let input = games().concat();
    for format in ["pgn", "json"] {
        let (whole, _) = analyse(&["-", "--format", format], &input);
        for parts in [1, 2, 3, 7, 10] {
            let part = |number: usize| {
                let part = format!("{number}/{parts}");
                analyse(&["-", "--format", format, "--shard", &part], &input).0
            };
            let joined: String = (1..=parts).map(part).collect();
            assert_eq!(joined, whole, "{parts} parts of {format}");
        }
    }
}

#[test]
fn games_are_chosen_by_number() {
    let input = games().concat();
    for (range, events, status) in [
        ("1", vec!["1"], 0),
        ("2-4", vec!["2", "4"], 3),
        ("3", vec![], 2),
        ("6-900", vec!["6", "7"], 0),
        ("8", vec![], 2),
    ] {
        let (text, code) = analyse(&["-", "--games", range], &input);
        let found: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("[Event \"")?.strip_suffix("\"]"))
            .collect();
        assert_eq!((found, code), (events, Some(status)), "{range}");
    }
    // A part of a range.
    let (text, _) = analyse(&["-", "--games", "4-7", "--shard", "2/2", "--format", "json"], &input);
    let numbers: Vec<&str> = text.lines().map(|line| &line[..10]).collect();
    assert_eq!(numbers, [r#"{"game":5,"#, r#"{"game":6,"#], "the third game has no number");
    for (option, value) in [
        ("--games", "0"),
        ("--games", "4-3"),
        ("--games", "x"),
        ("--shard", "0/3"),
        ("--shard", "4/3"),
    ] {
        let output = saavedra(&["analyse", "-", option, value], &input);
        assert_eq!(output.status.code(), Some(2), "{option} {value}");
        assert!(stderr(&output).contains(value), "{}", stderr(&output));
    }
}

#[test]
fn compressed_files_folders_and_patterns_are_read() {
    let (folder, games) = (folder("parts"), games());
    let path = |name: &str| folder.join(name);
    fs::create_dir(path("games")).expect("a folder");
    fs::write(path("games/b.pgn"), games[3..].concat()).expect("written");
    let file = fs::File::create(path("games/a.pgn.gz")).expect("a file");
    let mut gzip = GzEncoder::new(file, Default::default());
    gzip.write_all(games[..2].concat().as_bytes()).expect("written");
    gzip.finish().expect("written");
    for name in ["readme", "readme.txt", "index.html", "package.json"] {
        fs::write(path("games").join(name), "no games").expect("written");
    }
    let (expected, _) = analyse(&["-"], &[&games[..2], &games[3..]].concat().concat());
    for argument in ["games", "games/*.pgn*", "games/?.pgn*"] {
        let argument = path(argument);
        let (text, code) = analyse(&[argument.to_str().expect("a path")], "");
        assert_eq!((text, code), (expected.clone(), Some(0)), "{argument:?}");
    }
    let nothing = path("games/*.epd");
    let output = saavedra(&["analyse", nothing.to_str().expect("a path")], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no games or positions"), "{}", stderr(&output));
}

#[test]
fn compact_json_has_less_of_each_move_and_is_resumed() {
    let folder = folder("compact");
    let path = |name: &str| folder.join(name).to_str().expect("a path").to_owned();
    let (input, output) = (path("games.pgn"), path("out.json"));
    fs::write(&input, games().concat()).expect("written");
    let analysed = |extra: &[&str]| analyse(&[&[input.as_str()], extra].concat(), "");
    let (full, _) = analysed(&["--format", "json"]);
    let (compact, status) = analysed(&["--format", "json", "--compact"]);
    assert_eq!(status, Some(3));
    let json = |line: &str| -> serde_json::Value { serde_json::from_str(line).expect("JSON") };
    for (full, compact) in full.lines().zip(compact.lines()).map(|(a, b)| (json(a), json(b))) {
        for field in ["game", "tags", "opening", "start", "white", "black", "key_moments"] {
            assert_eq!(full[field], compact[field], "{field}");
        }
        let moves = |game: &serde_json::Value| game["moves"].as_array().expect("moves").clone();
        assert_eq!(moves(&full).len(), moves(&compact).len());
        for (full, compact) in moves(&full).into_iter().zip(moves(&compact)) {
            for field in ["uci", "san", "eval", "judgement"] {
                assert_eq!(full[field], compact[field], "{field}");
            }
            let is_best = full["best"]["uci"] == full["uci"];
            assert_eq!(compact.get("best"), Some(&full["best"]).filter(|_| !is_best));
            assert_eq!(compact.as_object().map(|m| m.len()), Some(if is_best { 4 } else { 5 }));
        }
    }
    let kept: String = compact.split_inclusive('\n').take(2).collect();
    fs::write(&output, kept).expect("written");
    let (_, status) = analysed(&["--compact", "-o", &output, "--resume"]);
    assert_eq!((fs::read_to_string(&output).expect("an output"), status), (compact, Some(3)));
    assert_eq!(analysed(&["--compact", "--format", "pgn"]).1, Some(2), "only JSON");
}

#[test]
fn parts_of_games_and_positions_have_the_lines_of_the_whole() {
    let input = "[White \"a\"]\n\n1. e4 e5 *\n\n[White \"b\"]\n\n*\n\n[White \"c\"]\n\n1. d4 *\n";
    let all = ["-", "--multipv", "3"];
    let (whole, _) = analyse(&all, input);
    let part = |part| analyse(&[&all[..], &["--shard", part]].concat(), input).0;
    assert_eq!(["1/3", "2/3", "3/3"].map(part).concat(), whole);
}

#[test]
fn a_test_suite_has_one_score_and_no_parts() {
    let position = "6k1/5ppp/8/8/8/8/8/R3K3 w - -";
    let suite = format!("{position} bm Ra8;\n{position} id \"no goal\";\n");
    for part in ["1/2", "2/2", "3/3"] {
        let output = saavedra(&[&["analyse", "-", "--shard", part], &NODES[..]].concat(), &suite);
        assert_eq!(output.status.code(), Some(2), "{part}");
        assert!(stderr(&output).contains("--shard: a test suite"), "{}", stderr(&output));
    }
    let (text, status) = analyse(&["-", "--games", "1"], &suite);
    assert_eq!((text.lines().last(), status), (Some("solved 1 of 1"), Some(0)));
}

#[test]
fn a_part_without_a_game_is_complete_but_needs_all_inputs() {
    let folder = folder("parts-empty");
    let path = |name: &str| folder.join(name).to_str().expect("a path").to_owned();
    let (input, output) = (path("games.pgn"), path("out.pgn"));
    fs::write(&input, games()[2..4].concat()).expect("written");
    let run = |inputs: &[&str], shard| {
        analyse(&[inputs, &["--shard", shard, "-o", &output]].concat(), "").1
    };
    assert_eq!(run(&[&input], "1/2"), Some(3), "its only game is illegal");
    assert_eq!(fs::read_to_string(&output).expect("an output"), "");
    assert_eq!(run(&[&input, &path("missing.pgn")], "2/2"), Some(2));
    assert_eq!(fs::read_to_string(&output).expect("an output"), "");
    assert_eq!(run(&[&input], "2/2"), Some(0));
}

#[test]
fn a_part_needs_all_of_a_compressed_input() {
    let folder = folder("parts-cut");
    let path = folder.join("games.pgn.gz");
    let mut gzip = GzEncoder::new(Vec::new(), Default::default());
    let games = (0..400).map(|number| format!("[Round \"{number}\"]\n\n1. e4 e5 *\n\n"));
    gzip.write_all(games.collect::<String>().as_bytes()).expect("written");
    let whole = gzip.finish().expect("written");
    fs::write(&path, &whole[..whole.len() / 2]).expect("written");
    for part in ["1/8", "4/8", "8/8"] {
        let path = path.to_str().expect("a path");
        let output = saavedra(&["analyse", path, "--nodes", "1", "--shard", part], "");
        assert_eq!(output.status.code(), Some(2), "{part}: {}", stderr(&output));
        assert!(stderr(&output).contains("games.pgn.gz:"), "{}", stderr(&output));
    }
}

#[test]
fn outputs_are_not_inputs_of_later_runs() {
    let folder = folder("parts-in-inputs");
    let path = |name: &str| folder.join(name).to_str().expect("a path").to_owned();
    let (all, input, output) = (path(""), path("games.pgn"), path("out.pgn"));
    fs::write(&input, games()[..2].concat()).expect("written");
    let run = |input: &str, extra: &[&str]| {
        let run = [&["analyse", input, "-o"], extra, &NODES].concat();
        saavedra(&run, "")
    };
    for _ in 0..2 {
        assert_eq!(run(&all, &[&output]).status.code(), Some(0));
        let text = fs::read_to_string(&output).expect("an output");
        assert_eq!(text.matches("[Event ").count(), 2, "{text}");
    }
    let whole = fs::read_to_string(&input).expect("the input");
    for (inputs, extra) in [
        (&all, &[output.as_str(), "--shard", "1/2"][..]),
        (&input, &[input.as_str(), "--shard", "1/2"]),
        (&input, &[input.as_str(), "--games", "1"]),
    ] {
        let refused = run(inputs, extra);
        assert_eq!(refused.status.code(), Some(2), "{extra:?}: {}", stderr(&refused));
        assert!(stderr(&refused).contains(extra[0]), "{}", stderr(&refused));
        assert_eq!(fs::read_to_string(&input).expect("the input"), whole);
    }
}
