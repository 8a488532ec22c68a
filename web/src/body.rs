//! Reads a request: its body with size limit and timeout, its content type, and its fields.

use crate::app::App;
use crate::problem::{Code, Problem};
use crate::request::{LIMIT_FIELDS, RequestFields};
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use http_body_util::BodyExt;
use saavedra::formats::by_content;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::time::Duration;
use tokio::time::timeout;

/// A body beyond the size limit is read and discarded up to this multiple of the limit, so that a
/// client that is still sending receives the error response.
pub const DRAIN_FACTOR: usize = 64;

/// Whether a body of this many bytes so far came in too many pieces. A piece takes longer than its
/// bytes.
pub fn is_fragmented(pieces: usize, bytes: usize) -> bool {
    pieces > 4_000 + bytes / 8
}

/// Fields that are whole numbers and may be zero.
const COUNT_FIELDS: [&str; 1] = ["ply"];
/// Fields that are booleans.
const BOOLEAN_FIELDS: [&str; 2] = ["chess960", "history"];

/// Reads the fields of a request's query and body. `fields` are the names that the route accepts.
/// The query overrides the body.
///
/// # Errors
/// 400, 408, 413 or 415; 400 names the field.
pub async fn read(
    request: Request,
    app: &App,
    fields: Vec<&'static str>,
) -> Result<RequestFields, Problem> {
    read_long(request, app, fields, app.config.max_body_bytes()).await
}

/// The same for a body of at most `max_bytes`.
///
/// # Errors
/// 400, 408, 413 or 415; 400 names the field.
pub async fn read_long(
    request: Request,
    app: &App,
    fields: Vec<&'static str>,
    max_bytes: usize,
) -> Result<RequestFields, Problem> {
    let (parts, body) = request.into_parts();
    let query = parse_query(parts.uri.query().unwrap_or_default(), &fields)?;
    let kind = BodyKind::from_headers(&parts.headers)?;
    let body = collect(body, &parts.headers, max_bytes, app.config.client_timeout()).await?;
    let size = body.len();
    let parse = move || merge(kind, kind.parse(&body)?, query, &fields);
    app.parser.run(size, parse).await
}

/// Reads a JSON body of at most `max_bytes` with these fields, and its size.
///
/// # Errors
/// 400, 408, 413 or 415; 400 names the field.
pub async fn read_json<T: DeserializeOwned + Send + 'static>(
    request: Request,
    app: &App,
    fields: &'static [&'static str],
    max_bytes: usize,
) -> Result<(T, usize), Problem> {
    let (parts, body) = request.into_parts();
    parse_query(parts.uri.query().unwrap_or_default(), &[])?;
    if !matches!(BodyKind::from_headers(&parts.headers)?, BodyKind::Json | BodyKind::Unspecified) {
        return Err(unsupported("The body must be application/json."));
    }
    let body = collect(body, &parts.headers, max_bytes, app.config.client_timeout()).await?;
    let size = body.len();
    let parse = move || {
        let values = BodyKind::Json.parse(&body)?;
        if let Some(field) = values.keys().find(|field| !fields.contains(&field.as_str())) {
            return Err(unknown_field(field, fields));
        }
        serde_path_to_error::deserialize(Value::Object(values)).map_err(|error| {
            let path = error.path().to_string();
            let field = if path == "." { "body" } else { &path };
            Problem::bad_request(Code::InvalidField, field, game_requirement(field))
        })
    };
    Ok((app.parser.run(size, parse).await?, size))
}

/// The fields of a body of this kind and of a query, which overrides the body.
fn merge(
    kind: BodyKind,
    mut body: Map<String, Value>,
    mut query: Map<String, Value>,
    fields: &[&str],
) -> Result<RequestFields, Problem> {
    let accepted =
        |field: &str| fields.contains(&field) || (field == "text" && kind != BodyKind::Json);
    if let Some(field) = body.keys().find(|field| !accepted(field)) {
        return Err(unknown_field(field, fields));
    }
    // Values that the query overrides must be valid too.
    let overridden = if query.keys().any(|field| body.contains_key(field)) {
        Some(Box::new(deserialize(body.clone())?))
    } else {
        None
    };
    body.append(&mut query);
    let mut merged = deserialize(body)?;
    merged.overridden = overridden;
    Ok(merged)
}

