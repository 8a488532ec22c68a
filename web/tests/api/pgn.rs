//! Tests of `/api/v1/pgn/read`, `/pgn/write` and `/pgn/main-lines`.

use crate::support::Server;
use crate::support::http::{post, post_as};
use serde_json::{Value, json};

const READ: &str = "/api/v1/pgn/read";
const WRITE: &str = "/api/v1/pgn/write";
const MAIN_LINES: &str = "/api/v1/pgn/main-lines";

fn read(server: &Server, pgn: &str) -> Vec<Value> {
    let answer = post(server.address, READ, &json!({ "pgn": pgn })).json();
    answer["games"].as_array().expect("games").clone()
}

fn write(server: &Server, games: &[Value]) -> String {
    let answer = post(server.address, WRITE, &json!({ "games": games })).json();
    answer["pgn"].as_str().expect("a PGN").to_owned()
}

#[test]
fn a_game_is_a_list_of_moves_each_with_the_one_before_it() {
    let server = Server::start();
    let text = "[White \"Ann \\\"A\\\"\"]\n[Odd \"x\"]\n\n{start} 1. e4! {good} ({why} 1. d4 d5 (1... Nf6)) \
                (1. c4) 1... e5 2. -- 1/2-1/2";
    let expected = json!({
        "tags": [["White", "Ann \"A\""], ["Odd", "x"]],
        "result": "1/2-1/2",
        "chess960": false,
        "nodes": [
            { "after": [{ "comment": "start" }] },
            { "san": "e4", "after": [{ "nag": 1 }, { "comment": "good" }] },
            { "san": "e5" },
            { "san": "--" },
            { "parent": 0, "san": "d4", "before": [{ "comment": "why" }] },
            { "san": "d5" },
            { "parent": 4, "san": "Nf6" },
            { "parent": 0, "san": "c4" },
        ],
    });
    assert_eq!(read(&server, text), [expected]);
}

/// The PGN that is read as these games, and is written for them.
#[test]
fn written_games_are_read_as_the_same() {
    let server = Server::start();
    let text = include_str!("../modules/tricky.pgn");
    let games = read(&server, text);
    assert!(games.iter().all(|game| game["warnings"].is_null()));
    let names = games.iter().map(|game| &game["tags"][0][1]);
    let expected = [
        "NAGs and comments \"everywhere\"",
        "No result token",
        "Only a comment",
        "Set up, Black to move",
        "Null moves",
    ];
    assert_eq!(names.clone().take(5).collect::<Vec<_>>(), expected);
    assert!(names.skip(5).all(Value::is_null) && games.len() == 7);
    let written = write(&server, &games);
    assert_eq!(write(&server, &read(&server, &written)), written);
}

#[test]
fn annotations_and_numbers_are_written_as_they_were_read() {
    let server = Server::start();
    for (text, expected) in [
        ("1. e4 $1 e5 $2 $18 *", None),
        ("1. e4 {a} {b} e5 *", Some("1. e4 {a b} 1... e5 *")),
        ("{start} 1. e4 *", None),
        ("1. e4 ($142 1. d4 d5) 1... e5 *", None),
        ("1. e4 ({why} 1. d4 {so} 1... d5) 1... e5 *", None),
        ("1. e4 (1. d4) (1. c4 e5 (1... c5)) 1... e5 1-0", None),
        ("1. e4 {[%cal Gd2d4] [%csl Re5]} 1... e5 *", None),
        ("1. e4 e5 2. Nf3 (2. f4 exf4 (2... d5 3. exd5)) 2... Nc6 0-1", None),
        ("1. e4 -- 2. d4 1/2-1/2", None),
        ("1. e4 +- 1... e5 = *", Some("1. e4 $18 e5 $10 *")),
        ("1. e4 {a {b c} e5 ; x}\n 2. d4", Some("1. e4 {a {b c} 1... e5 {x)} 2. d4 *")),
        // The rest of a line with an illegal move is not lost.
        ("1. e4 e5 2. Ke3 Nf6 1-0", Some("1. e4 e5 {Ke3 Nf6} 1-0")),
    ] {
        let games = read(&server, text);
        let written = write(&server, &games).replace('\n', " ");
        let movetext = written.rsplit("\"]  ").next().expect("movetext").trim();
        assert_eq!(movetext, expected.unwrap_or(text));
    }
}

#[test]
fn what_is_wrong_in_a_game_is_a_warning() {
    let server = Server::start();
    for (text, expected) in [
        ("1. e4 e5 2. Ke3 Nf6", "illegal move: no legal move matches \"Ke3\""),
        ("1. e4 resigns", "illegal move: \"resigns\" is not the text of a move"),
        ("[FEN \"8/8 w\"]\n\n1. e4", "malformed FEN: 2 ranks instead of 8"),
        ("[Variant \"Atomic\"]\n\n1. e4", "unsupported variant \"Atomic\""),
        ("1. e4 {open", "comment is not closed"),
    ] {
        let games = read(&server, &format!("{text}\n\n[Event \"next\"]\n\n1. d4 *"));
        assert_eq!(games[0]["warnings"], json!([expected]), "{text}");
        assert_eq!((games.len(), &games[1]["warnings"]), (2, &Value::Null), "{text}");
        // The tags stay as they are.
        for tag in games[0]["tags"].as_array().expect("tags") {
            let line = format!("[{} {}]\n", tag[0].as_str().expect("a name"), tag[1]);
            assert!(write(&server, &games).contains(&line), "{line}");
        }
    }
}

