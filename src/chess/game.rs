//! A game: a start position and the moves made from it.

use super::{Bitboard, Board, Color, Move, PieceKind};

/// Whether and how a game is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// The game goes on.
    Ongoing,
    /// The side to move is mated.
    Checkmate,
    /// The side to move has no legal move and is not in check.
    Stalemate,
    /// Neither side can ever mate.
    InsufficientMaterial,
    /// Fifty moves of both sides without capture or pawn move.
    FiftyMoves,
    /// The position stands on the board for the third time.
    Threefold,
}

impl Status {
    /// The word for machines: `ongoing`, `checkmate` …
    pub const fn word(self) -> &'static str {
        match self {
            Status::Ongoing => "ongoing",
            Status::Checkmate => "checkmate",
            Status::Stalemate => "stalemate",
            Status::InsufficientMaterial => "insufficient_material",
            Status::FiftyMoves => "fifty_moves",
            Status::Threefold => "threefold",
        }
    }
}

impl Board {
    /// The state of the game as far as the board alone shows it (no repetitions). Mate comes before
    /// the fifty-move rule.
    pub fn status(&self) -> Status {
        if !self.has_legal_move() {
            match self.in_check() {
                true => Status::Checkmate,
                false => Status::Stalemate,
            }
        } else if self.has_insufficient_material() {
            Status::InsufficientMaterial
        } else if self.halfmove_clock() >= 100 {
            Status::FiftyMoves
        } else {
            Status::Ongoing
        }
    }

    /// Whether no sequence of legal moves leads to a mate by either side, judged by material: bare
    /// kings, one knight, or bishops that all stand on squares of one colour.
    pub fn has_insufficient_material(&self) -> bool {
        let heavy = self.pieces(PieceKind::Pawn)
            | self.pieces(PieceKind::Rook)
            | self.pieces(PieceKind::Queen);
        if heavy.any() {
            return false;
        }
        let knights = self.pieces(PieceKind::Knight);
        let bishops = self.pieces(PieceKind::Bishop);
        if knights.any() {
            return bishops.is_empty() && !knights.many();
        }
        (bishops & Bitboard::LIGHT).is_empty() || (bishops & Bitboard::DARK).is_empty()
    }

    /// Whether the colour could still mate by some sequence of legal moves, judged by material:
    /// what decides a game when the other side's time is over.
    pub fn can_mate(&self, color: Color) -> bool {
        let (us, them) = (self.side(color), self.side(!color));
        let minors = us.pieces(PieceKind::Knight) | us.pieces(PieceKind::Bishop);
        let king = us.pieces(PieceKind::King);
        if us.occupied() != minors | king {
            return true;
        }
        // A lone minor piece needs the other side's men to stand in their king's way.
        if us.pieces(PieceKind::Knight).any() {
            let harmless = them.pieces(PieceKind::King) | them.pieces(PieceKind::Queen);
            return minors.many() || them.occupied() != harmless;
        }
        let bishops = self.pieces(PieceKind::Bishop);
        let both_colors = (bishops & Bitboard::LIGHT).any() && (bishops & Bitboard::DARK).any();
        let helpers = self.pieces(PieceKind::Knight) | self.pieces(PieceKind::Pawn);
        minors.any() && (both_colors || helpers.any())
    }
}

/// A start position, the moves made from it, and the positions they led to.
#[derive(Clone, Debug)]
pub struct Game {
    moves: Vec<Move>,
    /// One more than moves: the start first.
    boards: Vec<Board>,
}

impl Game {
    /// A game that begins here.
    pub fn new(start: Board) -> Game {
        Game {
            moves: Vec::new(),
            boards: vec![start],
        }
    }

    /// The position it began with.
    pub fn start(&self) -> &Board {
        &self.boards[0]
    }

    /// The position now.
    pub fn board(&self) -> &Board {
        &self.boards[self.boards.len() - 1]
    }

    /// All positions from the start to now.
    pub fn boards(&self) -> &[Board] {
        &self.boards
    }

    /// The moves made.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Makes a move that is known to be legal.
    pub fn push(&mut self, m: Move) {
        let child = self.board().make(m);
        self.moves.push(m);
        self.boards.push(child);
    }

    /// Makes a move given as UCI text.
    ///
    /// # Errors
    /// If it is not legal; the game is then unchanged.
    pub fn push_uci(&mut self, text: &str) -> Result<(), super::IllegalMove> {
        let m = self.board().parse_uci(text)?;
        self.push(m);
        Ok(())
    }

    /// Takes the last move back; `None` at the start.
    pub fn pop(&mut self) -> Option<Move> {
        let m = self.moves.pop()?;
        self.boards.pop();
        Some(m)
    }

    /// How often the position now has stood on the board, now included.
    pub fn repetitions(&self) -> usize {
        let now = self.board();
        let reach = now.halfmove_clock() as usize + 1;
        self.boards
            .iter()
            .rev()
            .take(reach)
            .step_by(2)
            .filter(|b| b.same_position(now))
            .count()
    }

    /// Whether and how the game is over.
    pub fn status(&self) -> Status {
        match self.board().status() {
            Status::Ongoing if self.repetitions() >= 3 => Status::Threefold,
            status => status,
        }
    }
}

impl Default for Game {
    /// A game of standard chess before its first move.
    fn default() -> Game {
        Game::new(Board::start())
    }
}

impl Board {
    /// Whether two boards are the same position to the laws of repetition: all but the clocks.
    pub fn same_position(&self, other: &Board) -> bool {
        self.key() == other.key()
            && self.turn() == other.turn()
            && self.castling() == other.castling()
            && self.en_passant() == other.en_passant()
            && self.side(Color::White) == other.side(Color::White)
            && self.side(Color::Black) == other.side(Color::Black)
    }
}