/// Reads the fields of a query.
///
/// # Errors
/// 400, naming the field.
pub fn read_query(text: &str, fields: &[&str]) -> Result<RequestFields, Problem> {
    deserialize(parse_query(text, fields)?)
}

fn deserialize(values: Map<String, Value>) -> Result<RequestFields, Problem> {
    serde_path_to_error::deserialize(Value::Object(values)).map_err(|error| {
        let path = error.path().to_string();
        let requirement = requirement(&path);
        Problem::bad_request(Code::InvalidField, path, requirement)
    })
}

/// What the value of a field must be.
fn requirement(path: &str) -> &'static str {
    let (field, is_inner) = match path.split_once('[') {
        Some((field, _)) => (field, true),
        None => (path, false),
    };
    match field {
        _ if LIMIT_FIELDS.contains(&field) => "must be a positive whole number",
        _ if COUNT_FIELDS.contains(&field) => "must be a whole number",
        _ if BOOLEAN_FIELDS.contains(&field) => "must be true or false",
        "moves" if !is_inner => "must be a list of strings",
        "boards" if !is_inner => "must be a list of boards",
        "boards" => "a board is a list of 8 rows of 8 whole numbers",
        "turn" => "must be w or b",
        "searched" if !is_inner => "must be a list of searched positions",
        "searched" => "must be as /api/v1/review/search has answered it",
        _ => "must be a string",
    }
}

/// What the value of a field of games as JSON must be.
fn game_requirement(path: &str) -> &'static str {
    let name = path.rsplit('.').next().unwrap_or(path);
    match name.split('[').next().unwrap_or(name) {
        "body" => "games are required: a list of games",
        "games" => "must be a list of games with tags, result and nodes",
        "tags" => "must be a list of pairs: name and value",
        "result" => "must be 1-0, 0-1, 1/2-1/2 or *",
        "chess960" => "must be true or false",
        "nodes" => "must be a list of objects with parent, san, before and after",
        "parent" => "must be the index of a node",
        "before" | "after" => "must be a list of annotations: a nag or a comment",
        "nag" => "must be a whole number from 0 to 255",
        "warnings" => "must be a list of strings",
        "san" | "comment" => "must be a string",
        _ => "unknown field",
    }
}

fn unknown_field(field: &str, fields: &[&str]) -> Problem {
    let error = format!("unknown field; this route accepts {}", fields.join(", "));
    Problem::bad_request(Code::UnknownField, field, error)
}

/// The fields of a query, each with the JSON type that it has in a body.
fn parse_query(text: &str, fields: &[&str]) -> Result<Map<String, Value>, Problem> {
    let mut values = Map::new();
    for (field, text) in form_urlencoded::parse(text.as_bytes()) {
        if !fields.contains(&field.as_ref()) {
            return Err(unknown_field(&field, fields));
        }
        let name = field.as_ref();
        let value = if LIMIT_FIELDS.contains(&name) || COUNT_FIELDS.contains(&name) {
            text.parse().map(Value::Number).unwrap_or_else(|_| text.into())
        } else if BOOLEAN_FIELDS.contains(&field.as_ref()) {
            text.parse().map(Value::Bool).unwrap_or_else(|_| text.into())
        } else if field == "moves" {
            text.split([' ', ',']).filter(|word| !word.is_empty()).collect()
        } else {
            text.into()
        };
        let value = floats_to_integers(value);
        if values.insert(field.to_string(), value).is_some() {
            return Err(Problem::bad_request(Code::InvalidField, field, "given twice"));
        }
    }
    Ok(values)
}

/// The kind of a body, from its Content-Type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum BodyKind {
    Json,
    Html,
    Pgn,
    /// Plain text, detected by content: FEN, PGN, a diagram.
    Text,
    /// No Content-Type, or the one that `curl --data` always sends: JSON or detected by content.
    Unspecified,
}

