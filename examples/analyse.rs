//! Analyses a position: prints each principal variation as soon as it is found, and stops the
//! search.
//!
//! `cargo run --release --example analyse -- 'FEN'`

use saavedra::analysis::line_text;
use saavedra::chess::{Board, Game};
use saavedra::engine::{Engine, Limits};
use std::error::Error;
use std::time::Duration;

fn main() -> Result<(), Box<dyn Error>> {
    let board = match std::env::args().nth(1) {
        Some(fen) => Board::from_fen(&fen)?,
        None => Board::startpos(),
    };
    let mut engine = Engine::new()?;
    let search = engine.start(&Game::new(board), Limits::move_time(Duration::from_secs(10)));
    for info in search.infos() {
        let best = &info.lines[0];
        let score = best.score.white_view(board.turn());
        let line = line_text(&board, &best.pv);
        println!("depth {:<3} {score:>7}  {line}", best.depth);
        // The loop ends when the search has stopped.
        if best.depth >= 12 {
            search.stop();
        }
    }
    Ok(())
}
