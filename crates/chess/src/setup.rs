//! Positions that may be illegal, and their validation.

use super::castling::is_king_side;
use super::{Bitboard, Board, Color, FenError, File, Piece, PieceKind, Rank, Side, Square};
use alloc::vec::Vec;
use core::fmt;

/// A castling right as it is written: it may have no king or rook.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CastlingRight {
    /// The colour that may castle.
    pub color: Color,
    /// The rook that it may castle with.
    pub rook: CastlingRook,
}

/// The rook of a castling right.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CastlingRook {
    /// The rook nearest to the h-file, on the king side (`K`, `k` in FEN).
    KingSide,
    /// The rook nearest to the a-file, on the queen side (`Q`, `q` in FEN).
    QueenSide,
    /// The rook on this file (`A` to `H`, `a` to `h` in Shredder-FEN).
    File(File),
}

/// A position that may be illegal: pieces on squares, side to move, castling rights, en passant
/// square and clocks.
///
/// It is what a FEN or a board editor contains, and the way to change a position by other means
/// than a move. [`to_board`](Setup::to_board) validates it.
///
/// ```
/// use saavedra_chess::{Board, Setup, Square};
/// let mut setup = Setup::from(&Board::startpos());
/// setup.set_piece(Square::D8, None);
/// let (board, _) = setup.to_board()?;
/// assert_eq!(board.to_fen(), "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
/// setup.set_piece(Square::E8, None);
/// assert_eq!(setup.to_board().unwrap_err().to_string(), "impossible position: black has no king");
/// # Ok::<(), saavedra_chess::SetupError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Setup {
    pub(super) pieces: [Option<Piece>; 64],
    pub(super) turn: Color,
    pub(super) castling: Vec<CastlingRight>,
    pub(super) en_passant: Option<Square>,
    pub(super) halfmove_clock: u16,
    pub(super) fullmove_number: u32,
}

/// Why a position is illegal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IllegalPosition {
    /// This colour has no king.
    NoKing(Color),
    /// This colour has this number of kings.
    TooManyKings(Color, u32),
    /// The kings stand on adjacent squares.
    KingsAdjacent,
    /// The opponent of the side to move is in check.
    OpponentInCheck,
    /// A pawn stands on this square of the first or last rank.
    PawnOnBackRank(Square),
    /// This colour has this number of pieces, more than 16.
    TooManyPieces(Color, u32),
    /// This colour has this number of pawns, more than 8.
    TooManyPawns(Color, u32),
    /// This colour has this number of promoted pieces more than missing pawns.
    TooManyPromotedPieces(Color, u32),
}

impl fmt::Display for IllegalPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IllegalPosition::NoKing(color) => write!(f, "{color} has no king"),
            IllegalPosition::TooManyKings(color, n) => write!(f, "{color} has {n} kings"),
            IllegalPosition::KingsAdjacent => write!(f, "the kings touch"),
            IllegalPosition::OpponentInCheck => write!(f, "the side not to move is in check"),
            IllegalPosition::PawnOnBackRank(square) => write!(f, "a pawn stands on {square}"),
            IllegalPosition::TooManyPieces(color, n) => write!(f, "{color} has {n} pieces"),
            IllegalPosition::TooManyPawns(color, n) => write!(f, "{color} has {n} pawns"),
            IllegalPosition::TooManyPromotedPieces(color, n) => {
                write!(f, "{color} has {n} more promoted pieces than missing pawns")
            }
        }
    }
}

/// A position is illegal: all reasons.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetupError {
    /// All reasons, at least one.
    pub reasons: Vec<IllegalPosition>,
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("impossible position: ")?;
        for (i, reason) in self.reasons.iter().enumerate() {
            if i > 0 {
                f.write_str("; ")?;
            }
            reason.fmt(f)?;
        }
        Ok(())
    }
}

impl core::error::Error for SetupError {}

/// A detail of a [`Setup`] that contradicts the pieces on the board and was ignored or corrected.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Repair {
    /// A castling right of this colour without king or rook was ignored.
    CastlingDropped(Color),
    /// The castling right with the rook on this square was ignored: it was the second one on its
    /// side of the king.
    SecondCastlingDropped(Square),
    /// The en passant square was ignored: no en passant capture is legal there.
    EnPassantDropped(Square),
    /// The move number 0 became 1.
    MoveNumberZero,
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Repair::CastlingDropped(color) => {
                write!(f, "castling right of {color} without king or rook ignored")
            }
            Repair::SecondCastlingDropped(rook) => {
                write!(
                    f,
                    "castling right with the rook on {rook} ignored: it is the second on that side"
                )
            }
            Repair::EnPassantDropped(square) => {
                write!(f, "en passant on {square} ignored: no such capture is legal")
            }
            Repair::MoveNumberZero => write!(f, "move number 0 taken as 1"),
        }
    }
}