impl BodyKind {
    fn from_headers(headers: &HeaderMap) -> Result<BodyKind, Problem> {
        let Some(value) = headers.get(header::CONTENT_TYPE) else {
            return Ok(BodyKind::Unspecified);
        };
        let text = value.to_str().unwrap_or_default().to_ascii_lowercase();
        let (essence, parameters) = text.split_once(';').unwrap_or((&text, ""));
        let charset = parameters.split(';').find_map(|p| p.trim().strip_prefix("charset="));
        let supported = ["utf-8", "utf8", "us-ascii"];
        if charset.is_some_and(|name| !supported.contains(&name.trim_matches('"'))) {
            return Err(unsupported("The charset must be UTF-8."));
        }
        match essence.trim() {
            "application/json" => Ok(BodyKind::Json),
            "text/html" | "application/xhtml+xml" => Ok(BodyKind::Html),
            "application/x-chess-pgn" | "application/vnd.chess-pgn" => Ok(BodyKind::Pgn),
            "text/plain" => Ok(BodyKind::Text),
            "" | "application/x-www-form-urlencoded" => Ok(BodyKind::Unspecified),
            _ => Err(unsupported(
                "The body must be application/json, text/html (a board page), text/plain (a FEN or \
                 a PGN) or application/x-chess-pgn.",
            )),
        }
    }

    /// The text of a body: UTF-8, or Latin-1 in a PGN, as in the files that the commands read.
    fn decode(self, body: &[u8]) -> Result<Cow<'_, str>, Problem> {
        let error = match std::str::from_utf8(body) {
            Ok(text) => return Ok(text.into()),
            Err(error) => error,
        };
        let latin1: String = body.iter().map(|byte| char::from(*byte)).collect();
        let is_utf16 = latin1.starts_with("ÿþ") || latin1.starts_with("þÿ");
        let is_pgn = match self {
            BodyKind::Pgn => true,
            BodyKind::Text | BodyKind::Unspecified => {
                !latin1.trim_start().starts_with('{') && by_content(&latin1).name() == "pgn"
            }
            BodyKind::Json | BodyKind::Html => false,
        };
        match (is_utf16, is_pgn) {
            (true, _) => Err(malformed("is UTF-16; send UTF-8")),
            (false, true) => Ok(latin1.into()),
            (false, false) => Err(malformed(&format!("not UTF-8 at byte {}", error.valid_up_to()))),
        }
    }

    /// The fields of a body of this kind.
    fn parse(self, body: &[u8]) -> Result<Map<String, Value>, Problem> {
        let text = self.decode(body)?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let start = text.trim_start();
        let field = match self {
            BodyKind::Json => return parse_json(text),
            BodyKind::Unspecified if start.starts_with('{') => return parse_json(text),
            BodyKind::Unspecified if start.is_empty() => return Ok(Map::new()),
            _ if body.is_empty() => return Ok(Map::new()),
            BodyKind::Html => "html",
            BodyKind::Pgn => "pgn",
            BodyKind::Text | BodyKind::Unspecified if start.trim_end() == "startpos" => "fen",
            BodyKind::Text | BodyKind::Unspecified => "text",
        };
        Ok(Map::from_iter([(field.to_owned(), text.into())]))
    }
}

fn unsupported(detail: &str) -> Problem {
    Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, Code::UnsupportedMediaType, detail)
}

fn malformed(error: &str) -> Problem {
    Problem::bad_request(Code::MalformedBody, "body", error)
}

fn parse_json(text: &str) -> Result<Map<String, Value>, Problem> {
    match serde_json::from_str(text).map(floats_to_integers) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(malformed("must be a JSON object")),
        Err(error) => {
            let (line, column) = (error.line(), error.column());
            Err(malformed(&format!("is not valid JSON (line {line}, column {column})")))
        }
    }
}

/// Converts floats without a fraction to integers: JSON Schema counts `-2.0` as an integer.
fn floats_to_integers(value: Value) -> Value {
    // Beyond this, integers are not exact as floats.
    const MAX_EXACT: f64 = (1u64 << 53) as f64;
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() <= MAX_EXACT => {
                (float as i64).into()
            }
            _ => Value::Number(number),
        },
        Value::Array(values) => values.into_iter().map(floats_to_integers).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, floats_to_integers(value))).collect()
        }
        other => other,
    }
}

