//! Standard algebraic notation: `Nf3`, `exd6`, `O-O`, `e8=Q+`.
//!
//! <https://www.chessprogramming.org/Algebraic_Chess_Notation>

use super::castling::is_king_side;
use super::{Board, File, Move, PieceKind, Rank, Square};
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt;

/// Why a text does not name a single legal move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SanError {
    /// This text is not a move.
    NotAMove(String),
    /// This text fits no legal move of the position.
    Illegal(String),
    /// This text fits several legal moves of the position.
    Ambiguous(String),
}

impl fmt::Display for SanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SanError::NotAMove(text) => write!(f, "{text:?} is not the text of a move"),
            SanError::Illegal(text) => write!(f, "no legal move is meant by {text:?}"),
            SanError::Ambiguous(text) => write!(f, "several legal moves are meant by {text:?}"),
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
            return match is_king_side(from, to) {
                true => "O-O".into(),
                false => "O-O-O".into(),
            };
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
        let (mut others, mut same_file, mut same_rank) = (false, false, false);
        for other in self.legal_moves() {
            if other.to() == m.to()
                && other.from() != from
                && !other.is_castling()
                && other.piece() == m.piece()
            {
                others = true;
                same_file |= other.from().file() == from.file();
                same_rank |= other.from().rank() == from.rank();
            }
        }
        if others && (!same_file || same_rank) {
            text.push(from.file().char());
        }
        if others && same_file {
            text.push(from.rank().char());
        }
    }

    /// Reads a legal move in standard algebraic notation. Common variants are accepted: `0-0`,
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
        let moves = self.legal_moves();
        let mut matching = moves.into_iter().filter(|m| san.matches(*m));
        match (matching.next(), matching.next()) {
            (Some(m), None) => Ok(m),
            (Some(_), Some(_)) => Err(SanError::Ambiguous(text.to_owned())),
            // Engines and databases also write castling as a king's move (`e1g1`).
            (None, _) => match self.parse_uci(text) {
                Ok(m) if m.is_castling() => Ok(m),
                _ => Err(SanError::Illegal(text.to_owned())),
            },
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

/// A parsed move: what the text says about it.
enum San {
    Castling {
        king_side: bool,
    },
    Normal {
        kind: PieceKind,
        file: Option<File>,
        rank: Option<Rank>,
        to: Square,
        promotion: Option<PieceKind>,
    },
}

impl San {
    fn matches(&self, m: Move) -> bool {
        match *self {
            San::Castling { king_side } => {
                m.is_castling() && is_king_side(m.from(), m.to()) == king_side
            }
            San::Normal {
                kind,
                file,
                rank,
                to,
                promotion,
            } => {
                !m.is_castling()
                    && m.piece() == kind
                    && m.to() == to
                    && m.promotion() == promotion
                    && file.is_none_or(|file| m.from().file() == file)
                    && rank.is_none_or(|rank| m.from().rank() == rank)
            }
        }
    }

    fn parse(text: &str) -> Option<San> {
        let bare = text.trim_end_matches(['+', '#', '!', '?']);
        let bare = bare.strip_suffix("e.p.").unwrap_or(bare).trim_end();
        match bare {
            "O-O" | "0-0" | "o-o" => return Some(San::Castling { king_side: true }),
            "O-O-O" | "0-0-0" | "o-o-o" => return Some(San::Castling { king_side: false }),
            _ => {}
        }
        let mut rest: Vec<u8> = bare.bytes().filter(|c| !b"x-:=()/".contains(c)).collect();
        let mut promotion = None;
        if let Some(kind) = rest.last().copied().and_then(promotion_letter) {
            promotion = Some(kind);
            rest.pop();
        }
        let first = rest.first().copied()?;
        let kind = match first.is_ascii_uppercase() {
            true => PieceKind::from_letter(first.into())?,
            false => PieceKind::Pawn,
        };
        if first.is_ascii_uppercase() {
            rest.remove(0);
        }
        let at = rest.len().checked_sub(2)?;
        let to = core::str::from_utf8(&rest[at..]).ok()?.parse().ok()?;
        let (mut file, mut rank) = (None, None);
        match rest[..at] {
            [] => {}
            [c] => {
                file = File::from_char(c.into());
                rank = Rank::from_char(c.into());
                file.map(File::index).or(rank.map(Rank::index))?;
            }
            [f, r] => {
                file = Some(File::from_char(f.into())?);
                rank = Some(Rank::from_char(r.into())?);
            }
            _ => return None,
        }
        Some(San::Normal {
            kind,
            file,
            rank,
            to,
            promotion,
        })
    }
}

/// The kind of a promotion letter at the end of a move: `Q`, or `q` in some texts. A `b` there is
/// never a file, since a move without promotion ends with a rank.
fn promotion_letter(letter: u8) -> Option<PieceKind> {
    let kind = PieceKind::from_letter(letter as char)?;
    PieceKind::PROMOTIONS.contains(&kind).then_some(kind)
}

#[cfg(test)]
mod tests {
    use super::*;

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
            (
                "8/6pp/4R1pk/6p1/5p2/6R1/4P1P1/6K1 b - - 0 1",
                "f4g3",
                "fxg3",
            ),
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
            assert_eq!(
                board.parse_san(san),
                Ok(board.parse_uci(uci).unwrap()),
                "{san}: {fen}"
            );
        }
    }

    #[test]
    fn errors_have_the_right_reason() {
        let fen = "4k3/P7/8/2N5/8/2N3N1/8/4K3 w - - 0 1";
        let not_a_move = [
            "", "N", "e", "4", "Nx", "Ne9", "Ni4", "Ne44", "O-O-O-O", "--", "♘e4", "+", "Sf3",
            "Xe4", "Te1",
        ];
        let illegal = [
            "Ne5", "Qe4", "e4", "a8", "a8=K", "O-O", "Ngxe4d", "e1g1", "Nc3e4=Q",
        ];
        let board = Board::from_fen(fen).unwrap();
        assert!(matches!(
            board.parse_san("Ne4"),
            Err(SanError::Ambiguous(_))
        ));
        assert!(matches!(
            board.parse_san("Nce4"),
            Err(SanError::Ambiguous(_))
        ));
        for text in not_a_move {
            let expected = Err(SanError::NotAMove(text.to_owned()));
            assert_eq!(board.parse_san(text), expected, "{text}");
        }
        for text in illegal {
            assert!(board.parse_san(text).is_err(), "{text}");
        }
    }
}
