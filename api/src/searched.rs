//! The review of a game whose positions JavaScript has the module search, as JSON.

use crate::{RequestedGame, ReviewResponse, ReviewStatus, Score};
use saavedra::analysis::{AnalysisResult, ReviewBuilder, ReviewedPosition, Scale};
use saavedra::chess::{Board, Game, Move};
use saavedra::engine::{PvLine, SearchResult};
use saavedra::eval::Evaluation;
use saavedra::formats::Tree;
use serde::Deserialize;
use std::time::Duration;

/// What a review needs of the answer to a search.
#[derive(Deserialize)]
pub(crate) struct Searched {
    score: Score,
    depth: u32,
    nodes: u64,
    /// Milliseconds.
    time: u64,
    pv: Vec<String>,
}

/// The moves of a line in UCI notation, up to the first that is not legal.
fn moves(board: &Board, line: &[String]) -> Vec<Move> {
    let mut game = Game::new(*board);
    for text in line {
        let Ok(m) = game.board().parse_uci(text) else { break };
        game.push(m);
    }
    game.moves().to_vec()
}

/// The review of the positions that are searched so far, which are the last ones of the game.
pub(crate) fn review(mut requested: RequestedGame, searched: &[Searched]) -> ReviewResponse {
    let positions = requested.game.boards().len();
    let mut builder = ReviewBuilder::new(
        &Tree::from_game(&requested.game),
        Scale::default(),
        Evaluation::embedded(),
    );
    let mut response = ReviewResponse::new(None, ReviewStatus::Running, positions);
    for searched in searched.iter().take(positions) {
        let (ply, board) = (requested.game.moves().len(), *requested.game.board());
        let time = Duration::from_millis(searched.time);
        let result = AnalysisResult::new(ply, board, searched.result(&board), time);
        let reviewed = builder.add(ReviewedPosition::new(&result));
        response.add(&requested, reviewed, Duration::ZERO, time);
        requested.game.pop();
    }
    if searched.len() >= positions {
        response.finish(&builder.finish());
    }
    response
}

impl Searched {
    fn result(&self, board: &Board) -> SearchResult {
        let mut result = SearchResult::default();
        if board.has_legal_move() {
            result.lines = vec![PvLine::new(self.score.into(), self.depth, moves(board, &self.pv))];
            result.progress.nodes = self.nodes;
        }
        result
    }
}
