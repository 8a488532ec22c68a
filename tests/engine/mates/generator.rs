//! How `tests/data/mates.epd` was made: the engine plays games with few nodes a move, from the start
//! position and from random pieces, and an exhaustive search proves the mates of their last moves.
//!
//! ```text
//! cargo test --release --test engine -- --ignored write_the_mates
//! ```

use super::{DATA, is_quiet};
use crate::support::Random;
use saavedra::chess::{Board, Color, Game, Move, Piece, PieceKind, Setup, Square};
use saavedra::engine::{Limits, Searcher};
use saavedra::eval::Evaluation;
use saavedra::search::SearchRequest;
use saavedra::selfplay::opening;
use std::collections::HashMap;

/// The longest mate of the file.
const MAX_MOVES: usize = 6;

/// Rows of games from the start position, by the length of the mate.
const GAME_ROWS: [usize; MAX_MOVES + 1] = [0, 0, 20, 20, 20, 18, 10];

/// Rows of games with random pieces.
const RANDOM_ROWS: [usize; MAX_MOVES + 1] = [0, 0, 20, 20, 20, 17, 0];

/// How many rows of either may have a check, capture or promotion that mates as fast as any move.
const FORCING_ROWS: [usize; MAX_MOVES + 1] = [9; MAX_MOVES + 1];

/// Pieces and pawns of a position of a game, at least.
const MIN_PIECES: u32 = 6;

/// Plies of a game, at most.
const MAX_PLIES: usize = 300;

/// The seed of the games and random positions.
const SEED: u64 = 1;

/// Positions of one proof; a position that needs more is left out.
const MAX_NODES: u64 = 1_000_000;

/// An exhaustive search for mates, with a table. `None` is a search given up.
#[derive(Default)]
struct Solver {
    /// Whether the attacker gives check with every move.
    checks_only: bool,
    nodes: u64,
    mates: HashMap<(u64, usize), bool>,
    /// The last defence that avoided a mate in so many moves.
    refutations: [Option<Move>; MAX_MOVES],
}

impl Solver {
    /// Whether the side to move mates within so many moves.
    fn mates(&mut self, board: &Board, moves: usize) -> Option<bool> {
        if moves == 0 {
            return Some(false);
        }
        if let Some(mates) = self.mates.get(&(board.key(), moves)) {
            return Some(*mates);
        }
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return None;
        }
        let legal = board.legal_moves();
        let is_check = |m: &&Move| board.gives_check(**m);
        let has_others = moves > 1 && !self.checks_only;
        let others = legal.iter().filter(|m| has_others && !is_check(m));
        let mut mates = false;
        for m in legal.iter().filter(is_check).chain(others) {
            if self.is_mated(&board.make(*m), moves - 1)? {
                mates = true;
                break;
            }
        }
        if moves > 1 {
            self.mates.insert((board.key(), moves), mates);
        }
        Some(mates)
    }

    /// Whether the side to move is mated, or after each of its moves within so many moves.
    fn is_mated(&mut self, board: &Board, moves: usize) -> Option<bool> {
        if moves == 0 || !board.has_legal_move() {
            return Some(board.is_checkmate());
        }
        let first = self.refutations[moves].filter(|m| board.is_legal(*m));
        for m in first.into_iter().chain(board.legal_moves().iter().copied()) {
            if !self.mates(&board.make(m), moves)? {
                self.refutations[moves] = Some(m);
                return Some(false);
            }
        }
        Some(true)
    }
}

/// The shortest mate of a position and all first moves that lead to it.
struct Mate {
    moves: usize,
    keys: Vec<Move>,
}

impl Mate {
    /// The mate; `Some(None)` if there is none within [`MAX_MOVES`] moves, or if checks alone lead to it.
    fn of(board: &Board) -> Option<Option<Mate>> {
        let mut solver = Solver::default();
        let mut moves = 1;
        while !solver.mates(board, moves)? {
            moves += 1;
            if moves > MAX_MOVES {
                return Some(None);
            }
        }
        let mut checks = Solver { checks_only: true, ..Solver::default() };
        if moves == 1 || checks.mates(board, moves)? {
            return Some(None);
        }
        let mut keys = Vec::new();
        for m in &board.legal_moves() {
            if solver.is_mated(&board.make(m), moves - 1)? {
                keys.push(m);
            }
        }
        Some(Some(Mate { moves, keys }))
    }

