//! Making books from games.

use super::{Book, Entry, code, key, passed_by};
use crate::chess::{Board, Game, GameResult, Move, Square};
use std::collections::BTreeMap;

/// What became of the games with a move.
#[derive(Clone, Copy, Default)]
struct Count {
    games: u64,
    /// Two for a win of the side that made the move, one for a draw.
    points: u64,
}

/// Collects the moves of games. The order of the games makes no difference to the book.
pub struct Builder {
    plies: usize,
    moves: BTreeMap<u64, BTreeMap<u16, Count>>,
}

impl Builder {
    /// A builder of books that are so many plies deep.
    pub fn new(plies: usize) -> Builder {
        Builder {
            plies,
            moves: BTreeMap::new(),
        }
    }

    /// Adds a game. One without a result counts as drawn.
    pub fn add(&mut self, game: &Game, result: Option<GameResult>) {
        let mut passed = game.start_position().en_passant();
        for (board, m) in game.boards().iter().zip(game.moves()).take(self.plies) {
            let result = result.unwrap_or(GameResult::Draw);
            let points = u64::from(result.half_points(board.turn()));
            self.add_move(board, passed, *m, points);
            passed = passed_by(*m);
        }
    }

    /// Adds a legal move of one game, or of any other source, that brought so many half points.
    /// `passed` is as in [`key`].
    pub fn add_move(&mut self, board: &Board, passed: Option<Square>, m: Move, points: u64) {
        let moves = self.moves.entry(key(board, passed)).or_default();
        let count = moves.entry(code(m)).or_default();
        count.games += 1;
        count.points += points;
    }

    /// The book of the moves that were made in at least so many games. The weight of a move is what
    /// it brought, two for a win and one for a draw, scaled down if the greatest of a position would
    /// not fit; a move that only lost is not in the book.
    pub fn build(&self, min_games: u64) -> Book {
        let mut entries = Vec::new();
        for (key, moves) in &self.moves {
            let is_in = |count: &Count| count.games >= min_games && count.points > 0;
            let mut kept: Vec<(u64, u16)> = moves
                .iter()
                .filter(|(_, count)| is_in(count))
                .map(|(code, count)| (count.points, *code))
                .collect();
            kept.sort_by_key(|(points, code)| (std::cmp::Reverse(*points), *code));
            let greatest = kept.first().map_or(0, |(points, _)| *points);
            let scale = u128::from(greatest.max(u64::from(u16::MAX)));
            entries.extend(kept.iter().map(|(points, code)| {
                let weight = u128::from(*points) * u128::from(u16::MAX) / scale;
                Entry {
                    key: *key,
                    code: *code,
                    // What brought anything may be played.
                    weight: (weight as u16).max(1),
                    learn: 0,
                }
            }));
        }
        Book {
            entries,
            surplus: 0,
        }
    }
}
