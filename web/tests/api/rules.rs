//! Tests of `/api/v1/moves` and `/api/v1/make`, with every form of a position.

use crate::support::Server;
use crate::support::http::{get, post, post_as};
use serde_json::{Value, json};

const MOVES: &str = "/api/v1/moves";
const MAKE: &str = "/api/v1/make";

fn legal(view: &Value) -> Vec<&str> {
    let moves = view["legal"].as_array().expect("legal moves");
    moves.iter().filter_map(|m| m["uci"].as_str()).collect()
}

#[test]
fn a_position_is_described_with_its_legal_moves() {
    let server = Server::start();
    let view = post(server.address, MOVES, &json!({"fen": "startpos"})).json();
    assert_eq!(legal(&view).len(), 20);
    assert_eq!((&view["turn"], &view["status"]), (&json!("white"), &json!("ongoing")));
    let check = json!({"fen": "4k3/8/8/8/7b/8/3P4/4K3 w - - 0 1"});
    let view = post(server.address, MOVES, &check).json();
    assert_eq!(view["check"], true);
    assert_eq!(view["checkers"], json!(["h4"]));
}

#[test]
fn castling_has_the_squares_of_king_and_rook() {
    let server = Server::start();
    let castle = |body: &Value| {
        let view = post(server.address, MOVES, body).json();
        let moves = view["legal"].as_array().expect("legal moves").clone();
        moves.into_iter().find(|m| m["san"] == "O-O").expect("castling is legal")
    };
    let fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    let standard = castle(&json!({ "fen": fen }));
    assert_eq!(
        (&standard["uci"], &standard["to"], &standard["rook"]),
        (&json!("e1g1"), &json!("g1"), &json!("h1"))
    );
    assert_eq!(castle(&json!({"fen": fen, "chess960": true}))["uci"], "e1h1");
}

#[test]
fn the_status_follows_the_rules() {
    let server = Server::start();
    let twice = ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(2);
    let cases = [
        (json!({"moves": ["f2f3", "e7e5", "g2g4", "d8h4"]}), "checkmate"),
        (json!({"fen": "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"}), "stalemate"),
        (json!({"fen": "7k/8/6K1/8/8/8/8/8 b - - 0 1"}), "insufficient_material"),
        (json!({"fen": "7k/8/6K1/8/8/8/8/R7 b - - 100 80"}), "fifty_moves"),
        (json!({"moves": twice}), "threefold"),
    ];
    for (body, status) in cases {
        let view = post(server.address, MOVES, &body).json();
        assert_eq!(view["status"], status, "{body}");
    }
}

#[test]
fn the_history_has_every_position() {
    let server = Server::start();
    let body = json!({"moves": ["e2e4", "Nf6"], "history": true});
    let view = post(server.address, MOVES, &body).json();
    let history = view["history"].as_array().expect("a history");
    let sans: Vec<_> = history.iter().map(|played| played["san"].clone()).collect();
    assert_eq!(sans, ["e4", "Nf6"]);
    assert_eq!(history[1]["fen"], view["fen"]);
    assert!(
        post(server.address, MOVES, &json!({"fen": "startpos"})).json().get("history").is_none()
    );
}

#[test]
fn moves_are_accepted_in_uci_and_san() {
    let server = Server::start();
    for text in ["g1f3", "Nf3", " Nf3 "] {
        let body = json!({"moves": ["e2e4", "e7e5"], "move": text});
        let view = post(server.address, MAKE, &body).json();
        let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2";
        assert_eq!((&view["fen"], &view["move"]["san"]), (&json!(fen), &json!("Nf3")));
    }
}

