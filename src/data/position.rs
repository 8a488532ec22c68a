//! A position in 34 bytes.

use crate::chess::{
    Board, CastlingRight, CastlingRook, Color, File, Piece, PieceKind, Setup, SetupError, Square,
};

/// A position as a record holds it: men by occupied square, and the state beside them. It says
/// nothing about legality; making a board of it checks that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedPosition {
    /// One bit per occupied square, a1 the lowest.
    pub occupied: u64,
    /// Four bits per man in the order of the occupied squares, the first in the low half of the
    /// first byte: the kind (pawn 0, knight, bishop, rook, queen, king 5), plus 8 if black.
    pub men: [u8; 16],
    /// Whether it is Black's move.
    pub black_to_move: bool,
    /// Whether castling is as in Chess960.
    pub chess960: bool,
    /// Files (0 to 7) of the rooks that may castle: White's king-side and queen-side one, then
    /// Black's.
    pub castling: [Option<u8>; 4],
    /// The square (0 to 63) behind a pawn that can be taken en passant.
    pub en_passant: Option<u8>,
    /// Half-moves since a capture or a pawn's move.
    pub halfmove_clock: u16,
    /// The number of the move, from 1.
    pub fullmove_number: u16,
}

/// Bytes of a packed position.
pub(super) const PACKED_LEN: usize = 34;
/// In place of a file or a square: none.
const NONE: u8 = 0xff;

impl PackedPosition {
    /// The position with these men, each (square, kind, whether black), White to move and no
    /// rights. Men beyond the 32nd are left out.
    pub fn with_men(men: impl IntoIterator<Item = (u8, u8, bool)>) -> PackedPosition {
        let mut by_square = [None; 64];
        for (square, kind, black) in men {
            by_square[usize::from(square & 63)] = Some(kind | u8::from(black) << 3);
        }
        let mut packed = PackedPosition {
            occupied: 0,
            men: [0; 16],
            black_to_move: false,
            chess960: false,
            castling: [None; 4],
            en_passant: None,
            halfmove_clock: 0,
            fullmove_number: 1,
        };
        let occupied = (0u8..64).filter_map(|square| Some((square, by_square[square as usize]?)));
        for (index, (square, man)) in occupied.take(32).enumerate() {
            packed.occupied |= 1 << square;
            packed.men[index / 2] |= man << (index % 2 * 4);
        }
        packed
    }

    /// The men as (square, kind, whether black), in the order of squares.
    pub fn men(&self) -> impl Iterator<Item = (u8, u8, bool)> {
        let mut rest = self.occupied;
        (0..32).map_while(move |index: usize| {
            let square = u8::try_from(rest.trailing_zeros())
                .ok()
                .filter(|&square| square < 64)?;
            rest &= rest - 1;
            let man = self.men[index / 2] >> (index % 2 * 4) & 15;
            Some((square, man & 7, man & 8 != 0))
        })
    }

    /// Packs a board. A move number beyond 65,535 stays there.
    pub fn from_board(board: &Board) -> PackedPosition {
        let men = Square::ALL.into_iter().filter_map(|square| {
            let piece = board.piece_at(square)?;
            let black = piece.color == Color::Black;
            Some((square.index() as u8, piece.kind.index() as u8, black))
        });
        let mut packed = PackedPosition::with_men(men);
        packed.black_to_move = board.turn() == Color::Black;
        packed.chess960 = board.is_chess960();
        for color in Color::ALL {
            for rook in board.castling_rights() & color.back_rank() {
                let queen_side = rook.file() < board.king(color).file();
                packed.castling[2 * color.index() + usize::from(queen_side)] =
                    Some(rook.file() as u8);
            }
        }
        packed.en_passant = board.en_passant().map(|square| square.index() as u8);
        packed.halfmove_clock = board.halfmove_clock();
        packed.fullmove_number = u16::try_from(board.fullmove_number()).unwrap_or(u16::MAX);
        packed
    }

    /// The board, if the position is sound.
    pub fn board(&self) -> Result<Board, SetupError> {
        let mut setup = Setup::empty();
        for (square, kind, black) in self.men() {
            let kind = PieceKind::ALL[usize::from(kind).min(5)];
            let color = if black { Color::Black } else { Color::White };
            setup.set_piece(Square::from_index(square), Some(Piece::new(color, kind)));
        }
        setup.set_turn(if self.black_to_move {
            Color::Black
        } else {
            Color::White
        });
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
        bytes.extend(self.men);
        bytes.push(u8::from(self.black_to_move) | u8::from(self.chess960) << 1);
        bytes.extend(self.castling.map(|file| file.unwrap_or(NONE)));
        bytes.push(self.en_passant.unwrap_or(NONE));
        bytes.extend(self.halfmove_clock.to_le_bytes());
        bytes.extend(self.fullmove_number.to_le_bytes());
    }

    /// None if the bytes are those of no position.
    pub(super) fn decode(bytes: &[u8; PACKED_LEN]) -> Option<PackedPosition> {
        let (occupied, rest) = bytes.split_first_chunk()?;
        let (men, rest) = rest.split_first_chunk()?;
        let &[flags, r0, r1, r2, r3, en_passant, h0, h1, f0, f1] = rest else {
            return None;
        };
        let option = |byte: u8| (byte != NONE).then_some(byte);
        let packed = PackedPosition {
            occupied: u64::from_le_bytes(*occupied),
            men: *men,
            black_to_move: flags & 1 != 0,
            chess960: flags & 2 != 0,
            castling: [r0, r1, r2, r3].map(option),
            en_passant: option(en_passant),
            halfmove_clock: u16::from_le_bytes([h0, h1]),
            fullmove_number: u16::from_le_bytes([f0, f1]),
        };
        let valid = flags < 4
            && packed.occupied.count_ones() <= 32
            && packed.men().all(|(_, kind, _)| kind < 6)
            && packed.castling.into_iter().flatten().all(|file| file < 8)
            && packed.en_passant.is_none_or(|square| square < 64);
        valid.then_some(packed)
    }
}
