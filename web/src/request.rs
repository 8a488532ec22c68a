//! The fields of a request, and the search limits that they set.

use crate::backend::SearchParameters;
use crate::problem::Problem;
use saavedra::search::Limits;
use serde::{Deserialize, Deserializer};
use std::ops::RangeInclusive;
use std::time::Duration;

/// The fields that describe a position.
const POSITION_FIELDS: [&str; 8] = [
    "fen", "start", "moves", "pgn", "html", "boards", "turn", "chess960",
];
/// The fields that limit a search.
pub const LIMIT_FIELDS: [&str; 5] = ["movetime", "nodes", "depth", "multipv", "elo"];

/// Time of a best-move search without limits.
pub const DEFAULT_MOVETIME: Duration = Duration::from_secs(1);
/// Maximum number of nodes: the largest integer that every JSON parser represents exactly.
pub const MAX_NODES: u64 = (1 << 53) - 1;
/// Maximum depth in plies.
pub const MAX_DEPTH: u32 = saavedra::search::score::MAX_PLY as u32;
/// Maximum number of PV lines.
pub const MAX_MULTIPV: u32 = 64;

/// The fields of a position and these.
pub fn position_fields_and(more: &[&'static str]) -> Vec<&'static str> {
    [&POSITION_FIELDS, more].concat()
}

/// The fields of a request.
#[derive(Default, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RequestFields {
    /// The position or, with `moves`, the start position, as FEN or `startpos`.
    #[serde(deserialize_with = "not_null")]
    pub fen: Option<String>,
    /// The start position, as FEN or `startpos`.
    #[serde(deserialize_with = "not_null")]
    pub start: Option<String>,
    /// The moves from the start position.
    #[serde(deserialize_with = "not_null")]
    pub moves: Option<Vec<String>>,
    /// A game as PGN.
    #[serde(deserialize_with = "not_null")]
    pub pgn: Option<String>,
    /// A board page.
    #[serde(deserialize_with = "not_null")]
    pub html: Option<String>,
    /// Text in any format; set for plain-text bodies only.
    #[serde(deserialize_with = "not_null")]
    pub text: Option<String>,
    /// A game as a list of board arrays.
    #[serde(deserialize_with = "not_null")]
    pub boards: Option<Vec<Vec<Vec<i64>>>>,
    /// The side to move on the first of `boards`.
    #[serde(deserialize_with = "not_null")]
    pub turn: Option<Turn>,
    /// Whether castling moves are written as king takes rook.
    #[serde(deserialize_with = "not_null")]
    pub chess960: Option<bool>,
    #[serde(deserialize_with = "not_null")]
    movetime: Option<u64>,
    #[serde(deserialize_with = "not_null")]
    nodes: Option<u64>,
    #[serde(deserialize_with = "not_null")]
    depth: Option<u32>,
    #[serde(deserialize_with = "not_null")]
    multipv: Option<u32>,
    #[serde(deserialize_with = "not_null")]
    elo: Option<u32>,
    /// The move to make (`/make`).
    #[serde(rename = "move", deserialize_with = "not_null")]
    pub move_text: Option<String>,
    #[serde(deserialize_with = "not_null")]
    history: Option<bool>,
    /// The body, if the query overrides a field of it.
    #[serde(skip)]
    pub overridden: Option<Box<RequestFields>>,
}

/// Refuses `null`: a field that is present has a value.
fn not_null<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

/// The side to move.
#[derive(Clone, Copy, Debug, Deserialize)]
pub enum Turn {
    /// White.
    #[serde(rename = "w", alias = "white")]
    White,
    /// Black.
    #[serde(rename = "b", alias = "black")]
    Black,
}

impl RequestFields {
    /// The approximate size of the position in bytes.
    pub fn size(&self) -> usize {
        let texts = [&self.fen, &self.start, &self.pgn, &self.html, &self.text];
        let texts: usize = texts.into_iter().flatten().map(String::len).sum();
        let moves: usize = self.moves.iter().flatten().map(String::len).sum();
        let rows = self.boards.iter().flatten().flatten();
        texts + moves + rows.map(Vec::len).sum::<usize>()
    }

    /// Whether the response includes every position of the game.
    pub fn with_history(&self) -> bool {
        self.history.unwrap_or(false)
    }

    /// Whether time, nodes or depth are limited.
    pub fn has_limit(&self) -> bool {
        self.movetime.is_some() || self.nodes.is_some() || self.depth.is_some()
    }

    /// The parameters of the search. Without limits it takes `default_time`, and never more than
    /// `max_time`.
    ///
    /// # Errors
    /// 400, naming the field that is out of range.
    pub fn search_parameters(
        &self,
        default_time: Duration,
        max_time: Duration,
        elo_range: Option<&RangeInclusive<u32>>,
    ) -> Result<SearchParameters, Problem> {
        for fields in self.overridden.as_deref().into_iter().chain([self]) {
            fields.check_limits(max_time, elo_range)?;
        }
        let move_time = match (self.movetime, self.has_limit()) {
            (Some(milliseconds), _) => Duration::from_millis(milliseconds),
            (None, true) => max_time,
            (None, false) => default_time.min(max_time),
        };
        let limits = Limits {
            nodes: self.nodes,
            depth: self.depth,
            ..Limits::move_time(move_time)
        };
        Ok(SearchParameters {
            limits,
            multipv: self.multipv.unwrap_or(1),
            elo: self.elo,
        })
    }

    /// Checks that each limit is in its range.
    fn check_limits(
        &self,
        max_time: Duration,
        elo_range: Option<&RangeInclusive<u32>>,
    ) -> Result<(), Problem> {
        let max_movetime = u64::try_from(max_time.as_millis()).unwrap_or(u64::MAX);
        check_range("movetime", self.movetime, 1..=max_movetime)?;
        check_range("nodes", self.nodes, 1..=MAX_NODES)?;
        check_range("depth", self.depth.map(u64::from), 1..=MAX_DEPTH.into())?;
        let multipv = self.multipv.map(u64::from);
        check_range("multipv", multipv, 1..=MAX_MULTIPV.into())?;
        match (self.elo, elo_range) {
            (Some(_), None) => {
                let error = "this engine plays at full strength only";
                Err(Problem::bad_request("elo", error))
            }
            (value, Some(range)) => {
                let range = (*range.start()).into()..=(*range.end()).into();
                check_range("elo", value.map(u64::from), range)
            }
            (None, None) => Ok(()),
        }
    }
}

fn check_range(field: &str, value: Option<u64>, range: RangeInclusive<u64>) -> Result<(), Problem> {
    match value {
        Some(value) if !range.contains(&value) => {
            let (min, max) = (range.start(), range.end());
            Err(Problem::bad_request(
                field,
                format!("{value} is not from {min} to {max}"),
            ))
        }
        _ => Ok(()),
    }
}
