//! SVG pictures of boards, drawn by paths, with the FEN in the `desc` element. Several boards are
//! placed below one another in one picture.

use super::{
    Content, Document, Documents, ErrorKind, Format, FormatError, FormatInfo, Location, Result,
    columns, fen, lines, picture,
};
use saavedra_chess::{Bitboard, Board, Color, File, Piece, PieceKind, Rank, Square};
use std::fmt::Write as _;
use std::io::{self, Read, Write};

/// The format.
pub(super) struct Svg;

/// Side of a square in pixels.
const SQUARE: u32 = 45;
/// Width in pixels of the border with the names of ranks and files.
const BORDER: u32 = 20;
/// Side in pixels of a board with its border.
const SIDE: u32 = 8 * SQUARE + 2 * BORDER;

impl Format for Svg {
    fn info(&self) -> FormatInfo {
        FormatInfo { name: "svg", extensions: &["svg"], content: Content::Position }
    }

    fn read<'a>(&self, input: Box<dyn Read + 'a>) -> Documents<'a> {
        match lines::whole_text(input) {
            Ok(text) => Box::new(Descriptions { text, at: 0, lines: 0, found: false }),
            Err(error) => Box::new(std::iter::once(Err(error))),
        }
    }

    fn export(&self, document: &Document) -> String {
        let mut text = opening(1);
        draw(document, &mut text);
        text + "</svg>\n"
    }

    fn write(
        &self,
        documents: &mut dyn Iterator<Item = Document>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        // The height is written first, but depends on the number of boards.
        let mut boards = String::new();
        let mut count = 0;
        for document in documents {
            let _ = write!(boards, "<svg y=\"{}\">", count * SIDE);
            draw(&document, &mut boards);
            boards.push_str("</svg>\n");
            count += 1;
        }
        if count > 0 {
            out.write_all(opening(count).as_bytes())?;
            out.write_all(boards.as_bytes())?;
            out.write_all(b"</svg>\n")?;
        }
        Ok(())
    }
}

/// The start of a picture of this number of boards.
fn opening(boards: u32) -> String {
    let height = SIDE.saturating_mul(boards);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {SIDE} {height}\" \
         width=\"{SIDE}\" height=\"{height}\" role=\"img\">\n<defs>\n"
    );
    for color in Color::ALL {
        for kind in PieceKind::ALL {
            let (fill, line, inner) = match color {
                Color::White => ("#fff", "#222", "#222"),
                Color::Black => ("#333", "#111", "#ddd"),
            };
            let piece = Piece::new(color, kind);
            let (body, detail) = outline(kind);
            let _ = writeln!(
                text,
                "<g id=\"{}\" transform=\"translate(-3 -4) scale(1.13)\" stroke-linejoin=\"round\" stroke-linecap=\"round\" \
                 stroke-width=\"1.4\"><path fill=\"{fill}\" stroke=\"{line}\" d=\"{body}\"/>\
                 <path fill=\"none\" stroke=\"{inner}\" d=\"{detail}\"/></g>",
                name(piece)
            );
        }
    }
    text + "</defs>\n"
}

/// The id of a piece's drawing: `wN`.
fn name(piece: Piece) -> String {
    let kind = piece.kind.letter().to_ascii_uppercase();
    format!("{}{kind}", piece.color.letter())
}

/// The outline of a piece on a square of 45 by 45, and its inner lines, as SVG paths.
const fn outline(kind: PieceKind) -> (&'static str, &'static str) {
    match kind {
        PieceKind::Pawn => (
            "M17 17a5.5 5.5 0 1 1 11 0 5.5 5.5 0 0 1-2.2 4.4h3.7v3h-3.7l3.7 9.6h-14l3.7-9.6h-3.7v-3\
             h3.7A5.5 5.5 0 0 1 17 17zM12 34h21v5H12z",
            "M19.2 24.4h6.6",
        ),
        PieceKind::Knight => (
            "M12 34h21v5H12zM14 34c0-6 5.5-8 6.5-12-3 1.5-5 3.5-7.5 4.5L9.5 23.5c0-4 3.5-8 6.5-12L17 7l3.5 3.5\
             C28.5 11 33 18 31.5 34z",
            "M17.6 14.7l.9.5M24 13.5c4 3.5 5 9 4.5 17",
        ),
        PieceKind::Bishop => (
            "M12 34h21v5H12zM15 34l4-7h7l4 7zM20.3 8.5a2.2 2.2 0 1 1 4.4 0 2.2 2.2 0 0 1-.7 1.6\
             c4.5 3.4 6.5 8.4 5 12.9l-2.5 4h-8L16 23c-1.5-4.5.5-9.5 5-12.9a2.2 2.2 0 0 1-.7-1.6z",
            "M25.5 15l-4.5 6M19 27h7",
        ),
        PieceKind::Rook => (
            "M10 34h25v5H10zM14 34l1.5-14h14L31 34zM12 20V9h5v3.5h3.3V9h4.4v3.5H28V9h5v11z",
            "M15.5 20h14M14.3 30.5h16.4",
        ),
        PieceKind::Queen => (
            "M12 34h21v5H12zM13 34L8.5 15.5l7.3 8.5 2-12.5 4.7 11 4.7-11 2 12.5 7.3-8.5L32 34z\
             M6.7 13.5a1.8 1.8 0 1 1 3.6 0 1.8 1.8 0 1 1-3.6 0zM16 9.5a1.8 1.8 0 1 1 3.6 0 1.8 1.8 0 1 1-3.6 0z\
             M25.4 9.5a1.8 1.8 0 1 1 3.6 0 1.8 1.8 0 1 1-3.6 0zM34.7 13.5a1.8 1.8 0 1 1 3.6 0 1.8 1.8 0 1 1-3.6 0z",
            "M13.7 30.5h17.6",
        ),
        PieceKind::King => (
            "M12 34h21v5H12zM14.5 34C8 29 6.5 20 12 18.5c4.5-1.2 8.5 1.5 10.5 6 2-4.5 6-7.2 10.5-6\
             C38.5 20 37 29 30.5 34zM22.5 24.5c-3-4.5-2.6-7.5 0-10 2.6 2.5 3 5.5 0 10zM22.5 5.5v9M18.5 8.5h8",
            "M14.5 30.5h16",
        ),
    }
}

