//! The position.

use super::{Bitboard, Color, Move, MoveList, Piece, PieceKind, Side, Square, attacks, zobrist};
use std::fmt;

/// No en passant square.
pub(super) const NO_SQUARE: u8 = 64;

/// A chess position: two [`Side`]s, whose turn it is, what castling and en passant are allowed, and
/// the clocks. An immutable value; making a move gives a new one.
///
/// Every `Board` is a sound position: it can only be made from a validated [`Setup`](super::Setup)
/// or by a legal move from another. It holds one key, because the search derives the others it
/// wants (of pawns, of pieces) from the sets themselves: such keys cannot drift.
///
/// Neither checkers nor pins are kept: computing them when they are wanted measured as fast in
/// perft and makes every copy smaller.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Board {
    pub(super) sides: [Side; 2],
    /// The rooks with which castling is still allowed.
    pub(super) castling: Bitboard,
    pub(super) key: u64,
    pub(super) fullmove_number: u32,
    pub(super) halfmove_clock: u16,
    pub(super) turn: Color,
    /// The square behind a pawn that can legally be captured en passant, or [`NO_SQUARE`].
    pub(super) en_passant: u8,
}

const _: () = assert!(size_of::<Board>() <= 256);

impl Board {
    /// The position in which every game of standard chess begins.
    pub fn startpos() -> Board {
        use PieceKind::{Bishop, King, Knight, Queen, Rook};
        let mut white = Side::EMPTY;
        for (file, kind) in [Rook, Knight, Bishop, Queen, King, Bishop, Knight, Rook]
            .into_iter()
            .enumerate()
        {
            white = white.with(kind, Square::at(file as u8, 0));
            white = white.with(PieceKind::Pawn, Square::at(file as u8, 1));
        }
        let black = Side {
            pieces: white.pieces.map(Bitboard::flip_ranks),
            all: white.all.flip_ranks(),
        };
        let mut board = Board {
            sides: [white, black],
            castling: Bitboard::from_squares(&[Square::A1, Square::H1, Square::A8, Square::H8]),
            key: 0,
            fullmove_number: 1,
            halfmove_clock: 0,
            turn: Color::White,
            en_passant: NO_SQUARE,
        };
        board.key = board.compute_key();
        board
    }

    /// The pieces of a colour.
    #[inline(always)]
    pub const fn side(&self, color: Color) -> &Side {
        &self.sides[color.index()]
    }

    /// The pieces of the side to move.
    #[inline(always)]
    pub const fn us(&self) -> &Side {
        &self.sides[self.turn.index()]
    }

    /// The pieces of the side that is not to move.
    #[inline(always)]
    pub const fn them(&self) -> &Side {
        &self.sides[1 - self.turn.index()]
    }

    /// Whose turn it is.
    #[inline(always)]
    pub const fn turn(&self) -> Color {
        self.turn
    }

