//! Reading a request: its body within size and time, its kind, and its fields.

use crate::ask::Ask;
use crate::config::Config;
use crate::problem::Problem;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use http_body_util::BodyExt;
use serde_json::{Map, Value};
use std::time::Duration;
use tokio::time::timeout;

/// A body too large is read on and thrown away up to so many times the limit, so that the client,
/// still busy sending, gets to read the refusal.
pub const DRAINED: usize = 64;

/// Fields of a query that are numbers.
const NUMBERS: [&str; 5] = ["movetime", "nodes", "depth", "multipv", "elo"];
/// Fields of a query that are true or false.
const FLAGS: [&str; 2] = ["chess960", "history"];

/// Reads a request's query and body into what it asks; `fields` are those the route knows. What
/// both give, the query decides.
///
/// # Errors
/// 400, 408, 413 or 415, naming the field.
pub async fn read(request: Request, config: &Config, fields: &[&str]) -> Result<Ask, Problem> {
    let (parts, body) = request.into_parts();
    let mut query = query(parts.uri.query().unwrap_or_default(), fields)?;
    let kind = Kind::of(&parts.headers)?;
    let body = collect(body, &parts.headers, config.max_body(), config.patience()).await?;
    let mut given = kind.fields(&body)?;
    let known = |field: &str| fields.contains(&field) || (field == "text" && kind != Kind::Json);
    if let Some(field) = given.keys().find(|field| !known(field)) {
        return Err(unknown(field, fields));
    }
    if !query.is_empty() {
        // What the query is to replace must be sound too.
        ask(given.clone())?;
    }
    given.append(&mut query);
    ask(given)
}

/// Reads the query alone.
///
/// # Errors
/// 400, naming the field.
pub fn read_query(text: &str, fields: &[&str]) -> Result<Ask, Problem> {
    ask(query(text, fields)?)
}

fn ask(fields: Map<String, Value>) -> Result<Ask, Problem> {
    serde_path_to_error::deserialize(Value::Object(fields)).map_err(|error| {
        let path = error.path().to_string();
        Problem::syntax(path, error.into_inner())
    })
}

fn unknown(field: &str, fields: &[&str]) -> Problem {
    Problem::syntax(
        field,
        format!("unknown here; known are {}", fields.join(", ")),
    )
}

/// A query's fields, each as the type of JSON it would have in a body.
fn query(text: &str, fields: &[&str]) -> Result<Map<String, Value>, Problem> {
    let mut given = Map::new();
    for (field, text) in form_urlencoded::parse(text.as_bytes()) {
        if !fields.contains(&field.as_ref()) {
            return Err(unknown(&field, fields));
        }
        let value = if NUMBERS.contains(&field.as_ref()) {
            text.parse()
                .map(Value::Number)
                .unwrap_or_else(|_| text.into())
        } else if FLAGS.contains(&field.as_ref()) {
            text.parse()
                .map(Value::Bool)
                .unwrap_or_else(|_| text.into())
        } else if field == "moves" {
            text.split([' ', ','])
                .filter(|word| !word.is_empty())
                .collect()
        } else {
            text.into()
        };
        if given.insert(field.to_string(), value).is_some() {
            return Err(Problem::syntax(field, "given twice"));
        }
    }
    Ok(given)
}

/// What a body is, by its Content-Type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Json,
    Html,
    Pgn,
    /// A FEN, a PGN, a diagram: what it looks like.
    Text,
    /// Not said, or said by a client that says so of everything (`curl --data`): JSON or what it looks like.
    Unsaid,
}

impl Kind {
    fn of(headers: &HeaderMap) -> Result<Kind, Problem> {
        let Some(value) = headers.get(header::CONTENT_TYPE) else {
            return Ok(Kind::Unsaid);
        };
        let text = value.to_str().unwrap_or_default().to_ascii_lowercase();
        let (essence, parameters) = text.split_once(';').unwrap_or((&text, ""));
        let charset = parameters
            .split(';')
            .find_map(|p| p.trim().strip_prefix("charset="));
        let readable = ["utf-8", "utf8", "us-ascii"];
        if charset.is_some_and(|name| !readable.contains(&name.trim_matches('"'))) {
            return Err(unsupported("Only UTF-8 is read."));
        }
        match essence.trim() {
            "application/json" => Ok(Kind::Json),
            "text/html" | "application/xhtml+xml" => Ok(Kind::Html),
            "application/x-chess-pgn" | "application/vnd.chess-pgn" => Ok(Kind::Pgn),
            "text/plain" => Ok(Kind::Text),
            "" | "application/x-www-form-urlencoded" => Ok(Kind::Unsaid),
            _ => Err(unsupported(
                "Send application/json, text/html (a board page), text/plain (a FEN or a PGN) or \
                 application/x-chess-pgn.",
            )),
        }
    }