/// Why a text is not a position: it is malformed, or the position is illegal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PositionError {
    /// The text is malformed.
    Fen(FenError),
    /// The position is illegal.
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

impl core::error::Error for PositionError {}

impl From<FenError> for PositionError {
    fn from(error: FenError) -> PositionError {
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

    /// The pieces of two sides, with White to move and no castling rights. A square that both sides
    /// occupy gets the black piece.
    pub fn from_sides(white: &Side, black: &Side) -> Setup {
        let mut setup = Setup::empty();
        for (color, side) in [(Color::White, white), (Color::Black, black)] {
            for square in side.occupied() {
                setup.set_piece(square, side.piece_at(square).map(|kind| Piece::new(color, kind)));
            }
        }
        setup
    }

    /// The position of an array of numbers: row 0 is rank 8, column 0 the a-file; 1 to 6 are pawn,
    /// knight, bishop, rook, queen and king, negative for Black, 0 for an empty square. White is to
    /// move and has the castling rights of all kings and rooks on their squares of standard chess.
    ///
    /// # Errors
    /// The first number that is none of these, with its square.
    pub fn from_array(rows: &[[i8; 8]; 8]) -> Result<Setup, ArrayError> {
        let mut setup = Setup::empty();
        for (row, rank) in rows.iter().zip(Rank::ALL.into_iter().rev()) {
            for (&number, file) in row.iter().zip(File::ALL) {
                let square = Square::new(file, rank);
                let color = if number > 0 { Color::White } else { Color::Black };
                let piece = match number.unsigned_abs() {
                    0 => None,
                    n @ 1..=6 => Some(Piece::new(color, PieceKind::ALL[usize::from(n) - 1])),
                    _ => return Err(ArrayError { square, number }),
                };
                setup.set_piece(square, piece);
            }
        }
        setup.allow_standard_castling();
        Ok(setup)
    }

    /// Puts a piece on a square, or empties the square.
    pub fn set_piece(&mut self, square: Square, piece: Option<Piece>) {
        self.pieces[square.index()] = piece;
    }

    /// The piece on a square.
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        self.pieces[square.index()]
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// Sets the side to move.
    pub fn set_turn(&mut self, turn: Color) {
        self.turn = turn;
    }

    /// The castling rights.
    pub fn castling_rights(&self) -> &[CastlingRight] {
        &self.castling
    }

    /// Sets the castling rights.
    pub fn set_castling_rights(&mut self, rights: impl IntoIterator<Item = CastlingRight>) {
        self.castling = rights.into_iter().collect();
    }

    /// The en passant square: the square behind a pawn that has made a double push, whether or not
    /// a capture is possible.
    pub fn en_passant(&self) -> Option<Square> {
        self.en_passant
    }

    /// Sets the en passant square.
    pub fn set_en_passant(&mut self, square: Option<Square>) {
        self.en_passant = square;
    }

    /// The halfmove clock.
    pub fn halfmove_clock(&self) -> u16 {
        self.halfmove_clock
    }

    /// The move number.
    pub fn fullmove_number(&self) -> u32 {
        self.fullmove_number
    }

    /// Sets the halfmove clock (the number of plies since the last capture or pawn move) and the
    /// move number.
    pub fn set_clocks(&mut self, halfmove_clock: u16, fullmove_number: u32) {
        self.halfmove_clock = halfmove_clock;
        self.fullmove_number = fullmove_number;
    }

    /// Sets the castling rights of all kings and rooks that stand on their squares of standard
    /// chess.
    pub fn allow_standard_castling(&mut self) {
        self.castling.clear();
        for color in Color::ALL {
            let has = |square: Square, kind| {
                self.pieces[square.relative_to(color).index()] == Some(Piece::new(color, kind))
            };
            let rooks =
                [(Square::H1, CastlingRook::KingSide), (Square::A1, CastlingRook::QueenSide)];
            for (square, rook) in rooks {
                if has(Square::E1, PieceKind::King) && has(square, PieceKind::Rook) {
                    self.castling.push(CastlingRight { color, rook });
                }
            }
        }
    }

    /// The position, with the details that were ignored or corrected.
    ///
    /// # Errors
    /// The position is illegal: all reasons.
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
            en_passant: None,
        };
        let reasons = illegal_reasons(&board);
        if !reasons.is_empty() {
            return Err(SetupError { reasons });
        }
        let mut repairs = Vec::new();
        self.set_castling_of(&mut board, &mut repairs);
        board.key = board.compute_key();
        if let Some(square) = self.en_passant {
            if is_behind_double_push(&board, square) {
                board.set_en_passant_if_legal(square);
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

    /// Sets the castling rights of the board for which there are king and rook.
    fn set_castling_of(&self, board: &mut Board, repairs: &mut Vec<Repair>) {
        for right in &self.castling {
            match castling_rook(board, *right) {
                Ok(rook) => board.castling |= rook.bitboard(),
                Err(repair) if repairs.contains(&repair) => {}
                Err(repair) => repairs.push(repair),
            }
        }
    }
}

/// The rook of a castling right; the repair if it or its king is not on the back rank, or if the
/// king may already castle with another rook on that side.
fn castling_rook(board: &Board, right: CastlingRight) -> Result<Square, Repair> {
    let missing = Repair::CastlingDropped(right.color);
    let (side, back_rank) = (board.side(right.color), right.color.back_rank());
    let king = side.king();
    if !back_rank.has(king) {
        return Err(missing);
    }
    let mut rooks = (side.pieces(PieceKind::Rook) & back_rank).into_iter();
    let rook = match right.rook {
        CastlingRook::KingSide => rooks.filter(|rook| is_king_side(king, *rook)).last(),
        CastlingRook::QueenSide => rooks.find(|rook| !is_king_side(king, *rook)),
        CastlingRook::File(file) => rooks.find(|rook| rook.file() == file),
    }
    .ok_or(missing)?;
    let mut others = (board.castling & back_rank & !rook.bitboard()).into_iter();
    let is_taken = others.any(|other| is_king_side(king, other) == is_king_side(king, rook));
    if is_taken { Err(Repair::SecondCastlingDropped(rook)) } else { Ok(rook) }
}

/// Whether the square can be behind a pawn that has made a double push.
pub(crate) fn is_behind_double_push(board: &Board, square: Square) -> bool {
    if square.rank().relative_to(board.turn) != Rank::Sixth {
        return false;
    }
    let push = board.turn.pawn_push();
    let (pawn, origin) = (square.offset(-push), square.offset(push));
    let occupied = board.occupied();
    board.them().pieces(PieceKind::Pawn).has(pawn) && !occupied.has(square) && !occupied.has(origin)
}

impl From<&Board> for Setup {
    /// The position as it is: [`Setup::to_board`] returns an equal board.
    fn from(board: &Board) -> Setup {
        let mut setup = Setup::from_sides(board.side(Color::White), board.side(Color::Black));
        setup.turn = board.turn;
        for color in Color::ALL {
            for rook in board.castling & color.back_rank() {
                let rook = CastlingRook::File(rook.file());
                setup.castling.push(CastlingRight { color, rook });
            }
        }
        setup.en_passant = board.en_passant();
        setup.set_clocks(board.halfmove_clock, board.fullmove_number);
        setup
    }
}

/// A number of [`Setup::from_array`] that is not a piece.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ArrayError {
    /// The square of the number.
    pub square: Square,
    /// The number.
    pub number: i8,
}

impl fmt::Display for ArrayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ArrayError { square, number } = self;
        write!(f, "{number} on {square} is not a number from -6 to 6")
    }
}

