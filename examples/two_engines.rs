//! Two engines in one process play a game; it is printed as PGN.
//!
//! `cargo run --release --example two_engines`

use saavedra::chess::{Board, Game, GameStatus};
use saavedra::engine::{Engine, Limits};
use saavedra::formats::{Document, Tree, pgn};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut players = [Engine::new()?, Engine::new()?];
    // Black searches four times as many nodes.
    let limits = [Limits::nodes(2_000), Limits::nodes(8_000)];
    let mut game = Game::new(Board::startpos());
    while game.status() == GameStatus::Ongoing {
        let turn = game.board().turn().index();
        let search = players[turn].start(&game, limits[turn].clone());
        game.push(search.wait()?.best.ok_or("no legal move")?);
    }
    let mut document = Document::from_tree(Tree::from_game(&game));
    document.result = game.result();
    document.set_tag("White", "2000 nodes a move");
    document.set_tag("Black", "8000 nodes a move");
    print!("{}", pgn::write(&document));
    Ok(())
}