    /// All squares with a piece.
    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.sides[0].all | self.sides[1].all
    }

    /// The pieces of a kind, of both colours.
    #[inline(always)]
    pub fn pieces(&self, kind: PieceKind) -> Bitboard {
        self.sides[0].pieces(kind) | self.sides[1].pieces(kind)
    }

    /// What stands on the square.
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        Color::ALL.into_iter().find_map(|color| {
            self.side(color)
                .piece_at(square)
                .map(|kind| Piece::new(color, kind))
        })
    }

    /// The squares of the rooks with which castling is still allowed, of both colours.
    #[inline(always)]
    pub const fn castling_rights(&self) -> Bitboard {
        self.castling
    }

    /// Whether any castling right belongs to a king or rook away from its place in standard
    /// chess, so that the position can only have come from Chess960.
    pub fn is_chess960(&self) -> bool {
        Color::ALL.into_iter().any(|color| {
            let rights = self.castling & color.back_rank();
            let standard = Bitboard::FILE_A | Bitboard::FILE_H;
            rights.any() && (self.side(color).king().file() != 4 || (rights & !standard).any())
        })
    }

    /// The square behind the pawn that can be captured en passant. Kept only when such a capture
    /// is legal, so that equal positions are equal boards with equal keys.
    #[inline(always)]
    pub const fn en_passant(&self) -> Option<Square> {
        if self.en_passant == NO_SQUARE {
            None
        } else {
            Some(Square::from_index(self.en_passant))
        }
    }

    /// Plies since the last capture or pawn move.
    #[inline(always)]
    pub const fn halfmove_clock(&self) -> u16 {
        self.halfmove_clock
    }

    /// The number of the move, as written before it in a game score.
    #[inline(always)]
    pub const fn fullmove_number(&self) -> u32 {
        self.fullmove_number
    }

    /// The key of the position: pieces, turn, castling rights and en passant.
    #[inline(always)]
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// The key computed from nothing: what [`key`](Board::key) must always equal.
    pub fn compute_key(&self) -> u64 {
        let mut key = 0;
        for color in Color::ALL {
            for kind in PieceKind::ALL {
                for square in self.side(color).pieces(kind) {
                    key ^= zobrist::piece(color, kind, square);
                }
            }
        }
        for rook in self.castling {
            key ^= zobrist::castling(rook);
        }
        if let Some(square) = self.en_passant() {
            key ^= zobrist::en_passant(square);
        }
        key ^ zobrist::turn(self.turn)
    }

    /// Where the king of a colour stands.
    #[inline(always)]
    pub const fn king(&self, color: Color) -> Square {
        self.sides[color.index()].king()
    }

    /// The pieces of both colours that attack the square when these squares are occupied.
    #[inline]
    pub fn attackers_to(&self, square: Square, occupied: Bitboard) -> Bitboard {
        (attacks::pawn(Color::Black, square) & self.sides[0].pieces(PieceKind::Pawn))
            | (attacks::pawn(Color::White, square) & self.sides[1].pieces(PieceKind::Pawn))
            | (attacks::knight(square) & self.pieces(PieceKind::Knight))
            | (attacks::king(square) & self.pieces(PieceKind::King))
            | (attacks::bishop(square, occupied)
                & (self.sides[0].diagonal_sliders() | self.sides[1].diagonal_sliders()))
            | (attacks::rook(square, occupied)
                & (self.sides[0].orthogonal_sliders() | self.sides[1].orthogonal_sliders()))
    }

    /// Whether any piece of the colour attacks the square.
    #[inline]
    pub fn is_attacked(&self, square: Square, by: Color) -> bool {
        self.side(by)
            .attackers_to(by, square, self.occupied())
            .any()
    }

    /// The pieces that give check to the side to move.
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        self.them()
            .attackers_to(!self.turn, self.us().king(), self.occupied())
    }

    /// Whether the king of the colour is attacked.
    pub fn is_in_check(&self, color: Color) -> bool {
        self.is_attacked(self.king(color), !color)
    }

    /// Whether the side to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        self.checkers().any()
    }

    /// The pieces of the side to move that stand between their king and a hostile slider.
    pub fn pinned(&self) -> Bitboard {
        let (us, them, king) = (self.us(), self.them(), self.us().king());
        let snipers = (attacks::rook_rays(king) & them.orthogonal_sliders())
            | (attacks::bishop_rays(king) & them.diagonal_sliders());
        let occupied = self.occupied();
        snipers
            .into_iter()
            .map(|sniper| attacks::between(king, sniper) & occupied)
            .filter(|blockers| !blockers.more_than_one())
            .fold(Bitboard::EMPTY, |pinned, blocker| {
                pinned | (blocker & us.all)
            })
    }

    /// The positions that the legal moves lead to.
    pub fn children(&self) -> impl Iterator<Item = (Move, Board)> + '_ {
        let moves: MoveList = self.legal_moves();
        (0..moves.len()).map(move |i| (moves[i], self.make(moves[i])))
    }

    /// The same position with colours exchanged and the ranks mirrored: as good for the side to
    /// move as this one.
    pub fn flipped(&self) -> Board {
        let flip = |side: &Side| Side {
            pieces: side.pieces.map(Bitboard::flip_ranks),
            all: side.all.flip_ranks(),
        };
        let mut board = Board {
            sides: [flip(&self.sides[1]), flip(&self.sides[0])],
            castling: self.castling.flip_ranks(),
            turn: !self.turn,
            en_passant: self
                .en_passant()
                .map_or(NO_SQUARE, |s| s.flip_rank().index() as u8),
            ..*self
        };
        board.key = board.compute_key();
        board
    }
}

impl Default for Board {
    /// The starting position.
    fn default() -> Board {
        Board::startpos()
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Board({})", self.to_fen())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::attacks::slow;

    const FENS: [&str; 5] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "4k3/4r3/8/b7/8/2N1B3/3PP3/q2NKR1r w - - 0 1",
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    ];

