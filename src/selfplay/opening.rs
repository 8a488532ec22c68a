//! Random openings: a few random moves that do not decide the game.

use crate::chess::{Board, Game, GameStatus, Move, Random};
use crate::engine::{Limits, Searcher};
use crate::search::SearchRequest;

/// The maximum score of an opening for either side, in centipawns.
const MAX_SCORE: i32 = 200;
/// The node limit of the search that gives this score.
const NODES: u64 = 1000;
/// The minimum static exchange value of a random move, in centipawns.
const MIN_SEE: i32 = -400;
/// The number of random moves that are tried in a position.
const MAX_MOVE_TRIES: usize = 8;
/// The number of openings that are tried.
const MAX_TRIES: i32 = 2000;
/// The maximum score grows by [`MAX_SCORE`] each time this many openings were rejected.
const TRIES_PER_BOUND: i32 = 32;

/// Plays random legal moves; `None` if that ends the game or only losing moves are found.
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
    (0..MAX_MOVE_TRIES)
        .map(|_| moves[random.below(moves.len())])
        .find(|m| board.see_ge(*m, MIN_SEE))
}

/// A random opening that a search finds balanced. Its length is one of the two given, so that
/// either side may be to move. `start` gives the start position of each try.
///
/// The bound of the score grows with the number of rejected openings, so that there is a result
/// with every evaluation; `None` only if all tries fail: games that end within the opening, or mates.
pub fn balanced(
    searcher: &mut Searcher,
    random: &mut Random,
    mut start: impl FnMut(&mut Random) -> Board,
    plies: [usize; 2],
) -> Option<Game> {
    for rejected in 0..MAX_TRIES {
        let board = start(random);
        let plies = plies[random.below(2)];
        if let Some(game) = random_walk(&board, plies, random) {
            let request = SearchRequest::new(*game.board(), Limits::nodes(NODES));
            let found = searcher.search(&request);
            let score: i32 = found.line().map_or(0, |line| line.score.value());
            if score.abs() <= MAX_SCORE * (1 + rejected / TRIES_PER_BOUND) {
                return Some(game);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn random_walks_have_the_given_length_and_depend_on_the_seed() {
        let walk = |seed| random_walk(&Board::startpos(), 8, &mut Random::new(seed));
        let walks: Vec<Game> = (0..50).filter_map(walk).collect();
        assert!(walks.len() > 25);
        assert!(walks.iter().all(|game| game.moves().len() == 8));
        let ends: HashSet<u64> = walks.iter().map(|game| game.board().key()).collect();
        assert_eq!(ends.len(), walks.len());
        assert_eq!(walk(3).map(|game| *game.board()), walk(3).map(|game| *game.board()));
    }
}
