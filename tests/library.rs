//! The library as other programs use it: engines as values, thinking as a stream.

use saavedra::chess::{Board, Game, Move};
use saavedra::engine::{Engine, Limits, SearchResult};

fn game(fen: &str) -> Game {
    Game::new(Board::from_fen(fen).expect("a position"))
}

/// What two searches must agree on: move, score, depth, nodes.
fn essence(outcome: &SearchResult) -> (Option<Move>, Option<(i32, u32, u64)>) {
    let info = outcome.info.as_ref();
    (
        outcome.best,
        info.map(|info| (info.score, info.depth, info.progress.nodes)),
    )
}

#[test]
fn engines_in_one_process_do_not_disturb_each_other() {
    let games = [
        Game::default(),
        game("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"),
    ];
    let new = || Engine::new().expect("an engine");
    let limits = || Limits::nodes(30_000);
    let alone = games
        .each_ref()
        .map(|game| essence(&new().start(game, limits()).wait().unwrap()));
    // A third thinks on while the two are at work, with settings of its own.
    let mut restless = new();
    restless.set_option("MultiPV", "3").expect("an option");
    let endless = Limits {
        infinite: true,
        ..Limits::default()
    };
    let running = restless.start(&games[0], endless);
    let mut engines = [new(), new()];
    let [first, second] = &mut engines;
    let searches = [
        first.start(&games[0], limits()),
        second.start(&games[1], limits()),
    ];
    let together = searches.map(|search| essence(&search.wait().unwrap()));
    assert_eq!(together, alone);
    assert_eq!(engines[0].settings().multipv, 1);
    running.stop();
    assert!(running.wait().unwrap().best.is_some());
}

#[test]
fn a_search_tells_its_lines_until_it_is_stopped() {
    let mut engine = Engine::new().expect("an engine");
    let endless = Limits {
        infinite: true,
        ..Limits::default()
    };
    let board = Board::startpos();
    let search = engine.start(&Game::new(board), endless);
    let mut depths = Vec::new();
    for info in search.infos() {
        let mut position = board;
        for m in &info.pv {
            position = position.try_make(*m).expect("lines are legal");
        }
        depths.push(info.depth);
        if info.depth >= 5 {
            search.stop();
        }
    }
    assert!(
        depths.is_sorted() && depths.last() >= Some(&5),
        "{depths:?}"
    );
    // The next search finds the engine free.
    let next = engine
        .start(&Game::new(board), Limits::depth(1))
        .wait()
        .unwrap();
    assert!(next.best.is_some());
}
