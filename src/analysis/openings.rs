//! Names and ECO codes of openings.

use crate::chess::Board;
use crate::formats::Tree;
use std::collections::HashMap;

/// The openings of <https://github.com/lichess-org/chess-openings> (CC0): ECO code, name and moves.
const OPENINGS: &str = include_str!("../../data/openings.tsv");

/// The name of an opening.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Opening {
    /// The code of the Encyclopaedia of Chess Openings: `B90`.
    pub eco: &'static str,
    /// The name: `Sicilian Defense: Najdorf Variation`.
    pub name: &'static str,
}

impl Opening {
    /// The name without its variations: `Sicilian Defense`.
    pub fn family(&self) -> &'static str {
        self.name.split_once(':').map_or(self.name, |(family, _)| family)
    }
}

/// The known openings by the position after their last move, so transpositions are found too.
pub struct Openings {
    by_key: HashMap<u64, Opening>,
}

impl Openings {
    /// Reads the built-in list.
    pub fn new() -> Openings {
        let by_key = OPENINGS.lines().skip(1).filter_map(read_line).collect();
        Openings { by_key }
    }

    /// The last named position of the main line.
    pub fn of(&self, tree: &Tree) -> Option<Opening> {
        let mut board = *tree.start();
        let mut found = None;
        for ply in tree.mainline() {
            board = ply.make(&board);
            found = self.by_key.get(&board.key()).copied().or(found);
        }
        found
    }
}

impl Default for Openings {
    fn default() -> Openings {
        Openings::new()
    }
}

/// The key of the last position of a line of the list, and its opening; `None` if the line is
/// malformed, which a test rules out.
fn read_line(line: &'static str) -> Option<(u64, Opening)> {
    let mut fields = line.split('\t');
    let (eco, name, moves) = (fields.next()?, fields.next()?, fields.next()?);
    let mut board = Board::startpos();
    for word in moves.split_whitespace().filter(|word| !word.ends_with('.')) {
        board = board.make(board.parse_san(word).ok()?);
    }
    Some((board.key(), Opening { eco, name }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Game;

    #[test]
    fn every_line_of_the_list_is_read() {
        let lines = OPENINGS.lines().skip(1);
        for line in lines {
            assert!(read_line(line).is_some(), "{line}");
        }
    }

    #[test]
    fn transpositions_have_the_same_opening() {
        let openings = Openings::new();
        let opening = |moves: &str| {
            let mut game = Game::new(Board::startpos());
            for word in moves.split(' ') {
                let m = game.board().parse_san(word).expect("legal");
                game.push(m);
            }
            openings.of(&Tree::from_game(&game))
        };
        let najdorf = opening("e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6").expect("known");
        assert_eq!((najdorf.eco, najdorf.name), ("B90", "Sicilian Defense: Najdorf Variation"));
        assert_eq!(opening("Nf3 c5 e4 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6"), Some(najdorf));
        assert_eq!(opening("e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 a3 Qa5 h4"), Some(najdorf));
    }
}