/// Draws one board.
fn draw(document: &Document, text: &mut String) {
    let board = document.board();
    let drawing = document.full_drawing();
    let turn = match board.turn() {
        Color::White => "White to move",
        Color::Black => "Black to move",
    };
    let _ = writeln!(
        text,
        "<title>{turn}</title><desc>{}</desc>\n\
         <rect width=\"{SIDE}\" height=\"{SIDE}\" fill=\"#fbfaf7\"/>",
        board.to_fen()
    );
    labels(drawing.flipped, text);
    let last: Vec<Square> = drawing.last_move.map_or(vec![], |(from, to)| vec![from, to]);
    for square in Square::ALL {
        let (x, y) = corner(square, drawing.flipped);
        let light = Bitboard::LIGHT.has(square);
        let fill = match (light, last.contains(&square)) {
            (true, false) => "#f0e3c8",
            (false, false) => "#c49a6c",
            (true, true) => "#cdd26a",
            (false, true) => "#aaa23a",
        };
        let _ = write!(text, "<path d=\"M{x} {y}h{SQUARE}v{SQUARE}h-{SQUARE}z\" fill=\"{fill}\"/>");
    }
    text.push('\n');
    pieces(&board, drawing.flipped, text);
    let _ = write!(
        text,
        "<g transform=\"translate({BORDER} {BORDER}) scale({SQUARE})\" opacity=\".7\">"
    );
    picture::shapes(&drawing, text);
    text.push_str("</g>\n");
}

/// The upper left corner of a square.
fn corner(square: Square, flipped: bool) -> (u32, u32) {
    let (x, y) = picture::position(square, flipped);
    (BORDER + u32::from(x) * SQUARE, BORDER + u32::from(y) * SQUARE)
}

fn pieces(board: &Board, flipped: bool, text: &mut String) {
    for square in board.occupied() {
        if let Some(piece) = board.piece_at(square) {
            let (x, y) = corner(square, flipped);
            let name = name(piece);
            let _ = write!(text, "<use href=\"#{name}\" x=\"{x}\" y=\"{y}\"/>");
        }
    }
    text.push('\n');
}

/// The names of ranks and files in the border.
fn labels(flipped: bool, text: &mut String) {
    text.push_str(
        "<g font-family=\"sans-serif\" font-size=\"12\" fill=\"#555\" text-anchor=\"middle\">",
    );
    for (file, rank) in File::ALL.into_iter().zip(Rank::ALL) {
        let (x, y) = corner(Square::new(file, rank), flipped);
        let _ = write!(
            text,
            "<text x=\"{}\" y=\"{}\">{file}</text><text x=\"{}\" y=\"{}\">{rank}</text>",
            x + SQUARE / 2,
            SIDE - BORDER + 14,
            BORDER / 2,
            y + SQUARE / 2 + 4
        );
    }
    text.push_str("</g>\n");
}

/// Iterator over the `desc` elements of a picture.
struct Descriptions {
    text: String,
    at: usize,
    /// Number of line ends before `at`.
    lines: u64,
    found: bool,
}

impl Iterator for Descriptions {
    type Item = Result<Document>;

    fn next(&mut self) -> Option<Result<Document>> {
        let Some((start, content)) = next_description(&self.text[self.at..]) else {
            self.at = self.text.len();
            return if std::mem::replace(&mut self.found, true) {
                None
            } else {
                let error = FormatError::new(Location::default(), ErrorKind::NoDescription);
                Some(Err(error))
            };
        };
        let start = self.at + start;
        // A FEN has one line, so the error is on this line.
        let (text, end) = (&self.text[start..start + content], start + content);
        let above = &self.text[..start];
        let line = self.lines + above[self.at..].matches('\n').count() as u64;
        let read = fen::import(text.trim())
            .map(|document| Document { location: Location::line(line + 1), ..document });
        let read = read.map_err(|mut error| {
            // Nothing is read after an error, so the column is counted at most once.
            let line_start = above.rfind('\n').map_or(0, |at| at + 1);
            let column = columns(&above.as_bytes()[line_start..]);
            error.location.column = error.location.column.map(|c| c + column);
            error.below(line)
        });
        (self.found, self.lines) = (true, line);
        self.at = if read.is_ok() { end } else { self.text.len() };
        Some(read)
    }
}

/// Offset and length of the content of the next `desc` element.
fn next_description(text: &str) -> Option<(usize, usize)> {
    let mut from = 0;
    loop {
        let tag = from + text[from..].find("<desc")?;
        let open = tag + text[tag..].find('>')?;
        // Neither `<description>` nor `<desc/>`.
        let rest = &text[tag + "<desc".len()..open];
        if (rest.is_empty() || rest.starts_with(char::is_whitespace)) && !rest.ends_with('/') {
            let length = text[open + 1..].find('<')?;
            return Some((open + 1, length));
        }
        from = open + 1;
    }
}
