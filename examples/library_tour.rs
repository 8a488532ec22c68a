//! A tour of the library: positions and moves, an analysis as a stream, two engines at the same
//! time.
//!
//! `cargo run --release --example library_tour`

use saavedra::chess::{Board, Game, UciMove};
use saavedra::engine::{Engine, Limits, Search};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let board: Board =
        "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 0 4".parse()?;
    positions_and_moves(&board)?;
    analysis_as_a_stream(&Board::startpos())?;
    two_engines(&Board::startpos(), &board)
}

fn positions_and_moves(board: &Board) -> Result<(), Box<dyn Error>> {
    println!("{board}");
    for m in board.legal_moves() {
        print!("{} ", board.san(m));
    }
    println!();

    // A move returns a new board; the old one is unchanged.
    let after = board.try_make_san("Qxf7#")?;
    println!("Qxf7# leads to {after}: {}", after.status());
    println!("{} legal moves before it", board.legal_moves().len());

    // Errors say what is wrong.
    if let Err(error) = board.try_make_san("Qxf8") {
        println!("{error}");
    }
    let uci: UciMove = "f3f8".parse()?;
    if let Err(error) = board.find_move(uci) {
        println!("{error}");
    }

    // A game also has the moves before, for the rule of threefold repetition.
    let mut game = Game::new(*board);
    game.push_san("Qxf7#")?;
    println!("{} after {} move", game.status(), game.moves().len());
    Ok(())
}

fn analysis_as_a_stream(board: &Board) -> Result<(), Box<dyn Error>> {
    let mut engine = Engine::new()?;
    engine.set_hash(32)?;
    let infinite = Limits { infinite: true, ..Limits::default() };
    let search = engine.start(&Game::new(*board), infinite);
    for info in search.infos() {
        let best = &info.lines[0];
        let pv: Vec<String> = best.pv.iter().map(|m| m.to_string()).collect();
        println!("depth {} score {} pv {}", best.depth, best.score, pv.join(" "));
        if best.depth >= 6 {
            search.stop();
        }
    }
    print_result(board, search)
}

fn two_engines(first_board: &Board, second_board: &Board) -> Result<(), Box<dyn Error>> {
    let (mut first, mut second) = (Engine::new()?, Engine::new()?);
    // Both search at the same time, on their own threads.
    let first_search = first.start(&Game::new(*first_board), Limits::depth(8));
    let second_search = second.start(&Game::new(*second_board), Limits::nodes(20_000));
    print_result(first_board, first_search)?;
    print_result(second_board, second_search)
}

fn print_result(board: &Board, search: Search) -> Result<(), Box<dyn Error>> {
    let result = search.wait()?;
    if let Some(best) = result.best {
        println!("best move {}", board.san(best));
    }
    Ok(())
}
