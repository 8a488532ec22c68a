//! The first example of the README: analyses a position.
//!
//! `cargo run --release --example first`

use saavedra::chess::{Board, Game};
use saavedra::engine::{Engine, Limits};

/// Public, so that a test can call it.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let board = Board::startpos().try_make_san("e4")?;
    let mut engine = Engine::new()?;
    let search = engine.start(&Game::new(board), Limits::depth(8));
    for info in search.infos() {
        let line = &info.lines[0];
        println!("depth {}: {}", line.depth, line.score);
    }
    if let Some(best) = search.wait()?.best {
        println!("best move {}", board.san(best));
    }
    Ok(())
}
