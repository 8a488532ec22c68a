//! A game: a start position and the moves made from it, and the rules that end it.

use super::setup::is_behind_double_push;
use super::{
    Bitboard, Board, Color, IllegalMoveError, KeyHistory, Move, PieceKind, Repair, SanError, Square,
};
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

/// Whether a game is over, and by which rule.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GameStatus {
    /// The game is not over.
    Ongoing,
    /// The side to move is mated.
    Checkmate,
    /// The side to move has no legal move and is not in check.
    Stalemate,
    /// Neither side has the material to mate.
    InsufficientMaterial,
    /// Both sides made fifty moves without capture or pawn move.
    FiftyMoves,
    /// The position occurred for the third time.
    Threefold,
}

impl GameStatus {
    /// The name in machine-readable output: `ongoing`, `checkmate` …
    pub const fn name(self) -> &'static str {
        match self {
            GameStatus::Ongoing => "ongoing",
            GameStatus::Checkmate => "checkmate",
            GameStatus::Stalemate => "stalemate",
            GameStatus::InsufficientMaterial => "insufficient_material",
            GameStatus::FiftyMoves => "fifty_moves",
            GameStatus::Threefold => "threefold",
        }
    }

    /// The name in words: `insufficient material`.
    pub fn text(self) -> String {
        self.name().replace('_', " ")
    }
}

impl fmt::Display for GameStatus {
    /// The name: `checkmate`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Board {
    /// The status of the game by the position alone, without repetitions. Checkmate has priority
    /// over the fifty-move rule.
    pub fn status(&self) -> GameStatus {
        if !self.has_legal_move() {
            if self.in_check() { GameStatus::Checkmate } else { GameStatus::Stalemate }
        } else if self.has_insufficient_material() {
            GameStatus::InsufficientMaterial
        } else if self.halfmove_clock() >= 100 {
            GameStatus::FiftyMoves
        } else {
            GameStatus::Ongoing
        }
    }

    /// Whether neither side can mate by any sequence of legal moves, judged by material alone: bare
    /// kings, a single knight, or bishops that all stand on squares of one colour.
    pub fn has_insufficient_material(&self) -> bool {
        let mating = self.pieces(PieceKind::Pawn)
            | self.pieces(PieceKind::Rook)
            | self.pieces(PieceKind::Queen);
        if mating.any() {
            return false;
        }
        let knights = self.pieces(PieceKind::Knight);
        let bishops = self.pieces(PieceKind::Bishop);
        if knights.any() {
            return bishops.is_empty() && !knights.more_than_one();
        }
        (bishops & Bitboard::LIGHT).is_empty() || (bishops & Bitboard::DARK).is_empty()
    }

    /// Whether the colour could mate by some sequence of legal moves, judged by material alone. If
    /// it could not, the game is drawn when its opponent's time runs out.
    pub fn can_mate(&self, color: Color) -> bool {
        let (us, them) = (self.side(color), self.side(!color));
        let minors = us.pieces(PieceKind::Knight) | us.pieces(PieceKind::Bishop);
        let king = us.pieces(PieceKind::King);
        if us.occupied() != minors | king {
            return true;
        }
        // A single minor piece mates only if the opponent's own pieces block their king.
        if us.pieces(PieceKind::Knight).any() {
            let not_blocking = them.pieces(PieceKind::King) | them.pieces(PieceKind::Queen);
            return minors.more_than_one() || them.occupied() != not_blocking;
        }
        let bishops = self.pieces(PieceKind::Bishop);
        let both_colors = (bishops & Bitboard::LIGHT).any() && (bishops & Bitboard::DARK).any();
        let blockers = self.pieces(PieceKind::Knight) | self.pieces(PieceKind::Pawn);
        minors.any() && (both_colors || blockers.any())
    }
}

/// A start position, the moves made from it, and the position after each of them.
///
/// ```
/// use saavedra_chess::{Game, GameStatus};
/// let mut game = Game::default();
/// for san in ["f3", "e5", "g4", "Qh4#"] {
///     game.push_san(san)?;
/// }
/// assert_eq!(game.status(), GameStatus::Checkmate);
/// # Ok::<(), saavedra_chess::SanError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game {
    moves: Vec<Move>,
    /// The start position and the position after each move.
    boards: Vec<Board>,
    previous_keys: KeyHistory,
    /// See [`Game::with_repairs`].
    start_en_passant: Option<Square>,
}

impl Game {
    /// A game that starts from this position.
    pub fn new(start: Board) -> Game {
        Game {
            moves: Vec::new(),
            boards: vec![start],
            previous_keys: KeyHistory::default(),
            start_en_passant: start.en_passant(),
        }
    }

