//! `GET /openapi.json`: the OpenAPI document. Each handler describes its route; this module adds what
//! the routes have in common: the fields and forms of a request, and the error responses.

use crate::app::App;
use crate::position::MAX_PLIES;
use crate::problem::{Code, Problem};
use crate::request::{LIMIT_FIELDS, RequestFields, limit_ranges, position_fields_and};
use crate::routes::page::board_html;
use crate::routes::{explain, review, reviews};
use axum::{Extension, Json};
use saavedra::chess::{Board, Game};
use saavedra::formats::array::to_array;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;
use utoipa::PartialSchema;
use utoipa::openapi::OpenApi;

const MATE_IN_ONE: &str = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1";

const DESCRIPTION: &str = "A position is a FEN, a start position with moves, a PGN, a board page or a \
    list of board arrays. It is a field of a JSON object, or the body itself if it is a FEN, a PGN \
    (`application/x-chess-pgn` too) or a page. If a JSON object has a name twice, the last value counts. \
    Errors are `application/problem+json` with the field and a message.";

/// Status, name in the document and description of each error response.
const ERRORS: [(u16, &str, &str); 11] = [
    (400, "BadRequest", "The request is malformed."),
    (403, "Forbidden", "Pages of other origins may not use the API."),
    (404, "NotFound", "Not found."),
    (408, "Timeout", "The body did not arrive in time."),
    (413, "TooLarge", "The body is too large."),
    (415, "MediaType", "The content type is not supported."),
    (421, "Misdirected", "The host name is not accepted."),
    (422, "Refused", "The position or the move is invalid."),
    (429, "Busy", "The queue is full or the wait too long."),
    (500, "Internal", "An error of the service; the details are in its log."),
    (
        503,
        "Unavailable",
        "The service is shutting down; for `/ready` also: the queue is full or the wait too long.",
    ),
];

/// This document.
#[utoipa::path(
    get,
    path = "/openapi.json",
    operation_id = "openapi",
    responses((status = 200, description = "OpenAPI 3.1.", body = serde_json::Map<String, Value>))
)]
pub async fn get(Extension(document): Extension<Arc<Value>>) -> Json<Arc<Value>> {
    Json(document)
}

/// The document of these routes, with the version and the limits of this server.
pub fn document(routes: &OpenApi, app: &App) -> Value {
    let mut document = json!(routes);
    document["info"] = json!({
        "title": "Saavedra's best-move service",
        "version": env!("CARGO_PKG_VERSION"),
        "summary": "Best moves, rules, analysis and game reviews.",
        "description": DESCRIPTION,
        "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
    });
    document["servers"] = json!([{ "url": "/" }]);
    document["components"]["schemas"]["Problem"] = json!(Problem::schema());
    document["components"]["schemas"]["Code"] = json!(Code::schema());
    document["components"]["responses"] = error_responses();
    document["components"]["examples"] = json!({
        "page": {
            "summary": "A board page: mate in one",
            "value": Board::from_fen(MATE_IN_ONE).as_ref().map(board_html).unwrap_or_default(),
        },
        "fen": { "summary": "A FEN", "value": MATE_IN_ONE },
        "pgn": { "summary": "A game", "value": "[Event \"?\"]\n\n1. e4 e5 2. Nf3 Nc6 *\n" },
    });
    add_bodies(&mut document, app);
    describe_analysis(&mut document["paths"]["/api/v1/analysis"]["get"], app);
    for (path, item) in document["paths"].as_object_mut().into_iter().flatten() {
        for operation in item.as_object_mut().into_iter().flat_map(Map::values_mut) {
            complete_operation(path, operation);
        }
    }
    document
}

fn error_responses() -> Value {
    let problem = json!({
        "application/problem+json": { "schema": { "$ref": "#/components/schemas/Problem" } },
    });
    let response = |(_, name, description): (u16, &str, &str)| {
        let response = json!({ "description": description, "content": problem });
        (name.to_owned(), response)
    };
    let mut responses: Value = ERRORS.into_iter().map(response).collect();
    responses["Busy"]["headers"]["Retry-After"] = json!({
        "required": true,
        "description": "Seconds after which to try again.",
        "schema": { "type": "integer", "minimum": 1 },
    });
    responses
}

