//! Tests that the OpenAPI document describes the server.

use crate::support::Server;
use crate::support::http::{get, post_as, request};
use serde_json::{Value, json};

fn document(server: &Server) -> Value {
    get(server.address, "/openapi.json").json()
}

#[test]
fn the_document_has_the_limits_of_the_server() {
    let server = Server::with(|config| config.max_movetime = 1234);
    let schemas = document(&server)["components"]["schemas"].clone();
    assert_eq!(schemas["Movetime"]["maximum"], 1234);
    assert_eq!(schemas["Elo"], {
        let mut elo = schemas["Elo"].clone();
        elo["minimum"] = json!(1000);
        elo["maximum"] = json!(2000);
        elo
    });
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
        let success = statuses
            .keys()
            .find(|status| status.starts_with('2'))
            .expect("a success");
        for (content_type, content) in operation["requestBody"]["content"]
            .as_object()
            .expect("contents")
        {
            for (name, example) in content["examples"].as_object().expect("examples") {
                let value = &example["value"];
                let body = value
                    .as_str()
                    .map_or_else(|| value.to_string(), ToOwned::to_owned);
                let query = if path.ends_with("bestmove") {
                    "?movetime=20"
                } else {
                    ""
                };
                // A review requires a game with moves.
                if path.ends_with("reviews") && matches!(name.as_str(), "fen" | "page") {
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
    assert!(tried >= 12, "only {tried} examples");
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
            assert_eq!(
                response.status != 405,
                documented,
                "{name} {path}: {}",
                response.status
            );
            if !documented {
                response.problem();
                let allowed = response.header("allow").expect("the accepted methods");
                assert!(!allowed.contains(&name), "{name} {path}: {allowed}");
            }
        }
    }
}
