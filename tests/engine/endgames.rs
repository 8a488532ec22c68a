//! Won endgames are won: without tablebases by search and endgame evaluation, with tablebases
//! despite the fifty-move rule. The defender plays the best defence by tablebase.
//!
//! The ignored tests need all 3-man and 4-man tablebases, in the folders of `SYZYGY_TEST_PATH`:
//!
//! ```text
//! SYZYGY_TEST_PATH=/path/to/tables cargo test --release --test engine -- endgames:: --ignored --nocapture
//! ```

use crate::support::Random;
use saavedra::chess::{Board, Color, Game, GameStatus, Move, Piece, PieceKind, Setup};
use saavedra::engine::{Limits, Searcher, Strength};
use saavedra::eval::Evaluation;
use saavedra::search::{Info, PvLine, Reporter, SearchRequest, Tablebases};
use saavedra::tablebase::{Tablebase, WdlScore};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The tablebases in the repository.
pub fn bundled_tablebases() -> Tablebases {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/syzygy/tests/tables");
    tablebases(Tablebase::open_folders([folder]).0)
}

/// All tablebases.
fn all_tablebases() -> Tablebases {
    let path = std::env::var("SYZYGY_TEST_PATH").expect("SYZYGY_TEST_PATH names their folders");
    tablebases(Tablebase::open(&path).0)
}

fn tablebases(base: Tablebase) -> Tablebases {
    Tablebases { base: Arc::new(base), probe_depth: 1, probe_limit: 7, fifty_move_rule: true }
}

/// A random position with the pieces of a tablebase such as `KRPvKR`, in which the side of the
/// first pieces is to move and wins.
fn won_position(tablebases: &Tablebases, name: &str, random: &mut Random) -> Board {
    loop {
        let mut setup = Setup::empty();
        let attacker = *random.pick(&Color::ALL);
        let mut color = attacker;
        for letter in name.chars() {
            match PieceKind::from_letter(letter) {
                None => color = !color,
                Some(kind) => {
                    let square = saavedra::chess::Square::from_index(random.below(64) as u8);
                    setup.set_piece(square, Some(Piece::new(color, kind)));
                }
            }
        }
        setup.set_turn(attacker);
        let Ok((board, _)) = setup.to_board() else {
            continue;
        };
        let is_complete = board.occupied().count() as usize == name.len() - 1;
        if is_complete && tablebases.base.probe_wdl(&board) == Some(WdlScore::Win) {
            return board;
        }
    }
}

/// The best defence by tablebase.
fn best_defence(tablebases: &Tablebases, board: &Board) -> Move {
    let ranks = tablebases.base.rank_root(board, false, true);
    let ranks = ranks.expect("a tablebase of these pieces");
    let best = ranks.iter().max_by_key(|(_, rank)| *rank);
    best.expect("the game goes on").0
}

/// The settings of the attacker.
struct Attack<'a> {
    limits: Limits,
    tablebases: Option<&'a Tablebases>,
    strength: Strength,
}

impl Attack<'_> {
    fn without_tablebases(limits: Limits) -> Attack<'static> {
        Attack { limits, tablebases: None, strength: Strength::FULL }
    }
}

/// Plays a position to the end. Whether the defender is mated.
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
            let request = SearchRequest {
                tablebases: attack.tablebases.cloned(),
                handicap,
                ..SearchRequest::for_game(&game, limits)
            };
            searcher.search(&request).best.expect("the game goes on")
        } else {
            best_defence(defence, &board)
        };
        game.push(m);
    }
    let won = game.status() == GameStatus::Checkmate && game.board().turn() != start.turn();
    if !won {
        let moves: Vec<String> = game.moves().iter().map(|m| start.uci(*m, false)).collect();
        println!("{}: {:?} after {}", start.to_fen(), game.status(), moves.join(" "));
    }
    won
}

/// The number of wins from `count` random won positions.
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
fn elementary_mates_are_found_without_tablebases() {
    let tablebases = bundled_tablebases();
    for name in ["KQvK", "KRvK", "KPvK"] {
        let attack = Attack::without_tablebases(Limits::nodes(5_000));
        assert_eq!(wins(&tablebases, &attack, name, 8), 8, "{name}");
    }
}