/// Adds the error responses of the middleware, of reading a body, and of the handler, which names
/// their status only.
fn complete_operation(path: &str, operation: &mut Value) {
    // The section "Errors" is for readers of the source.
    if let Some(Value::String(text)) = operation.get_mut("description") {
        text.truncate(text.find("# Errors").unwrap_or(text.len()));
        text.truncate(text.trim_end().len());
    }
    let has_body = operation["requestBody"].is_object();
    for (status, name, _) in ERRORS {
        let applies = match status {
            403 => path.starts_with("/api/"),
            421 | 500 => true,
            503 => !matches!(path, "/health" | "/metrics"),
            400 | 408 | 413 | 415 | 422 => has_body,
            _ => false,
        };
        let responses = &mut operation["responses"];
        let status = status.to_string();
        if applies || responses.get(&status).is_some() {
            responses[status] = json!({ "$ref": format!("#/components/responses/{name}") });
        }
    }
}

/// The routes that take a position: name of the route, name and description of its JSON, and the
/// fields besides the position, which may also be parameters of the query.
const BODIES: [(&str, &str, &str, &[&str]); 9] = [
    ("bestmove", "BestMoveRequest", "A position and limits.", &LIMIT_FIELDS),
    ("analysis", "AnalysisRequest", "A position and limits.", &LIMIT_FIELDS),
    ("moves", "MovesRequest", "A position.", &["history"]),
    ("make", "MakeRequest", "A position and a move.", &["move"]),
    ("tablebase", "TablebaseRequest", "A position.", &[]),
    ("explain", "ExplainRequest", "A position, and a move to explain.", &explain::FIELDS),
    (
        "review/search",
        "ReviewSearchRequest",
        "A game, a position of it, and limits.",
        &review::SEARCH_FIELDS,
    ),
    ("review/judge", "JudgeRequest", "A game and its searched positions.", &review::JUDGE_FIELDS),
    ("reviews", "ReviewRequest", "A game and limits for each of its positions.", &LIMIT_FIELDS),
];

/// Adds the parameters and the bodies, as JSON and in the other forms, of [`BODIES`].
fn add_bodies(document: &mut Value, app: &App) {
    for (route, name, description, more) in BODIES {
        let max_time = match route {
            "analysis" => app.config.max_analysis(),
            "reviews" | "review/search" => app.config.max_review_movetime(),
            _ => app.config.max_movetime(),
        };
        let mut schema = request_schema(&position_fields_and(more), max_time, app);
        schema["description"] = description.into();
        let operation = &mut document["paths"][format!("/api/v1/{route}")]["post"];
        // Searched positions are too long for a query.
        let in_query: Vec<&str> = more.iter().copied().filter(|name| *name != "searched").collect();
        operation["parameters"] = query_parameters(&schema, &in_query);
        operation["requestBody"]["required"] = true.into();
        let content = &mut operation["requestBody"]["content"];
        content["application/json"]["schema"] =
            json!({ "$ref": format!("#/components/schemas/{name}") });
        if route != "review/judge" {
            content["text/html"] = text_body(&["page"]);
            content["text/plain"] = text_body(&["fen", "pgn"]);
            content["application/x-chess-pgn"] = text_body(&["pgn"]);
        }
        if route.starts_with("review") {
            schema["properties"]["moves"]["maxItems"] = reviews::MAX_PLIES.into();
        }
        match route {
            "bestmove" => content["application/json"]["examples"]["boards"] = boards_example(),
            "make" => {
                schema["required"] = json!(["move"]);
                operation["parameters"][0]["description"] =
                    "Required unless a JSON body has it.".into();
            }
            "explain" => schema["properties"]["nodes"]["maximum"] = explain::MAX_NODES.into(),
            "review/judge" => schema["required"] = json!(["searched"]),
            _ => {}
        }
        document["components"]["schemas"][name] = schema;
    }
    let read = &mut document["paths"]["/api/v1/pgn/read"]["post"]["requestBody"]["content"];
    for content_type in ["text/plain", "application/x-chess-pgn"] {
        read[content_type] = text_body(&["pgn"]);
    }
}

