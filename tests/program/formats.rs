//! `saavedra show` and `saavedra convert`: output, errors, exit statuses.

use crate::support::{folder, saavedra, stderr, stdout};

#[test]
fn show_writes_json() {
    let fen = "r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4";
    let output = saavedra(&["show", "--json", fen], "");
    assert_eq!(output.status.code(), Some(0));
    let expected = format!(
        "{{\"fen\":\"{fen}\",\"turn\":\"black\",\"chess960\":false,\"legal\":[],\"check\":true,\
         \"checkers\":[\"f7\"],\"pinned\":[],\"status\":\"checkmate\",\"repairs\":[]}}\n"
    );
    assert_eq!(stdout(&output), expected);

    let fen = "1r2k1r1/1p4p1/8/8/8/8/1P4P1/1R2K1R1 w KQkq - 0 1";
    let output = saavedra(&["show", "--json", fen], "");
    let text = stdout(&output);
    assert!(text.contains("\"chess960\":true"), "{text}");
    assert!(text.contains("{\"uci\":\"e1g1\",\"san\":\"O-O\"}"), "{text}");
}

#[test]
fn show_takes_fens_files_and_games() {
    let drawn = saavedra(&["show"], "");
    assert_eq!(drawn.status.code(), Some(0));
    let text = stdout(&drawn);
    assert!(text.starts_with(" 8  ♜ ♞ ♝ ♛ ♚ ♝ ♞ ♜\n"), "{text}");
    assert!(text.contains("Moves 20"), "{text}");
    assert!(!text.contains('\x1b'), "colours are for terminals");

    let words = ["show", "--json", "8/8/8/8/8/5k2/4p3/4K3", "w", "-", "-", "0", "1"];
    assert!(stdout(&saavedra(&words, "")).contains("\"san\":\"Kd2\""));

    let shuffling = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 *\n";
    let game = saavedra(&["show", "--json", "-"], shuffling);
    assert!(stdout(&game).contains("\"status\":\"threefold\""));

    let two = saavedra(
        &["show", "--json", "-"],
        "k7/8/8/8/8/8/8/K7 w - - 0 1\nk7/8/8/8/8/8/8/K7 b - - 0 1\n",
    );
    assert_eq!(stdout(&two).lines().count(), 2);
}

#[test]
fn show_lists_repairs() {
    let output = saavedra(&["show", "4k3/8/8/8/8/8/8/4K3 w K e6 0 0"], "");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stdout(&output).matches("Repaired").count(), 3);
}

#[test]
fn convert_works_between_all_formats() {
    let fen = "r3k2r/pppq1ppp/2n2n2/3pp3/1b2P3/2NP1N2/PPP2PPP/R1BQKB1R b KQkq - 3 7\n";
    let formats = ["fen", "epd", "html", "array", "ascii", "unicode", "svg", "pgn", "uci"];
    for through in formats {
        let there = saavedra(&["convert", "--from", "fen", "--to", through], fen);
        assert_eq!(there.status.code(), Some(0), "{through}");
        let back = saavedra(&["convert", "--from", through, "--to", "fen"], stdout(&there));
        assert_eq!(back.status.code(), Some(0), "{through}: {}", stderr(&back));
        let field = |text: &str| text.split(' ').next().map(str::to_owned);
        assert_eq!(field(&stdout(&back)), field(fen), "{through}");
        let exact = !["array", "ascii", "unicode"].contains(&through);
        assert_eq!(stdout(&back) == fen, exact, "{through}");
        // The format is also guessed from the content.
        let told = saavedra(&["convert", "--to", "fen", "-"], stdout(&there));
        assert_eq!(stdout(&told), stdout(&back), "{through}");
    }
}

/// File name, invalid text, message after the name.
const REFUSED: &[(&str, &[u8], &str)] = &[
    ("a.fen", b"k7/8/8/8/8/8/8/K7 w - - 0 1\nk7/8 w", ":2:1: malformed FEN: 2 ranks instead of 8"),
    ("b.html", b"<td data-col=a data-row=1>", ":1: missing squares b1"),
    ("c.pgn", b"1. e4 e5 2. Ke3", ":1:13: game 1: illegal move"),
    ("d.fen", b"\0\x9f\x92\x96", ":1:1: not a text: zero byte"),
    ("e.pgn", b"\0\x9f\x92\x96", ":1:1: game 1: not a text: zero byte"),
    ("f.array", b"7", ":1:1: 7 on a8 is not a piece"),
    ("g.fen", b"", ": no position found"),
];

