//! The position.

use super::{
    Bitboard, Color, File, Move, Piece, PieceKind, PositionError, Rank, Side, Square, attacks,
    zobrist,
};
use core::fmt;
use core::hash::{Hash, Hasher};
use core::str::FromStr;

/// A chess position: the pieces of both [`Side`]s, the side to move, castling rights, en passant
/// square, halfmove clock and move number. An immutable value: making a move returns a new board.
///
/// Every `Board` is a legal position: it comes from a validated [`Setup`](super::Setup) or from
/// another board by a legal move. It holds only one Zobrist key. The search derives its other keys
/// (pawns, minor pieces) from the bitboards, so they need no incremental update.
///
/// Checkers and pinned pieces are not stored: computing them on demand measured as fast in perft,
/// and it makes each copy smaller.
///
/// The text of a board is its FEN:
///
/// ```
/// use saavedra_chess::Board;
///
/// let board: Board = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1".parse()?;
/// for m in board.legal_moves() {
///     println!("{} leads to {}", board.san(m), board.make(m));
/// }
/// assert_eq!(board.to_string(), "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
/// # Ok::<(), saavedra_chess::PositionError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Board {
    pub(super) sides: [Side; 2],
    /// The rooks that may still castle.
    pub(super) castling: Bitboard,
    pub(super) key: u64,
    pub(super) fullmove_number: u32,
    pub(super) halfmove_clock: u16,
    pub(super) turn: Color,
    /// The file of the pawn that can legally be captured en passant. (A file and not a square,
    /// because `Option<File>` is one byte.)
    pub(super) en_passant: Option<File>,
}

const _: () = assert!(size_of::<Board>() <= 256);

impl Board {
    /// The start position of standard chess.
    pub fn startpos() -> Board {
        use PieceKind::{Bishop, King, Knight, Queen, Rook};
        Board::start_position([Rook, Knight, Bishop, Queen, King, Bishop, Knight, Rook])
    }

    /// The start position of Chess960 with this number in Scharnagl's numbering, 0 to 959
    /// (modulo 960); 518 is the start position of standard chess.
    /// <https://www.chessprogramming.org/Reinhard_Scharnagl>
    pub fn chess960_startpos(number: usize) -> Board {
        let (rest, light_bishop) = (number % 960 / 4, number % 4);
        let (rest, dark_bishop) = (rest / 4, rest % 4);
        let (knights, queen) = (rest / 6, rest % 6);
        let mut rank = [None; 8];
        rank[2 * light_bishop + 1] = Some(PieceKind::Bishop);
        rank[2 * dark_bishop] = Some(PieceKind::Bishop);
        put_on_free_file(&mut rank, queen, PieceKind::Queen);
        // The knights stand on two of the five free files: (0, 1), (0, 2) … (3, 4).
        let mut pairs = (0..5).flat_map(|first| (first + 1..5).map(move |second| (first, second)));
        let (first, second) = pairs.nth(knights).unwrap_or((0, 1));
        // The second first: it does not shift the number of the free file before it.
        put_on_free_file(&mut rank, second, PieceKind::Knight);
        put_on_free_file(&mut rank, first, PieceKind::Knight);
        put_on_free_file(&mut rank, 0, PieceKind::Rook);
        put_on_free_file(&mut rank, 0, PieceKind::King);
        Board::start_position(rank.map(|kind| kind.unwrap_or(PieceKind::Rook)))
    }

