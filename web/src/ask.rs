//! What a request asks: its fields, and the limits they give.

use crate::problem::Problem;
use crate::think::Limits;
use serde::{Deserialize, Deserializer};
use std::ops::RangeInclusive;
use std::time::Duration;

/// The fields that give a position.
pub const POSITION: [&str; 8] = [
    "fen", "start", "moves", "pgn", "html", "boards", "turn", "chess960",
];
/// The fields that say when a search ends.
pub const LIMITS: [&str; 5] = ["movetime", "nodes", "depth", "multipv", "elo"];

/// Time for a best move if the request gives no limit.
pub const DEFAULT_MOVETIME: Duration = Duration::from_secs(1);
/// Most nodes that may be asked for: the largest integer that every JSON reader holds exactly.
pub const MAX_NODES: u64 = (1 << 53) - 1;
/// Deepest search that may be asked for, in plies.
pub const MAX_DEPTH: u32 = saavedra::search::score::MAX_PLY as u32;
/// Most lines that may be asked for.
pub const MAX_LINES: u32 = 64;

/// A request's fields, as far as they are given.
#[derive(Default, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ask {
    /// The position, or with moves the start, as FEN.
    #[serde(deserialize_with = "given")]
    pub fen: Option<String>,
    /// The start, as FEN or `startpos`.
    #[serde(deserialize_with = "given")]
    pub start: Option<String>,
    /// The moves from the start.
    #[serde(deserialize_with = "given")]
    pub moves: Option<Vec<String>>,
    /// A game as PGN.
    #[serde(deserialize_with = "given")]
    pub pgn: Option<String>,
    /// A board page.
    #[serde(deserialize_with = "given")]
    pub html: Option<String>,
    /// A text in any form, which only a body of its own gives.
    #[serde(deserialize_with = "given")]
    pub text: Option<String>,
    /// A game as a list of arrays.
    #[serde(deserialize_with = "given")]
    pub boards: Option<Vec<Vec<Vec<i64>>>>,
    /// Who moves on the first of the arrays.
    #[serde(deserialize_with = "given")]
    pub turn: Option<Turn>,
    /// Whether castling is written king takes rook.
    #[serde(deserialize_with = "given")]
    pub chess960: Option<bool>,
    #[serde(deserialize_with = "given")]
    movetime: Option<u64>,
    #[serde(deserialize_with = "given")]
    nodes: Option<u64>,
    #[serde(deserialize_with = "given")]
    depth: Option<u32>,
    #[serde(deserialize_with = "given")]
    multipv: Option<u32>,
    #[serde(deserialize_with = "given")]
    elo: Option<u32>,
    /// The move to make, where one is.
    #[serde(rename = "move", deserialize_with = "given")]
    pub to_make: Option<String>,
    #[serde(deserialize_with = "given")]
    history: Option<bool>,
}

/// A field that is there has a value: `null` is none.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

/// Who moves.
#[derive(Clone, Copy, Debug, Deserialize)]
pub enum Turn {
    /// White.
    #[serde(rename = "w", alias = "white")]
    White,
    /// Black.
    #[serde(rename = "b", alias = "black")]
    Black,
}

impl Ask {
    /// Whether the answer should hold every position of the game.
    pub fn wants_history(&self) -> bool {
        self.history.unwrap_or(false)
    }

    /// Whether it says when to end.
    pub fn has_limit(&self) -> bool {
        self.movetime.is_some() || self.nodes.is_some() || self.depth.is_some()
    }

    /// When the search ends: what the request says, `otherwise` if it says nothing, and never
    /// after more than `cap`.
    ///
    /// # Errors
    /// 400, naming the field that is out of its range.
    pub fn limits(
        &self,
        otherwise: Duration,
        cap: Duration,
        elo: Option<&RangeInclusive<u32>>,
    ) -> Result<Limits, Problem> {
        let longest = u64::try_from(cap.as_millis()).unwrap_or(u64::MAX);
        within("movetime", self.movetime, 1..=longest)?;
        within("nodes", self.nodes, 1..=MAX_NODES)?;
        within("depth", self.depth.map(u64::from), 1..=MAX_DEPTH.into())?;
        within("multipv", self.multipv.map(u64::from), 1..=MAX_LINES.into())?;
        match (self.elo, elo) {
            (Some(_), None) => {
                return Err(Problem::syntax(
                    "elo",
                    "this engine plays at full strength only",
                ));
            }
            (value, Some(range)) => {
                let range = (*range.start()).into()..=(*range.end()).into();
                within("elo", value.map(u64::from), range)?;
            }
            (None, None) => {}
        }
        let movetime = match (self.movetime, self.has_limit()) {
            (Some(milliseconds), _) => Duration::from_millis(milliseconds),
            (None, true) => cap,
            (None, false) => otherwise.min(cap),
        };
        let multipv = self.multipv.unwrap_or(1);
        Ok(Limits {
            movetime,
            nodes: self.nodes,
            depth: self.depth,
            multipv,
            elo: self.elo,
        })
    }
}

fn within(field: &str, value: Option<u64>, range: RangeInclusive<u64>) -> Result<(), Problem> {
    match value {
        Some(value) if !range.contains(&value) => {
            let (least, most) = (range.start(), range.end());
            Err(Problem::syntax(
                field,
                format!("{value} is not from {least} to {most}"),
            ))
        }
        _ => Ok(()),
    }
}
