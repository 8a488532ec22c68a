//! The state of a review as JSON.

use crate::response::BestMoveResponse;
use saavedra::analysis::{Judgement, Review, SideSummary};
use saavedra::chess::Color;
use serde::{Serialize, Serializer};
use std::collections::VecDeque;

/// The state of a review as JSON.
#[derive(Clone, Debug, Serialize)]
pub struct ReviewResponse {
    /// The identifier.
    pub id: String,
    /// The status.
    pub status: ReviewStatus,
    /// The progress.
    pub progress: ReviewProgress,
    /// The positions searched so far: the last positions of the game, in game order.
    pub positions: VecDeque<ReviewedPositionResponse>,
    /// The summaries of both sides, when the review is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<SummaryResponse>,
    /// The error message of a failed review.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// The status of a review.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ReviewStatus {
    /// No position has been searched yet.
    Queued,
    /// Some positions have been searched.
    Running,
    /// All positions have been searched.
    Done,
    /// A search failed.
    Failed,
}

impl ReviewStatus {
    /// Whether the review has ended.
    pub fn is_finished(self) -> bool {
        matches!(self, ReviewStatus::Done | ReviewStatus::Failed)
    }
}

/// Number of searched positions and of all positions.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ReviewProgress {
    /// Searched positions.
    pub done: usize,
    /// All positions.
    pub total: usize,
}

/// A position of the game and the move that led to it.
#[derive(Clone, Debug, Serialize)]
pub struct ReviewedPositionResponse {
    /// Plies from the start of the game.
    pub ply: usize,
    /// The search result.
    #[serde(flatten)]
    pub result: BestMoveResponse,
    /// The move that led to the position, once it is judged.
    #[serde(flatten)]
    pub played: Option<JudgedMoveResponse>,
}

/// A judged move.
#[derive(Clone, Debug, Serialize)]
pub struct JudgedMoveResponse {
    /// The move.
    pub played: PlayedMove,
    /// The judgement.
    #[serde(serialize_with = "judgement_name")]
    pub judgement: Judgement,
    /// The accuracy, 0 to 100.
    pub accuracy: f64,
}

fn judgement_name<S: Serializer>(judgement: &Judgement, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_str(judgement.name())
}

/// A move in both notations.
#[derive(Clone, Debug, Serialize)]
pub struct PlayedMove {
    /// UCI text.
    pub uci: String,
    /// Standard algebraic notation.
    pub san: String,
}

/// The summaries of both sides.
#[derive(Clone, Debug, Serialize)]
pub struct SummaryResponse {
    white: SideSummaryResponse,
    black: SideSummaryResponse,
}

impl SummaryResponse {
    /// The summaries of a review.
    pub fn new(review: &Review) -> SummaryResponse {
        let side = |color: Color| SideSummaryResponse::new(&review.sides[color.index()]);
        SummaryResponse {
            white: side(Color::White),
            black: side(Color::Black),
        }
    }
}

/// The summary of one side's moves.
#[derive(Clone, Debug, Serialize)]
struct SideSummaryResponse {
    moves: usize,
    /// Mean accuracy of the moves; `None` without moves.
    accuracy: Option<f64>,
    inaccuracies: usize,
    mistakes: usize,
    blunders: usize,
}

impl SideSummaryResponse {
    fn new(side: &SideSummary) -> SideSummaryResponse {
        SideSummaryResponse {
            moves: side.moves,
            accuracy: (side.moves > 0).then_some(side.accuracy),
            inaccuracies: side.inaccuracies,
            mistakes: side.mistakes,
            blunders: side.blunders,
        }
    }
}
