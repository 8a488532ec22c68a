//! The library as other programs use it.

use saavedra::chess::{Board, Game, Move};
use saavedra::engine::{Engine, Limits, Score, SearchOptions, SearchResult};

fn game(fen: &str) -> Game {
    Game::new(Board::from_fen(fen).expect("a position"))
}

/// What must be equal in two searches: best move, score, depth, nodes.
fn summary(result: &SearchResult) -> (Option<Move>, Option<(Score, u32, u64)>) {
    let line = result.line();
    (result.best, line.map(|line| (line.score, line.depth, result.progress.nodes)))
}

#[test]
fn engines_in_one_process_are_independent() {
    let games = [
        Game::default(),
        game("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"),
    ];
    let new = || Engine::new().expect("an engine");
    let limits = || Limits::nodes(30_000);
    let alone = games.each_ref().map(|game| summary(&new().start(game, limits()).wait().unwrap()));
    // A third engine searches at the same time, with other settings.
    let mut third = new();
    let infinite = Limits { infinite: true, ..Limits::default() };
    let mut options = SearchOptions::from(infinite);
    options.multipv = 3;
    let running = third.start(&games[0], options);
    let mut engines = [new(), new()];
    let [first, second] = &mut engines;
    let searches = [first.start(&games[0], limits()), second.start(&games[1], limits())];
    let together = searches.map(|search| summary(&search.wait().unwrap()));
    assert_eq!(together, alone);
    running.stop();
    assert!(running.wait().unwrap().best.is_some());
}

#[test]
fn infos_are_received_until_the_search_is_stopped() {
    let mut engine = Engine::new().expect("an engine");
    let infinite = Limits { infinite: true, ..Limits::default() };
    let board = Board::startpos();
    let search = engine.start(&Game::new(board), infinite);
    let mut depths = Vec::new();
    for info in search.infos() {
        let mut position = board;
        let line = &info.lines[0];
        for m in &line.pv {
            position = position.try_make(*m).expect("PVs are legal");
        }
        depths.push(line.depth);
        if line.depth >= 5 {
            search.stop();
        }
    }
    assert!(depths.is_sorted() && depths.last() >= Some(&5), "{depths:?}");
    // The result is still there, and the engine can search again.
    assert!(search.wait().unwrap().best.is_some());
    let next = engine.start(&Game::new(board), Limits::depth(1)).wait().unwrap();
    assert!(next.best.is_some());
}
