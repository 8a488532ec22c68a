//! Standard algebraic notation: `Nf3`, `exd6`, `O-O`, `e8=Q+`.
//!
//! <https://www.chessprogramming.org/Algebraic_Chess_Notation>

use super::castling::is_king_side;
use super::{Bitboard, Board, File, Move, MoveKind, PieceKind, Rank, Square, attacks};
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::string::ToString;
use core::fmt;

/// Why a text does not name a single legal move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SanError {
    /// This text is not a move.
    NotAMove(String),
    /// No legal move of the position matches this text.
    Illegal(String),
    /// Several legal moves of the position match this text.
    Ambiguous(String),
}

impl fmt::Display for SanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SanError::NotAMove(text) => write!(f, "{text:?} is not the text of a move"),
            SanError::Illegal(text) => write!(f, "no legal move matches {text:?}"),
            SanError::Ambiguous(text) => write!(f, "{text:?} is ambiguous"),
        }
    }
}

impl core::error::Error for SanError {}

impl Board {
    /// A legal move in standard algebraic notation, with `+` for check and `#` for checkmate.
    ///
    /// ```
    /// use saavedra_chess::Board;
    /// let board = Board::startpos();
    /// assert_eq!(board.san(board.parse_uci("g1f3")?), "Nf3");
    /// # Ok::<(), saavedra_chess::IllegalMoveError>(())
    /// ```
    pub fn san(&self, m: Move) -> String {
        let mut text = self.san_without_check(m);
        let child = self.make(m);
        if child.in_check() {
            text.push(if child.has_legal_move() { '+' } else { '#' });
        }
        text
    }

    fn san_without_check(&self, m: Move) -> String {
        let (from, to) = (m.from(), m.to());
        if m.is_castling() {
            let text = if is_king_side(from, to) { "O-O" } else { "O-O-O" };
            return text.into();
        }
        let is_capture = self.is_capture(m);
        let mut text = String::with_capacity(8);
        if m.piece() == PieceKind::Pawn {
            if is_capture {
                text.push(from.file().char());
            }
        } else {
            text.push(m.piece().letter().to_ascii_uppercase());
            self.push_disambiguation(m, &mut text);
        }
        if is_capture {
            text.push('x');
        }
        text.push_str(&to.to_string());
        if let Some(kind) = m.promotion() {
            text.push('=');
            text.push(kind.letter().to_ascii_uppercase());
        }
        text
    }

    /// Adds file, rank or both of the origin square if another piece of the same kind can move to
    /// the target square.
    fn push_disambiguation(&self, m: Move, text: &mut String) {
        let from = m.from();
        let others: Bitboard = (self.origins(m.piece(), m.to()) & !from.bitboard())
            .into_iter()
            .filter(|other| self.is_legal(Move::new(*other, m.to(), m.kind())))
            .collect();
        let same_file = (others & from.file().bitboard()).any();
        let same_rank = (others & from.rank().bitboard()).any();
        if others.any() && (!same_file || same_rank) {
            text.push(from.file().char());
        }
        if same_file {
            text.push(from.rank().char());
        }
    }

    /// The pieces of a kind that may be able to move to a square: all that legal moves, other than
    /// castling, start from.
    #[inline]
    fn origins(&self, kind: PieceKind, to: Square) -> Bitboard {
        let reach = match kind {
            PieceKind::Pawn => attacks::pawn(!self.turn(), to) | to.file().bitboard(),
            kind => attacks::of(kind, self.turn(), to, self.occupied()),
        };
        reach & self.us().pieces(kind)
    }

    /// Reads a legal move in standard algebraic notation. Common variants are accepted: `0-0`, `00`,
    /// `e8Q` and `e8(Q)`, long algebraic notation (`Ng1-f3`, `e2e4`), with or without check mark
    /// and annotation glyph (`!`, `?`).
    ///
    /// # Errors
    /// The text is not a move, or it fits no legal move or several.
    ///
    /// ```
    /// use saavedra_chess::{Board, SanError};
    /// let board = Board::startpos();
    /// assert_eq!(board.parse_san("Nf3")?.to_string(), "g1f3");
    /// assert_eq!(board.parse_san("Nf4"), Err(SanError::Illegal("Nf4".into())));
    /// # Ok::<(), SanError>(())
    /// ```
    pub fn parse_san(&self, text: &str) -> Result<Move, SanError> {
        let san = San::parse(text).ok_or_else(|| SanError::NotAMove(text.to_owned()))?;
        match self.moves_matching(san) {
            (Some(m), None) => Ok(m),
            (Some(_), Some(_)) => Err(SanError::Ambiguous(text.to_owned())),
            // Engines and databases also write castling as a king's move (`e1g1`).
            (None, _) => match self.parse_uci(text) {
                Ok(m) if m.is_castling() => Ok(m),
                _ => Err(SanError::Illegal(text.to_owned())),
            },
        }
    }

