//! Won endings are won: without tables by search and knowledge alone, with tables within the
//! fifty-move rule.
//!
//! The full figures need all tables of three and four men, named by `SYZYGY_TEST_PATH`:
//!
//! ```text
//! SYZYGY_TEST_PATH=/path/to/tables cargo test --release --test endgames -- --ignored --nocapture
//! ```

#![cfg(feature = "syzygy")]

mod support;

use saavedra::chess::{Board, Color, Game, GameStatus, Move, Piece, PieceKind, Setup};
use saavedra::engine::{Limits, Searcher, Strength};
use saavedra::eval::Evaluation;
use saavedra::search::{Job, Tablebases};
use saavedra::tablebase::{Tablebase, WdlScore};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use support::Random;

/// The tables that come with the project.
fn own_tables() -> Tablebases {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/syzygy");
    tables(Tablebase::open_folders([folder]).0)
}

/// All tables, if the environment names them.
fn all_tables(test: &str) -> Option<Tablebases> {
    let Ok(path) = std::env::var("SYZYGY_TEST_PATH") else {
        println!("{test}: SKIPPED, SYZYGY_TEST_PATH does not name a folder of tables");
        return None;
    };
    Some(tables(Tablebase::open(&path).0))
}

fn tables(base: Tablebase) -> Tablebases {
    Tablebases {
        base: Arc::new(base),
        probe_depth: 1,
        probe_limit: 7,
        fifty_move_rule: true,
    }
}

/// A random position with the men of a table, `KRPvKR`, that the side with the move and the first
/// men wins.
fn won_position(tables: &Tablebases, name: &str, random: &mut Random) -> Board {
    loop {
        let mut setup = Setup::empty();
        let strong = *random.pick(&Color::ALL);
        let mut color = strong;
        for letter in name.chars() {
            match PieceKind::from_letter(letter) {
                None => color = !color,
                Some(kind) => {
                    let square = saavedra::chess::Square::from_index(random.below(64) as u8);
                    setup.set_piece(square, Some(Piece::new(color, kind)));
                }
            }
        }
        setup.set_turn(strong);
        let Ok((board, _)) = setup.to_board() else {
            continue;
        };
        let whole = board.occupied().count() as usize == name.len() - 1;
        if whole && tables.base.probe_wdl(&board) == Some(WdlScore::Win) {
            return board;
        }
    }
}

/// The move that holds out longest.
fn longest_defence(tables: &Tablebases, board: &Board) -> Move {
    let ranks = tables.base.rank_root(board, false, true);
    let ranks = ranks.expect("tables of these men");
    let best = ranks.iter().max_by_key(|(_, rank)| *rank);
    best.expect("the game goes on").0
}

/// How the side that wins thinks.
struct Attack<'a> {
    limits: Limits,
    tables: Option<&'a Tablebases>,
    strength: Strength,
}

impl Attack<'_> {
    fn without_tables(limits: Limits) -> Attack<'static> {
        Attack {
            limits,
            tables: None,
            strength: Strength::FULL,
        }
    }
}

/// Plays a position out: the other side defends as long as it can. Whether it is mated.
fn is_won(
    searcher: &mut Searcher,
    defence: &Tablebases,
    attack: &Attack<'_>,
    start: Board,
) -> bool {
    searcher.clear();
    let mut game = Game::new(start);
    while game.status() == GameStatus::Ongoing {
        let board = *game.board();
        let m = if board.turn() == start.turn() {
            let mut limits = attack.limits.clone();
            let handicap = attack.strength.weaken(&board, 1, &mut limits);
            let job = Job {
                tablebases: attack.tables.cloned(),
                handicap,
                ..Job::for_game(&game, limits)
            };
            searcher.search(&job).best.expect("the game goes on")
        } else {
            longest_defence(defence, &board)
        };
        game.push(m);
    }
    let won = game.status() == GameStatus::Checkmate && game.board().turn() != start.turn();
    if !won {
        let moves: Vec<String> = game.moves().iter().map(|m| start.uci(*m, false)).collect();
        println!(
            "{}: {:?} after {}",
            start.to_fen(),
            game.status(),
            moves.join(" ")
        );
    }
    won
}

