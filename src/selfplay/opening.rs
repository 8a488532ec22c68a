//! Random openings: a few random moves that do not decide the game.

use crate::chess::{
    Board, CastlingRight, CastlingRook, Color, File, Game, GameStatus, Move, Piece, PieceKind,
    Random, Rank, Setup, SetupError, Square,
};
use crate::engine::{Limits, Searcher};
use crate::search::Job;

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

/// A random opening that a search finds balanced. Its length is one of the two given, so that either
/// side may be to move. `start` gives the start position of each try.
///
/// The bound of the score grows with the number of rejected openings, so that there is a result with
/// every evaluation; `None` only if every game ends within the opening.
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
            let job = Job::new(*game.board(), Limits::nodes(NODES));
            let score = searcher.search(&job).info.map_or(0, |info| info.score);
            if score.abs() <= MAX_SCORE * (1 + rejected / TRIES_PER_BOUND) {
                return Some(game);
            }
        }
    }
    None
}

/// The start position of Chess960 with this number, from 0 to 959 (518 is standard chess), see
/// <https://en.wikipedia.org/wiki/Fischer_random_chess_numbering_scheme>. Larger numbers are taken
/// modulo 960.
///
/// # Errors
/// None: all of these positions are legal.
pub fn chess960_start(number: usize) -> Result<Board, SetupError> {
    use PieceKind::{Bishop, King, Knight, Pawn, Queen, Rook};
    let mut rank = [None; 8];
    let (rest, light_bishop) = (number % 960 / 4, number % 4);
    rank[2 * light_bishop + 1] = Some(Bishop);
    let (rest, dark_bishop) = (rest / 4, rest % 4);
    rank[2 * dark_bishop] = Some(Bishop);
    let (knights, queen) = (rest / 6, rest % 6);
    place(&mut rank, queen, Queen);
    // The two knights on two of the five free squares: (0, 1), (0, 2) … (3, 4).
    let pairs = (0..5).flat_map(|first| (first + 1..5).map(move |second| (first, second)));
    if let Some((first, second)) = pairs.into_iter().nth(knights) {
        // The second one first, because each piece renumbers the free squares behind it.
        place(&mut rank, second, Knight);
        place(&mut rank, first, Knight);
    }
    for kind in [Rook, King, Rook] {
        place(&mut rank, 0, kind);
    }
    let mut setup = Setup::empty();
    let castling = [CastlingRook::KingSide, CastlingRook::QueenSide];
    let mut rights = Vec::new();
    for color in Color::ALL {
        for (file, kind) in File::ALL.into_iter().zip(rank) {
            let square = |rank| Square::new(file, rank).relative_to(color);
            let piece = kind.map(|kind| Piece::new(color, kind));
            setup.set_piece(square(Rank::First), piece);
            setup.set_piece(square(Rank::Second), Some(Piece::new(color, Pawn)));
        }
        rights.extend(castling.map(|rook| CastlingRight { color, rook }));
    }
    setup.set_castling_rights(rights);
    let (board, _repairs) = setup.to_board()?;
    Ok(board)
}

/// Puts a piece on the free square with this number.
fn place(rank: &mut [Option<PieceKind>; 8], number: usize, kind: PieceKind) {
    let mut free = rank.iter_mut().filter(|square| square.is_none());
    if let Some(square) = free.nth(number) {
        *square = Some(kind);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_960_start_positions_are_distinct_and_legal() {
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
    fn random_walks_have_the_given_length_and_depend_on_the_seed() {
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
