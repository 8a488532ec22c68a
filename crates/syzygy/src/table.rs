//! A table file: its header and the stored value of a position.

use super::bytes::TableBytes;
use super::encoding::{Encoding, LeadingGroup, leading_pawn_first, leading_pawns};
use super::material::{MAX_PIECES, Material};
use super::pairs::{HeaderReader, PairsData};
use super::{TableError, WdlScore};
use saavedra_chess::{Board, Color, Piece, PieceKind};

/// The metric of a table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum TableKind {
    /// Win, draw or loss, for either side to move.
    Wdl,
    /// Distance to zeroing, for one side to move.
    Dtz,
}

impl TableKind {
    /// The extension of the file name.
    pub(super) fn extension(self) -> &'static str {
        match self {
            TableKind::Wdl => "rtbw",
            TableKind::Dtz => "rtbz",
        }
    }

    /// The magic bytes at the start of the file.
    pub(super) fn magic(self) -> [u8; 4] {
        match self {
            TableKind::Wdl => [0x71, 0xE8, 0x23, 0x5D],
            TableKind::Dtz => [0xD7, 0x66, 0x0C, 0xA5],
        }
    }
}

/// The positions with one side to move and, in tables with pawns, one file of the leading pawn.
struct SubTable {
    encoding: Encoding,
    pairs: PairsData,
    dtz_map: DtzMap,
}

/// How the values of a DTZ table map to distances.
struct DtzMap {
    flags: u8,
    /// A map from stored value to distance for each WDL value, in the order of
    /// [`DtzMap::index`]; empty if the stored values are the distances.
    maps: Vec<Vec<u16>>,
}

const BLACK_TO_MOVE: u8 = 1;
const MAPPED: u8 = 2;
const WINS_IN_PLIES: u8 = 4;
const LOSSES_IN_PLIES: u8 = 8;
const WIDE_MAPS: u8 = 16;

/// DTZ in plies. If it is not exact, it was stored in full moves and may be one ply too small.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Dtz {
    pub(super) plies: i32,
    pub(super) is_exact: bool,
}

/// An open table.
pub(super) struct Table {
    bytes: TableBytes,
    material: Material,
    /// `subtables[file][side]`: by file of the leading pawn (one entry if there are no pawns) and
    /// by side to move (one entry if only one is stored).
    subtables: Vec<Vec<SubTable>>,
}

const OTHER_MATERIAL: TableError =
    TableError::Corrupt("the pieces in its header do not match its name");

impl Table {
    /// Reads the header of a table and checks it against the name and the size of the file.
    pub(super) fn read(
        bytes: TableBytes,
        kind: TableKind,
        material: Material,
    ) -> Result<Table, TableError> {
        if bytes.read::<4>(0)? != kind.magic() {
            return Err(TableError::BadMagic);
        }
        let mut head = HeaderReader::new(&bytes, 4);
        let flags = head.byte()?;
        let count = |color| material.count(color, PieceKind::Pawn);
        let pawns = leading_pawns(count(Color::White), count(Color::Black));
        if (flags & 1 != 0) == material.is_symmetric() || (flags & 2 != 0) != pawns.is_some() {
            return Err(OTHER_MATERIAL);
        }
        let sides = match kind {
            TableKind::Wdl if !material.is_symmetric() => 2,
            _ => 1,
        };
        let files = if pawns.is_some() { 4 } else { 1 };
        let mut encodings = Vec::new();
        for file in 0..files {
            encodings.push(read_encodings(&mut head, material, file, sides)?);
        }
        head.align(2);
        let mut subtables = Vec::new();
        for encodings in encodings {
            let mut sides = Vec::new();
            for encoding in encodings {
                let (flags, pairs) = PairsData::read(&mut head)?;
                let maps = Vec::new();
                let dtz_map = DtzMap { flags, maps };
                sides.push(SubTable { encoding, pairs, dtz_map });
            }
            subtables.push(sides);
        }
        if kind == TableKind::Dtz {
            for subtable in subtables.iter_mut().flatten() {
                subtable.dtz_map.read(&mut head)?;
            }
            head.align(2);
        }
        for subtable in subtables.iter_mut().flatten() {
            let size = subtable.encoding.size();
            subtable.pairs.locate_sparse_index(&mut head, size)?;
        }
        for subtable in subtables.iter_mut().flatten() {
            subtable.pairs.locate_lengths(&mut head)?;
        }
        for subtable in subtables.iter_mut().flatten() {
            subtable.pairs.locate_data(&mut head)?;
        }
        head.align(64);
        if head.at + super::checksum::LENGTH != bytes.size() {
            return Err(TableError::Size(bytes.size()));
        }
        Ok(Table { bytes, material, subtables })
    }