    /// The game with the en passant square of its set-up, if reading the start position dropped it
    /// because no capture there is legal. The rules ignore it; [`Game::en_passant_square`] does not.
    #[must_use]
    pub fn with_repairs(mut self, repairs: &[Repair]) -> Game {
        let dropped = repairs.iter().find_map(|repair| match repair {
            Repair::EnPassantDropped(square) => Some(*square),
            _ => None,
        });
        let dropped = dropped.filter(|square| is_behind_double_push(&self.boards[0], *square));
        self.start_en_passant = self.start_en_passant.or(dropped);
        self
    }

    /// The square that the last move skipped, if it was a double pawn push, whether or not a capture
    /// there is legal. Before the first move, the en passant square of the set-up. Polyglot keys
    /// need it.
    pub fn en_passant_square(&self) -> Option<Square> {
        match self.moves.last() {
            None => self.start_en_passant,
            Some(m) => m.double_push_square(),
        }
    }

    /// [`Game::en_passant_square`] before the first move.
    pub fn start_en_passant(&self) -> Option<Square> {
        self.start_en_passant
    }

    /// The start position.
    pub fn start_position(&self) -> &Board {
        &self.boards[0]
    }

    /// The current position.
    pub fn board(&self) -> &Board {
        &self.boards[self.boards.len() - 1]
    }

    /// All positions, from the start position to the current one.
    pub fn boards(&self) -> &[Board] {
        &self.boards
    }

    /// The moves, from the first to the last.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The keys of the positions before the current one.
    pub fn previous_keys(&self) -> &KeyHistory {
        &self.previous_keys
    }

    /// Makes a move, which must be legal: see [`Board::make`].
    pub fn push(&mut self, m: Move) {
        let board = *self.board();
        let child = board.make(m);
        self.previous_keys.push(&board);
        self.moves.push(m);
        self.boards.push(child);
    }

    /// Makes a move given in the notation of UCI: `e2e4`.
    ///
    /// # Errors
    /// The move is not legal. The game is then unchanged.
    pub fn push_uci(&mut self, text: &str) -> Result<(), IllegalMoveError> {
        let m = self.board().parse_uci(text)?;
        self.push(m);
        Ok(())
    }

    /// Makes a move given in standard algebraic notation: `e4`.
    ///
    /// # Errors
    /// The text does not name a single legal move. The game is then unchanged.
    pub fn push_san(&mut self, text: &str) -> Result<(), SanError> {
        let m = self.board().parse_san(text)?;
        self.push(m);
        Ok(())
    }

    /// Takes back the last move; `None` if there is none.
    pub fn pop(&mut self) -> Option<Move> {
        let m = self.moves.pop()?;
        self.boards.pop();
        self.previous_keys.pop();
        Some(m)
    }

    /// How often the current position has occurred, this time included.
    pub fn repetition_count(&self) -> usize {
        self.previous_keys.count(self.board()) + 1
    }

    /// Whether the game is over, and by which rule.
    pub fn status(&self) -> GameStatus {
        match self.board().status() {
            GameStatus::Ongoing if self.repetition_count() >= 3 => GameStatus::Threefold,
            status => status,
        }
    }
}

impl Default for Game {
    /// A game of standard chess without moves.
    fn default() -> Game {
        Game::new(Board::startpos())
    }
}

