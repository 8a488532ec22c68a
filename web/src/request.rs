//! The fields of a request, and the search limits that they set.

use crate::backend::SearchParameters;
use crate::problem::{Code, Problem};
use saavedra::search::Limits;
use saavedra_api::SearchedPosition;
use serde::{Deserialize, Deserializer};
use std::ops::RangeInclusive;
use std::time::Duration;
use utoipa::ToSchema;

/// The fields that describe a position.
const POSITION_FIELDS: [&str; 8] =
    ["fen", "start", "moves", "pgn", "html", "boards", "turn", "chess960"];
/// The fields that limit a search.
pub const LIMIT_FIELDS: [&str; 5] = ["movetime", "nodes", "depth", "multipv", "elo"];

/// Time of a best-move search without limits.
pub const DEFAULT_MOVETIME: Duration = Duration::from_secs(1);
/// Maximum number of nodes: the largest integer that every JSON parser represents exactly.
const MAX_NODES: u64 = (1 << 53) - 1;
/// Maximum depth in plies.
const MAX_DEPTH: u64 = saavedra::search::score::MAX_PLY as u64;
/// Maximum number of PV lines.
const MAX_MULTIPV: u64 = 64;

/// The fields of a position and these.
pub fn position_fields_and(more: &[&'static str]) -> Vec<&'static str> {
    [&POSITION_FIELDS, more].concat()
}

/// The fields of a request. Their comments are part of the OpenAPI document.
#[derive(Default, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestFields {
    /// The position or, with `moves`, the start position, as FEN or `startpos`.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(examples("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"))]
    pub fen: Option<String>,
    /// The start position, as FEN or `startpos`; another name for `fen`.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(examples("startpos"))]
    pub start: Option<String>,
    /// Moves from the start position, as UCI (`e2e4`) or SAN (`Nf3`).
    #[serde(default, deserialize_with = "not_null")]
    pub moves: Option<Vec<String>>,
    /// A game as PGN; its last position is used.
    #[serde(default, deserialize_with = "not_null")]
    pub pgn: Option<String>,
    /// A board page: squares are elements with `data-col` (a to h) and `data-row` (1 to 8) whose text
    /// is a Unicode chess symbol or empty; an element around them may have `data-turn`,
    /// `data-castling` and `data-ep`.
    #[serde(default, deserialize_with = "not_null")]
    pub html: Option<String>,
    /// Text in any format; set for plain-text bodies only.
    #[serde(default, deserialize_with = "not_null")]
    pub text: Option<String>,
    /// A game as a list of board arrays. En passant, castling rights and the side to move follow
    /// from the previous board.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(min_items = 1)]
    pub boards: Option<Vec<Vec<Vec<i64>>>>,
    /// The side to move on the first of `boards`; by default White, unless only a black move leads
    /// to the second.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(value_type = String)]
    pub turn: Option<Turn>,
    /// Write castling as king takes rook. Implied if king or rook do not start on their standard
    /// squares.
    #[serde(default, deserialize_with = "not_null")]
    pub chess960: Option<bool>,
    /// Milliseconds; in a review, for each position.
    #[serde(default, deserialize_with = "not_null")]
    movetime: Option<u64>,
    /// Nodes; in a review, for each position.
    #[serde(default, deserialize_with = "not_null")]
    nodes: Option<u64>,
    /// Plies.
    #[serde(default, deserialize_with = "not_null")]
    depth: Option<u64>,
    /// Number of PV lines.
    #[serde(default, deserialize_with = "not_null")]
    multipv: Option<u64>,
    /// Playing strength; full strength if absent.
    #[serde(default, deserialize_with = "not_null")]
    elo: Option<u64>,
    /// The move, as UCI or SAN.
    #[serde(rename = "move", default, deserialize_with = "not_null")]
    pub move_text: Option<String>,
    /// Include every position of the game.
    #[serde(default, deserialize_with = "not_null")]
    history: Option<bool>,
    /// A position of the game: plies from its start; the last one if absent.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(minimum = 0)]
    pub ply: Option<u64>,
    /// The searched positions, the last position of the game first.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(min_items = 1)]
    pub searched: Option<Vec<SearchedPosition>>,
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
        // The ranges of the limits are smaller.
        let narrow = |limit: u64| u32::try_from(limit).unwrap_or(u32::MAX);
        let limits = Limits {
            nodes: self.nodes,
            depth: self.depth.map(narrow),
            ..Limits::move_time(move_time)
        };
        Ok(SearchParameters {
            limits,
            multipv: self.multipv.map_or(1, narrow),
            elo: self.elo.map(narrow),
        })
    }

    /// The nodes of each search of an explanation.
    ///
    /// # Errors
    /// 400: more than `max`, or none.
    pub fn explanation_nodes(&self, default: u64, max: u64) -> Result<u64, Problem> {
        let all = self.overridden.as_deref().into_iter().chain([self]);
        match all.filter_map(|fields| fields.nodes).find(|nodes| !(1..=max).contains(nodes)) {
            Some(nodes) => Err(Problem::bad_request(
                Code::OutOfRange,
                "nodes",
                format!("{nodes} is not from 1 to {max}"),
            )),
            None => Ok(self.nodes.unwrap_or(default)),
        }
    }

    /// Checks that each limit is in its range.
    fn check_limits(
        &self,
        max_time: Duration,
        elo_range: Option<&RangeInclusive<u32>>,
    ) -> Result<(), Problem> {
        let values = [self.movetime, self.nodes, self.depth, self.multipv, self.elo];
        for (value, (field, range)) in values.into_iter().zip(limit_ranges(max_time, elo_range)) {
            let Some(value) = value else { continue };
            let Some(range) = range else {
                let error = "this engine plays at full strength only";
                return Err(Problem::bad_request(Code::OutOfRange, field, error));
            };
            if !range.contains(&value) {
                let (min, max) = range.into_inner();
                let error = format!("{value} is not from {min} to {max}");
                return Err(Problem::bad_request(Code::OutOfRange, field, error));
            }
        }
        Ok(())
    }
}

/// The range of each of [`LIMIT_FIELDS`], in their order; `None` if the field is not supported.
pub fn limit_ranges(
    max_time: Duration,
    elo_range: Option<&RangeInclusive<u32>>,
) -> [(&'static str, Option<RangeInclusive<u64>>); 5] {
    let max_time = u64::try_from(max_time.as_millis()).unwrap_or(u64::MAX);
    let elo = elo_range.map(|range| u64::from(*range.start())..=u64::from(*range.end()));
    let ranges =
        [Some(1..=max_time), Some(1..=MAX_NODES), Some(1..=MAX_DEPTH), Some(1..=MAX_MULTIPV), elo];
    std::array::from_fn(|index| (LIMIT_FIELDS[index], ranges[index].clone()))
}