#[test]
fn limited_strengths_win_elementary_endgames() {
    let tablebases = bundled_tablebases();
    for elo in [500, 1500, 2250] {
        let attack = Attack {
            strength: Strength::new(elo),
            ..Attack::without_tablebases(Limits::default())
        };
        assert_eq!(wins(&tablebases, &attack, "KRvK", 5), 5, "{elo}");
    }
}

#[test]
#[ignore = "takes some minutes, needs all tablebases"]
fn from_1500_elo_king_and_rook_always_win() {
    let tablebases = all_tablebases();
    for elo in (1500..3000).step_by(250) {
        let attack = Attack {
            strength: Strength::new(elo),
            ..Attack::without_tablebases(Limits::default())
        };
        let won = wins(&tablebases, &attack, "KRvK", 100);
        println!("{elo}: {won} of 100 won");
        assert_eq!(won, 100, "{elo}");
    }
}

#[test]
#[ignore = "takes a quarter of an hour, needs all tablebases"]
fn elementary_mates_are_found_without_tablebases_in_100_ms() {
    let tablebases = all_tablebases();
    let attack = Attack::without_tablebases(Limits::move_time(Duration::from_millis(100)));
    let mut min_won = 100;
    for name in ["KQvK", "KRvK", "KPvK", "KBBvK", "KBNvK"] {
        let won = wins(&tablebases, &attack, name, 100);
        println!("{name}: {won} of 100 won");
        min_won = min_won.min(won);
    }
    assert!(min_won >= 98);
}

#[test]
fn won_endgames_are_won_with_tablebases() {
    let tablebases = bundled_tablebases();
    for name in ["KQvK", "KRvK", "KPvK", "KRRvK", "KRvKB", "KRvKR"] {
        let attack = Attack {
            tablebases: Some(&tablebases),
            ..Attack::without_tablebases(Limits::nodes(300))
        };
        let won = wins(&tablebases, &attack, name, 4);
        assert_eq!(won, 4, "{name}");
    }
}

#[test]
fn a_lost_game_is_drawn_by_repetition_with_tablebases() {
    let tablebases = bundled_tablebases();
    // The other move loses later by the tables, perhaps after the fifty-move rule.
    let start = Board::from_fen("7k/8/8/3Q4/8/8/8/K7 b - - 80 90").expect("a legal position");
    let mut game = Game::new(start);
    for text in "h8h7 a1b1 h7h8 b1a1 h8h7 a1b1 h7h8 b1a1".split(' ') {
        game.push_uci(text).expect(text);
    }
    let ranks = tablebases.base.rank_root(game.board(), true, true);
    let best = ranks.expect("bundled").into_iter().max_by_key(|(_, rank)| *rank);
    let repetition = game.board().parse_uci("h8h7").expect("legal");
    assert_ne!(best.expect("a move").0, repetition);
    let mut searcher = Searcher::new(1, &Evaluation::embedded()).expect("a megabyte");
    let request = SearchRequest {
        tablebases: Some(tablebases),
        ..SearchRequest::for_game(&game, Limits::depth(6))
    };
    let result = searcher.search(&request);
    assert_eq!(result.best, Some(repetition));
    assert_eq!(result.line().map(|line| line.score.value()), Some(0));
}

/// Keeps the lines of all reports.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<PvLine>>>);

impl Reporter for Lines {
    fn info(&mut self, info: &Info) {
        self.0.lock().expect("no thread panics").extend_from_slice(&info.lines);
    }
}

/// Who wins a position, from the side to move's view; `None` outside the tablebases.
fn tablebase_result(tablebases: &Tablebases, board: &Board) -> Option<i8> {
    match board.status() {
        GameStatus::Checkmate => Some(-1),
        GameStatus::Ongoing => tablebases.base.probe_wdl(board).map(|wdl| match wdl {
            WdlScore::Win => 1,
            WdlScore::Loss => -1,
            _ => 0,
        }),
        _ => Some(0),
    }
}