/// Reads a body of at most `max_bytes` within `time_limit`.
async fn collect(
    body: Body,
    headers: &HeaderMap,
    max_bytes: usize,
    time_limit: Duration,
) -> Result<Vec<u8>, Problem> {
    let too_large = |detail: String| {
        let status = StatusCode::PAYLOAD_TOO_LARGE;
        Problem::new(status, Code::BodyTooLarge, detail)
    };
    let too_many_bytes = || too_large(format!("The body is larger than {max_bytes} bytes."));
    let content_length =
        headers.get(header::CONTENT_LENGTH).and_then(|v| v.to_str().ok()?.parse().ok());
    if content_length.is_some_and(|n: u64| n > max_bytes as u64)
        && headers.contains_key(header::EXPECT)
    {
        // The client has not sent the body yet.
        return Err(too_many_bytes());
    }
    match timeout(time_limit, read_up_to(body, max_bytes)).await {
        Ok(Ok(ReadBody::Whole(bytes))) => Ok(bytes),
        Ok(Ok(ReadBody::TooLarge)) => Err(too_many_bytes()),
        Ok(Ok(ReadBody::Fragmented)) => {
            Err(too_large("The body has too many small chunks.".to_owned()))
        }
        Ok(Err(_)) => Err(malformed("is incomplete")),
        Err(_) => {
            let detail = format!("The body did not arrive within {} s.", time_limit.as_secs());
            Err(Problem::new(StatusCode::REQUEST_TIMEOUT, Code::BodyTimeout, detail))
        }
    }
}

/// A body that was read to its end or to a limit.
enum ReadBody {
    Whole(Vec<u8>),
    /// There are more bytes than the limit.
    TooLarge,
    /// See [`is_fragmented`].
    Fragmented,
}

/// Reads a body of at most `max_bytes`.
async fn read_up_to(mut body: Body, max_bytes: usize) -> Result<ReadBody, axum::Error> {
    let mut bytes = Vec::new();
    let (mut pieces, mut read) = (0, 0);
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame?.into_data() else {
            continue;
        };
        pieces += 1;
        read += data.len();
        if is_fragmented(pieces, read) {
            return Ok(ReadBody::Fragmented);
        }
        if read <= max_bytes {
            bytes.extend_from_slice(&data);
        } else if read > max_bytes.saturating_mul(DRAIN_FACTOR) {
            break;
        }
    }
    Ok(if read <= max_bytes { ReadBody::Whole(bytes) } else { ReadBody::TooLarge })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_pgn_may_be_latin_1() {
        let game = b"[White \"J\xf6rg\"]\n\n1. e4 {\xfcber} *\n";
        for (kind, field) in
            [(BodyKind::Pgn, "pgn"), (BodyKind::Text, "text"), (BodyKind::Unspecified, "text")]
        {
            let fields = kind.parse(game).unwrap_or_else(|_| panic!("{kind:?} is read"));
            let text = fields[field].as_str().expect("a text");
            assert!(text.contains("Jörg") && text.contains("über"), "{text}");
        }
        for (kind, body) in [
            (BodyKind::Json, &b"{\"fen\": \"\xf6\"}"[..]),
            (BodyKind::Unspecified, b"{\"fen\": \"\xf6\"}"),
            (BodyKind::Html, b"<p>\xf6</p>"),
            (BodyKind::Text, b"\xf6"),
            (BodyKind::Pgn, b"\xff\xfe1\0.\0"),
        ] {
            assert!(kind.parse(body).is_err(), "{kind:?} {body:?}");
        }
    }

    #[test]
    fn floats_without_fraction_are_integers() {
        let convert = |text: &str| floats_to_integers(serde_json::from_str(text).unwrap());
        assert_eq!(convert("[[-2.0, 1e2], {\"a\": 3.0}]"), json!([[-2, 100], {"a": 3}]));
        assert_eq!(convert("[1.5, 1e300, -0.0]"), json!([1.5, 1e300, 0]));
        assert_eq!(convert("[18446744073709551615]"), json!([18_446_744_073_709_551_615u64]));
    }
}