    /// The stored WDL value of a position with the material of the table; a lower bound if the best
    /// move is a capture.
    pub(super) fn wdl(&self, board: &Board) -> Result<WdlScore, TableError> {
        let view = Perspective::of(self, board);
        let (sides, squares) = self.subtables(board, view);
        // A symmetric table stores only White to move.
        let side = view.turn.index().min(sides.len() - 1);
        let value = sides[side].value(&self.bytes, board, view, squares)?;
        let wdl = WdlScore::ALL.get(usize::from(value));
        wdl.copied().ok_or(TableError::Corrupt("unknown WDL value"))
    }

    /// The stored DTZ of a position with the material of the table and this WDL value, which is not
    /// a draw; meaningless if the best move is a capture or pawn move. `None` if the table stores
    /// only the other side to move.
    pub(super) fn dtz(&self, board: &Board, wdl: WdlScore) -> Result<Option<Dtz>, TableError> {
        let view = Perspective::of(self, board);
        let (sides, squares) = self.subtables(board, view);
        let [subtable] = sides.as_slice() else {
            return Ok(None);
        };
        let stored = match subtable.dtz_map.flags & BLACK_TO_MOVE {
            0 => Color::White,
            _ => Color::Black,
        };
        // Symmetric tables ignore the flag: White is to move.
        let either = self.material.is_symmetric();
        if view.turn != stored && !either {
            return Ok(None);
        }
        let value = subtable.value(&self.bytes, board, view, squares)?;
        subtable.dtz_map.dtz(value, wdl).map(Some)
    }

    /// The subtables for both sides to move that hold the position, and the squares of the leading
    /// pawns, the leading pawn first.
    fn subtables(&self, board: &Board, view: Perspective) -> (&Vec<SubTable>, Squares) {
        let mut squares = Squares::default();
        if self.subtables.len() == 1 {
            return (&self.subtables[0], squares);
        }
        // All subtables have the same leading pawns.
        squares.add(board, view, self.subtables[0][0].encoding.pieces()[0]);
        let file = leading_pawn_first(squares.as_mut_slice());
        (&self.subtables[file.min(self.subtables.len() - 1)], squares)
    }
}

/// Reads the encodings for one file of the leading pawn, one for each stored side to move.
fn read_encodings(
    head: &mut HeaderReader<'_>,
    material: Material,
    file: usize,
    sides: usize,
) -> Result<Vec<Encoding>, TableError> {
    let count = |color| material.count(color, PieceKind::Pawn);
    let pawns = leading_pawns(count(Color::White), count(Color::Black));
    let both_have_pawns = count(Color::White) > 0 && count(Color::Black) > 0;
    let leading_order = head.byte()?;
    let pawns_order = if both_have_pawns { head.byte()? } else { 0xFF };
    let mut codes = Vec::new();
    for _ in 0..material.piece_count() {
        codes.push(head.byte()?);
    }
    let mut encodings = Vec::new();
    for side in 0..sides {
        let nibble = |byte: u8| byte >> (4 * side) & 15;
        let pieces: Option<Vec<Piece>> =
            codes.iter().map(|code| decode_piece(nibble(*code))).collect();
        let pieces =
            pieces.filter(|pieces| matches_material(pieces, material)).ok_or(OTHER_MATERIAL)?;
        let leading = match pawns {
            Some((color, count)) => {
                let pawn = Piece::new(color, PieceKind::Pawn);
                let leading = LeadingGroup::Pawns { count, file };
                Some(leading).filter(|_| pieces[..count].iter().all(|piece| *piece == pawn))
            }
            None => Some(pawnless_leading_group(material)),
        };
        let order = [leading_order, pawns_order].map(|byte| usize::from(nibble(byte)));
        let encoding = leading.and_then(|leading| Encoding::new(pieces, leading, order));
        encodings.push(encoding.ok_or(TableError::Corrupt("invalid order of pieces"))?);
    }
    Ok(encodings)
}

/// Decodes a piece: 1 to 6 for White's pawn to king, 9 to 14 for Black's.
fn decode_piece(code: u8) -> Option<Piece> {
    let color = if code & 8 == 0 { Color::White } else { Color::Black };
    let kind = usize::from(code & 7).checked_sub(1)?;
    Some(Piece::new(color, *PieceKind::ALL.get(kind)?))
}

/// Whether these pieces make up the material.
fn matches_material(pieces: &[Piece], material: Material) -> bool {
    let count = |piece| pieces.iter().filter(|p| **p == piece).count();
    Color::ALL.into_iter().all(|color| {
        let mut kinds = PieceKind::ALL.into_iter();
        kinds.all(|kind| count(Piece::new(color, kind)) == material.count(color, kind))
    })
}

