//! Random beginnings: a few random moves, as long as they decide nothing.

use crate::chess::{Board, Game, GameStatus, Move, PositionError, Random};
use crate::engine::{Limits, Searcher};
use crate::search::Job;

/// A beginning is rejected if the search finds one side ahead by more than this, in centipawns.
const UNBALANCED: i32 = 200;
/// What that search may cost, in nodes.
const CHECK_NODES: u64 = 1000;
/// A random move that loses more than this on the spot, in centipawns, is drawn again.
const BLUNDER: i32 = -400;
/// So often a move is drawn before the beginning is given up.
const DRAWS: usize = 8;
/// So many beginnings are tried.
const TRIES: i32 = 2000;

/// Plays random legal moves from here; `None` if that ends the game or leads only to blunders.
pub fn random_walk(start: &Board, plies: usize, random: &mut Random) -> Option<Game> {
    let mut game = Game::new(*start);
    for _ in 0..plies {
        let m = random_move(game.board(), random)?;
        game.push(m);
    }
    (game.status() == GameStatus::Ongoing).then_some(game)
}

fn random_move(board: &Board, random: &mut Random) -> Option<Move> {
    let moves = board.legal_moves();
    if moves.is_empty() {
        return None;
    }
    (0..DRAWS)
        .map(|_| moves[random.below(moves.len())])
        .find(|m| board.see_ge(*m, BLUNDER))
}

/// Plays one of two numbers of random moves, so that both sides leave the beginning equally often,
/// and searches where they lead: what is already decided is rejected and another tried.
///
/// `start` gives the position to begin from, anew for each try. After many rejections the bounds
/// widen, so that this ends whatever the evaluation says; `None` if the game always ends at once.
pub fn balanced(
    searcher: &mut Searcher,
    random: &mut Random,
    mut start: impl FnMut(&mut Random) -> Board,
    plies: [usize; 2],
) -> Option<Game> {
    for rejected in 0..TRIES {
        let board = start(random);
        let plies = plies[random.below(2)];
        if let Some(game) = random_walk(&board, plies, random) {
            let job = Job::new(*game.board(), Limits::nodes(CHECK_NODES));
            let score = searcher.search(&job).info.map_or(0, |info| info.score);
            if score.abs() <= UNBALANCED * (1 + rejected / 32) {
                return Some(game);
            }
        }
    }
    None
}

/// The start position of Chess960 with this number, from 0 to 959 (518 is standard chess), as
/// <https://en.wikipedia.org/wiki/Fischer_random_chess_numbering_scheme> counts them.
///
/// # Errors
/// Never for a number in range; beyond it the number is taken modulo 960.
pub fn chess960_start(number: usize) -> Result<Board, PositionError> {
    let mut rank = [' '; 8];
    let (rest, light) = (number % 960 / 4, number % 4);
    rank[2 * light + 1] = 'b';
    let (rest, dark) = (rest / 4, rest % 4);
    rank[2 * dark] = 'b';
    let (knights, queen) = (rest / 6, rest % 6);
    place(&mut rank, queen, 'q');
    // The two knights on the five squares left: (0, 1), (0, 2) … (3, 4).
    let pairs = (0..5).flat_map(|first| (first + 1..5).map(move |second| (first, second)));
    if let Some((first, second)) = pairs.into_iter().nth(knights) {
        // The farther first, since placing one moves those behind it.
        place(&mut rank, second, 'n');
        place(&mut rank, first, 'n');
    }
    for piece in ['r', 'k', 'r'] {
        place(&mut rank, 0, piece);
    }
    let black: String = rank.iter().collect();
    let white = black.to_uppercase();
    Board::from_fen(&format!(
        "{black}/pppppppp/8/8/8/8/PPPPPPPP/{white} w KQkq - 0 1"
    ))
}

/// Puts a piece on the free square with this number.
fn place(rank: &mut [char; 8], number: usize, piece: char) {
    if let Some(square) = rank.iter_mut().filter(|square| **square == ' ').nth(number) {
        *square = piece;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_960_starts_are_distinct_and_sound() {
        assert_eq!(chess960_start(518).ok(), Some(Board::startpos()));
        let known = [
            (0, "bbqnnrkr"),
            (1, "bqnbnrkr"),
            (959, "rkrnnqbb"),
            (534, "rnbkqbnr"),
        ];
        for (number, rank) in known {
            let fen = chess960_start(number).unwrap().to_fen();
            assert!(fen.starts_with(rank), "{number}: {fen}");
        }
        let all: HashSet<String> = (0..960)
            .map(|number| chess960_start(number).unwrap().to_shredder_fen())
            .collect();
        assert_eq!(all.len(), 960);
    }

    #[test]
    fn walks_are_as_long_as_asked_and_depend_on_the_seed() {
        let walk = |seed| random_walk(&Board::startpos(), 8, &mut Random::new(seed));
        let walks: Vec<Game> = (0..50).filter_map(walk).collect();
        assert!(walks.len() > 25);
        assert!(walks.iter().all(|game| game.moves().len() == 8));
        let ends: HashSet<u64> = walks.iter().map(|game| game.board().key()).collect();
        assert_eq!(ends.len(), walks.len());
        assert_eq!(
            walk(3).map(|game| *game.board()),
            walk(3).map(|game| *game.board())
        );
    }
}
