//! The keys of a game's earlier positions, to find repetitions.

use super::Board;
use alloc::vec::Vec;

/// The keys of the positions before the current one, oldest first.
///
/// ```
/// use saavedra_chess::Game;
/// let mut game = Game::default();
/// for san in ["Nf3", "Nf6", "Ng1", "Ng8"] {
///     game.push_san(san)?;
/// }
/// assert_eq!(game.previous_keys().count(game.board()), 1);
/// # Ok::<(), saavedra_chess::SanError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KeyHistory {
    keys: Vec<u64>,
}

impl KeyHistory {
    /// The number of positions.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Adds a position, before a move is made from it.
    #[inline]
    pub fn push(&mut self, board: &Board) {
        self.keys.push(board.key());
    }

    /// Removes the newest position, when its move is taken back.
    #[inline]
    pub fn pop(&mut self) {
        self.keys.pop();
    }

    /// The keys, newest first.
    pub fn newest_first(&self) -> impl Iterator<Item = u64> {
        self.keys.iter().rev().copied()
    }

    /// How many plies ago each earlier occurrence of the current position was, the latest first;
    /// `max_plies` is the number of reversible plies before it.
    #[inline]
    pub fn repetitions(&self, board: &Board, max_plies: usize) -> impl Iterator<Item = usize> {
        let (keys, key) = (&*self.keys, board.key());
        (4..max_plies.min(keys.len()) + 1)
            .step_by(2)
            .filter(move |plies| keys[keys.len() - plies] == key)
    }

    /// How often the current position has occurred before.
    pub fn count(&self, board: &Board) -> usize {
        self.repetitions(board, board.halfmove_clock().into()).count()
    }

    /// The positions that can be repeated from the current one: none before the last capture or pawn
    /// move, and at most a hundred, after which the game is drawn.
    #[must_use]
    pub fn reversible(&self, board: &Board) -> KeyHistory {
        let plies = self.len().min(board.halfmove_clock().min(100).into());
        let keys = self.keys[self.len() - plies..].to_vec();
        KeyHistory { keys }
    }

    /// Whether any position has repeated since the last capture or pawn move, the current one
    /// included.
    pub fn has_repetition(&self, board: &Board) -> bool {
        let mut keys = self.reversible(board).keys;
        keys.push(board.key());
        keys.sort_unstable();
        keys.windows(2).any(|pair| pair[0] == pair[1])
    }
}

impl FromIterator<u64> for KeyHistory {
    /// From the keys, oldest first.
    fn from_iter<I: IntoIterator<Item = u64>>(keys: I) -> KeyHistory {
        KeyHistory { keys: keys.into_iter().collect() }
    }
}

#[cfg(test)]
mod tests {
    use crate::Game;

    #[test]
    fn only_positions_since_the_last_irreversible_move_count() {
        let around = "g1f3 g8f6 f3g1 f6g8 ";
        for (moves, reversible, count, has_repetition) in [
            ("g1f3", 1, 0, false),
            (around, 4, 1, true),
            (&(around.repeat(2) + "b1c3"), 9, 0, true),
            (&(around.repeat(2) + "e2e4"), 0, 0, false),
            (&around.repeat(30), 100, 30, true),
        ] {
            let mut game = Game::default();
            for text in moves.split_whitespace() {
                game.push_uci(text).unwrap();
            }
            let (keys, board) = (game.previous_keys(), game.board());
            assert_eq!(keys.reversible(board).len(), reversible, "{moves}");
            assert_eq!(keys.count(board), count, "{moves}");
            assert_eq!(keys.has_repetition(board), has_repetition, "{moves}");
        }
    }
}
