//! Limited strength: full strength is not limited, errors are reproducible, mates in one are found
//! from 750 Elo. And the options Variety and Contempt.

use crate::support::random_boards;
use saavedra::chess::{Board, Game, Move};
use saavedra::engine::{Engine, Limits};
use saavedra::uci::Settings;

/// An engine with these options.
fn engine(options: &[(&str, &str)]) -> (Engine, Settings) {
    let mut engine = Engine::with_threads_and_hash(1, 1).expect("an engine");
    let mut settings = Settings::default();
    for (name, value) in options {
        let set = settings.set(&mut engine, name, value);
        set.expect("an option that fits");
    }
    (engine, settings)
}

/// The best move, the nodes and the depth of a search.
fn search(
    (engine, settings): &mut (Engine, Settings),
    board: &Board,
    limits: Limits,
) -> (Move, u64, u32) {
    engine.new_game();
    let options = settings.search_options(limits);
    let result = engine.start(&Game::new(*board), options).wait().unwrap();
    let (best, line) = (result.best.expect("a move"), result.line().expect("a PV"));
    (best, result.progress.nodes, line.depth)
}

/// Positions of random games that are not over.
fn positions(count: usize) -> Vec<Board> {
    let boards = random_boards(count * 40, 2_024);
    let boards = boards.into_iter().step_by(37).filter(Board::has_legal_move);
    boards.take(count).collect()
}

#[test]
fn full_strength_is_not_limited() {
    let mut full = engine(&[]);
    for options in [
        [("UCI_LimitStrength", "true"), ("UCI_Elo", "3000")],
        [("UCI_LimitStrength", "false"), ("UCI_Elo", "500")],
        [("UCI_LimitStrength", "false"), ("Skill Level", "20")],
    ] {
        let mut limited = engine(&options);
        let positions = positions(50);
        assert_eq!(positions.len(), 50);
        for board in positions {
            let limits = Limits::nodes(1_500);
            let expected = search(&mut full, &board, limits.clone());
            let found = search(&mut limited, &board, limits);
            assert_eq!(found, expected, "{options:?}: {}", board.to_fen());
        }
    }
}

#[test]
fn a_low_strength_limits_nodes_and_depth() {
    for (options, max_nodes, max_depth) in [
        ([("UCI_LimitStrength", "true"), ("UCI_Elo", "500")], 500, 1),
        ([("Skill Level", "0"), ("Hash", "2")], 500, 1),
        ([("UCI_LimitStrength", "true"), ("UCI_Elo", "1500")], 5_000, 8),
    ] {
        let mut weak = engine(&options);
        // Against a lone king the limits are higher, so that every strength can mate.
        let has_pieces = |board: &Board| board.them().occupied().count() > 1;
        for board in positions(20).into_iter().filter(has_pieces).take(10) {
            let (_, nodes, depth) = search(&mut weak, &board, Limits::nodes(1_000_000));
            assert!(nodes <= max_nodes && depth <= max_depth, "{options:?}: {}", board.to_fen());
        }
    }
}

/// The first moves of a game of an engine against itself.
fn game(options: &[(&str, &str)]) -> Vec<Move> {
    let (mut engine, settings) = engine(options);
    engine.new_game();
    let mut game = Game::default();
    for _ in 0..16 {
        let options = settings.search_options(Limits::default());
        let result = engine.start(&game, options).wait().unwrap();
        game.push(result.best.expect("a move"));
    }
    game.moves().to_vec()
}

#[test]
fn a_seed_makes_games_reproducible() {
    let with_seed =
        |seed| game(&[("UCI_LimitStrength", "true"), ("UCI_Elo", "1100"), ("Seed", seed)]);
    assert_eq!(with_seed("5"), with_seed("5"));
    assert_ne!(with_seed("5"), with_seed("6"));
    // Without a seed, games differ.
    assert_ne!(with_seed("0"), with_seed("0"));
}

fn mates(board: &Board, m: Move) -> bool {
    let child = board.make(m);
    child.in_check() && !child.has_legal_move()
}

#[test]
fn from_750_elo_no_mate_in_one_is_missed() {
    let has_mate = |board: &Board| board.legal_moves().iter().any(|m| mates(board, *m));
    let boards = random_boards(20_000, 77).into_iter().filter(has_mate);
    let boards: Vec<Board> = boards.step_by(3).take(60).collect();
    assert_eq!(boards.len(), 60);
    let mut missed_by_lowest = 0;
    for elo in ["500", "750", "1000", "1250", "1625", "2000", "2750"] {
        let mut engine = engine(&[("UCI_LimitStrength", "true"), ("UCI_Elo", elo)]);
        for board in &boards {
            let (best, ..) = search(&mut engine, board, Limits::default());
            if elo == "500" {
                missed_by_lowest += usize::from(!mates(board, best));
            } else {
                assert!(mates(board, best), "{elo}: {}", board.to_fen());
            }
        }
    }
    assert!(missed_by_lowest > 0);
}

#[test]
fn variety_is_off_by_default() {
    let first_moves = |variety| -> Vec<Move> {
        let moves = (1..9).map(|seed: u32| {
            let seed = seed.to_string();
            let mut engine = engine(&[("Variety", variety), ("Seed", &seed)]);
            search(&mut engine, &Board::startpos(), Limits::depth(5)).0
        });
        let mut moves: Vec<Move> = moves.collect();
        moves.sort_by_key(|m| m.bits());
        moves.dedup();
        moves
    };
    assert_eq!(first_moves("0").len(), 1);
    assert!(first_moves("50").len() > 1);
    // A mate is played, however large the variety.
    let mut engine = engine(&[("Variety", "100")]);
    let board = Board::from_fen("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1").expect("a sound position");
    let (best, ..) = search(&mut engine, &board, Limits::depth(4));
    assert!(mates(&board, best));
}

#[test]
fn contempt_lowers_the_score_of_a_draw() {
    let score = |options: &[(&str, &str)]| {
        let (mut engine, settings) = engine(options);
        let bare_kings = Board::from_fen("8/8/4k3/8/8/4K3/8/8 w - - 0 1").expect("a position");
        let game = Game::new(bare_kings);
        let options = settings.search_options(Limits::depth(6));
        let result = engine.start(&game, options).wait().unwrap();
        result.line().expect("a PV").score.value()
    };
    let analysis = ("UCI_AnalyseMode", "true");
    assert_eq!(score(&[]), 0);
    assert!(score(&[("Contempt", "100")]) < 0);
    assert_eq!(score(&[("Contempt", "100")]), -score(&[("Contempt", "-100")]));
    assert!(score(&[("Contempt", "300")]) < score(&[("Contempt", "100")]));
    assert_eq!(score(&[("Contempt", "300"), analysis]), 0);
}