/// Searches a position, and checks that no move of a line but its first gives a result away.
fn assert_lines_keep_their_result(
    searcher: &mut Searcher,
    tablebases: &Tablebases,
    start: Board,
    limits: &Limits,
) {
    let request = SearchRequest {
        tablebases: Some(tablebases.clone()),
        multipv: 3,
        ..SearchRequest::new(start, limits.clone())
    };
    let lines = Lines::default();
    let result = searcher.search_with(&request, Box::new(lines.clone()));
    let mut lines = std::mem::take(&mut *lines.0.lock().expect("no thread panics"));
    lines.extend(result.lines);
    for line in lines {
        let mut board = start.make(line.pv[0]);
        let mut result = tablebase_result(tablebases, &board);
        for m in &line.pv[1..] {
            board = board.make(*m);
            let next = tablebase_result(tablebases, &board);
            let is_kept = next.is_none_or(|next| result.is_none_or(|result| next == -result));
            assert!(is_kept, "{start} {limits:?}: {:?} at {board}", line.pv);
            result = next;
        }
    }
}

#[test]
fn no_line_gives_away_its_tablebase_result() {
    let tablebases = bundled_tablebases();
    let mut searcher = Searcher::new(1, &Evaluation::embedded()).expect("a megabyte");
    for fen in [
        "K7/1r6/2r5/8/8/8/8/2k5 w - - 0 1",
        "8/8/5b2/6K1/4R3/8/5k2/8 w - - 0 1",
        "7R/8/8/6K1/1k1b4/8/8/8 w - - 0 1",
        "2K5/8/3p4/8/8/8/5k2/8 w - - 0 1",
        "8/4K3/8/8/3P4/8/3k4/8 b - - 0 1",
        "8/8/8/2k5/8/2K3r1/R7/8 w - - 0 1",
        "8/K5k1/8/8/8/7r/8/6R1 b - - 0 1",
    ] {
        searcher.clear();
        let board = Board::from_fen(fen).expect(fen);
        for limits in [Limits::depth(3), Limits::nodes(3_000), Limits::depth(9)] {
            assert_lines_keep_their_result(&mut searcher, &tablebases, board, &limits);
        }
    }
}

#[test]
#[ignore = "needs all tablebases"]
fn no_line_of_a_4_man_endgame_gives_away_its_tablebase_result() {
    let tablebases = all_tablebases();
    let mut searcher = Searcher::new(1, &Evaluation::embedded()).expect("a megabyte");
    for name in ["KNvKP", "KQvKR", "KRvKN", "KBNvK", "KQvKP", "KPvKP", "KQvKQ", "KBPvK"] {
        let mut random = Random::new(name.bytes().map(u64::from).sum());
        for _ in 0..64 {
            let board = won_position(&tablebases, name, &mut random);
            for limits in [Limits::nodes(300), Limits::nodes(3_000)] {
                assert_lines_keep_their_result(&mut searcher, &tablebases, board, &limits);
            }
        }
    }
}

#[test]
#[ignore = "takes some minutes, needs all tablebases"]
fn all_won_4_man_endgames_are_won_with_tablebases() {
    let tablebases = all_tablebases();
    let mut games = 0;
    for name in [
        "KQvK", "KRvK", "KPvK", "KBBvK", "KBNvK", "KBPvK", "KNPvK", "KPPvK", "KPvKP", "KQvKB",
        "KQvKN", "KQvKP", "KQvKQ", "KQvKR", "KQPvK", "KRBvK", "KRNvK", "KRPvK", "KRvKB", "KRvKN",
        "KRvKP", "KRvKR", "KBvKP", "KNvKP",
    ] {
        let attack = Attack {
            tablebases: Some(&tablebases),
            ..Attack::without_tablebases(Limits::nodes(2_000))
        };
        let won = wins(&tablebases, &attack, name, 24);
        println!("{name}: {won} of 24 won");
        assert_eq!(won, 24, "{name}");
        games += won;
    }
    println!("{games} games won");
}