impl Board {
    /// Whether two boards are the same position by the rule of repetition: equal but for halfmove
    /// clock and move number.
    pub fn same_position(&self, other: &Board) -> bool {
        self.key() == other.key()
            && self.turn() == other.turn()
            && self.castling_rights() == other.castling_rights()
            && self.en_passant() == other.en_passant()
            && self.side(Color::White) == other.side(Color::White)
            && self.side(Color::Black) == other.side(Color::Black)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::borrow::ToOwned;
    use alloc::format;

    fn game(fen: &str, moves: &str) -> Game {
        let mut game = Game::new(Board::from_fen(fen).unwrap());
        for text in moves.split_whitespace() {
            game.push_uci(text).unwrap();
        }
        game
    }

    #[test]
    fn threefold_repetition_ends_the_game() {
        let start = &Board::startpos().to_fen();
        let around = "g1f3 g8f6 f3g1 f6g8 ";
        let castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        let en_passant = "4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1";
        let cases = [
            (&**start, around.to_owned(), 2, GameStatus::Ongoing),
            (start, around.repeat(2), 3, GameStatus::Threefold),
            (start, around.repeat(2) + "e2e4", 1, GameStatus::Ongoing),
            // Positions before an irreversible move do not count.
            (start, around.repeat(2) + "e2e4 e7e5 " + around, 2, GameStatus::Ongoing),
            // The castling rights differ the first time.
            (castling, "h1g1 h8g8 g1h1 g8h8 ".repeat(2), 2, GameStatus::Ongoing),
            (castling, "h1g1 h8g8 g1h1 g8h8 ".repeat(3), 3, GameStatus::Threefold),
            // En passant is possible after the double push only.
            (
                en_passant,
                "e2e4 ".to_owned() + &"e8e7 e1d1 e7e8 d1e1 ".repeat(2),
                2,
                GameStatus::Ongoing,
            ),
            (
                en_passant,
                "e2e4 ".to_owned() + &"e8e7 e1d1 e7e8 d1e1 ".repeat(3),
                3,
                GameStatus::Threefold,
            ),
        ];
        for (fen, moves, repetitions, status) in cases {
            let game = game(fen, &moves);
            assert_eq!(game.repetition_count(), repetitions, "{fen} {moves}");
            assert_eq!(game.status(), status, "{fen} {moves}");
        }
    }

    #[test]
    fn checkmate_and_stalemate_have_priority_over_the_fifty_move_rule() {
        let cases = [
            ("7k/8/8/8/8/8/8/K2R4 w - - 99 80", "a1a2", GameStatus::FiftyMoves),
            ("7k/8/8/8/8/8/8/K2R4 w - - 98 80", "a1a2", GameStatus::Ongoing),
            ("7k/6pp/8/8/8/8/8/K2R4 w - - 99 80", "d1d8", GameStatus::Checkmate),
            ("7k/8/6K1/8/8/8/8/5Q2 w - - 99 80", "f1f7", GameStatus::Stalemate),
            ("7k/8/8/8/8/8/3p4/K2R4 w - - 99 80", "d1d2", GameStatus::Ongoing),
            ("7k/8/8/8/8/8/P7/K2R4 w - - 99 80", "a2a3", GameStatus::Ongoing),
            ("7k/8/8/8/8/8/8/K2R4 w - - 65535 80", "a1a2", GameStatus::FiftyMoves),
        ];
        for (fen, m, status) in cases {
            assert_eq!(game(fen, m).status(), status, "{fen} {m}");
        }
    }

    #[test]
    fn material_decides_who_can_mate() {
        let cases = [
            // Pieces besides the kings, insufficient material, White can mate, Black can mate.
            ("8/8/8/8", true, false, false),
            ("N7/8/8/8", true, false, false),
            ("B7/8/8/8", true, false, false),
            ("b7/8/8/8", true, false, false),
            ("P7/8/8/8", false, true, false),
            ("r7/8/8/8", false, false, true),
            ("Q7/8/8/8", false, true, false),
            ("NN6/8/8/8", false, true, false),
            ("NB6/8/8/8", false, true, false),
            ("N6n/8/8/8", false, true, true),
            ("N6b/8/8/8", false, true, true),
            ("N6q/8/8/8", false, false, true),
            ("N6r/8/8/8", false, true, true),
            ("B1B5/8/8/8", true, false, false),
            ("B1b5/8/8/8", true, false, false),
            ("BB6/8/8/8", false, true, false),
            ("Bb6/8/8/8", false, true, true),
            ("B6r/8/8/8", false, false, true),
            ("B6n/8/8/8", false, true, true),
        ];
        for (pieces, insufficient, white, black) in cases {
            let fen = format!("7k/{pieces}/8/8/K7 w - - 0 1");
            let board = Board::from_fen(&fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
            assert_eq!(board.has_insufficient_material(), insufficient, "{fen}");
            assert_eq!(board.can_mate(Color::White), white, "{fen}");
            assert_eq!(board.can_mate(Color::Black), black, "{fen}");
        }
    }

    #[test]
    fn moves_can_be_made_and_taken_back() {
        let mut game = Game::default();
        assert_eq!(game.pop(), None);
        game.push_uci("e2e4").unwrap();
        let error = game.push_uci("e2e4").unwrap_err();
        assert_eq!(error.reason, crate::IllegalReason::NoPiece);
        assert_eq!((game.moves().len(), game.boards().len()), (1, 2));
        assert_eq!(game.start_position(), &Board::startpos());
        assert!(game.pop().is_some());
        assert_eq!(game, Game::default());
        game.push_san("e4").unwrap();
        assert!(game.push_san("e4").is_err());
        assert_eq!(game.moves().len(), 1);
    }
}
