//! `/api/v1/reviews`: jobs with progress.

use crate::support::http::{get, metric, post, request};
use crate::support::stub::FAILING;
use crate::support::{Server, eventually};
use serde_json::{Value, json};

const REVIEWS: &str = "/api/v1/reviews";

fn begin(server: &Server, body: &Value) -> String {
    let answer = post(server.address, REVIEWS, body);
    assert_eq!(answer.status, 202, "{answer:?}");
    let place = answer.header("location").expect("a place").to_owned();
    assert_eq!(
        place,
        format!("{REVIEWS}/{}", answer.json()["id"].as_str().expect("an id"))
    );
    place
}

#[test]
fn a_review_judges_every_move_and_sums_up() {
    let server = Server::start();
    let place = begin(
        &server,
        &json!({"moves": ["f2f3", "e7e5", "g2g4", "d8h4"], "depth": 1}),
    );
    let state = || get(server.address, &place).json();
    eventually("it is done", || state()["status"] == "done");
    let review = state();
    assert_eq!(review["progress"], json!({"done": 5, "total": 5}));
    let positions = review["positions"].as_array().expect("positions");
    let plies: Vec<_> = positions
        .iter()
        .map(|position| position["ply"].clone())
        .collect();
    assert_eq!(plies, [0, 1, 2, 3, 4]);
    assert!(positions[0].get("judgement").is_none());
    // The stub calls every position a little better than even, so only the mate says more.
    assert_eq!(positions[3]["played"], json!({"uci": "g2g4", "san": "g4"}));
    assert_eq!(positions[4]["score"], json!({"mate": 0}));
    for side in ["white", "black"] {
        assert_eq!(review["summary"][side]["moves"], 2);
        assert!(review["summary"][side]["accuracy"].is_number());
    }
}

#[test]
fn a_review_whose_search_fails_says_so() {
    let server = Server::start();
    let place = begin(&server, &json!({"moves": ["e2e4"], "nodes": FAILING}));
    let state = || get(server.address, &place).json();
    eventually("it ends", || state()["status"] == "failed");
    assert_eq!(state()["positions"], json!([]));
}

#[test]
fn a_deleted_review_is_gone_and_stops_searching() {
    let server = Server::start();
    let place = begin(
        &server,
        &json!({"moves": ["e2e4", "e7e5"], "movetime": 10_000}),
    );
    let running = || metric(server.address, "saavedra_searches_running");
    eventually("it runs", || running() == 1.0);
    assert_eq!(get(server.address, REVIEWS).json()["queued"], 1);
    assert_eq!(
        request(server.address, "DELETE", &place, &[], b"").status,
        204
    );
    assert_eq!(
        request(server.address, "DELETE", &place, &[], b"").status,
        404
    );
    assert_eq!(get(server.address, &place).status, 404);
    eventually("it is stopped", || running() == 0.0);
}

#[test]
fn the_store_is_bounded() {
    let server = Server::with(|config| config.reviews = 2);
    let long = json!({"moves": ["e2e4"], "movetime": 10_000});
    let (first, _) = (begin(&server, &long), begin(&server, &long));
    let refused = post(server.address, REVIEWS, &long);
    assert_eq!(refused.status, 429);
    assert!(refused.header("retry-after").is_some());
    request(server.address, "DELETE", &first, &[], b"");
    // One that is over makes room for one that is new.
    let short = begin(&server, &json!({"moves": ["e2e4"], "depth": 1}));
    eventually("it is done", || {
        get(server.address, &short).json()["status"] == "done"
    });
    begin(&server, &long);
    assert_eq!(get(server.address, &short).status, 404);
}

#[test]
fn a_game_without_moves_is_no_game_to_review() {
    let server = Server::start();
    let answer = post(server.address, REVIEWS, &json!({"fen": "startpos"}));
    assert_eq!(
        (answer.status, &answer.problem()["field"]),
        (422, &json!("moves"))
    );
}

#[test]
fn odd_names_of_reviews_are_simply_not_found() {
    let server = Server::start();
    for name in [
        "x",
        "..",
        "%2e%2e%2fetc%2fpasswd",
        "%00",
        "%ff",
        "0123456789abcdef0123456789abcdef",
    ] {
        let answer = get(server.address, &format!("{REVIEWS}/{name}"));
        assert_eq!(answer.status, 404, "{name}");
        answer.problem();
    }
}
