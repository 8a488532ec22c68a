//! Makes books from games.

use super::{Book, BookEntry, encode_move, key};
use crate::chess::{Board, Game, GameResult, Move, Square};
use std::collections::{BTreeMap, HashSet};

/// The games with a move and their results.
#[derive(Clone, Copy, Default)]
struct MoveCount {
    games: u64,
    /// Two points for a win of the side that played the move, one for a draw.
    points: u64,
}

/// Collects the moves of games. The book does not depend on the order of the games.
pub struct Builder {
    plies: usize,
    moves: BTreeMap<u64, BTreeMap<u16, MoveCount>>,
}

impl Builder {
    /// A builder that takes this number of plies from the start of each game.
    pub fn new(plies: usize) -> Builder {
        Builder { plies, moves: BTreeMap::new() }
    }

    /// Adds a game. One without a result counts as drawn. A move that was played more than once in
    /// the same position counts once.
    pub fn add(&mut self, game: &Game, result: Option<GameResult>) {
        let mut played = HashSet::new();
        let mut en_passant = game.start_en_passant();
        for (board, m) in game.boards().iter().zip(game.moves()).take(self.plies) {
            let result = result.unwrap_or(GameResult::Draw);
            let points = u64::from(result.half_points(board.turn()));
            if played.insert((board.key(), *m)) {
                self.add_move(board, en_passant, *m, points);
            }
            en_passant = m.double_push_square();
        }
    }

    /// Adds a legal move with its points (two for a win, one for a draw). `en_passant` is as in
    /// [`key`].
    pub fn add_move(&mut self, board: &Board, en_passant: Option<Square>, m: Move, points: u64) {
        let moves = self.moves.entry(key(board, en_passant)).or_default();
        let count = moves.entry(encode_move(m)).or_default();
        count.games += 1;
        count.points += points;
    }

    /// The book of the moves played in at least this number of games. The weight of a move is its
    /// points, scaled down if the maximum of a position exceeds 16 bits. Moves without points are
    /// left out.
    pub fn build(&self, min_games: u64) -> Book {
        let mut entries = Vec::new();
        for (key, moves) in &self.moves {
            let is_in = |count: &MoveCount| count.games >= min_games && count.points > 0;
            let mut kept: Vec<(u64, u16)> = moves
                .iter()
                .filter(|(_, count)| is_in(count))
                .map(|(encoded_move, count)| (count.points, *encoded_move))
                .collect();
            kept.sort_by_key(|(points, encoded_move)| (std::cmp::Reverse(*points), *encoded_move));
            let max_points = kept.first().map_or(0, |(points, _)| *points);
            let scale = u128::from(max_points.max(u64::from(u16::MAX)));
            entries.extend(kept.iter().map(|(points, encoded_move)| {
                let weight = u128::from(*points) * u128::from(u16::MAX) / scale;
                BookEntry {
                    key: *key,
                    encoded_move: *encoded_move,
                    // A move with points keeps a weight above 0.
                    weight: (weight as u16).max(1),
                    learn: 0,
                }
            }));
        }
        Book { entries, trailing_bytes: 0 }
    }
}