    /// The position before the first move with these pieces on the back ranks, from the a-file.
    fn start_position(back_rank: [PieceKind; 8]) -> Board {
        let mut white = Side::EMPTY;
        for (file, kind) in File::ALL.into_iter().zip(back_rank) {
            white = white.with(kind, Square::new(file, Rank::First));
            white = white.with(PieceKind::Pawn, Square::new(file, Rank::Second));
        }
        let black = white.flipped();
        let mut board = Board {
            sides: [white, black],
            castling: white.pieces(PieceKind::Rook) | black.pieces(PieceKind::Rook),
            key: 0,
            fullmove_number: 1,
            halfmove_clock: 0,
            turn: Color::White,
            en_passant: None,
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

    /// The pieces of the opponent of the side to move.
    #[inline(always)]
    pub const fn them(&self) -> &Side {
        &self.sides[1 - self.turn.index()]
    }

    /// The side to move.
    #[inline(always)]
    pub const fn turn(&self) -> Color {
        self.turn
    }

    /// Whether a move captures a piece, also en passant.
    #[inline(always)]
    pub fn is_capture(&self, m: Move) -> bool {
        // The target of castling is the own rook.
        m.is_en_passant() || self.them().occupied().has(m.to())
    }

    /// All squares with a piece.
    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.sides[0].all | self.sides[1].all
    }

    /// The pieces of this kind, of both colours.
    #[inline(always)]
    pub fn pieces(&self, kind: PieceKind) -> Bitboard {
        self.sides[0].pieces(kind) | self.sides[1].pieces(kind)
    }

    /// The piece on the square.
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        Color::ALL
            .into_iter()
            .find_map(|color| self.side(color).piece_at(square).map(|kind| Piece::new(color, kind)))
    }

    /// The castling rights of both colours: the squares of the rooks that may still castle.
    ///
    /// ```
    /// use saavedra_chess::{Board, Color, Square};
    /// let board: Board = "r3k2r/8/8/8/8/8/8/R3K2R w Kq - 0 1".parse()?;
    /// assert!(board.castling_rights().has(Square::H1));
    /// assert!(!board.castling_rights().has(Square::A1));
    /// assert_eq!((board.castling_rights() & Color::Black.back_rank()).count(), 1);
    /// # Ok::<(), saavedra_chess::PositionError>(())
    /// ```
    #[inline(always)]
    pub const fn castling_rights(&self) -> Bitboard {
        self.castling
    }

    /// Whether any castling right belongs to a king or rook that is not on its square of standard
    /// chess, so that the position can only be one of Chess960.
    pub fn is_chess960(&self) -> bool {
        Color::ALL.into_iter().any(|color| {
            let rights = self.castling & color.back_rank();
            let standard = Bitboard::FILE_A | Bitboard::FILE_H;
            rights.any()
                && (self.side(color).king().file() != File::E || (rights & !standard).any())
        })
    }

    /// The en passant square: the square behind the pawn that can be captured. `None` unless such a
    /// capture is legal, so that equal positions are equal boards with equal keys.
    #[inline(always)]
    pub const fn en_passant(&self) -> Option<Square> {
        match self.en_passant {
            Some(file) => Some(Square::new(file, Rank::Sixth.relative_to(self.turn))),
            None => None,
        }
    }

    /// The number of plies since the last capture or pawn move.
    #[inline(always)]
    pub const fn halfmove_clock(&self) -> u16 {
        self.halfmove_clock
    }

    /// The move number: 1 at the start of a game, larger by 1 after each move of Black.
    #[inline(always)]
    pub const fn fullmove_number(&self) -> u32 {
        self.fullmove_number
    }

    /// The Zobrist key of pieces, side to move, castling rights and en passant square.
    #[inline(always)]
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// The Zobrist key after a legal move, computed without making it, to prefetch a hash table. It
    /// differs from the child's [`key`](Board::key) after castling, en passant captures and
    /// promotions, and where castling rights or the en passant square change.
    #[inline]
    pub fn key_after(&self, m: Move) -> u64 {
        let (from, to) = (m.from(), m.to());
        let mut key = self.key ^ zobrist::switch_turn();
        key ^=
            zobrist::piece(self.turn, m.piece(), from) ^ zobrist::piece(self.turn, m.piece(), to);
        if let Some(captured) = self.them().piece_at(to) {
            key ^= zobrist::piece(!self.turn, captured, to);
        }
        if let Some(file) = self.en_passant {
            key ^= zobrist::en_passant(file, self.turn);
        }
        key
    }

