//! From whatever a document says to a sound position.

use super::board::NO_SQUARE;
use super::{Bitboard, Board, Color, File, Piece, PieceKind, Side, Square};
use std::fmt;

/// A castling right as a document names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CastlingWish {
    pub(super) color: Color,
    pub(super) wing: Wing,
}

/// Which rook a castling right is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wing {
    /// The outermost rook towards the h-file (`K`, `k`).
    King,
    /// The outermost rook towards the a-file (`Q`, `q`).
    Queen,
    /// The rook on this file (Shredder-FEN: `A` to `H`).
    File(File),
}

/// What a FEN, an EPD record or a drawn board says: pieces on squares and the rest, sound or not.
///
/// It becomes a [`Board`] only through [`Setup::board`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setup {
    pub(super) pieces: [Option<Piece>; 64],
    pub(super) turn: Color,
    pub(super) castling: Vec<CastlingWish>,
    pub(super) en_passant: Option<Square>,
    pub(super) halfmove_clock: u16,
    pub(super) fullmove_number: u32,
}

/// Something that makes a set-up impossible.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IllegalPosition {
    /// This colour has no king.
    NoKing(Color),
    /// This colour has so many kings.
    TooManyKings(Color, u32),
    /// The kings stand next to each other.
    KingsAdjacent,
    /// The side that is not to move is in check.
    OpponentInCheck,
    /// A pawn stands on the first or last rank, here.
    PawnOnBackRank(Square),
    /// This colour has more than sixteen men.
    TooManyPieces(Color, u32),
    /// This colour has more than eight pawns.
    TooManyPawns(Color, u32),
    /// This colour has more promoted men than missing pawns.
    TooManyPromotedPieces(Color, u32),
}

impl fmt::Display for IllegalPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IllegalPosition::NoKing(color) => write!(f, "{} has no king", color.name()),
            IllegalPosition::TooManyKings(color, n) => write!(f, "{} has {n} kings", color.name()),
            IllegalPosition::KingsAdjacent => write!(f, "the kings touch"),
            IllegalPosition::OpponentInCheck => write!(f, "the side not to move is in check"),
            IllegalPosition::PawnOnBackRank(square) => write!(f, "a pawn stands on {square}"),
            IllegalPosition::TooManyPieces(color, n) => write!(f, "{} has {n} men", color.name()),
            IllegalPosition::TooManyPawns(color, n) => write!(f, "{} has {n} pawns", color.name()),
            IllegalPosition::TooManyPromotedPieces(color, n) => write!(
                f,
                "{} has {n} more promoted men than missing pawns",
                color.name()
            ),
        }
    }
}

/// All the faults of a set-up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetupError {
    /// Every fault found; at least one.
    pub reasons: Vec<IllegalPosition>,
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("impossible position: ")?;
        for (i, fault) in self.reasons.iter().enumerate() {
            if i > 0 {
                f.write_str("; ")?;
            }
            fault.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for SetupError {}

/// Something a document says that cannot be, and that was left out or put right.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Repair {
    /// A castling right of this colour without king or rook for it was dropped.
    CastlingDropped(Color),
    /// No en passant capture is legal on this square: it was dropped.
    EnPassantDropped(Square),
    /// A move number of 0 became 1.
    MoveNumberZero,
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Repair::CastlingDropped(Color::White) => {
                write!(f, "castling right of white without king or rook ignored")
            }
            Repair::CastlingDropped(Color::Black) => {
                write!(f, "castling right of black without king or rook ignored")
            }
            Repair::EnPassantDropped(square) => {
                write!(
                    f,
                    "en passant on {square} ignored: no such capture is legal"
                )
            }
            Repair::MoveNumberZero => write!(f, "move number 0 taken as 1"),
        }
    }
}