    /// The fields that a body of this kind gives.
    fn fields(self, body: &[u8]) -> Result<Map<String, Value>, Problem> {
        let text = std::str::from_utf8(body).map_err(|error| {
            Problem::syntax("body", format!("not UTF-8 at byte {}", error.valid_up_to()))
        })?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let start = text.trim_start();
        let field = match self {
            Kind::Json => return json(text),
            Kind::Unsaid if start.starts_with('{') => return json(text),
            _ if start.is_empty() => return Ok(Map::new()),
            Kind::Html => "html",
            Kind::Pgn => "pgn",
            Kind::Text | Kind::Unsaid if start.trim_end() == "startpos" => "fen",
            Kind::Text | Kind::Unsaid => "text",
        };
        Ok(Map::from_iter([(field.to_owned(), text.into())]))
    }
}

fn unsupported(detail: &str) -> Problem {
    Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail)
}

fn json(text: &str) -> Result<Map<String, Value>, Problem> {
    match serde_json::from_str(text).map(whole) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(Problem::syntax("body", "must be a JSON object")),
        Err(error) => Err(Problem::syntax("body", error)),
    }
}

/// JSON knows but one kind of number, and a schema counts `-2.0` as an integer: so do we.
fn whole(value: Value) -> Value {
    // Beyond this not every integer has a float of its own.
    const EXACT: f64 = (1u64 << 53) as f64;
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() <= EXACT => {
                (float as i64).into()
            }
            _ => Value::Number(number),
        },
        Value::Array(values) => values.into_iter().map(whole).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(name, value)| (name, whole(value)))
            .collect(),
        other => other,
    }
}

/// Reads a body of at most `limit` bytes within `patience`.
async fn collect(
    body: Body,
    headers: &HeaderMap,
    limit: usize,
    patience: Duration,
) -> Result<Vec<u8>, Problem> {
    let too_large = || {
        let detail = format!("The body has more than {limit} bytes.");
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, detail)
    };
    let announced = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|v| v.to_str().ok()?.parse().ok());
    if announced.is_some_and(|n: u64| n > limit as u64) && headers.contains_key(header::EXPECT) {
        // The client waits for our word before it sends.
        return Err(too_large());
    }
    match timeout(patience, take(body, limit)).await {
        Ok(Ok(Some(bytes))) => Ok(bytes),
        Ok(Ok(None)) => Err(too_large()),
        Ok(Err(error)) => Err(Problem::syntax("body", format!("broken off: {error}"))),
        Err(_) => {
            let detail = format!("The body did not arrive within {} s.", patience.as_secs());
            Err(Problem::new(StatusCode::REQUEST_TIMEOUT, detail))
        }
    }
}

/// All bytes of a body, or none if there are more than `limit`.
async fn take(mut body: Body, limit: usize) -> Result<Option<Vec<u8>>, axum::Error> {
    let mut bytes = Vec::new();
    let mut seen = 0;
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame?.into_data() else {
            continue;
        };
        seen += data.len();
        if seen <= limit {
            bytes.extend_from_slice(&data);
        } else if seen > limit.saturating_mul(DRAINED) {
            break;
        }
    }
    Ok((seen <= limit).then_some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn whole_numbers_may_be_written_with_a_point() {
        let whole = |text: &str| whole(serde_json::from_str(text).unwrap());
        assert_eq!(
            whole("[[-2.0, 1e2], {\"a\": 3.0}]"),
            json!([[-2, 100], {"a": 3}])
        );
        assert_eq!(whole("[1.5, 1e300, -0.0]"), json!([1.5, 1e300, 0]));
        assert_eq!(
            whole("[18446744073709551615]"),
            json!([18_446_744_073_709_551_615u64])
        );
    }
}
