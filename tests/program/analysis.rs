//! `saavedra analyse` and `explain`: output and errors.

use crate::support::{folder, saavedra, stderr, stdout};
use saavedra::chess::Board;
use saavedra::formats::{self, Document, NodeId};
use serde_json::Value;

pub(crate) const GAMES: &str = "\
[Event \"Casual\"]
[White \"Anna\"]
[Black \"Ben\"]
[Result \"1-0\"]

1. e4 {[%eval 9.99]} e5 2. Qh5 {early} Nc6 3. Bc4 Nf6 $1 $18 (3... g6 4. Qf3) 4. Qxf7# 1-0

[Event \"Nine-sixty\"]
[Variant \"Chess960\"]
[SetUp \"1\"]
[FEN \"bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w EGeg - 0 1\"]

1. e4 f5 2. exf5 g6 3. Ng3 *
";

pub(crate) fn documents(text: &str) -> Vec<Document> {
    let pgn = formats::by_name("pgn").expect("a format");
    let read = pgn.read(Box::new(text.as_bytes()));
    read.collect::<Result<_, _>>().expect("games")
}

#[test]
fn annotated_games_have_an_evaluation_for_each_move() {
    let arguments = ["analyse", "-", "--nodes", "3000", "--threads", "1"];
    let output = saavedra(&arguments, GAMES);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(!text.contains("[%eval\n"), "{text}");
    let games = documents(&text);
    assert_eq!(games.len(), 2);
    for game in &games {
        assert!(game.tag("Annotator").is_some_and(|who| who.starts_with("Saavedra")));
        let played = game.tree.game();
        for (id, board) in game.tree.mainline_nodes().zip(&played.boards()[1..]) {
            let comment = &game.tree.node(id).comment;
            let expected = usize::from(!board.is_checkmate());
            assert_eq!(comment.matches("[%eval ").count(), expected, "{comment}");
        }
    }
    let tags = |game: &Document| {
        ["ECO", "Opening", "WhiteAccuracy"].map(|tag| game.tag(tag).map(str::to_owned))
    };
    let [eco, opening, accuracy] = tags(&games[0]);
    assert_eq!(eco.as_deref(), Some("C20"));
    assert!(opening.is_some_and(|name| name.starts_with("King's Pawn Game")));
    assert!(accuracy.is_some_and(|text| text.parse::<u32>().is_ok_and(|percent| percent <= 100)));
    assert_eq!(tags(&games[1])[..2], [None, None]);
    let tree = &games[0].tree;
    let nodes: Vec<_> = tree.mainline_nodes().map(|id| tree.node(id)).collect();
    assert!(!nodes[0].comment.contains("9.99"), "{}", nodes[0].comment);
    assert!(nodes[2].comment.ends_with("early"), "{}", nodes[2].comment);
    // The judgement replaces the old glyph, the other glyph is kept.
    assert_eq!(nodes[5].nags, [4, 18]);
    assert!(nodes[5].comment.starts_with("[%eval #1"), "{}", nodes[5].comment);
    assert!(tree.len() > tree.mainline_nodes().count(), "there is a variation");
    assert!(!nodes[6].comment.contains("%eval"), "no evaluation of checkmate");
    let given = documents(GAMES)[0].tree.len();
    assert!(tree.len() >= given, "the given variation is kept");
    assert!(games[1].chess960);
    let again = saavedra(&arguments, GAMES);
    assert_eq!(stdout(&again), text, "the same every time");
    let annotated_twice = saavedra(&arguments, &text);
    assert_eq!(stdout(&annotated_twice), text, "nothing is added twice");
}

#[test]
fn json_has_each_move() {
    let output = saavedra(&["analyse", "-", "--nodes", "3000", "--format", "json"], GAMES);
    let text = stdout(&output);
    let games: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(games.len(), 2);
    let moves = games[0]["moves"].as_array().expect("moves");
    assert_eq!(moves.len(), 7);
    assert_eq!(moves[5]["san"], "Nf6");
    assert_eq!(moves[5]["judgement"], "blunder");
    assert_eq!(moves[5]["eval"]["mate"], 1);
    assert_eq!(moves[6]["judgement"], "best");
    assert_eq!(games[0]["key_moments"], serde_json::json!([6]));
    assert_eq!(games[0]["black"]["blunders"], 1);
    assert_eq!(games[1]["moves"][0]["uci"], "e2e4");
    for m in moves {
        let wdl = m["wdl"].as_array().expect("chances");
        let sum: u64 = wdl.iter().filter_map(Value::as_u64).sum();
        assert_eq!(sum, 1000, "{m}");
    }
}

#[test]
fn json_has_the_certain_result_of_a_finished_game() {
    for (fen, status, wdl) in [
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "checkmate", [1000, 0, 0]),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "stalemate", [0, 1000, 0]),
        ("8/8/8/8/8/2k5/8/4K3 w - - 0 1", "insufficient_material", [0, 1000, 0]),
    ] {
        let output = saavedra(&["analyse", fen, "--nodes", "50", "--format", "json"], "");
        let value: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        assert_eq!(value["status"], status);
        assert_eq!(value["wdl"], serde_json::json!(wdl), "{value}");
    }
}

#[test]
fn a_finished_search_shows_no_made_up_depth() {
    let suite = "6k1/5ppp/8/8/8/8/8/R3K3 w - - bm Ra8#;\n";
    for format in ["json", "html"] {
        let arguments = ["analyse", "-", "--nodes", "200000", "--format", format];
        let text = stdout(&saavedra(&arguments, suite));
        assert!(!text.contains("239"), "{text}");
    }
    let fen = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1";
    let text = stdout(&saavedra(&["analyse", fen, "--nodes", "200000"], ""));
    assert!(text.contains("#1  depth 1 "), "{text}");
}

/// However short the time, a position gets enough nodes for a sound judgement.
#[test]
fn a_short_time_has_a_floor_of_nodes() {
    let arguments = ["analyse", "-", "--movetime", "1", "--format", "json"];
    let text = stdout(&saavedra(&arguments, "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n"));
    let game: Value = serde_json::from_str(&text).expect("JSON");
    for m in game["moves"].as_array().expect("moves") {
        assert!(m["nodes"].as_u64().is_some_and(|nodes| nodes >= 9_000), "{m}");
    }
    let arguments = ["analyse", "startpos", "--movetime", "1", "--threads", "1"];
    let text = stdout(&saavedra(&[&arguments[..], &["--format", "json"]].concat(), ""));
    let position: Value = serde_json::from_str(&text).expect("JSON");
    let nodes = position["nodes"].as_u64();
    assert!(nodes.is_some_and(|nodes| nodes >= 9_000), "{text}");
}

const SUITE: &str = "\
6k1/5ppp/8/8/8/8/8/R3K3 w - - bm Ra8#; id \"mate\";
6k1/5ppp/8/8/8/8/8/R3K3 w - - dm 1;
4k3/8/8/3q4/8/4N3/8/4K3 w - - bm Nxd5; am Ke2; id \"queen\";
";

#[test]
fn suites_are_scored_with_times() {
    let arguments = ["analyse", "-", "--nodes", "2000"];
    let output = saavedra(&arguments, SUITE);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert_eq!(text.lines().last(), Some("solved 3 of 3"), "{text}");
    assert!(text.starts_with("mate  "), "{text}");

    let failing = format!("{SUITE}6k1/5ppp/8/8/8/8/8/R3K3 w - - am Ra8#; id \"impossible\";\n");
    let output = saavedra(&arguments, &failing);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stdout(&output).lines().last(), Some("solved 3 of 4"));

    let output = saavedra(&[&arguments[..], &["--format", "json"]].concat(), &failing);
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    let rows: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(rows.len(), 5);
    assert_eq!(rows[2]["id"], "queen");
    assert_eq!(rows[2]["solved"], true);
    assert!(rows[2]["solved_ms"].is_u64(), "{}", rows[2]);
    assert_eq!(rows[3]["solved"], false);
    assert_eq!(rows[4], serde_json::json!({ "solved": 3, "of": 4 }));
}

#[test]
fn a_mate_may_stand_for_the_best_move() {
    for (fen, goal, solved) in [
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - -", "bm #1", 1),
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - -", "bm #2", 1),
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - -", "bm #1; am Ra8", 0),
        ("7k/8/4K3/6Q1/8/8/8/8 w - -", "bm #1", 0),
        ("7k/8/6K1/8/8/8/8/R7 b - -", "bm #-1", 1),
        ("4k3/8/8/3q4/8/4N3/8/4K3 w - -", "bm #9", 0),
    ] {
        let output = saavedra(&["analyse", "-", "--nodes", "2000"], format!("{fen} {goal};\n"));
        let text = stdout(&output);
        let total = format!("solved {solved} of 1");
        assert_eq!(text.lines().last(), Some(&*total), "{fen} {goal}: {text}{}", stderr(&output));
    }
}

#[test]
fn a_position_has_multipv_lines() {
    let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3";
    let output = saavedra(&["analyse", fen, "--multipv", "3", "--depth", "3"], "");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert_eq!(text.matches("depth 3").count(), 3, "{text}");
    let pgn = ["analyse", fen, "--multipv", "3", "--depth", "3", "--format", "pgn"];
    let games = documents(&stdout(&saavedra(&pgn, "")));
    assert_eq!(lines_in_comment(&games[0]), 3);
    let mated = "r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4";
    let output = saavedra(&["analyse", mated, "--depth", "3"], "");
    assert!(stdout(&output).contains("checkmate"), "{}", stdout(&output));
}

#[test]
fn control_characters_of_the_input_do_not_reach_the_terminal() {
    let record = "4k3/8/8/8/8/8/8/4K2R w K - bm O-O; id \"a\u{1b}]0;b\u{7}c\";\n";
    let output = saavedra(&["analyse", "-", "--format", "text", "--depth", "1"], record);
    let text = stdout(&output);
    assert!(text.starts_with("a ]0;b c "), "{text:?}");
}

/// The reviews of games show one line, so the nodes of others would be wasted.
#[test]
fn the_number_of_lines_makes_no_difference_to_games() {
    let arguments = ["analyse", "-", "--nodes", "2000", "--threads", "1"];
    let one = saavedra(&arguments, GAMES);
    let five = saavedra(&[&arguments[..], &["--multipv", "5"]].concat(), GAMES);
    assert_eq!(stdout(&one), stdout(&five));
}

#[test]
fn errors_of_the_input_are_reported() {
    let folder = folder("refused");
    let result = folder.join("result.pgn");
    let result = result.to_str().expect("a name");
    let bad_move = "1. e4 e5 2. Ke3 *\n\n";
    let cases: [(&[&str], &str, &str); 6] = [
        (&["-"], "8/8/8/8/8/8/8/8 w - - bm Ke2;\n", "-:1"),
        (&["-"], "", "-: "),
        (&["no-such-file.pgn"], "", "no-such-file.pgn: "),
        (&["-", "--nodes", "0"], GAMES, "0"),
        (&["-", "--total-time", "never"], GAMES, "never"),
        (&["-"], "\u{1}\u{2}\u{3}binary\u{0}rubbish", "-:1"),
    ];
    for (arguments, input, named) in cases {
        let arguments = [&["analyse", "-o", result], arguments].concat();
        let output = saavedra(&arguments, input);
        assert_eq!(output.status.code(), Some(2), "{arguments:?} {input}");
        assert!(stderr(&output).contains(named), "{}", stderr(&output));
        let left = std::fs::read_dir(&folder).expect("a folder").count();
        assert_eq!(left, 0, "nothing is written: {arguments:?}");
    }
    // A malformed game does not stop the analysis of the others.
    let output = saavedra(&["analyse", "-", "--nodes", "500"], format!("{bad_move}{GAMES}"));
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("saavedra: -:1:13: "), "{}", stderr(&output));
    assert_eq!(stderr(&output).lines().count(), 1);
    assert_eq!(documents(&stdout(&output)).len(), 2);
}

#[test]
fn several_files_are_analysed_and_a_missing_one_is_reported() {
    let folder = folder("several");
    let path = folder.join("games.pgn");
    std::fs::write(&path, GAMES).expect("written");
    let path = path.to_str().expect("a name");
    let missing = format!("{path}.missing.pgn");
    let output = saavedra(&["analyse", path, &missing, path, "--nodes", "500"], "");
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
    assert!(stderr(&output).contains("missing.pgn: "));
    assert_eq!(documents(&stdout(&output)).len(), 4);
}

#[test]
fn explain_says_that_a_game_is_over() {
    let mated = "r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4";
    let output = saavedra(&["explain", mated], "");
    assert_eq!(stdout(&output), "Game over: checkmate\n");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn explain_writes_json() {
    let fen = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3";
    let output = saavedra(&["explain", fen, "Nf6", "--nodes", "20000", "--json"], "");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let told: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(told["asked"]["uci"], "g8f6");
    assert_eq!(told["asked"]["eval"]["mate"], 1);
    assert_eq!(told["refutation"]["line"][0]["uci"], "h5f7");
    assert_eq!(told["refutation"]["effect"], "mate in 1");
    assert_eq!(told["threat"]["line"][0]["uci"], "h5f7");
    assert_eq!(told["pieces"].as_array().map(Vec::len), Some(32));
    assert!(told["line"][0]["uci"] == told["best"]["uci"] && told["best"]["uci"] != "g8f6");
    let mut pieces = told["pieces"].as_array().expect("pieces").iter();
    let queen = pieces.find(|piece| piece["square"] == "h5").expect("a queen");
    assert_eq!(queen["piece"], "Q");
    assert!(queen["value_cp"].as_i64().is_some_and(|value| value > 500));

    let text = stdout(&saavedra(&["explain", fen, "g8f6", "--nodes", "20000", "--long"], ""));
    assert!(text.starts_with(" 8  ♜ . ♝ ♛ ♚ ♝ ♞ ♜\n"), "{text}");
    assert!(text.contains("\nMove        3... Nf6 "), "{text}");
    assert!(text.contains("Answer      4. Qxf7# (mate in 1)"), "{text}");
    assert!(text.contains("Threat      4. Qxf7# (mate in 1)"), "{text}");
}

#[test]
fn a_tactic_of_the_side_to_move_is_no_threat_of_the_other() {
    for fen in ["6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "r3k3/8/8/8/8/8/5PPP/6K1 b - - 0 1"] {
        let output = saavedra(&["explain", fen, "--nodes", "20000", "--json"], "");
        let told: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        assert!(told["threat"].is_null(), "{fen}: {}", told["threat"]);
    }
}

#[test]
fn a_side_without_moves_has_no_accuracy() {
    for (format, expected) in [
        ("pgn", "Black: accuracy –,"),
        ("text", "Black: accuracy –,"),
        ("json", "\"accuracy\":null"),
        ("html", "% – –\""),
    ] {
        let arguments = ["analyse", "-", "--nodes", "1000", "--format", format];
        let output = stdout(&saavedra(&arguments, "1. e4 *\n"));
        // PGN breaks lines.
        assert!(output.replace('\n', " ").contains(expected), "{format}: {output}");
    }
}

/// A best line of one move has no reply; the reply comes from the search after the move.
#[test]
fn explain_goes_on_after_a_shallow_best_move() {
    let arguments = ["explain", "startpos", "--depth", "1"];
    let told = saavedra(&[&arguments[..], &["--json"]].concat(), "");
    let told: Value = serde_json::from_str(&stdout(&told)).expect("JSON");
    let best = told["best"]["uci"].as_str().expect("a move");
    let arguments = ["explain", "startpos", best, "--depth", "1", "--long"];
    let text = stdout(&saavedra(&arguments, ""));
    assert!(text.contains("\nGoes on     1... "), "{text}");
}

#[test]
fn evaluations_and_chances_in_json_are_those_of_white() {
    for (turn, m, own_chances) in [
        ("w", "Kd2", "(win 100 %, draw 0 %, loss 0 % for the side"),
        ("b", "Kd7", "(win 0 %, draw 0 %, loss 100 % for the side"),
    ] {
        let fen = &format!("4k3/8/8/8/8/8/8/4K2R {turn} - - 0 1");
        for command in [
            &["explain", fen, m, "--nodes", "2000", "--json"][..],
            &["analyse", fen, "--nodes", "2000", "--format", "json"],
        ] {
            let output = saavedra(command, "");
            let value: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
            for eval in [&value["eval"], &value["static"], &value["asked"]["eval"]] {
                let score = eval.get("cp").or(eval.get("mate")).and_then(Value::as_i64);
                assert!(score.is_none_or(|score| score > 0), "{command:?}: {value}");
            }
            assert_eq!(value["wdl"], serde_json::json!([1000, 0, 0]), "{command:?}");
        }
        let text = stdout(&saavedra(&["explain", fen, "--nodes", "2000", "--long"], ""));
        assert!(text.contains(own_chances), "{text}");
    }
}

#[test]
fn explain_refuses_with_the_reason() {
    let start = Board::startpos().to_fen();
    let cases: [(&[&str], &str); 4] = [
        (&["explain", &start, "e5"], "illegal move"),
        (&["explain", &start, "g1g3"], "illegal move g1g3: that piece cannot move there"),
        (&["explain", "8/8/8/8/8/8/8/8 w - - 0 1"], "king"),
        (&["explain", "rubbish"], "malformed FEN"),
    ];
    for (arguments, reason) in cases {
        let output = saavedra(arguments, "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty());
        assert!(stderr(&output).contains(reason), "{}", stderr(&output));
    }
}

/// A game that the fifty-move rule has ended has no answer.
#[test]
fn explain_knows_the_end_by_the_fifty_move_rule() {
    let fen = "8/8/8/4k3/8/2r5/3QK3/8 b - - 99 80";
    let arguments = ["explain", fen, "Kf6", "--nodes", "5000"];
    let told = stdout(&saavedra(&[&arguments[..], &["--json"]].concat(), ""));
    let told: Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!(told["asked"]["eval"]["cp"], 0, "{told}");
    assert_eq!(told["refutation"]["line"], serde_json::json!([]), "{told}");
    assert_eq!(told["refutation"]["effect"], "", "{told}");
    let text = stdout(&saavedra(&[&arguments[..], &["--long"]].concat(), ""));
    assert!(text.contains("     fifty moves\n"), "{text}");

    let over = fen.replace(" 99 ", " 100 ");
    let told = stdout(&saavedra(&["explain", &over, "--nodes", "5000", "--json"], ""));
    let told: Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!(told["eval"]["cp"], 0, "{told}");
    assert!(told["best"].is_null() && told["threat"].is_null(), "{told}");
}

#[test]
fn a_position_is_searched_by_all_threads() {
    let nodes = |threads| {
        let limits = ["--depth", "13", "--threads", threads, "--format", "json"];
        let text = stdout(&saavedra(&[&["analyse", "startpos"], &limits[..]].concat(), ""));
        let position: Value = serde_json::from_str(&text).expect("JSON");
        position["nodes"].as_u64().expect("nodes")
    };
    assert_eq!(nodes("1"), nodes("1"), "one thread always searches the same");
    assert_ne!(nodes("1"), nodes("2"));
}

#[test]
fn a_set_up_position_of_a_pgn_has_multipv_lines() {
    let fen = "4k3/8/8/8/8/8/8/R3K3 w - - 0 1";
    let pgn = format!("[White \"Anna\"]\n[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n*\n");
    let run = |format| {
        let limits = ["--depth", "3", "--multipv", "3", "--format", format];
        let arguments = [&["analyse", "-"], &limits[..]].concat();
        stdout(&saavedra(&arguments, &pgn))
    };
    let text = run("text");
    assert!(text.starts_with(fen), "{text}");
    assert_eq!(text.matches("  depth ").count(), 3, "{text}");
    let position: Value = serde_json::from_str(&run("json")).expect("JSON");
    assert_eq!(position["tags"]["White"], "Anna");
    assert_eq!(position["lines"].as_array().map(Vec::len), Some(3));
    let games = documents(&run("pgn"));
    assert_eq!(lines_in_comment(&games[0]), 3);
    // A second analysis replaces the lines of the first one.
    let again = saavedra(&["analyse", "-", "--depth", "3"], run("pgn"));
    let games = documents(&stdout(&again));
    assert_eq!(lines_in_comment(&games[0]), 1, "{}", stdout(&again));
}

/// The number of lines of the engine in the comment of a game without moves.
fn lines_in_comment(game: &Document) -> usize {
    assert!(game.tree.is_empty(), "the moves of a game are those that were played");
    let comment = &game.tree.node(NodeId::ROOT).comment;
    let (_, lines) = comment.split_once("Lines: ").expect("lines");
    assert!(!lines.contains("Lines: "), "{comment}");
    lines.matches(" (").count()
}

#[test]
fn glyphs_of_an_earlier_analysis_go_with_its_sentence() {
    let sentence = "{[%eval -3.00] Blunder (0.31 to -3.00): d4 was better. mine}";
    for (comment, nags) in [(sentence, &[18][..]), ("{mine}", &[4, 18])] {
        let game = format!("1. e4 $4 $18 {comment} e5 *\n");
        let games = stdout(&saavedra(&["analyse", "-", "--nodes", "3000"], game));
        let tree = &documents(&games)[0].tree;
        let first = tree.mainline_nodes().next().expect("a move");
        let first = tree.node(first);
        assert_eq!(first.nags, nags, "{games}");
        assert!(first.comment.ends_with("] mine"), "{games}");
    }
}
