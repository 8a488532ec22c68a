//! Tests that the OpenAPI document describes the server.

use crate::support::Server;
use crate::support::http::{get, post, post_as, request};
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn document(server: &Server) -> Value {
    get(server.address, "/openapi.json").json()
}

/// The part of a document that a reference names; a part that is no reference is itself.
fn resolve<'a>(document: &'a Value, part: &'a Value) -> &'a Value {
    let reference = part["$ref"].as_str();
    let pointer = reference.map(|text| text.trim_start_matches('#'));
    pointer.map_or(part, |pointer| document.pointer(pointer).expect("a part"))
}

/// The names of the fields of an object.
fn names(object: &Value) -> BTreeSet<&str> {
    let fields = object.as_object().expect("an object");
    fields.keys().map(String::as_str).collect()
}

#[test]
fn the_document_has_the_limits_of_the_server() {
    let server = Server::with(|config| config.max_movetime = 1234);
    let document = document(&server);
    let fields = &document["components"]["schemas"]["BestMoveRequest"]["properties"];
    let range = |name: &str| (&fields[name]["minimum"], &fields[name]["maximum"]);
    assert_eq!(range("movetime"), (&json!(1), &json!(1234)));
    assert_eq!(range("elo"), (&json!(1000), &json!(2000)));
}

#[test]
fn every_request_example_is_answered_as_documented() {
    let server = Server::start();
    let document = document(&server);
    let mut tried = 0;
    for (path, item) in document["paths"].as_object().expect("paths") {
        let Some(operation) = item.get("post") else {
            continue;
        };
        let statuses = operation["responses"].as_object().expect("responses");
        let success = statuses.keys().find(|status| status.starts_with('2')).expect("a success");
        for (content_type, content) in
            operation["requestBody"]["content"].as_object().expect("contents")
        {
            for (name, example) in content["examples"].as_object().expect("examples") {
                let value = &resolve(&document, example)["value"];
                let body = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
                let query = match path.rsplit('/').next() {
                    Some("bestmove" | "analysis") => "?movetime=20",
                    // A legal move in every example.
                    Some("make") if content_type != "application/json" => "?move=h3",
                    _ => "",
                };
                // A review requires a game with moves.
                if path.contains("/review") && matches!(name.as_str(), "fen" | "page") {
                    continue;
                }
                let response = post_as(
                    server.address,
                    &format!("{path}{query}"),
                    content_type,
                    body.as_bytes(),
                );
                assert_eq!(
                    &response.status.to_string(),
                    success,
                    "{path} {content_type} {name}: {response:?}"
                );
                tried += 1;
            }
        }
    }
    assert!(tried >= 20, "only {tried} examples");
}

#[test]
fn the_documented_bodies_are_those_that_the_routes_accept() {
    let server = Server::start();
    let document = document(&server);
    for (path, item) in document["paths"].as_object().expect("paths") {
        let content = &item["post"]["requestBody"]["content"];
        if content.is_null() {
            continue;
        }
        let types = ["application/json", "application/x-chess-pgn", "text/plain", "text/html"];
        let types = match path.as_str() {
            "/api/v1/pgn/read" => &types[..3],
            "/api/v1/pgn/write" | "/api/v1/pgn/main-lines" | "/api/v1/review/judge" => &types[..1],
            _ => &types[..],
        };
        assert_eq!(names(content), types.iter().copied().collect(), "{path}");
        let schema = resolve(&document, &content["application/json"]["schema"]);
        let problem = post(server.address, path, &json!({"surprise": 1})).problem();
        let detail = problem["detail"].as_str().expect("a message");
        let (_, accepted) = detail.split_once("accepts ").expect("the fields");
        let accepted: BTreeSet<&str> = accepted.split(", ").collect();
        assert_eq!(names(&schema["properties"]), accepted, "{path}");
    }
}

#[test]
fn the_refusals_and_errors_of_all_routes_are_documented() {
    let server = Server::start();
    let document = document(&server);
    for (path, item) in document["paths"].as_object().expect("paths") {
        for method in ["get", "post", "delete"] {
            let responses = &item[method]["responses"];
            if responses.is_null() {
                continue;
            }
            let documented =
                ["403", "421", "500", "503"].map(|status| responses[status].is_object());
            let is_api = path.starts_with("/api/");
            let refuses_when_stopping = !matches!(path.as_str(), "/health" | "/metrics");
            let expected = [is_api, true, true, refuses_when_stopping];
            assert_eq!(documented, expected, "{method} {path}");
        }
    }
}

