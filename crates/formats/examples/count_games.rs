//! Counts the games of a PGN file of any size, and replays the main lines of one player's games.
//!
//! `cargo run --release --example count_games -- games.pgn Carlsen`

use saavedra_chess::Board;
use saavedra_formats::pgn::{Reader, TagValue, Visit, Visitor, parse_ply};
use saavedra_formats::{ErrorKind, Location};
use std::fs::File;

struct Player {
    name: String,
    plays: bool,
    board: Board,
    games: u64,
    moves: u64,
}

impl Visitor for Player {
    fn begin_game(&mut self, _: Location) {
        (self.plays, self.board) = (false, Board::startpos());
    }

    fn tag(&mut self, name: &str, value: TagValue<'_>) -> Result<(), ErrorKind> {
        match name {
            "White" | "Black" => self.plays |= value.decode().contains(&self.name),
            "FEN" => self.board = Board::from_fen(&value.decode()).unwrap_or(self.board),
            _ => {}
        }
        Ok(())
    }

    fn end_tags(&mut self) -> Visit {
        if !self.plays {
            return Visit::Skip;
        }
        self.games += 1;
        Visit::Read
    }

    fn begin_variation(&mut self) -> Visit {
        Visit::Skip
    }

    fn san(&mut self, san: &str) -> Result<(), ErrorKind> {
        self.board = parse_ply(&self.board, san)?.make(&self.board);
        self.moves += 1;
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("a PGN file is missing")?;
    let mut player = Player {
        name: arguments.next().unwrap_or_default(),
        plays: false,
        board: Board::startpos(),
        games: 0,
        moves: 0,
    };
    let mut reader = Reader::new(File::open(&path)?);
    let mut games = 0;
    loop {
        match reader.read_game(&mut player) {
            Ok(true) => games += 1,
            Ok(false) => break,
            Err(error) => eprintln!("{}", error.located(&path)),
        }
    }
    let Player { name, games: found, moves, .. } = player;
    println!("{games} games, {found} of {name:?} with {moves} moves");
    Ok(())
}