#[test]
fn illegal_moves_are_refused_with_the_reason() {
    let server = Server::start();
    let pinned = "4k3/8/8/8/4r3/8/4N3/4K3 w - - 0 1";
    let castling = "4k3/8/8/8/5r2/8/8/4K2R w K - 0 1";
    let cases = [
        (json!({"fen": "startpos", "move": "e2e5"}), "move", "cannot move there"),
        (json!({"fen": "startpos", "move": "e4e5"}), "move", "no piece"),
        (json!({"fen": "startpos", "move": "e7e5"}), "move", "other side"),
        (json!({"fen": pinned, "move": "e2c3"}), "move", "leaves the king in check"),
        (json!({"fen": castling, "move": "e1g1"}), "move", "through check"),
        (json!({"fen": "startpos", "move": "Nd5"}), "move", "no legal move"),
        (json!({"fen": "startpos", "move": "hello"}), "move", "not the text of a move"),
        (json!({"moves": ["e2e4", "e2e4"], "move": "e7e5"}), "moves[1]", "no piece"),
    ];
    for (body, field, reason) in cases {
        let response = post(server.address, MAKE, &body);
        let problem = response.problem();
        assert_eq!((response.status, &problem["field"]), (422, &json!(field)), "{body}");
        let detail = problem["detail"].as_str().expect("a detail");
        assert!(detail.contains(reason), "{body}: {detail}");
    }
}

#[test]
fn invalid_positions_are_refused_with_every_error() {
    let server = Server::start();
    let cases = [
        ("8/8/8/8/8/8/8/8 w - - 0 1", vec!["white has no king", "black has no king"]),
        ("4k3/8/8/8/8/8/8/4K2P w - - 0 1", vec!["a pawn stands on h1"]),
        ("4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", vec!["not to move is in check"]),
        ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", vec!["side to move"]),
        ("4k3/8/8/8/8/8/4K3 w - - 0 1", vec!["7 ranks"]),
        ("", vec!["empty"]),
    ];
    for (fen, errors) in cases {
        let response = post(server.address, MOVES, &json!({ "fen": fen }));
        let problem = response.problem();
        assert_eq!((response.status, &problem["field"]), (422, &json!("fen")), "{fen}");
        let detail = problem["detail"].as_str().expect("a detail");
        for error in errors {
            assert!(detail.contains(error), "{fen}: {detail}");
        }
    }
}

#[test]
fn repairs_are_listed() {
    let server = Server::start();
    let body = json!({"fen": "4k3/8/8/8/8/8/8/4K3 w KQ - 0 0"});
    let view = post(server.address, MOVES, &body).json();
    assert_eq!(view["repairs"].as_array().map(Vec::len), Some(2), "{view}");
}

#[test]
fn a_request_must_have_exactly_one_position() {
    let server = Server::start();
    let cases = [
        (json!({}), "fen"),
        (json!({"fen": "startpos", "pgn": "1. e4"}), "pgn"),
        (json!({"fen": "startpos", "start": "startpos"}), "start"),
        (json!({"moves": [], "boards": []}), "boards"),
        (json!({"fen": "startpos", "turn": "w"}), "turn"),
        (json!({"fen": null}), "fen"),
        (json!({"fen": 5}), "fen"),
        (json!({"moves": "e2e4"}), "moves"),
        (json!({"moves": ["e2e4", 7]}), "moves[1]"),
        (json!({"boards": [[[1, "x"]]]}), "boards[0][0][1]"),
        (json!({"fen": "startpos", "chess960": "yes"}), "chess960"),
        (json!({"fen": "startpos", "surprise": 1}), "surprise"),
    ];
    for (body, field) in cases {
        let response = post(server.address, MOVES, &body);
        let problem = response.problem();
        assert_eq!((response.status, &problem["field"]), (400, &json!(field)), "{body}: {problem}");
    }
}

#[test]
fn values_of_the_wrong_type_are_refused_in_plain_words() {
    let server = Server::start();
    for (body, detail) in [
        (json!({"fen": 5}), "fen: must be a string"),
        (json!({"fen": null}), "fen: must be a string"),
        (json!({"moves": "e2e4"}), "moves: must be a list of strings"),
        (json!({"moves": ["e2e4", 7]}), "moves[1]: must be a string"),
        (json!({"boards": {}}), "boards: must be a list of boards"),
        (
            json!({"boards": [[[1, "x"]]]}),
            "boards[0][0][1]: a board is a list of 8 rows of 8 whole numbers",
        ),
        (json!({"boards": [], "turn": "x"}), "turn: must be w or b"),
        (json!({"fen": "startpos", "chess960": "yes"}), "chess960: must be true or false"),
        (json!({"fen": "startpos", "depth": -1}), "depth: must be a positive whole number"),
        (
            json!({"fen": "startpos", "elo": 5_000_000_000_u64}),
            "elo: 5000000000 is not from 1000 to 2000",
        ),
    ] {
        let response = post(server.address, "/api/v1/bestmove", &body);
        assert_eq!(response.status, 400, "{body}");
        assert_eq!(response.problem()["detail"], detail);
    }
    let response =
        post_as(server.address, &format!("{MOVES}?history=x"), "text/plain", b"startpos");
    assert_eq!(response.problem()["detail"], "history: must be true or false");
}

