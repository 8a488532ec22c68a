//! Tests of `/api/v1/reviews`.

use crate::support::http::{get, metric, post, request};
use crate::support::stub::FAILING_NODES;
use crate::support::{Server, wait_until};
use serde_json::{Value, json};

const REVIEWS: &str = "/api/v1/reviews";

fn start(server: &Server, body: &Value) -> String {
    let response = post(server.address, REVIEWS, body);
    assert_eq!(response.status, 202, "{response:?}");
    let path = response.header("location").expect("a location").to_owned();
    assert_eq!(
        path,
        format!(
            "{REVIEWS}/{}",
            response.json()["id"].as_str().expect("an id")
        )
    );
    path
}

#[test]
fn a_review_judges_every_move_and_has_a_summary() {
    let server = Server::start();
    let path = start(
        &server,
        &json!({"moves": ["f2f3", "e7e5", "g2g4", "d8h4"], "depth": 1}),
    );
    let state = || get(server.address, &path).json();
    wait_until("the review is done", || state()["status"] == "done");
    let review = state();
    assert_eq!(review["progress"], json!({"done": 5, "total": 5}));
    let positions = review["positions"].as_array().expect("positions");
    let plies: Vec<_> = positions
        .iter()
        .map(|position| position["ply"].clone())
        .collect();
    assert_eq!(plies, [0, 1, 2, 3, 4]);
    assert!(positions[0].get("judgement").is_none());
    // The stub scores every position alike; only the mate differs.
    assert_eq!(positions[3]["played"], json!({"uci": "g2g4", "san": "g4"}));
    assert_eq!(positions[4]["score"], json!({"mate": 0}));
    for side in ["white", "black"] {
        assert_eq!(review["summary"][side]["moves"], 2);
        assert!(review["summary"][side]["accuracy"].is_number());
    }
}

#[test]
fn a_failed_search_fails_the_review() {
    let server = Server::start();
    let path = start(&server, &json!({"moves": ["e2e4"], "nodes": FAILING_NODES}));
    let state = || get(server.address, &path).json();
    wait_until("the review ends", || state()["status"] == "failed");
    assert_eq!(state()["positions"], json!([]));
}

#[test]
fn deleting_a_review_stops_its_search() {
    let server = Server::start();
    let path = start(
        &server,
        &json!({"moves": ["e2e4", "e7e5"], "movetime": 10_000}),
    );
    let running = || metric(server.address, "saavedra_searches_running");
    wait_until("the search runs", || running() == 1.0);
    assert_eq!(get(server.address, REVIEWS).json()["queued"], 1);
    assert_eq!(
        request(server.address, "DELETE", &path, &[], b"").status,
        204
    );
    assert_eq!(
        request(server.address, "DELETE", &path, &[], b"").status,
        404
    );
    assert_eq!(get(server.address, &path).status, 404);
    wait_until("the search has stopped", || running() == 0.0);
}

#[test]
fn the_number_of_reviews_is_limited() {
    let server = Server::with(|config| config.reviews = 2);
    let long = json!({"moves": ["e2e4"], "movetime": 10_000});
    let (first, _) = (start(&server, &long), start(&server, &long));
    let refused = post(server.address, REVIEWS, &long);
    assert_eq!(refused.status, 429);
    assert!(refused.header("retry-after").is_some());
    request(server.address, "DELETE", &first, &[], b"");
    // A new review replaces a finished one.
    let short = start(&server, &json!({"moves": ["e2e4"], "depth": 1}));
    wait_until("the review is done", || {
        get(server.address, &short).json()["status"] == "done"
    });
    start(&server, &long);
    assert_eq!(get(server.address, &short).status, 404);
}

#[test]
fn a_game_without_moves_is_refused() {
    let server = Server::start();
    let response = post(server.address, REVIEWS, &json!({"fen": "startpos"}));
    assert_eq!(
        (response.status, &response.problem()["field"]),
        (422, &json!("moves"))
    );
}

#[test]
fn unknown_and_malformed_ids_are_not_found() {
    let server = Server::start();
    for id in [
        "x",
        "..",
        "%2e%2e%2fetc%2fpasswd",
        "%00",
        "%ff",
        "0123456789abcdef0123456789abcdef",
    ] {
        let response = get(server.address, &format!("{REVIEWS}/{id}"));
        assert_eq!(response.status, 404, "{id}");
        response.problem();
    }
}