impl core::error::Error for ArrayError {}

/// All reasons why a board is illegal.
fn illegal_reasons(board: &Board) -> Vec<IllegalPosition> {
    let mut reasons = Vec::new();
    for color in Color::ALL {
        let side = board.side(color);
        match side.pieces(PieceKind::King).count() {
            0 => reasons.push(IllegalPosition::NoKing(color)),
            1 => {}
            n => reasons.push(IllegalPosition::TooManyKings(color, n)),
        }
        let count = side.occupied().count();
        if count > 16 {
            reasons.push(IllegalPosition::TooManyPieces(color, count));
        }
        let pawns = side.pieces(PieceKind::Pawn).count();
        if pawns > 8 {
            reasons.push(IllegalPosition::TooManyPawns(color, pawns));
        }
        let promoted: u32 = [
            (PieceKind::Knight, 2),
            (PieceKind::Bishop, 2),
            (PieceKind::Rook, 2),
            (PieceKind::Queen, 1),
        ]
        .into_iter()
        .map(|(kind, initial)| side.pieces(kind).count().saturating_sub(initial))
        .sum();
        if pawns <= 8 && promoted > 8 - pawns {
            reasons.push(IllegalPosition::TooManyPromotedPieces(color, promoted - (8 - pawns)));
        }
    }
    let back_ranks = Bitboard::RANK_1 | Bitboard::RANK_8;
    for square in board.pieces(PieceKind::Pawn) & back_ranks {
        reasons.push(IllegalPosition::PawnOnBackRank(square));
    }
    let one_king_each =
        Color::ALL.into_iter().all(|color| board.side(color).pieces(PieceKind::King).count() == 1);
    if one_king_each {
        if board.king(Color::White).distance(board.king(Color::Black)) <= 1 {
            reasons.push(IllegalPosition::KingsAdjacent);
        } else if board.is_in_check(!board.turn) {
            reasons.push(IllegalPosition::OpponentInCheck);
        }
    }
    reasons
}