/// The board array of a FEN.
fn array(fen: &str) -> Value {
    let number = |letter: char| {
        let kind = 1 + "pnbrqk".find(letter.to_ascii_lowercase()).expect("a piece") as i64;
        if letter.is_ascii_uppercase() { kind } else { -kind }
    };
    let row = |rank: &str| -> Vec<i64> {
        let numbers = |letter: char| match letter.to_digit(10) {
            Some(empty) => vec![0; empty as usize],
            None => vec![number(letter)],
        };
        rank.chars().flat_map(numbers).collect()
    };
    let ranks = fen.split(' ').next().expect("a first field").split('/');
    ranks.map(row).collect()
}

/// The board arrays of the start position and of the positions after each move.
fn arrays(server: &Server, moves: &[&str]) -> Vec<Value> {
    let body = json!({"moves": moves, "history": true});
    let view = post(server.address, MOVES, &body).json();
    let history = view["history"].as_array().expect("a history").clone();
    let fens = history.iter().map(|played| played["fen"].as_str().expect("a FEN").to_owned());
    let start = view["start"].as_str().expect("a start").to_owned();
    std::iter::once(start).chain(fens).map(|fen| array(&fen)).collect()
}

#[test]
fn en_passant_follows_from_the_previous_board() {
    let server = Server::start();
    let boards = arrays(&server, &["e2e4", "a7a6", "e4e5", "d7d5"]);
    for boards in [&boards[..], &boards[3..], &boards[2..]] {
        let view = post(server.address, MOVES, &json!({ "boards": boards })).json();
        assert!(legal(&view).contains(&"e5d6"), "{view}");
        assert_eq!(view["turn"], "white");
    }
    let alone = post(server.address, MOVES, &json!({"boards": &boards[4..]})).json();
    assert!(!legal(&alone).contains(&"e5d6"), "the double push is not known");
}

#[test]
fn castling_rights_and_repetitions_follow_from_the_boards() {
    let server = Server::start();
    let moves = ["e2e4", "e7e5", "g1f3", "g8f6", "f1e2", "f8e7", "e1f1", "h7h6", "f1e1", "h6h5"];
    let view = post(server.address, MOVES, &json!({"boards": arrays(&server, &moves)})).json();
    assert!(!legal(&view).contains(&"e1g1"), "the king has moved");
    let moves = ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8"];
    let view = post(server.address, MOVES, &json!({"boards": arrays(&server, &moves)})).json();
    assert_eq!(view["status"], "threefold");
}

#[test]
fn invalid_boards_are_refused_with_their_index() {
    let server = Server::start();
    let boards = arrays(&server, &["e2e4", "e7e5"]);
    let mut wrong_number = boards.clone();
    wrong_number[1][2][3] = json!(7);
    let mut short_row = boards.clone();
    short_row[0][4] = json!([0, 0]);
    let cases = [
        (json!([]), "boards"),
        (json!([boards[0], boards[2]]), "boards[1]"),
        (json!([boards[0], boards[1], boards[1]]), "boards[2]"),
        (json!(wrong_number), "boards[1][2][3]"),
        (json!(short_row), "boards[0][4]"),
        (json!([[[0]]]), "boards[0]"),
    ];
    for (boards, field) in cases {
        let response = post(server.address, MOVES, &json!({ "boards": boards }));
        let problem = response.problem();
        assert_eq!((response.status, &problem["field"]), (422, &json!(field)), "{problem}");
    }
}