/// How many of so many random won positions are won.
fn wins(defence: &Tablebases, attack: &Attack<'_>, name: &str, count: usize) -> usize {
    let mut searcher = Searcher::new(16, &Evaluation::embedded()).expect("sixteen megabytes");
    let mut random = Random::new(name.bytes().map(u64::from).sum());
    let mut play = || {
        let start = won_position(defence, name, &mut random);
        is_won(&mut searcher, defence, attack, start)
    };
    (0..count).filter(|_| play()).count()
}

#[test]
fn elementary_mates_are_found_without_tables() {
    let tables = own_tables();
    for name in ["KQvK", "KRvK", "KPvK"] {
        let attack = Attack::without_tables(Limits::nodes(5_000));
        assert_eq!(wins(&tables, &attack, name, 8), 8, "{name}");
    }
}

#[test]
fn weak_players_win_elementary_endings() {
    let tables = own_tables();
    for elo in [500, 1500, 2250] {
        let attack = Attack {
            strength: Strength::new(elo),
            ..Attack::without_tables(Limits::default())
        };
        assert_eq!(wins(&tables, &attack, "KRvK", 5), 5, "{elo}");
    }
}

#[test]
#[ignore = "takes some minutes, and all tables"]
fn from_1500_up_king_and_rook_always_win() {
    let Some(tables) = all_tables("king and rook") else {
        return;
    };
    for elo in (1500..3000).step_by(250) {
        let attack = Attack {
            strength: Strength::new(elo),
            ..Attack::without_tables(Limits::default())
        };
        let won = wins(&tables, &attack, "KRvK", 100);
        println!("{elo}: {won} of 100 won");
        assert_eq!(won, 100, "{elo}");
    }
}

#[test]
#[ignore = "takes a quarter of an hour, and all tables"]
fn elementary_mates_are_found_without_tables_in_a_tenth_of_a_second() {
    let Some(tables) = all_tables("elementary mates") else {
        return;
    };
    let attack = Attack::without_tables(Limits::move_time(Duration::from_millis(100)));
    let mut worst = 100;
    for name in ["KQvK", "KRvK", "KPvK", "KBBvK", "KBNvK"] {
        let won = wins(&tables, &attack, name, 100);
        println!("{name}: {won} of 100 won");
        worst = worst.min(won);
    }
    assert!(worst >= 98);
}

#[test]
fn with_tables_won_endings_are_won() {
    let tables = own_tables();
    for name in ["KQvK", "KRvK", "KPvK", "KRRvK", "KRvKB", "KRvKR"] {
        let attack = Attack {
            tables: Some(&tables),
            ..Attack::without_tables(Limits::nodes(300))
        };
        let won = wins(&tables, &attack, name, 4);
        assert_eq!(won, 4, "{name}");
    }
}

#[test]
#[ignore = "takes some minutes, and all tables"]
fn with_tables_all_won_endings_of_four_men_are_won() {
    let Some(tables) = all_tables("won endings") else {
        return;
    };
    let mut games = 0;
    for name in [
        "KQvK", "KRvK", "KPvK", "KBBvK", "KBNvK", "KBPvK", "KNPvK", "KPPvK", "KPvKP", "KQvKB",
        "KQvKN", "KQvKP", "KQvKQ", "KQvKR", "KQPvK", "KRBvK", "KRNvK", "KRPvK", "KRvKB", "KRvKN",
        "KRvKP", "KRvKR", "KBvKP", "KNvKP",
    ] {
        let attack = Attack {
            tables: Some(&tables),
            ..Attack::without_tables(Limits::nodes(2_000))
        };
        let won = wins(&tables, &attack, name, 24);
        println!("{name}: {won} of 24 won");
        assert_eq!(won, 24, "{name}");
        games += won;
    }
    println!("{games} games won");
}