    /// The Zobrist key after a null move, computed without making it.
    #[inline]
    pub fn key_after_null(&self) -> u64 {
        let en_passant = self.en_passant.map_or(0, |file| zobrist::en_passant(file, self.turn));
        self.key ^ zobrist::switch_turn() ^ en_passant
    }

    /// The Zobrist key computed from scratch; it always equals [`key`](Board::key).
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
        if let Some(file) = self.en_passant {
            key ^= zobrist::en_passant(file, self.turn);
        }
        key ^ zobrist::turn(self.turn)
    }

    /// The square of the king of a colour.
    #[inline(always)]
    pub const fn king(&self, color: Color) -> Square {
        self.sides[color.index()].king()
    }

    /// The pieces of both colours that attack the square, with this occupancy.
    #[inline]
    pub fn attackers_to(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let [white, black] = &self.sides;
        (attacks::pawn(Color::Black, square) & white.pieces(PieceKind::Pawn))
            | (attacks::pawn(Color::White, square) & black.pieces(PieceKind::Pawn))
            | (attacks::knight(square) & self.pieces(PieceKind::Knight))
            | (attacks::king(square) & self.pieces(PieceKind::King))
            | (attacks::bishop(square, occupied)
                & (white.diagonal_sliders() | black.diagonal_sliders()))
            | (attacks::rook(square, occupied)
                & (white.orthogonal_sliders() | black.orthogonal_sliders()))
    }

    /// Whether any piece of the colour attacks the square.
    #[inline]
    pub fn is_attacked(&self, square: Square, by: Color) -> bool {
        self.side(by).attackers_to(by, square, self.occupied()).any()
    }

    /// The pieces of the opponent that give check.
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        self.them().attackers_to(!self.turn, self.us().king(), self.occupied())
    }

    /// Whether the king of the colour is in check.
    pub fn is_in_check(&self, color: Color) -> bool {
        self.is_attacked(self.king(color), !color)
    }

    /// Whether the side to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        self.checkers().any()
    }

    /// The pieces of the side to move that are pinned to their king.
    pub fn pinned(&self) -> Bitboard {
        let (us, them, king) = (self.us(), self.them(), self.us().king());
        let snipers = (attacks::rook_rays(king) & them.orthogonal_sliders())
            | (attacks::bishop_rays(king) & them.diagonal_sliders());
        let occupied = self.occupied();
        snipers
            .into_iter()
            .map(|sniper| attacks::between(king, sniper) & occupied)
            .filter(|blockers| !blockers.more_than_one())
            .fold(Bitboard::EMPTY, |pinned, blocker| pinned | (blocker & us.all))
    }

    /// Each legal move with the position after it.
    pub fn children(&self) -> impl Iterator<Item = (Move, Board)> + '_ {
        self.legal_moves().into_iter().map(|m| (m, self.make(m)))
    }

    /// The position with colours exchanged and ranks mirrored. It has the same value for the side
    /// to move.
    pub fn flipped(&self) -> Board {
        let [white, black] = &self.sides;
        let mut board = Board {
            sides: [black.flipped(), white.flipped()],
            castling: self.castling.flip_ranks(),
            turn: !self.turn,
            ..*self
        };
        board.key = board.compute_key();
        board
    }
}

impl Default for Board {
    /// The start position of standard chess.
    fn default() -> Board {
        Board::startpos()
    }
}

/// Puts a piece on the free file with this number, counted from the a-file.
fn put_on_free_file(rank: &mut [Option<PieceKind>; 8], number: usize, kind: PieceKind) {
    if let Some(square) = rank.iter_mut().filter(|square| square.is_none()).nth(number) {
        *square = Some(kind);
    }
}

impl Hash for Board {
    /// Hashes the Zobrist key alone: equal boards have equal keys.
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.key);
    }
}

impl fmt::Display for Board {
    /// The FEN: see [`Board::to_fen`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_fen())
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Board({self})")
    }
}

impl FromStr for Board {
    type Err = PositionError;