#[test]
fn every_route_accepts_the_documented_methods_only() {
    let server = Server::start();
    let document = document(&server);
    for (path, item) in document["paths"].as_object().expect("paths") {
        let path = path.replace("{id}", "0123456789abcdef0123456789abcdef");
        let methods = ["get", "post", "put", "delete", "patch"];
        for method in methods {
            let name = method.to_uppercase();
            let response = request(server.address, &name, &path, &[], b"");
            let documented = item.get(method).is_some();
            assert_eq!(response.status != 405, documented, "{name} {path}: {}", response.status);
            if !documented {
                response.problem();
                let allowed = response.header("allow").expect("the accepted methods");
                assert!(!allowed.contains(&name), "{name} {path}: {allowed}");
            }
        }
    }
}

/// Whether a schema of required properties accepts an object with these.
fn accepts(schema: &Value, names: &[&str]) -> bool {
    let has = |name: &Value| names.iter().any(|known| name == known);
    let list = |key: &str| schema[key].as_array().into_iter().flatten();
    let matching = |key: &str| list(key).filter(|part| accepts(part, names)).count();
    list("required").all(has)
        && (schema["oneOf"].is_null() || matching("oneOf") == 1)
        && (schema["anyOf"].is_null() || matching("anyOf") > 0)
        && (schema["not"].is_null() || !accepts(&schema["not"], names))
        && schema["dependentRequired"].as_object().is_none_or(|rules| {
            let others = |others: &Value| others.as_array().is_some_and(|all| all.iter().all(has));
            rules.iter().all(|(name, rule)| !names.contains(&name.as_str()) || others(rule))
        })
}

/// All subsets of these fields.
fn subsets<T: Clone>(fields: &[T]) -> Vec<Vec<T>> {
    let has = |subset: usize, index: usize| subset >> index & 1 == 1;
    let subset = |bits| (0..fields.len()).filter(move |index| has(bits, *index));
    (0..1 << fields.len())
        .map(|bits| subset(bits).map(|index| fields[index].clone()).collect())
        .collect()
}

#[test]
fn the_documented_combinations_of_fields_are_accepted_and_no_others() {
    let server = Server::start();
    let document = document(&server);
    let page = document["components"]["examples"]["page"]["value"].clone();
    let start = &document["paths"]["/api/v1/bestmove"]["post"]["requestBody"]["content"]["application/json"]
        ["examples"]["boards"]["value"]["boards"][0];
    let fields = [
        ("fen", json!("startpos")),
        ("start", json!("startpos")),
        ("moves", json!(["e2e4"])),
        ("pgn", json!("1. e4")),
        ("html", page),
        ("boards", json!([start])),
        ("turn", json!("w")),
    ];
    for fields in subsets(&fields) {
        let names: Vec<_> = fields.iter().map(|(name, _)| *name).collect();
        let body: Value = fields.into_iter().collect();
        let response = post(server.address, "/api/v1/moves", &body);
        let documented = accepts(&document["components"]["schemas"]["MovesRequest"], &names);
        let expected = if documented { 200 } else { 400 };
        assert_eq!(response.status, expected, "{names:?}: {response:?}");
    }
    // The parameters of a query are plain; which of them exclude others is in the schema of the body.
    let fields = [("fen", "startpos"), ("start", "startpos"), ("moves", "e2e4"), ("pgn", "1.+e4")];
    let parameters = &document["paths"]["/api/v1/analysis"]["get"]["parameters"];
    let parameters = parameters.as_array().expect("parameters");
    for (name, _) in fields {
        let plain = parameters.iter().find(|known| known["name"] == name).expect("a parameter");
        assert_eq!(plain["schema"]["type"], "string", "{name}");
    }
    let schema = &document["components"]["schemas"]["AnalysisRequest"];
    for fields in subsets(&fields) {
        let names: Vec<_> = fields.iter().map(|(name, _)| *name).collect();
        let query: String = fields.iter().map(|(name, value)| format!("&{name}={value}")).collect();
        let path = format!("/api/v1/analysis?depth=1{query}");
        let expected = if accepts(schema, &names) { 200 } else { 400 };
        assert_eq!(get(server.address, &path).status, expected, "{names:?}");
    }
}