/// A body of text with these examples.
fn text_body(examples: &[&str]) -> Value {
    let example = |name: &&str| {
        let reference = json!({ "$ref": format!("#/components/examples/{name}") });
        ((*name).to_owned(), reference)
    };
    let examples: Value = examples.iter().map(example).collect();
    json!({ "schema": { "type": "string", "minLength": 1 }, "examples": examples })
}

/// Parameters of the query for these fields of a schema and for `chess960`.
fn query_parameters(schema: &Value, fields: &[&str]) -> Value {
    let parameter = |name: &&str| {
        let schema = &schema["properties"][name];
        json!({ "name": name, "in": "query", "schema": schema })
    };
    fields.iter().chain(&["chess960"]).map(parameter).collect()
}

/// The schema of a JSON object with these fields, which has exactly one position.
fn request_schema(fields: &[&str], max_time: Duration, app: &App) -> Value {
    let all = json!(RequestFields::schema());
    let property = |name: &str| {
        let mut property = all["properties"][name].clone();
        // A field that is present is not null.
        if let Some(kind) = property["type"].get(0) {
            property["type"] = kind.clone();
        }
        property
    };
    let mut properties: Value =
        fields.iter().map(|name| ((*name).to_owned(), property(name))).collect();
    for (name, range) in limit_ranges(max_time, app.elo_range.as_ref()) {
        if let (Some(property), Some(range)) = (properties.get_mut(name), range) {
            property["minimum"] = (*range.start()).into();
            property["maximum"] = (*range.end()).into();
        }
    }
    properties["moves"]["maxItems"] = MAX_PLIES.into();
    properties["moves"]["items"]["examples"] = json!(["e2e4"]);
    let mut schema = json!({ "type": "object", "additionalProperties": false });
    if fields.contains(&"boards") {
        schema["dependentRequired"] = json!({ "turn": ["boards"] });
        let number = json!({ "type": "integer", "minimum": -6, "maximum": 6 });
        let row = json!({ "type": "array", "minItems": 8, "maxItems": 8, "items": number });
        properties["turn"]["enum"] = json!(["w", "b", "white", "black"]);
        properties["boards"]["items"] = json!({
            "type": "array",
            "minItems": 8,
            "maxItems": 8,
            "items": row,
            "description": "Eight rows of eight numbers, rank 8 first: 1 to 6 for pawn, knight, bishop, \
                rook, queen and king, negative for Black, 0 for an empty square.",
        });
    }
    let alternatives = ["fen", "start", "moves", "pgn", "html", "boards"];
    let alternatives = alternatives.into_iter().filter(|name| fields.contains(name));
    let alternatives: Value = alternatives
        .map(|name| match name {
            "moves" => json!({
                "required": ["moves"],
                "not": { "anyOf": [{ "required": ["fen"] }, { "required": ["start"] }] },
            }),
            name => json!({ "required": [name] }),
        })
        .collect();
    schema["properties"] = properties;
    schema["oneOf"] = alternatives;
    schema
}

/// A game as arrays, in which en passant is possible.
fn boards_example() -> Value {
    let mut game = Game::new(Board::startpos());
    for text in ["e2e4", "a7a6", "e4e5", "d7d5"] {
        if let Ok(m) = game.board().parse_move(text) {
            game.push(m);
        }
    }
    let boards: Vec<_> = game.boards().iter().map(to_array).collect();
    json!({
        "summary": "A game as arrays: en passant is possible on d6",
        "value": { "boards": boards, "nodes": 5000 },
    })
}

/// Adds the query of an analysis, which has the position too, and its events.
fn describe_analysis(operation: &mut Value, app: &App) {
    let position = ["fen", "start", "moves", "pgn"];
    let fields = [&position[..], &LIMIT_FIELDS].concat();
    let mut schema =
        request_schema(&[&fields[..], &["chess960"]].concat(), app.config.max_analysis(), app);
    schema["properties"]["moves"] = json!({
        "type": "string",
        "description": "Moves from the start position, separated by spaces or commas.",
    });
    let mut parameters = query_parameters(&schema, &fields);
    parameters[0]["examples"] = json!({ "start": { "value": "startpos" } });
    operation["parameters"] = parameters;
    operation["responses"]["200"]["content"]["text/event-stream"]["schema"] = json!({
        "type": "string",
        "description": "Server-sent events; the data of each is an AnalysisEvent, as JSON.",
    });
}