    /// Reads a FEN: see [`Board::from_fen`].
    fn from_str(text: &str) -> Result<Board, PositionError> {
        Board::from_fen(text)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::{MoveKind, attacks::slow};
    use alloc::string::ToString;
    use alloc::vec;

    const FENS: [&str; 5] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "4k3/4r3/8/b7/8/2N1B3/3PP3/q2NKR1r w - - 0 1",
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    ];

    /// Whether the piece on `from` attacks `to`, computed step by step.
    fn attacks_slow(board: &Board, from: Square, to: Square) -> bool {
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
    fn attackers_match_a_slow_computation() {
        for board in FENS.map(|fen| Board::from_fen(fen).unwrap()) {
            for to in Square::ALL {
                let slow: Bitboard = Square::ALL
                    .into_iter()
                    .filter(|from| attacks_slow(&board, *from, to))
                    .collect();
                let occupied = board.occupied();
                assert_eq!(board.attackers_to(to, occupied), slow, "{to} {board:?}");
                for color in Color::ALL {
                    let side = board.side(color);
                    let of_color = slow & side.occupied();
                    assert_eq!(side.attackers_to(color, to, occupied), of_color, "{to} {board:?}");
                    assert_eq!(board.is_attacked(to, color), of_color.any(), "{to} {board:?}");
                    assert_eq!(side.attacks(color, occupied).has(to), of_color.any());
                }
            }
        }
    }

    #[test]
    fn removing_a_pinned_piece_leaves_the_king_in_check() {
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
            "the position has pins"
        );
    }

    #[test]
    fn a_null_move_changes_only_the_side_to_move() {
        for board in FENS.map(|fen| Board::from_fen(fen).unwrap()) {
            let child = board.make_null();
            assert_eq!(child.turn(), !board.turn());
            assert_eq!(
                (child.side(Color::White), child.side(Color::Black)),
                (board.side(Color::White), board.side(Color::Black))
            );
            assert_eq!(
                (child.castling_rights(), child.en_passant()),
                (board.castling_rights(), None)
            );
            assert_eq!(child.key(), child.compute_key());
            assert_eq!(child.halfmove_clock(), board.halfmove_clock() + 1);
        }
    }

    #[test]
    fn different_positions_have_different_keys() {
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
        assert_eq!(clocks.key(), keys[0], "the key does not depend on the clocks");
    }

    #[test]
    fn the_960_start_positions_are_distinct_and_legal() {
        assert_eq!(Board::chess960_startpos(518), Board::startpos());
        let start_ranks = [(0, "bbqnnrkr"), (1, "bqnbnrkr"), (959, "rkrnnqbb"), (534, "rnbkqbnr")];
        for (number, rank) in start_ranks {
            let fen = Board::chess960_startpos(number).to_fen();
            assert!(fen.starts_with(rank), "{number}: {fen}");
        }
        let boards: std::collections::HashSet<Board> =
            (0..960).map(Board::chess960_startpos).collect();
        assert_eq!(boards.len(), 960);
        for board in boards {
            assert_eq!(board.to_string().parse(), Ok(board));
            assert_eq!(board.castling_rights().count(), 4);
        }
    }

    #[test]
    fn keys_before_a_move_equal_those_after_it_but_for_the_documented_exceptions() {
        let mut equal = 0;
        for board in FENS.map(|fen| Board::from_fen(fen).expect("legal")) {
            for parent in board.legal_moves().iter().map(|m| board.make(*m)) {
                if !parent.in_check() {
                    assert_eq!(parent.key_after_null(), parent.make_null().key());
                }
                for m in &parent.legal_moves() {
                    let child = parent.make(m);
                    let is_exact = matches!(m.kind(), MoveKind::Normal(_))
                        && child.castling == parent.castling
                        && child.en_passant.is_none();
                    if is_exact {
                        assert_eq!(parent.key_after(m), child.key(), "{parent} {m:?}");
                        equal += 1;
                    }
                }
            }
        }
        assert!(equal > 2000, "{equal} moves");
    }
}