    /// The first two legal moves that a text matches.
    #[inline]
    fn moves_matching(&self, san: San) -> (Option<Move>, Option<Move>) {
        match san {
            San::Castling { king_side } => {
                let king = self.us().king();
                let mut castlings = (self.castling_rights() & self.turn().back_rank())
                    .into_iter()
                    .filter(|rook| is_king_side(king, *rook) == king_side)
                    .map(|rook| Move::new(king, rook, MoveKind::Castling))
                    .filter(|m| self.is_legal(*m));
                (castlings.next(), castlings.next())
            }
            San::Normal { kind, from, to, promotion } => {
                let origins = (self.origins(kind, to) & from).into_iter();
                if kind == PieceKind::Pawn {
                    let mut moves = origins
                        .map(|from| self.pawn_move(from, to, promotion))
                        .filter(|m| self.is_legal(*m));
                    return (moves.next(), moves.next());
                }
                if promotion.is_some() || self.us().all.has(to) {
                    return (None, None);
                }
                let mut moves = origins
                    .map(|from| Move::new(from, to, MoveKind::Normal(kind)))
                    .filter(|m| self.keeps_king_safe(*m));
                (moves.next(), moves.next())
            }
        }
    }

    /// The position after a move given in standard algebraic notation.
    ///
    /// # Errors
    /// Those of [`parse_san`](Board::parse_san).
    ///
    /// ```
    /// use saavedra_chess::Board;
    /// let board = Board::startpos().try_make_san("e4")?.try_make_san("e5")?;
    /// assert_eq!(board.to_fen(), "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
    /// # Ok::<(), saavedra_chess::SanError>(())
    /// ```
    pub fn try_make_san(&self, text: &str) -> Result<Board, SanError> {
        self.parse_san(text).map(|m| self.make(m))
    }
}

/// A parsed move.
enum San {
    Castling {
        king_side: bool,
    },
    Normal {
        kind: PieceKind,
        /// The squares on the file and the rank that the text names, or all squares.
        from: Bitboard,
        to: Square,
        promotion: Option<PieceKind>,
    },
}

impl San {
    /// The longest move without marks: `Qa1b2`, or `a7b8Q` with a needless `P` before it.
    const MAX_LENGTH: usize = 6;

    #[inline]
    fn parse(text: &str) -> Option<San> {
        let mut bare = text;
        // Most moves end with a rank.
        if !matches!(text.as_bytes(), [.., b'1'..=b'8']) {
            bare = text.trim_end_matches(['+', '#', '!', '?']);
            bare = bare.strip_suffix("e.p.").unwrap_or(bare).trim_end();
            match bare {
                "O-O" | "0-0" | "o-o" | "00" => return Some(San::Castling { king_side: true }),
                "O-O-O" | "0-0-0" | "o-o-o" | "000" => {
                    return Some(San::Castling { king_side: false });
                }
                _ => {}
            }
        }
        let (mut letters, mut length) = ([0; San::MAX_LENGTH], 0);
        for c in bare.bytes() {
            if !matches!(c, b'x' | b'-' | b':' | b'=' | b'(' | b')' | b'/') {
                *letters.get_mut(length)? = c;
                length += 1;
            }
        }
        let (kind, rest) = match &letters[..length] {
            [letter @ b'A'..=b'Z', rest @ ..] => (PieceKind::from_letter((*letter).into())?, rest),
            rest => (PieceKind::Pawn, rest),
        };
        let (rest, promotion) = match rest {
            [rest @ .., letter] if !letter.is_ascii_digit() => (rest, Some(promotion(*letter)?)),
            rest => (rest, None),
        };
        let [from @ .., file, rank] = rest else {
            return None;
        };
        let square = |file: u8, rank: u8| {
            let (file, rank) = (File::from_char(file.into())?, Rank::from_char(rank.into())?);
            Some(Square::new(file, rank))
        };
        let from = match *from {
            [] => Bitboard::ALL,
            [c] => match File::from_char(c.into()) {
                Some(file) => file.bitboard(),
                None => Rank::from_char(c.into())?.bitboard(),
            },
            [file, rank] => square(file, rank)?.bitboard(),
            _ => return None,
        };
        let to = square(*file, *rank)?;
        Some(San::Normal { kind, from, to, promotion })
    }
}