#[test]
fn an_illegal_move_of_a_request_and_what_follows_it_is_a_comment() {
    let server = Server::start();
    let nodes = json!([
        { "after": [{ "comment": "start" }] },
        { "san": "e2e4" },
        { "san": "e5" },
        { "san": "Ke3", "before": [{ "comment": "why" }], "after": [{ "nag": 2 }, { "comment": "oops" }] },
        { "san": "Nf6" },
        { "parent": 2, "san": "Nf3" },
        { "parent": 3, "san": "d6" },
    ]);
    let game = json!({ "tags": [], "result": "*", "nodes": nodes });
    let written = write(&server, &[game]);
    let expected = "{start} 1. e4 e5 {why Ke3 $2 oops Nf6 d6} 2. Nf3 *\n";
    assert!(written.ends_with(expected), "{written}");
}

#[test]
fn chess960_follows_from_the_tags_or_is_asked_for() {
    let server = Server::start();
    let fen = "1k6/8/8/8/8/8/8/1K4RR w G - 0 1";
    for (text, chess960) in [
        (format!("[FEN \"{fen}\"]\n\n1. O-O *"), true),
        ("[Variant \"Fischerandom\"]\n\n*".to_owned(), true),
        ("1. e4 *".to_owned(), false),
    ] {
        assert_eq!(read(&server, &text)[0]["chess960"], chess960, "{text}");
    }
    let game = json!({ "tags": [], "result": "*", "chess960": true, "nodes": [{}] });
    assert!(write(&server, &[game]).contains("[Variant \"Chess960\"]"));
}

#[test]
fn variations_may_be_nested_deeply_and_games_long() {
    let server = Server::start();
    let deep = format!("1. e4 {}", "(1. d4 ".repeat(20_000));
    assert_eq!(write(&server, &read(&server, &deep)).matches("d4").count(), 20_000);
    let long = "Nf3 Nf6 Ng1 Ng8 ".repeat(3_000);
    let games = read(&server, &long);
    assert_eq!(games[0]["nodes"].as_array().map(Vec::len), Some(12_001));
    assert_eq!(read(&server, &write(&server, &games))[0]["nodes"], games[0]["nodes"]);
}

#[test]
fn main_lines_have_the_positions_of_their_legal_moves() {
    let server = Server::start();
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let after_e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    let ending = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    for (tags, moves, expected) in [
        (json!([]), vec![], vec![start]),
        (json!([]), vec!["e4"], vec![start, after_e4]),
        (json!([]), vec!["e2e4", "e4", "e5"], vec![start, after_e4]),
        (json!([]), vec!["e4", "--", "d4"], vec![start, after_e4]),
        (json!([["FEN", ending]]), vec!["O-O"], vec![ending, "4k3/8/8/8/8/8/8/5RK1 b - - 1 1"]),
    ] {
        let nodes = moves.iter().map(|san| json!({ "san": san }));
        let mut nodes: Vec<Value> = [json!({})].into_iter().chain(nodes).collect();
        // A variation is not in the main line.
        nodes.extend((!moves.is_empty()).then(|| json!({ "parent": 0, "san": "Nc3" })));
        let game = json!({ "tags": tags, "result": "*", "nodes": nodes });
        let request = json!({ "games": [game, game] });
        let answer = post(server.address, MAIN_LINES, &request).json();
        assert_eq!(answer["games"], json!([expected, expected]), "{moves:?}");
    }
}

#[test]
fn malformed_requests_are_refused_with_the_field() {
    let server = Server::start();
    let game = |nodes: Value| json!({ "games": [{ "tags": [], "result": "*", "nodes": nodes }] });
    for (path, body, field) in [
        (READ, json!({}), "pgn"),
        (READ, json!({ "pgn": 1 }), "pgn"),
        (READ, json!({ "fen": "startpos" }), "fen"),
        (WRITE, json!({}), "body"),
        (WRITE, json!({ "pgn": "" }), "pgn"),
        (WRITE, game(json!([{}, { "parent": 1, "san": "e4" }])), "games[0].nodes[1].parent"),
        (MAIN_LINES, game(json!([{}, { "parent": 1, "san": "e4" }])), "games[0].nodes[1].parent"),
        (MAIN_LINES, json!({ "fen": "startpos" }), "fen"),
        (WRITE, game(json!([{}, { "san": 1 }])), "games[0].nodes[1].san"),
        (WRITE, game(json!([{ "after": [{ "nag": 256 }] }])), "games[0].nodes[0].after[0].nag"),
        (
            WRITE,
            json!({ "games": [{ "tags": [], "result": "2-0", "nodes": [] }] }),
            "games[0].result",
        ),
    ] {
        let response = post(server.address, path, &body);
        assert_eq!((response.status, &response.problem()["field"]), (400, &json!(field)), "{body}");
    }
    assert_eq!(post_as(server.address, WRITE, "text/plain", b"1. e4").status, 415);
    for (content_type, body) in [("text/plain", "1. e4"), ("application/x-chess-pgn", "1. e4")] {
        let games = post_as(server.address, READ, content_type, body.as_bytes()).json();
        assert_eq!(games["games"][0]["nodes"][1]["san"], "e4", "{content_type}");
    }
}

#[test]
fn bodies_are_limited() {
    let server = Server::with(|config| config.max_body = 1);
    let comment = |length| json!([{ "after": [{ "comment": "x".repeat(length) }] }]);
    let game =
        |length| json!({ "games": [{ "tags": [], "result": "*", "nodes": comment(length) }] });
    for (path, body, status) in [
        (READ, json!({ "pgn": "x ".repeat(400) }), 200),
        (READ, json!({ "pgn": "x ".repeat(600) }), 413),
        (WRITE, game(3000), 200),
        (WRITE, game(5000), 413),
        (MAIN_LINES, game(3000), 200),
        (MAIN_LINES, game(5000), 413),
    ] {
        assert_eq!(post(server.address, path, &body).status, status, "{path}");
    }
}