    /// Whether a piece attacks a square, square by square.
    fn attacks_slowly(board: &Board, from: Square, to: Square) -> bool {
        let occupied = board.occupied().0;
        let from_index = from.index();
        let Some(piece) = board.piece_at(from) else {
            return false;
        };
        let set = match (piece.kind, piece.color) {
            (PieceKind::Pawn, Color::White) => slow::leaps(from_index, &[(-1, 1), (1, 1)]),
            (PieceKind::Pawn, Color::Black) => slow::leaps(from_index, &[(-1, -1), (1, -1)]),
            (PieceKind::Knight, _) => slow::leaps(from_index, &slow::KNIGHT),
            (PieceKind::Bishop, _) => slow::slides(from_index, &slow::BISHOP, occupied),
            (PieceKind::Rook, _) => slow::slides(from_index, &slow::ROOK, occupied),
            (PieceKind::Queen, _) => slow::slides(from_index, &slow::KING, occupied),
            (PieceKind::King, _) => slow::leaps(from_index, &slow::KING),
        };
        set >> to.index() & 1 != 0
    }

    #[test]
    fn attackers_are_those_that_attack_square_by_square() {
        for board in FENS.map(|fen| Board::from_fen(fen).unwrap()) {
            for to in Square::ALL {
                let slow: Bitboard = Square::ALL
                    .into_iter()
                    .filter(|from| attacks_slowly(&board, *from, to))
                    .collect();
                let occupied = board.occupied();
                assert_eq!(board.attackers_to(to, occupied), slow, "{to} {board:?}");
                for color in Color::ALL {
                    let side = board.side(color);
                    let of_color = slow & side.occupied();
                    assert_eq!(
                        side.attackers_to(color, to, occupied),
                        of_color,
                        "{to} {board:?}"
                    );
                    assert_eq!(
                        board.is_attacked(to, color),
                        of_color.any(),
                        "{to} {board:?}"
                    );
                    assert_eq!(side.attacks(color, occupied).has(to), of_color.any());
                }
            }
        }
    }

    #[test]
    fn a_pinned_piece_is_one_without_which_there_would_be_check() {
        for board in FENS.map(|fen| Board::from_fen(fen).unwrap()) {
            let king = board.us().king();
            let is_pinned = |square: &Square| {
                let without = board.occupied() & !square.bitboard();
                let attackers = board.them().attackers_to(!board.turn, king, without);
                (attackers & !board.checkers()).any()
            };
            let movable = board.us().occupied() & !king.bitboard();
            let slow: Bitboard = movable.into_iter().filter(is_pinned).collect();
            assert_eq!(board.pinned(), slow, "{board:?}");
        }
        assert!(
            Board::from_fen(FENS[3]).unwrap().pinned().more_than_one(),
            "a case with pins"
        );
    }

    #[test]
    fn passing_the_turn_changes_nothing_else() {
        for board in FENS.map(|fen| Board::from_fen(fen).unwrap()) {
            let passed = board.make_null();
            assert_eq!(passed.turn(), !board.turn());
            assert_eq!(
                (passed.side(Color::White), passed.side(Color::Black)),
                (board.side(Color::White), board.side(Color::Black))
            );
            assert_eq!(
                (passed.castling_rights(), passed.en_passant()),
                (board.castling_rights(), None)
            );
            assert_eq!(passed.key(), passed.compute_key());
            assert_eq!(passed.halfmove_clock(), board.halfmove_clock() + 1);
        }
    }

    #[test]
    fn what_differs_has_another_key() {
        let base = "4k3/8/8/3pP3/8/8/8/R3K2R w KQ d6 0 1";
        let others = [
            "4k3/8/8/3pP3/8/8/8/R3K2R w KQ - 0 1",
            "4k3/8/8/3pP3/8/8/8/R3K2R w K d6 0 1",
            "4k3/8/8/3pP3/8/8/8/R3K2R w Q d6 0 1",
            "4k3/8/8/3pP3/8/8/8/R3K2R b KQ - 0 1",
            "4k3/8/8/3pP3/8/8/8/R3K1R1 w Q d6 0 1",
            "4k3/8/8/3pN3/8/8/8/R3K2R w KQ - 0 1",
        ];
        let mut keys = vec![Board::from_fen(base).unwrap().key()];
        for fen in others {
            let key = Board::from_fen(fen).unwrap().key();
            assert!(!keys.contains(&key), "{fen}");
            keys.push(key);
        }
        let clocks = Board::from_fen("4k3/8/8/3pP3/8/8/8/R3K2R w KQ d6 7 9").unwrap();
        assert_eq!(clocks.key(), keys[0], "the clocks are no part of the key");
    }
}