/// Why a text or drawing is no position: it cannot be read, or what it says is impossible.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PositionError {
    /// The text is malformed.
    Fen(super::FenError),
    /// The position is impossible.
    Setup(SetupError),
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PositionError::Fen(error) => error.fmt(f),
            PositionError::Setup(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PositionError {}

impl From<super::FenError> for PositionError {
    fn from(error: super::FenError) -> PositionError {
        PositionError::Fen(error)
    }
}

impl From<SetupError> for PositionError {
    fn from(error: SetupError) -> PositionError {
        PositionError::Setup(error)
    }
}

impl Setup {
    /// An empty board with White to move.
    pub fn empty() -> Setup {
        Setup {
            pieces: [None; 64],
            turn: Color::White,
            castling: Vec::new(),
            en_passant: None,
            halfmove_clock: 0,
            fullmove_number: 1,
        }
    }

    /// The set-up of two sides, with all else as on an empty board. Where both sides claim a
    /// square the black piece stands.
    pub fn from_sides(white: &Side, black: &Side) -> Setup {
        let mut setup = Setup::empty();
        for (color, side) in [(Color::White, white), (Color::Black, black)] {
            for square in side.occupied() {
                setup.set_piece(
                    square,
                    side.piece_at(square).map(|kind| Piece::new(color, kind)),
                );
            }
        }
        setup
    }

    /// The set-up of an array of numbers: row 0 is rank 8, column 0 the a-file; 1 to 6 are pawn,
    /// knight, bishop, rook, queen and king, negative for Black, 0 for an empty square. White is to
    /// move and may castle where king and rook stand at home.
    ///
    /// # Errors
    /// The square and the number, if it is none of these.
    pub fn from_array(rows: &[[i8; 8]; 8]) -> Result<Setup, (Square, i8)> {
        let mut setup = Setup::empty();
        for square in Square::ALL {
            let number = rows[7 - square.rank() as usize][square.file() as usize];
            let color = if number > 0 {
                Color::White
            } else {
                Color::Black
            };
            let piece = match number.unsigned_abs() {
                0 => None,
                n @ 1..=6 => Some(Piece::new(color, PieceKind::ALL[n as usize - 1])),
                _ => return Err((square, number)),
            };
            setup.set_piece(square, piece);
        }
        setup.allow_standard_castling();
        Ok(setup)
    }

    /// Puts a piece on a square, or takes off what stands there.
    pub fn set_piece(&mut self, square: Square, piece: Option<Piece>) {
        self.pieces[square.index()] = piece;
    }

    /// What stands on a square.
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        self.pieces[square.index()]
    }

    /// Whose turn it is.
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// Sets whose turn it is.
    pub fn set_turn(&mut self, turn: Color) {
        self.turn = turn;
    }

    /// The square behind a pawn that has just made its double step, whether or not any pawn can
    /// capture there.
    pub fn en_passant(&self) -> Option<Square> {
        self.en_passant
    }

    /// Sets the square behind a pawn that has just made its double step.
    pub fn set_en_passant(&mut self, square: Option<Square>) {
        self.en_passant = square;
    }

    /// Sets the plies since the last capture or pawn move, and the move number.
    pub fn set_clocks(&mut self, halfmove_clock: u16, fullmove_number: u32) {
        self.halfmove_clock = halfmove_clock;
        self.fullmove_number = fullmove_number;
    }

    /// Allows castling wherever a king and a rook stand on their squares of standard chess.
    pub fn allow_standard_castling(&mut self) {
        self.castling.clear();
        for color in Color::ALL {
            let is_home = |file, kind| {
                self.piece_at(Square::at(file, 0).relative_to(color))
                    == Some(Piece::new(color, kind))
            };
            let wings: Vec<Wing> = [(7, Wing::King), (0, Wing::Queen)]
                .into_iter()
                .filter(|(file, _)| is_home(4, PieceKind::King) && is_home(*file, PieceKind::Rook))
                .map(|(_, wing)| wing)
                .collect();
            self.castling
                .extend(wings.into_iter().map(|wing| CastlingWish { color, wing }));
        }
    }

    /// The position, with what had to be repaired in it.
    ///
    /// # Errors
    /// All faults that make the set-up impossible.
    pub fn to_board(&self) -> Result<(Board, Vec<Repair>), SetupError> {
        let mut sides = [Side::EMPTY; 2];
        for square in Square::ALL {
            if let Some(piece) = self.piece_at(square) {
                let side = &mut sides[piece.color.index()];
                *side = side.with(piece.kind, square);
            }
        }
        let mut board = Board {
            sides,
            castling: Bitboard::EMPTY,
            key: 0,
            fullmove_number: self.fullmove_number.max(1),
            halfmove_clock: self.halfmove_clock,
            turn: self.turn,
            en_passant: NO_SQUARE,
        };
        let faults = faults(&board);
        if !faults.is_empty() {
            return Err(SetupError { reasons: faults });
        }
        let mut repairs = Vec::new();
        self.settle_castling(&mut board, &mut repairs);
        board.key = board.compute_key();
        if let Some(square) = self.en_passant {
            if self.is_passed(&board, square) {
                board.allow_en_passant(square);
            }
            if board.en_passant().is_none() {
                repairs.push(Repair::EnPassantDropped(square));
            }
        }
        if self.fullmove_number == 0 {
            repairs.push(Repair::MoveNumberZero);
        }
        Ok((board, repairs))
    }

    /// Gives the rights for which king and rook are there.
    fn settle_castling(&self, board: &mut Board, repairs: &mut Vec<Repair>) {
        for wish in &self.castling {
            let side = &board.sides[wish.color.index()];
            let king = side.king();
            let rooks = side.pieces(PieceKind::Rook) & wish.color.back_rank();
            let rook = match wish.wing {
                Wing::King => rooks
                    .into_iter()
                    .filter(|rook| rook.file() > king.file())
                    .last(),
                Wing::Queen => rooks.into_iter().find(|rook| rook.file() < king.file()),
                Wing::File(file) => rooks.into_iter().find(|rook| rook.file() == file),
            };
            // One rook for each wing.
            let rook = rook.filter(|rook| {
                let given = board.castling & wish.color.back_rank() & !rook.bitboard();
                let east = rook.file() > king.file();
                wish.color.back_rank().has(king)
                    && given
                        .into_iter()
                        .all(|other| (other.file() > king.file()) != east)
            });
            let dropped = Repair::CastlingDropped(wish.color);
            match rook {
                Some(rook) => board.castling |= rook.bitboard(),
                None if repairs.contains(&dropped) => {}
                None => repairs.push(dropped),
            }
        }
    }

    /// Whether a pawn can just have passed the square.
    fn is_passed(&self, board: &Board, square: Square) -> bool {
        let relative = square.relative_to(board.turn);
        if relative.rank() != 5 {
            return false;
        }
        let step: i8 = if board.turn == Color::White { 8 } else { -8 };
        let (pawn, origin) = (square.offset(-step), square.offset(step));
        let occupied = board.occupied();
        board.them().pieces(PieceKind::Pawn).has(pawn)
            && !occupied.has(square)
            && !occupied.has(origin)
    }
}