const JSON: &str = "application/json";
/// Requests, each a path, a content type and a body, and the code of the error.
const ERRORS: &[(&str, &str, &str, &str)] = &[
    ("/api/v1/moves", JSON, "{", "malformed_body"),
    ("/api/v1/moves", JSON, "[]", "malformed_body"),
    ("/api/v1/moves", JSON, "{\"fen\": \"\u{d8}", "malformed_body"),
    ("/api/v1/moves", JSON, r#"{"surprise": 1}"#, "unknown_field"),
    ("/api/v1/moves", JSON, "{}", "missing_field"),
    ("/api/v1/make", JSON, r#"{"fen": "startpos"}"#, "missing_field"),
    ("/api/v1/pgn/read", JSON, "{}", "missing_field"),
    ("/api/v1/moves", JSON, r#"{"fen": 1}"#, "invalid_field"),
    ("/api/v1/moves", JSON, r#"{"fen": "startpos", "pgn": "*"}"#, "invalid_field"),
    ("/api/v1/bestmove", JSON, r#"{"fen": "startpos", "nodes": 1.5}"#, "invalid_field"),
    ("/api/v1/bestmove", JSON, r#"{"fen": "startpos", "nodes": 0}"#, "out_of_range"),
    (
        "/api/v1/bestmove",
        JSON,
        r#"{"fen": "startpos", "nodes": 99999999999999999999}"#,
        "invalid_field",
    ),
    ("/api/v1/pgn/write", JSON, "{}", "invalid_field"),
    ("/api/v1/pgn/write", JSON, r#"{"games": [{}]}"#, "invalid_field"),
    (
        "/api/v1/pgn/write",
        JSON,
        r#"{"games": [{"tags": [["a"]], "result": "*", "nodes": []}]}"#,
        "invalid_field",
    ),
    (
        "/api/v1/pgn/write",
        JSON,
        r#"{"games": [{"tags": [], "result": 1, "nodes": []}]}"#,
        "invalid_field",
    ),
    (
        "/api/v1/pgn/write",
        JSON,
        r#"{"games": [{"tags": [], "result": "*", "nodes": [{"parent": -1}]}]}"#,
        "invalid_field",
    ),
    (
        "/api/v1/pgn/write",
        JSON,
        r#"{"games": [{"tags": [], "result": "*", "nodes": [{"surprise": 1}]}]}"#,
        "invalid_field",
    ),
    ("/api/v1/moves", JSON, r#"{"fen": "8/8 w"}"#, "invalid_position"),
    ("/api/v1/moves", "text/html", "<p>", "invalid_position"),
    ("/api/v1/moves", JSON, r#"{"moves": ["e5"]}"#, "illegal_move"),
    ("/api/v1/make", JSON, r#"{"fen": "startpos", "move": "Ke3"}"#, "illegal_move"),
    ("/api/v1/reviews", JSON, r#"{"fen": "startpos"}"#, "game_length"),
    ("/api/v1/review/search", JSON, r#"{"moves": ["e4"], "ply": 2}"#, "out_of_range"),
    ("/api/v1/moves", "image/png", "x", "unsupported_media_type"),
    ("/api/v1/none", JSON, "{}", "not_found"),
    ("/health", JSON, "{}", "method_not_allowed"),
];

/// Each kind of error has a code that programs can rely on, and no word of the implementation.
#[test]
fn errors_have_a_stable_code_and_plain_words() {
    let server = Server::start();
    let document = document(&server);
    let codes = &document["components"]["schemas"]["Code"]["enum"];
    let codes: Vec<&Value> = codes.as_array().expect("the codes").iter().collect();
    for &(path, content_type, body, code) in ERRORS {
        let problem = post_as(server.address, path, content_type, body.as_bytes()).problem();
        assert_eq!(problem["code"], code, "{path} {body}: {problem}");
        assert!(codes.contains(&&problem["code"]), "{code} is documented");
        let detail = problem["detail"].as_str().expect("a message");
        let words = [
            "u64",
            "usize",
            "i64",
            "f64",
            "missing field",
            "struct",
            "expected",
            "EOF",
            "invalid type",
        ];
        assert!(!words.iter().any(|word| detail.contains(word)), "{detail}");
    }
}