/// A minimal board page.
fn page(fen: &str, attributes: &str) -> String {
    let symbols = |letter: char| match letter {
        'K' => "♔",
        'Q' => "♕",
        'R' => "♖",
        'P' => "♙",
        'k' => "♚",
        'q' => "♛",
        'r' => "♜",
        'p' => "♟",
        _ => panic!("no symbol for {letter}"),
    };
    let mut page = format!("<!doctype html><title>x</title><table {attributes}>");
    for (rank, row) in fen.split('/').zip((1..=8).rev()) {
        let mut cells: Vec<&str> = Vec::new();
        for letter in rank.chars() {
            match letter.to_digit(10) {
                Some(empty) => cells.extend(vec![""; empty as usize]),
                None => cells.push(symbols(letter)),
            }
        }
        for (text, col) in cells.iter().zip("abcdefgh".chars()) {
            page += &format!("<td data-col=\"{col}\" data-row=\"{row}\">{text}</td>");
        }
    }
    page + "</table>"
}

#[test]
fn the_body_may_be_a_board_page() {
    let server = Server::start();
    let page = page("4k3/8/8/3pP3/8/8/8/4K2R", "data-turn=\"w\" data-ep=\"d6\"");
    for content_type in
        ["text/html", "text/html; charset=UTF-8", "application/x-www-form-urlencoded"]
    {
        let view = post_as(server.address, MOVES, content_type, page.as_bytes()).json();
        let legal = legal(&view);
        assert!(legal.contains(&"e1g1") && legal.contains(&"e5d6"), "{content_type}: {view}");
    }
    assert_eq!(post(server.address, MOVES, &json!({ "html": page })).status, 200);
    for (wrong, error) in [
        (page.replace("data-col=\"c\" data-row=\"3\"", ""), "missing square c3"),
        (page.replace("♔", "X"), "e1"),
        (page.replace("♔", ""), "white has no king"),
        ("<p>no board</p>".to_owned(), "no board"),
    ] {
        let response = post_as(server.address, MOVES, "text/html", wrong.as_bytes());
        let problem = response.problem();
        let detail = problem["detail"].as_str().expect("a detail");
        assert_eq!((response.status, &problem["field"]), (422, &json!("html")), "{problem}");
        assert!(detail.contains(error), "{error}: {detail}");
    }
}

#[test]
fn the_page_of_the_server_can_be_posted_back() {
    let server = Server::start();
    let fen = "r3k2r/8/8/3pP3/8/8/8/R3K2R w Kq d6 0 1";
    let path = format!("/?fen={}", fen.replace(' ', "+"));
    let page = get(server.address, &path).body;
    let view = post_as(server.address, MOVES, "text/html", page.as_bytes()).json();
    assert_eq!(view["fen"], fen);
}

#[test]
fn the_body_may_be_a_pgn() {
    let server = Server::start();
    let pgn = b"[Event \"x\"]\n\n1. e4 {best by test} e5 2. Nf3 (2. f4 exf4) 2... Nc6 1/2-1/2\n";
    for content_type in
        ["application/x-chess-pgn", "text/plain", "application/x-www-form-urlencoded"]
    {
        let path = format!("{MOVES}?history=true");
        let view = post_as(server.address, &path, content_type, pgn).json();
        assert_eq!(view["history"].as_array().map(Vec::len), Some(4), "{content_type}: {view}");
    }
    let wrong = b"1. e4 e5 2. Ke3 Nc6 *";
    let response = post_as(server.address, MOVES, "application/x-chess-pgn", wrong);
    let problem = response.problem();
    assert_eq!((response.status, &problem["field"]), (422, &json!("pgn")));
    assert!(problem["detail"].as_str().is_some_and(|d| d.contains("Ke3") && d.contains("line 1")));
}

#[test]
fn the_body_may_be_a_fen() {
    let server = Server::start();
    let fen = b"4k3/8/8/8/8/8/8/4K2R w K - 0 1\n";
    for content_type in
        ["text/plain", "text/plain; charset=utf-8", "application/x-www-form-urlencoded"]
    {
        let view = post_as(server.address, MOVES, content_type, fen).json();
        assert!(legal(&view).contains(&"e1g1"), "{content_type}: {view}");
    }
    let path = format!("{MAKE}?move=O-O&chess960=true");
    let view = post_as(server.address, &path, "text/plain", fen).json();
    assert_eq!(view["move"]["uci"], "e1h1");
}