/// Everything that makes a board impossible.
fn faults(board: &Board) -> Vec<IllegalPosition> {
    let mut faults = Vec::new();
    for color in Color::ALL {
        let side = board.side(color);
        match side.pieces(PieceKind::King).count() {
            0 => faults.push(IllegalPosition::NoKing(color)),
            1 => {}
            n => faults.push(IllegalPosition::TooManyKings(color, n)),
        }
        let men = side.occupied().count();
        if men > 16 {
            faults.push(IllegalPosition::TooManyPieces(color, men));
        }
        let pawns = side.pieces(PieceKind::Pawn).count();
        if pawns > 8 {
            faults.push(IllegalPosition::TooManyPawns(color, pawns));
        }
        let promoted: u32 = [
            (PieceKind::Knight, 2),
            (PieceKind::Bishop, 2),
            (PieceKind::Rook, 2),
            (PieceKind::Queen, 1),
        ]
        .into_iter()
        .map(|(kind, first)| side.pieces(kind).count().saturating_sub(first))
        .sum();
        if pawns <= 8 && promoted > 8 - pawns {
            faults.push(IllegalPosition::TooManyPromotedPieces(
                color,
                promoted - (8 - pawns),
            ));
        }
    }
    let last_ranks = Bitboard::RANK_1 | Bitboard::RANK_8;
    for square in board.pieces(PieceKind::Pawn) & last_ranks {
        faults.push(IllegalPosition::PawnOnBackRank(square));
    }
    let one_king_each = Color::ALL
        .into_iter()
        .all(|c| board.side(c).pieces(PieceKind::King).count() == 1);
    if one_king_each {
        if board.king(Color::White).distance(board.king(Color::Black)) <= 1 {
            faults.push(IllegalPosition::KingsAdjacent);
        } else if board.is_in_check(!board.turn) {
            faults.push(IllegalPosition::OpponentInCheck);
        }
    }
    faults
}