#[test]
fn errors_have_a_location_and_leave_no_files() {
    let folder = folder("refusals");
    let result = folder.join("result");
    let result = result.to_str().expect("a name");
    for (name, text, message) in REFUSED {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("written");
        let input = path.to_str().expect("a name");
        let (_, from) = name.rsplit_once('.').expect("an ending");
        for to in ["uci", "html", "svg"] {
            let convert = ["convert", "--from", from, "--to", to, input];
            let to_file = saavedra(&[&convert[..], &["-o", result]].concat(), "");
            let to_stdout = saavedra(&convert, "");
            for output in [to_file, to_stdout] {
                assert_eq!(output.status.code(), Some(2), "{name}");
                assert!(output.stdout.is_empty(), "{name} to {to}");
                let said = stderr(&output);
                let expected = format!("saavedra: {input}{message}");
                assert!(said.starts_with(&expected), "{said}");
                assert_eq!(said.lines().count(), 1, "{said}");
            }
            let left = std::fs::read_dir(&folder).expect("a folder").count();
            assert_eq!(left, 1, "only the input is there");
        }
        let shown = saavedra(&["show", input], "");
        let status = if shown.stdout.is_empty() { 2 } else { 3 };
        assert_eq!(shown.status.code(), Some(status), "{name}");
        std::fs::remove_file(&path).expect("removed");
    }
}

#[test]
fn many_inputs_are_converted_to_one_output() {
    let folder = folder("many");
    let path = |name: &str| folder.join(name).to_str().expect("a path").to_owned();
    let (a, b, missing, all) = (path("a.pgn"), path("b.uci"), path("missing.pgn"), path("all.uci"));
    std::fs::write(&a, "1. e4 e5 *\n\n1. d4 *\n").expect("written");
    std::fs::write(&b, "c2c4\n").expect("written");
    let whole = "e2e4 e7e5\nd2d4\nc2c4\n";
    let convert = |inputs: &[&str]| saavedra(&[&["convert", "--to", "uci"], inputs].concat(), "");
    assert_eq!(stdout(&convert(&[&a, &b])), whole);
    assert_eq!(stdout(&convert(&[folder.to_str().expect("a path")])), whole, "a folder");
    // An input that cannot be opened is named, and the others are read.
    let output = convert(&[&a, &missing, &b]);
    assert_eq!((stdout(&output).as_str(), output.status.code()), (whole, Some(3)));
    assert!(stderr(&output).contains("missing.pgn: "), "{}", stderr(&output));
    assert_eq!(convert(&[&missing]).status.code(), Some(2));
    // To a file only if asked.
    for (extra, status, is_written) in [(&[][..], 2, false), (&["--keep-prefix"], 3, true)] {
        let output = convert(&[&[a.as_str(), &missing, &b, "-o", &all], extra].concat());
        let written = std::fs::read_to_string(&all).ok();
        assert_eq!(output.status.code(), Some(status), "{output:?}");
        assert_eq!(written.as_deref(), is_written.then_some(whole));
    }
    // An unquoted FEN is one input.
    let fen = "4k3/8/8/8/8/8/8/4K3 w - - 0 1";
    let words: Vec<&str> = ["convert", "--to", "fen"].into_iter().chain(fen.split(' ')).collect();
    assert_eq!(stdout(&saavedra(&words, "")), format!("{fen}\n"));
}

#[test]
fn a_malformed_game_does_not_stop_the_others() {
    let games =
        "[Event \"a\"]\n\n1. e4 *\n\n[Event \"b\"]\n\n1. e5 *\n\n[Event \"c\"]\n\n1. d4 *\n";
    let output = saavedra(&["convert", "--from", "pgn", "--to", "uci"], games);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(stdout(&output), "e2e4\nd2d4\n");
    let said = stderr(&output);
    assert!(said.starts_with("saavedra: -:7:4: game 2: illegal move: "), "{said}");
    assert_eq!(said.lines().count(), 1);
}

#[test]
fn a_file_is_replaced_only_by_complete_output() {
    let folder = folder("results");
    let target = folder.join("board.svg");
    let path = target.to_str().expect("a name");
    std::fs::write(&target, "old").expect("written");
    let bad = saavedra(&["convert", "--from", "fen", "--to", "svg", "-o", path], "x");
    assert_eq!(bad.status.code(), Some(2));
    assert_eq!(std::fs::read_to_string(&target).expect("kept"), "old");
    let good = saavedra(&["convert", "--to", "svg", "k7/8/8/8/8/8/8/K7 w - - 0 1", "-o", path], "");
    assert_eq!(good.status.code(), Some(0), "{}", stderr(&good));
    assert!(std::fs::read_to_string(&target).expect("new").starts_with("<svg"));
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 1);
    let nowhere = folder.join("none/board.svg");
    let path = nowhere.to_str().expect("a name");
    let lost = saavedra(&["convert", "--to", "svg", "k7/8/8/8/8/8/8/K7 w - - 0 1", "-o", path], "");
    assert_eq!(lost.status.code(), Some(2));
    assert!(stderr(&lost).starts_with(&format!("saavedra: {path}: ")));
}