/// The leading group of a table without pawns: three unique pieces if there are as many, else the
/// kings.
fn pawnless_leading_group(material: Material) -> LeadingGroup {
    let kinds = PieceKind::ALL.into_iter();
    let single = kinds.flat_map(|kind| Color::ALL.map(|color| material.count(color, kind) == 1));
    match single.filter(|single| *single).count() {
        0..3 => LeadingGroup::Kings,
        _ => LeadingGroup::ThreeUnique,
    }
}

/// How a board is transformed to match the table's material.
#[derive(Clone, Copy)]
struct Perspective {
    /// Whether colours are exchanged and ranks mirrored.
    flipped: bool,
    /// Side to move after the transformation.
    turn: Color,
}

impl Perspective {
    fn of(table: &Table, board: &Board) -> Perspective {
        let (white, black) = (board.side(Color::White), board.side(Color::Black));
        let flipped = if table.material.is_symmetric() {
            board.turn() == Color::Black
        } else {
            Material::of(white, black) != table.material
        };
        let turn = if flipped { !board.turn() } else { board.turn() };
        Perspective { flipped, turn }
    }
}

/// The squares of the pieces, in the order of an encoding.
#[derive(Default)]
struct Squares {
    squares: [u8; MAX_PIECES],
    count: usize,
}

impl Squares {
    /// Adds the squares of all pieces equal to `piece`, after the transformation.
    #[inline]
    fn add(&mut self, board: &Board, view: Perspective, piece: Piece) {
        let (color, mirror) = if view.flipped { (!piece.color, 56) } else { (piece.color, 0) };
        for square in board.side(color).pieces(piece.kind) {
            if let Some(slot) = self.squares.get_mut(self.count) {
                *slot = square.index() as u8 ^ mirror;
                self.count += 1;
            }
        }
    }

    fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.squares[..self.count]
    }
}

impl SubTable {
    /// The stored value of the position. `squares` holds the leading pawns, if there are any.
    fn value(
        &self,
        bytes: &TableBytes,
        board: &Board,
        view: Perspective,
        mut squares: Squares,
    ) -> Result<u16, TableError> {
        if let PairsData::Constant(value) = self.pairs {
            return Ok(value);
        }
        let pieces = self.encoding.pieces();
        while squares.count < pieces.len() {
            let before = squares.count;
            squares.add(board, view, pieces[before]);
            if squares.count == before {
                // Only if the board has other material than the table.
                return Err(OTHER_MATERIAL);
            }
        }
        let index = self.encoding.index(squares.as_mut_slice());
        self.pairs.value(bytes, index)
    }
}

impl DtzMap {
    /// Reads the maps, if the table has any.
    fn read(&mut self, head: &mut HeaderReader<'_>) -> Result<(), TableError> {
        if self.flags & MAPPED == 0 {
            return Ok(());
        }
        let wide = self.flags & WIDE_MAPS != 0;
        if wide {
            head.align(2);
        }
        for _ in 0..4 {
            let read = |head: &mut HeaderReader<'_>| {
                if wide { head.word() } else { head.byte().map(u16::from) }
            };
            let count = read(head)?;
            let map = (0..count).map(|_| read(head));
            self.maps.push(map.collect::<Result<_, TableError>>()?);
        }
        Ok(())
    }

    /// The index of the map for a WDL value.
    fn index(wdl: WdlScore) -> usize {
        match wdl {
            WdlScore::Win | WdlScore::Draw => 0,
            WdlScore::Loss => 1,
            WdlScore::CursedWin => 2,
            WdlScore::BlessedLoss => 3,
        }
    }

    /// The DTZ for a stored value.
    fn dtz(&self, value: u16, wdl: WdlScore) -> Result<Dtz, TableError> {
        let unknown = TableError::Corrupt("unknown DTZ value");
        let distance = match self.maps.get(DtzMap::index(wdl)) {
            Some(map) => *map.get(usize::from(value)).ok_or(unknown)?,
            None => value,
        };
        let distance = i32::from(distance);
        let (is_exact, offset) = match wdl {
            WdlScore::Win => (self.flags & WINS_IN_PLIES != 0, 1),
            WdlScore::Loss => (self.flags & LOSSES_IN_PLIES != 0, 1),
            _ => (false, 101),
        };
        let plies = if is_exact { distance } else { 2 * distance };
        Ok(Dtz { plies: (plies + offset) * wdl.value().signum(), is_exact })
    }
}