    /// Whether a key move gives check, captures or promotes.
    fn is_forcing(&self, board: &Board) -> bool {
        !self.keys.iter().all(|m| is_quiet(board, *m))
    }

    /// The row of the file.
    fn row(&self, board: &Board, id: &str) -> String {
        let fen = board.to_fen();
        let fields: Vec<&str> = fen.split(' ').take(4).collect();
        let keys: Vec<String> = self.keys.iter().map(|m| board.san(*m)).collect();
        let (fields, keys) = (fields.join(" "), keys.join(" "));
        format!("{fields} bm {keys}; dm {}; id \"{id}\";\n", self.moves)
    }
}

/// A game after some random moves.
fn opening(random: &mut Random) -> Option<Game> {
    opening::random_walk(&Board::startpos(), 10, random)
}

/// A game that starts with many pieces on random squares.
fn random_pieces(random: &mut Random) -> Option<Game> {
    use PieceKind::{Bishop, King, Knight, Pawn, Queen, Rook};
    const PIECES: [PieceKind; 7] = [Queen, Rook, Rook, Bishop, Bishop, Knight, Knight];
    let mut squares: Vec<Square> = (0..64).map(Square::from_index).collect();
    let mut setup = Setup::empty();
    for color in Color::ALL {
        for kind in [King].into_iter().chain(PIECES).chain([Pawn; 6]) {
            let square = squares.swap_remove(random.below(squares.len()));
            if kind == King || random.chance(0.6) {
                setup.set_piece(square, Some(Piece::new(color, kind)));
            }
        }
    }
    setup.set_turn(*random.pick(&Color::ALL));
    setup.to_board().ok().map(|(board, _)| Game::new(board))
}

/// Plays a game to its end with few nodes a move. Returns the positions of the winner's last moves,
/// the last one first; none of a draw.
fn positions(searcher: &mut Searcher, mut game: Game, random: &mut Random) -> Vec<Board> {
    searcher.clear();
    let mut boards = vec![*game.board()];
    while boards.len() < MAX_PLIES {
        let limits = Limits::nodes(100 + random.below(400) as u64);
        let Some(m) = searcher.search(&SearchRequest::for_game(&game, limits)).best else { break };
        game.push(m);
        boards.push(*game.board());
    }
    if !game.board().is_checkmate() {
        return Vec::new();
    }
    let of_winner = boards.into_iter().rev().skip(1).step_by(2);
    of_winner.filter(|board| board.occupied().count() >= MIN_PIECES).take(2 * MAX_MOVES).collect()
}

/// The rows of games with such starts, with the lengths of their mates. A game has one row at most.
fn rows(
    source: &str,
    mut missing: [usize; MAX_MOVES + 1],
    start: fn(&mut Random) -> Option<Game>,
) -> Vec<(usize, String)> {
    let mut searcher = Searcher::new(1, &Evaluation::embedded()).expect("a searcher");
    let mut missing_forcing = FORCING_ROWS;
    let mut rows = Vec::new();
    for number in 1.. {
        if missing == [0; MAX_MOVES + 1] {
            break;
        }
        let random = &mut Random::for_game(SEED, number);
        let Some(game) = start(random) else { continue };
        for board in positions(&mut searcher, game, random) {
            // Earlier positions take longer still.
            let Some(mate) = Mate::of(&board) else { break };
            let Some(mate) = mate else { continue };
            let is_forcing = mate.is_forcing(&board);
            if missing[mate.moves] == 0 || (is_forcing && missing_forcing[mate.moves] == 0) {
                continue;
            }
            missing[mate.moves] -= 1;
            missing_forcing[mate.moves] -= usize::from(is_forcing);
            let row = mate.row(&board, &format!("{source} {number}"));
            print!("{row}");
            rows.push((mate.moves, row));
            break;
        }
    }
    rows
}

#[test]
#[ignore = "writes tests/data/mates.epd; takes ten minutes"]
fn write_the_mates() {
    let mut all = std::thread::scope(|scope| {
        let games = scope.spawn(|| rows("game", GAME_ROWS, opening));
        let mut all = rows("random", RANDOM_ROWS, random_pieces);
        all.extend(games.join().expect("no panic"));
        all
    });
    all.sort_by_key(|(moves, _)| *moves);
    let text: String = all.into_iter().map(|(_, row)| row).collect();
    std::fs::write(DATA, text).expect("the file");
}
