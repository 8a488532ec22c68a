//! The review of a game as JSON.

#[cfg(feature = "openapi")]
use crate::schema;
use crate::{BestMoveResponse, RequestedGame};
use saavedra::analysis::motif::MotifName;
use saavedra::analysis::{JudgedMove, Review, ReviewedPosition, SideSummary, accuracy};
use saavedra::chess::Color;
use serde::Serialize;
use std::collections::VecDeque;
use std::time::Duration;

/// The state of a review.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Review))]
pub struct ReviewResponse {
    /// The identifier, if the review is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub id: Option<String>,
    /// The status.
    pub status: ReviewStatus,
    progress: ReviewProgress,
    /// The positions searched so far: the last positions of the game, in game order.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<ReviewedPositionResponse>))]
    positions: VecDeque<ReviewedPositionResponse>,
    /// The summaries of both sides, when the review is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    summary: Option<SummaryResponse>,
    /// The error message of a failed review.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    detail: Option<String>,
}

impl ReviewResponse {
    /// The response for a review of this many positions that is about to begin.
    pub fn new(id: Option<String>, status: ReviewStatus, positions: usize) -> ReviewResponse {
        ReviewResponse {
            id,
            status,
            progress: ReviewProgress { done: 0, total: positions },
            positions: VecDeque::new(),
            summary: None,
            detail: None,
        }
    }

    /// Adds the searched current position of the game, and the judgement of the move that was made
    /// in it. The position before it comes next.
    pub fn add(
        &mut self,
        requested: &RequestedGame,
        (reviewed, judged): (&ReviewedPosition, Option<&JudgedMove>),
        queued: Duration,
        searched: Duration,
    ) {
        self.status = ReviewStatus::Running;
        self.progress.done += 1;
        if let (Some(next), Some(judged)) = (self.positions.front_mut(), judged) {
            next.judge(requested, judged);
        }
        self.positions.push_front(ReviewedPositionResponse {
            ply: requested.game.moves().len(),
            result: BestMoveResponse::reviewed(requested, reviewed, queued, searched),
            played: None,
            judgement: None,
            why: None,
            motif: None,
            accuracy: None,
        });
    }

    /// Ends the review after its last position.
    pub fn finish(&mut self, review: &Review) {
        self.status = ReviewStatus::Done;
        self.summary = Some(SummaryResponse::new(review));
    }

    /// Ends the review with an error.
    pub fn fail(&mut self, detail: &str) {
        self.status = ReviewStatus::Failed;
        self.detail = Some(detail.to_owned());
    }
}

/// The status of a review.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
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
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
struct ReviewProgress {
    done: usize,
    total: usize,
}

/// A position of the game and the move that led to it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Reviewed))]
struct ReviewedPositionResponse {
    /// Plies from the start of the game.
    ply: usize,
    #[serde(flatten)]
    result: BestMoveResponse,
    /// The move that led to the position, once it is judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    played: Option<PlayedMove>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(schema_with = schema::judgement))]
    judgement: Option<&'static str>,
    /// Why the move is bad, if the lines prove it: `Black wins a rook by a fork: 17... Nc2+`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    why: Option<String>,
    /// The motif that the move allows or misses, as `saavedra explain --json` names it: `fork`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = String, nullable = false))]
    motif: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 0, maximum = 100))]
    accuracy: Option<f64>,
}

impl ReviewedPositionResponse {
    /// Adds the judgement of the move that led to the position; `before` is the game without it.
    fn judge(&mut self, before: &RequestedGame, judged: &JudgedMove) {
        let (board, Some(m)) = (before.game.board(), judged.played) else {
            return;
        };
        self.played = Some(PlayedMove { uci: before.uci(board, m), san: board.san(m) });
        self.judgement = Some(judged.judgement.name());
        self.accuracy = Some(accuracy(judged.loss));
        self.why = judged.reason.as_ref().map(ToString::to_string);
        let motif = judged.reason.as_ref().and_then(|reason| reason.motif);
        self.motif = motif.map(MotifName::token);
    }
}

/// A move in both notations.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
struct PlayedMove {
    uci: String,
    san: String,
}

/// The summaries of both sides.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Summaries))]
struct SummaryResponse {
    white: SideSummaryResponse,
    black: SideSummaryResponse,
}

impl SummaryResponse {
    /// The summaries of a review.
    fn new(review: &Review) -> SummaryResponse {
        let side = |color: Color| SideSummaryResponse::new(&review.sides[color.index()]);
        SummaryResponse { white: side(Color::White), black: side(Color::Black) }
    }
}

/// The summary of one side's moves.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Summary))]
struct SideSummaryResponse {
    moves: usize,
    /// The accuracy of the game, 0 to 100, by the formula of lichess; null without moves.
    #[cfg_attr(feature = "openapi", schema(required, minimum = 0, maximum = 100))]
    accuracy: Option<f64>,
    inaccuracies: usize,
    mistakes: usize,
    blunders: usize,
}

impl SideSummaryResponse {
    fn new(side: &SideSummary) -> SideSummaryResponse {
        SideSummaryResponse {
            moves: side.moves,
            accuracy: side.accuracy,
            inaccuracies: side.inaccuracies,
            mistakes: side.mistakes,
            blunders: side.blunders,
        }
    }
}