#[test]
fn wrong_usage_is_refused() {
    for arguments in [
        &["convert"][..],
        &["convert", "--to", "docx", "-"],
        &["convert", "--to", "html", "--arrow", "e2", "-"],
        &["convert", "--to", "html", "no-such-file"],
        &["show", "no-such-file"],
        &["show", "k7/8/8/8/8/8/8/K7 x"],
        &["show", "--no-such-flag"],
    ] {
        let output = saavedra(arguments, "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(!output.stderr.is_empty() && output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn arrows_and_marks_are_added() {
    let output = saavedra(
        &[
            "convert",
            "--from",
            "fen",
            "--to",
            "html",
            "--flip",
            "--arrow",
            "Re2e4",
            "--mark",
            "d5",
            "--last-move",
            "b1c3",
        ],
        "k7/8/8/8/8/8/8/K7 w - - 0 1",
    );
    let page = stdout(&output);
    for part in ["data-flipped", "data-last=\"b1c3\"", "data-shapes=\"Re2e4 Gd5\"", "<path d=\"M"] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn castling_as_the_last_move_goes_to_the_target_square_of_the_king() {
    let chess960 = "fen 1r2k1r1/1p4p1/8/8/8/8/1P4P1/1R2K1R1 w KQkq - 0 1";
    let standard = "fen 4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
    for (position, castling, last) in
        [(standard, "e1g1", "e1g1"), (standard, "e1c1", "e1c1"), (chess960, "e1b1", "e1c1")]
    {
        let game = format!("position {position} moves {castling}\n");
        let page = stdout(&saavedra(&["convert", "--to", "html", "-"], &game));
        assert!(page.contains(&format!("data-last=\"{last}\"")), "{page}");
    }
}

#[test]
fn convert_counts_repaired_positions() {
    // A move number of 0, and castling rights without a rook.
    let fens = "4k3/8/8/8/8/8/8/4K3 w - - 0 0\n4k3/8/8/8/8/8/8/4K3 w K - 0 1\n";
    let output = saavedra(&["convert", "--to", "fen", "-"], fens);
    let message = "saavedra: -: positions that were repaired: 2\n";
    assert_eq!(stderr(&output), message);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn show_takes_several_inputs_and_reports_a_missing_one() {
    let folder = folder("several-formats");
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("written");
        path.to_str().expect("a name").to_owned()
    };
    let first = file("first.fen", "k7/8/8/8/8/8/8/K7 w - - 0 1\nk7/8\n");
    let second = file("second.pgn", "1. e4 *\n");
    let missing = format!("{first}.missing.fen");
    let array = "[[0,0,0,0,0,0,0,-6],[0,0,0,0,0,0,0,0],[0,0,0,0,0,0,0,0],[0,0,0,0,0,0,0,0],\
                 [0,0,0,0,0,0,0,0],[0,0,0,0,0,0,0,0],[0,0,0,0,0,0,0,0],[6,0,0,0,0,0,0,0]]";
    let position = "position startpos moves e2e4";
    let inputs = [&first, &missing, &second, "startpos", array, position];
    let output = saavedra(&[&["show", "--json"], &inputs[..]].concat(), "");
    assert_eq!(output.status.code(), Some(3));
    let shown: Vec<serde_json::Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let fens: Vec<&str> = shown.iter().filter_map(|shown| shown["fen"].as_str()).collect();
    let after_e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    assert_eq!(
        fens,
        [
            "k7/8/8/8/8/8/8/K7 w - - 0 1",
            after_e4,
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "7k/8/8/8/8/8/8/K7 w - - 0 1",
            after_e4,
        ]
    );
    let errors = stderr(&output);
    let errors: Vec<&str> = errors.lines().collect();
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(errors[0].contains("first.fen:2:1: "), "{errors:?}");
    assert!(errors[1].contains("missing.fen: "), "{errors:?}");
    let words = ["show", "k7/8/8/8/8/8/8/K7", "w", "-", "-"];
    assert_eq!(saavedra(&words, "").status.code(), Some(0));
}
