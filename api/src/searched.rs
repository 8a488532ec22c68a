//! The positions of a game that a client has had searched, and the review of them.

use crate::search::milliseconds;
use crate::{RequestedGame, ReviewResponse, ReviewStatus, Score};
use saavedra::analysis::{AnalysisResult, ReviewBuilder, ReviewedPosition, Scale};
use saavedra::chess::{Board, Game, Move};
use saavedra::eval::Evaluation;
use saavedra::formats::Tree;
use saavedra::search::score::{self, MAX_PLY, TB_WIN};
use saavedra::search::{PvLine, SearchResult};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What a review needs of the search of a position. A client keeps it as it is.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Searched))]
pub struct SearchedPosition {
    /// Plies from the start of the game.
    pub ply: usize,
    /// The position.
    fen: String,
    /// Name and version of the engine.
    engine: String,
    score: Score,
    depth: u32,
    nodes: u64,
    /// Milliseconds of search.
    time: u64,
    /// The principal variation as UCI; empty if there is no legal move.
    pv: Vec<String>,
}

impl SearchedPosition {
    /// The result of the search of the current position of a game.
    pub fn new(
        requested: &RequestedGame,
        engine: &str,
        found: &SearchResult,
        searched: Duration,
    ) -> SearchedPosition {
        let (board, line) = (requested.game.board(), found.line());
        let score = line.map_or_else(|| score::Score::of_game_over(board), |line| line.score);
        SearchedPosition {
            ply: requested.game.moves().len(),
            fen: board.to_fen(),
            engine: engine.to_owned(),
            score: score.into(),
            depth: line.map_or(0, |line| line.depth),
            nodes: found.progress.nodes,
            time: milliseconds(searched),
            pv: line.map_or_else(Vec::new, |line| requested.pv_text(&line.pv).0),
        }
    }

    /// The result for the current position of a game, checked.
    fn check(&self, requested: &RequestedGame) -> Result<SearchResult, Invalid> {
        let (ply, board) = (requested.game.moves().len(), requested.game.board());
        if self.ply != ply {
            let error = format!(
                "is {}, not {ply}: the positions come from the last to the first",
                self.ply
            );
            return Err(Invalid::new("ply", error));
        }
        if self.fen != board.to_fen() {
            return Err(Invalid::new("fen", format!("is not the position after {ply} plies")));
        }
        let max_mate = MAX_PLY.div_ceil(2) as u32;
        let is_possible = match self.score {
            Score::Cp(centipawns) => centipawns.unsigned_abs() <= TB_WIN.unsigned_abs(),
            Score::Mate(0) => board.is_checkmate(),
            Score::Mate(moves) => board.has_legal_move() && moves.unsigned_abs() <= max_mate,
        };
        if !is_possible {
            return Err(Invalid::new("score", "is no score of this position".to_owned()));
        }
        if self.depth as usize > MAX_PLY {
            return Err(Invalid::new("depth", format!("is more than {MAX_PLY}")));
        }
        let pv = moves(board, &self.pv)?;
        let mut result = SearchResult::default();
        match (pv.is_empty(), board.has_legal_move()) {
            (true, true) => return Err(Invalid::new("pv", "has no move".to_owned())),
            (false, _) => {
                result.lines = vec![PvLine::new(self.score.into(), self.depth, pv)];
                result.progress.nodes = self.nodes;
            }
            (true, false) => {}
        }
        Ok(result)
    }
}

/// The field of a searched position that is wrong, and why.
struct Invalid {
    field: String,
    error: String,
}

impl Invalid {
    fn new(field: &str, error: String) -> Invalid {
        Invalid { field: field.to_owned(), error }
    }
}

/// The moves of a line in UCI notation.
fn moves(board: &Board, line: &[String]) -> Result<Vec<Move>, Invalid> {
    let mut game = Game::new(*board);
    for (index, text) in line.iter().enumerate() {
        let m = game
            .board()
            .parse_uci(text)
            .map_err(|error| Invalid { field: format!("pv[{index}]"), error: error.to_string() })?;
        game.push(m);
    }
    Ok(game.moves().to_vec())
}

/// The review of the positions that are searched so far: the last ones of the game, the last position
/// first. It depends on nothing else.
///
/// # Errors
/// The field of a result that does not belong to the game, or is impossible, and why.
pub fn review(
    mut requested: RequestedGame,
    searched: &[SearchedPosition],
    evaluation: &Evaluation,
) -> Result<ReviewResponse, (String, String)> {
    let positions = requested.game.boards().len();
    if searched.len() > positions {
        let error = format!("has {} positions, the game has {positions}", searched.len());
        return Err(("searched".to_owned(), error));
    }
    let tree = Tree::from_game(&requested.game);
    let mut builder = ReviewBuilder::new(&tree, Scale::default(), evaluation.clone());
    let mut response = ReviewResponse::new(None, ReviewStatus::Running, positions);
    for (index, position) in searched.iter().enumerate() {
        let result = if position.engine == searched[0].engine {
            position.check(&requested)
        } else {
            Err(Invalid::new("engine", "is not the engine of the other positions".to_owned()))
        };
        let result = result
            .map_err(|Invalid { field, error }| (format!("searched[{index}].{field}"), error))?;
        let (ply, board) = (requested.game.moves().len(), *requested.game.board());
        let time = Duration::from_millis(position.time);
        let result = AnalysisResult::new(ply, board, result, time);
        let reviewed = builder.add(ReviewedPosition::new(&result));
        response.add(&requested, reviewed, Duration::ZERO, time);
        requested.game.pop();
    }
    if searched.len() == positions {
        response.finish(&builder.finish());
    }
    Ok(response)
}