/// The kind of a promotion letter at the end of a move: `Q`, or `q` in some texts. A `b` there is
/// never a file, since a move without promotion ends with a rank.
fn promotion(letter: u8) -> Option<PieceKind> {
    let kind = PieceKind::from_letter(letter as char)?;
    PieceKind::PROMOTIONS.contains(&kind).then_some(kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;
    use alloc::format;
    use alloc::vec::Vec;

    #[test]
    fn moves_are_written_with_minimal_disambiguation() {
        let cases = [
            ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4", "e4"),
            ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", "exd5"),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "exd6"),
            ("8/P6k/8/8/8/8/8/4K3 w - - 0 1", "a7a8n", "a8=N"),
            ("1n6/P6k/8/8/8/8/8/4K3 w - - 0 1", "a7b8q", "axb8=Q"),
            ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", "O-O"),
            ("3k4/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1c1", "O-O-O+"),
            // Two or three knights: disambiguation by file, rank or both.
            ("4k3/8/8/8/8/2N3N1/8/4K3 w - - 0 1", "c3e4", "Nce4"),
            ("4k3/8/8/2N5/8/2N5/8/4K3 w - - 0 1", "c3e4", "N3e4"),
            ("4k3/8/8/2N5/8/2N3N1/8/4K3 w - - 0 1", "c3e4", "Nc3e4"),
            ("4k3/8/8/2N5/8/2N3N1/8/4K3 w - - 0 1", "g3e4", "Nge4"),
            // A pinned knight needs no disambiguation.
            ("4k3/8/8/8/1b6/2N3N1/8/4K3 w - - 0 1", "g3e4", "Ne4"),
            ("7k/8/8/8/8/8/8/K2R4 w - - 0 1", "d1d8", "Rd8+"),
            ("7k/6pp/8/8/8/8/8/K2R4 w - - 0 1", "d1d8", "Rd8#"),
            ("k7/8/K7/8/8/8/8/7R w - - 0 1", "h1h8", "Rh8#"),
            // A check whose only answer is an en passant capture is not mate.
            ("8/6pp/4R1pk/6p1/5p2/6R1/4P1P1/6K1 b - - 0 1", "f4g3", "fxg3"),
        ];
        for (fen, uci, san) in cases {
            let board = Board::from_fen(fen).unwrap();
            let m = board.parse_uci(uci).unwrap();
            assert_eq!(board.san(m), san, "{fen}");
            assert_eq!(board.parse_san(san), Ok(m), "{fen}");
        }
    }

    #[test]
    fn common_variants_are_read() {
        let knights = "4k3/8/8/2N5/8/2N3N1/8/4K3 w - - 0 1";
        let pawns = "1n5k/P7/8/3pP3/8/8/8/4K3 w - d6 0 1";
        let castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        let cases = [
            (knights, "Nc3-e4", "c3e4"),
            (knights, "Nc3e4!", "c3e4"),
            (knights, "Nge4?!", "g3e4"),
            (knights, "Kf2+", "e1f2"),
            (knights, "Ke1-f2", "e1f2"),
            (pawns, "a8Q", "a7a8q"),
            (pawns, "a8(R)", "a7a8r"),
            (pawns, "a8=b", "a7a8b"),
            (pawns, "axb8=N", "a7b8n"),
            (pawns, "ab8N", "a7b8n"),
            (pawns, "a7b8=Q", "a7b8q"),
            (pawns, "a7a8q", "a7a8q"),
            (pawns, "Pe6", "e5e6"),
            (pawns, "exd6 e.p.", "e5d6"),
            (pawns, "exd6e.p.", "e5d6"),
            (castling, "0-0", "e1g1"),
            (castling, "0-0-0", "e1c1"),
            (castling, "o-o", "e1g1"),
            (castling, "O-O+", "e1g1"),
            (castling, "e1g1", "e1g1"),
            (castling, "e1h1", "e1g1"),
            (castling, "Rxa8", "a1a8"),
            (castling, "R:a8", "a1a8"),
        ];
        for (fen, san, uci) in cases {
            let board = Board::from_fen(fen).unwrap();
            assert_eq!(board.parse_san(san), Ok(board.parse_uci(uci).unwrap()), "{san}: {fen}");
        }
    }

    #[test]
    fn errors_have_the_right_reason() {
        let fen = "4k3/P7/8/2N5/8/2N3N1/8/4K3 w - - 0 1";
        let not_a_move = [
            "", "N", "e", "4", "Nx", "Ne9", "Ni4", "Ne44", "O-O-O-O", "--", "♘e4", "+", "Sf3",
            "Xe4", "Te1",
        ];
        let illegal = ["Ne5", "Qe4", "e4", "a8", "a8=K", "O-O", "Ngxe4d", "e1g1", "Nc3e4=Q"];
        let board = Board::from_fen(fen).unwrap();
        assert!(matches!(board.parse_san("Ne4"), Err(SanError::Ambiguous(_))));
        assert!(matches!(board.parse_san("Nce4"), Err(SanError::Ambiguous(_))));
        for text in not_a_move {
            let expected = Err(SanError::NotAMove(text.to_owned()));
            assert_eq!(board.parse_san(text), expected, "{text}");
        }
        for text in illegal {
            assert!(board.parse_san(text).is_err(), "{text}");
        }
    }

    /// The legal moves that these parts of a text allow.
    fn matching_moves(
        board: &Board,
        letter: &str,
        file: &str,
        rank: &str,
        to: &str,
        promotion: &str,
    ) -> Vec<Move> {
        let kind = letter.chars().next().map_or(Some(PieceKind::Pawn), PieceKind::from_letter);
        let promotion = promotion.chars().last().and_then(PieceKind::from_letter);
        let fits = |m: &Move| {
            Some(m.piece()) == kind
                && !m.is_castling()
                && m.to().to_string() == to
                && m.promotion() == promotion
                && (file.is_empty() || m.from().file().to_string() == file)
                && (rank.is_empty() || m.from().rank().to_string() == rank)
        };
        board.legal_moves().into_iter().filter(fits).collect()
    }

    /// The twin of the reader: all legal moves that the text allows.
    fn assert_read_as_listed(board: &Board, random: &mut Random) {
        const LETTERS: [&str; 6] = ["", "N", "B", "R", "Q", "K"];
        let name = |square: Square| (square.file().to_string(), square.rank().to_string());
        let moves = board.legal_moves();
        for to in Square::ALL {
            let (to, from) = (to.to_string(), random.pick(&moves).from());
            let (file, rank) = name(from);
            for (letter, promotion) in [
                (*random.pick(&LETTERS), ""),
                ("", *random.pick(&["", "Q", "=R", "n"])),
                (*random.pick(&LETTERS), *random.pick(&["", "=Q"])),
            ] {
                for (file, rank) in [("", ""), (&*file, ""), ("", &*rank), (&*file, &*rank)] {
                    let capture = *random.pick(&["", "x"]);
                    let text = format!("{letter}{file}{rank}{capture}{to}{promotion}");
                    let listed = matching_moves(board, letter, file, rank, &to, promotion);
                    let expected = match *listed {
                        [m] => Ok(m),
                        [] => Err(SanError::Illegal(text.clone())),
                        _ => Err(SanError::Ambiguous(text.clone())),
                    };
                    let read = board.parse_san(&text);
                    // Both squares of a castling move name it, too.
                    if !read.as_ref().is_ok_and(|m| m.is_castling()) {
                        assert_eq!(read, expected, "{text}: {}", board.to_fen());
                    }
                }
            }
        }
    }

    #[test]
    fn the_reader_agrees_with_the_list_of_legal_moves() {
        let mut random = Random::new(1);
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "1r2k1r1/pp4pp/8/2PpP3/3P4/8/PP4PP/1R2K1R1 w GBgb d6 0 1",
        ] {
            let mut board = Board::from_fen(fen).unwrap();
            for _ in 0..40 {
                let moves = board.legal_moves();
                if moves.is_empty() {
                    break;
                }
                assert_read_as_listed(&board, &mut random);
                for m in &moves {
                    assert_eq!(board.parse_san(&board.san(m)), Ok(m), "{m} {}", board.to_fen());
                }
                board = board.make(*random.pick(&moves));
            }
        }
    }
}
