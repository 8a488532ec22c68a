//! A position in 34 bytes.

use crate::chess::{
    Board, CastlingRight, CastlingRook, Color, File, Piece, PieceKind, Setup, SetupError, Square,
};

/// A position as a record stores it: the occupied squares with their pieces, and the state of the
/// game. It may be illegal; [`to_board`](PackedPosition::to_board) checks that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedPosition {
    /// One bit for each occupied square, a1 the lowest.
    pub occupied: u64,
    /// Four bits for each piece in the order of the occupied squares, the first one in the low half
    /// of the first byte: the kind (pawn 0, knight, bishop, rook, queen, king 5), plus 8 if black.
    pub piece_codes: [u8; 16],
    /// Whether Black is to move.
    pub black_to_move: bool,
    /// Whether castling is as in Chess960.
    pub chess960: bool,
    /// The files (0 to 7) of the rooks with castling rights: White's king side and queen side, then
    /// Black's.
    pub castling: [Option<u8>; 4],
    /// The en passant target square (0 to 63).
    pub en_passant: Option<u8>,
    /// Plies since the last capture or pawn move.
    pub halfmove_clock: u16,
    /// The move number, from 1.
    pub fullmove_number: u16,
}

/// The length of an encoded position.
pub(super) const PACKED_LEN: usize = 34;
/// The byte for no file or no square.
const NONE: u8 = 0xff;
/// The bit of Black in a piece code.
const BLACK: u8 = 8;
/// The maximum number of pieces.
const MAX_PIECES: usize = 32;

impl PackedPosition {
    /// The position with these pieces, White to move and no castling rights. Pieces beyond the 32nd
    /// square are left out.
    pub fn with_pieces(pieces: impl IntoIterator<Item = (Square, Piece)>) -> PackedPosition {
        let mut by_square = [None; 64];
        for (square, piece) in pieces {
            by_square[square.index()] = Some(piece);
        }
        let mut packed = PackedPosition {
            occupied: 0,
            piece_codes: [0; 16],
            black_to_move: false,
            chess960: false,
            castling: [None; 4],
            en_passant: None,
            halfmove_clock: 0,
            fullmove_number: 1,
        };
        let occupied =
            Square::ALL.into_iter().filter_map(|square| Some((square, by_square[square.index()]?)));
        for (index, (square, piece)) in occupied.take(MAX_PIECES).enumerate() {
            let code = match piece.color {
                Color::White => piece.kind.index() as u8,
                Color::Black => piece.kind.index() as u8 | BLACK,
            };
            packed.occupied |= 1 << square.index();
            packed.piece_codes[index / 2] |= code << (index % 2 * 4);
        }
        packed
    }

    /// The occupied squares, a1 first, with the codes of their pieces.
    fn codes(&self) -> impl Iterator<Item = (Square, u8)> {
        let mut rest = self.occupied;
        (0..MAX_PIECES).map_while(move |index| {
            let square = u8::try_from(rest.trailing_zeros()).ok().filter(|square| *square < 64)?;
            rest &= rest - 1;
            let code = self.piece_codes[index / 2] >> (index % 2 * 4) & 15;
            Some((Square::from_index(square), code))
        })
    }

    /// The occupied squares, a1 first, with their pieces. Invalid codes are left out.
    pub fn pieces(&self) -> impl Iterator<Item = (Square, Piece)> {
        self.codes().filter_map(|(square, code)| {
            let kind = *PieceKind::ALL.get(usize::from(code & !BLACK))?;
            let color = match code & BLACK {
                0 => Color::White,
                _ => Color::Black,
            };
            Some((square, Piece::new(color, kind)))
        })
    }

    /// Packs a board. A move number beyond 65,535 becomes 65,535.
    pub fn from_board(board: &Board) -> PackedPosition {
        let pieces =
            Square::ALL.into_iter().filter_map(|square| Some((square, board.piece_at(square)?)));
        let mut packed = PackedPosition::with_pieces(pieces);
        packed.black_to_move = board.turn() == Color::Black;
        packed.chess960 = board.is_chess960();
        for color in Color::ALL {
            for rook in board.castling_rights() & color.back_rank() {
                let queen_side = rook.file() < board.king(color).file();
                let index = 2 * color.index() + usize::from(queen_side);
                packed.castling[index] = Some(rook.file() as u8);
            }
        }
        packed.en_passant = board.en_passant().map(|square| square.index() as u8);
        packed.halfmove_clock = board.halfmove_clock();
        packed.fullmove_number = u16::try_from(board.fullmove_number()).unwrap_or(u16::MAX);
        packed
    }

    /// The board.
    ///
    /// # Errors
    /// If the position is illegal.
    pub fn to_board(&self) -> Result<Board, SetupError> {
        let mut setup = Setup::empty();
        for (square, piece) in self.pieces() {
            setup.set_piece(square, Some(piece));
        }
        setup.set_turn(if self.black_to_move { Color::Black } else { Color::White });
        let colors = [Color::White, Color::White, Color::Black, Color::Black];
        let rights = self.castling.into_iter().zip(colors);
        setup.set_castling_rights(rights.filter_map(|(file, color)| {
            let rook = CastlingRook::File(File::from_index(file?));
            Some(CastlingRight { color, rook })
        }));
        setup.set_en_passant(self.en_passant.map(Square::from_index));
        setup.set_clocks(self.halfmove_clock, self.fullmove_number.into());
        let (board, _repairs) = setup.to_board()?;
        Ok(board)
    }

    pub(super) fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.occupied.to_le_bytes());
        bytes.extend(self.piece_codes);
        bytes.push(u8::from(self.black_to_move) | u8::from(self.chess960) << 1);
        bytes.extend(self.castling.map(|file| file.unwrap_or(NONE)));
        bytes.push(self.en_passant.unwrap_or(NONE));
        bytes.extend(self.halfmove_clock.to_le_bytes());
        bytes.extend(self.fullmove_number.to_le_bytes());
    }

    /// The position of these bytes; `None` if they are invalid.
    pub(super) fn decode(bytes: &[u8; PACKED_LEN]) -> Option<PackedPosition> {
        let (occupied, rest) = bytes.split_first_chunk()?;
        let (piece_codes, rest) = rest.split_first_chunk()?;
        let &[flags, r0, r1, r2, r3, en_passant, h0, h1, f0, f1] = rest else {
            return None;
        };
        let option = |byte: u8| (byte != NONE).then_some(byte);
        let packed = PackedPosition {
            occupied: u64::from_le_bytes(*occupied),
            piece_codes: *piece_codes,
            black_to_move: flags & 1 != 0,
            chess960: flags & 2 != 0,
            castling: [r0, r1, r2, r3].map(option),
            en_passant: option(en_passant),
            halfmove_clock: u16::from_le_bytes([h0, h1]),
            fullmove_number: u16::from_le_bytes([f0, f1]),
        };
        let valid = flags < 4
            && packed.occupied.count_ones() as usize <= MAX_PIECES
            && packed.codes().all(|(_, code)| code & !BLACK < 6)
            && packed.castling.into_iter().flatten().all(|file| file < 8)
            && packed.en_passant.is_none_or(|square| square < 64);
        valid.then_some(packed)
    }
}
