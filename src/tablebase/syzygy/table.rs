//! One table file: what its head says, and the value it has for a position.

use super::super::{TableFault, WdlScore};
use super::index::{Layout, Lead, foremost_pawn, leading_pawns};
use super::material::{MAX_MEN, Material};
use super::pairs::{Cursor, Pairs};
use super::source::{Fault, Source};
use crate::chess::{Board, Color, Piece, PieceKind};

/// What a table tells.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum TableKind {
    /// Win, draw or loss, for either side to move.
    Wdl,
    /// The distance to zeroing, for one side to move.
    Dtz,
}

impl TableKind {
    /// The ending of the file's name.
    pub(super) fn extension(self) -> &'static str {
        match self {
            TableKind::Wdl => "rtbw",
            TableKind::Dtz => "rtbz",
        }
    }

    /// The first bytes of the file.
    pub(super) fn magic(self) -> [u8; 4] {
        match self {
            TableKind::Wdl => [0x71, 0xE8, 0x23, 0x5D],
            TableKind::Dtz => [0xD7, 0x66, 0x0C, 0xA5],
        }
    }
}

/// A part of a table: positions with one side to move and, if there are pawns, with the foremost
/// leading one on one file.
struct Part {
    layout: Layout,
    pairs: Pairs,
    distances: Distances,
}

/// How a DTZ table notes distances.
struct Distances {
    flags: u8,
    /// What the values mean, for each outcome in the order of [`Distances::map_of`]; empty if
    /// values stand for themselves.
    maps: Vec<Vec<u16>>,
}

const BLACK_TO_MOVE: u8 = 1;
const MAPPED: u8 = 2;
const WINS_IN_PLIES: u8 = 4;
const LOSSES_IN_PLIES: u8 = 8;
const WIDE_MAPS: u8 = 16;

/// Plies to zeroing, and whether that is exact or may be one too few.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Distance {
    pub(super) plies: i32,
    pub(super) is_exact: bool,
}

/// A table ready for use.
pub(super) struct Table {
    source: Source,
    material: Material,
    /// For each file of the foremost pawn (one without pawns), for each side to move that is
    /// stored.
    parts: Vec<Vec<Part>>,
}

const OTHER_MEN: Fault = TableFault::Inconsistent("it is about other men than its name says");

impl Table {
    /// Reads the head of a table and checks it against the name and the size of the file.
    pub(super) fn read(
        source: Source,
        kind: TableKind,
        material: Material,
    ) -> Result<Table, Fault> {
        if source.bytes::<4>(0)? != kind.magic() {
            return Err(TableFault::NotATable);
        }
        let mut head = Cursor::new(&source, 4);
        let flags = head.byte()?;
        let count = |color| material.count(color, PieceKind::Pawn);
        let pawns = leading_pawns(count(Color::White), count(Color::Black));
        if (flags & 1 != 0) == material.is_symmetric() || (flags & 2 != 0) != pawns.is_some() {
            return Err(OTHER_MEN);
        }
        let sides = match kind {
            TableKind::Wdl if !material.is_symmetric() => 2,
            _ => 1,
        };
        let files = if pawns.is_some() { 4 } else { 1 };
        let mut layouts = Vec::new();
        for file in 0..files {
            layouts.push(read_layouts(&mut head, material, file, sides)?);
        }
        head.align(2);
        let mut parts = Vec::new();
        for layouts in layouts {
            let mut sides = Vec::new();
            for layout in layouts {
                let (flags, pairs) = Pairs::read(&mut head)?;
                let maps = Vec::new();
                let distances = Distances { flags, maps };
                sides.push(Part {
                    layout,
                    pairs,
                    distances,
                });
            }
            parts.push(sides);
        }
        if kind == TableKind::Dtz {
            for part in parts.iter_mut().flatten() {
                part.distances.read_maps(&mut head)?;
            }
            head.align(2);
        }
        for part in parts.iter_mut().flatten() {
            part.pairs.place_sparse(&mut head, part.layout.size())?;
        }
        for part in parts.iter_mut().flatten() {
            part.pairs.place_lengths(&mut head)?;
        }
        for part in parts.iter_mut().flatten() {
            part.pairs.place_data(&mut head)?;
        }
        head.align(64);
        if head.at + super::checksum::LENGTH != source.size() {
            return Err(TableFault::Size(source.size()));
        }
        Ok(Table {
            source,
            material,
            parts,
        })
    }

    /// The outcome the table has for a position of its men. Right if no capture is better.
    pub(super) fn wdl(&self, board: &Board) -> Result<WdlScore, Fault> {
        let view = View::of(self, board);
        let (part, squares) = self.part(board, view);
        // Of a symmetric table only White's turn is stored.
        let side = view.turn.index().min(part.len() - 1);
        let value = part[side].value(&self.source, board, view, squares)?;
        let wdl = WdlScore::ALL.get(usize::from(value));
        wdl.copied()
            .ok_or(TableFault::Inconsistent("it has an unknown outcome"))
    }

    /// The distance to zeroing of a position of its men with this outcome, no draw, unless the
    /// table is about the other side to move. Right if no capture or pawn move wins.
    pub(super) fn dtz(&self, board: &Board, wdl: WdlScore) -> Result<Option<Distance>, Fault> {
        let view = View::of(self, board);
        let (part, squares) = self.part(board, view);
        let [part] = part.as_slice() else {
            return Ok(None);
        };
        let stored = match part.distances.flags & BLACK_TO_MOVE {
            0 => Color::White,
            _ => Color::Black,
        };
        let either = self.material.is_symmetric() && self.parts.len() == 1;
        if view.turn != stored && !either {
            return Ok(None);
        }
        let value = part.value(&self.source, board, view, squares)?;
        part.distances.of(value, wdl).map(Some)
    }

    /// The part that holds the position, and the squares of the leading pawns, foremost first.
    fn part(&self, board: &Board, view: View) -> (&Vec<Part>, Squares) {
        let mut squares = Squares::default();
        if self.parts.len() == 1 {
            return (&self.parts[0], squares);
        }
        // The leading pawns are the same in all parts.
        squares.add(board, view, self.parts[0][0].layout.men()[0]);
        let file = foremost_pawn(squares.as_mut_slice());
        (&self.parts[file.min(self.parts.len() - 1)], squares)
    }
}

/// Reads the order of men and groups for one file of the foremost pawn.
fn read_layouts(
    head: &mut Cursor<'_>,
    material: Material,
    file: usize,
    sides: usize,
) -> Result<Vec<Layout>, Fault> {
    let count = |color| material.count(color, PieceKind::Pawn);
    let pawns = leading_pawns(count(Color::White), count(Color::Black));
    let both_have_pawns = count(Color::White) > 0 && count(Color::Black) > 0;
    let first_place = head.byte()?;
    let second_place = if both_have_pawns { head.byte()? } else { 0xFF };
    let mut codes = Vec::new();
    for _ in 0..material.men() {
        codes.push(head.byte()?);
    }
    let mut layouts = Vec::new();
    for side in 0..sides {
        let nibble = |byte: u8| byte >> (4 * side) & 15;
        let men: Option<Vec<Piece>> = codes.iter().map(|code| piece_of(nibble(*code))).collect();
        let men = men
            .filter(|men| is_made_of(men, material))
            .ok_or(OTHER_MEN)?;
        let lead = match pawns {
            Some((color, count)) => {
                let pawn = Piece::new(color, PieceKind::Pawn);
                let lead = Lead::Pawns { count, file };
                Some(lead).filter(|_| men[..count].iter().all(|man| *man == pawn))
            }
            None => Some(pawnless_lead(material)),
        };
        let places = [first_place, second_place].map(|byte| usize::from(nibble(byte)));
        let layout = lead.and_then(|lead| Layout::new(men, lead, places));
        layouts.push(layout.ok_or(TableFault::Inconsistent("its order of men makes no sense"))?);
    }
    Ok(layouts)
}

/// The man of a code: 1 to 6 for White's pawn to king, 9 to 14 for Black's.
fn piece_of(code: u8) -> Option<Piece> {
    let color = if code & 8 == 0 {
        Color::White
    } else {
        Color::Black
    };
    let kind = usize::from(code & 7).checked_sub(1)?;
    Some(Piece::new(color, *PieceKind::ALL.get(kind)?))
}

/// Whether these are the men of the material.
fn is_made_of(men: &[Piece], material: Material) -> bool {
    let count = |piece| men.iter().filter(|man| **man == piece).count();
    Color::ALL.into_iter().all(|color| {
        let mut kinds = PieceKind::ALL.into_iter();
        kinds.all(|kind| count(Piece::new(color, kind)) == material.count(color, kind))
    })
}

/// Without pawns, three men lead if there are three of which each is the only one of its kind.
fn pawnless_lead(material: Material) -> Lead {
    let kinds = PieceKind::ALL.into_iter();
    let single = kinds.flat_map(|kind| Color::ALL.map(|color| material.count(color, kind) == 1));
    match single.filter(|single| *single).count() {
        0..3 => Lead::Kings,
        _ => Lead::Trio,
    }
}

/// How a table sees a board: perhaps with colours exchanged and ranks mirrored.
#[derive(Clone, Copy)]
struct View {
    exchanged: bool,
    /// Whose turn it is, as the table sees it.
    turn: Color,
}

impl View {
    fn of(table: &Table, board: &Board) -> View {
        let (white, black) = (board.side(Color::White), board.side(Color::Black));
        let exchanged = if table.material.is_symmetric() {
            board.turn() == Color::Black
        } else {
            Material::of(white, black) != table.material
        };
        let turn = if exchanged {
            !board.turn()
        } else {
            board.turn()
        };
        View { exchanged, turn }
    }
}

/// The squares of men, in the order of a layout.
#[derive(Default)]
struct Squares {
    squares: [u8; MAX_MEN],
    count: usize,
}

impl Squares {
    /// Adds the squares of all men of one kind and colour, as the table sees them.
    #[inline]
    fn add(&mut self, board: &Board, view: View, man: Piece) {
        let (color, mirror) = match view.exchanged {
            true => (!man.color, 56),
            false => (man.color, 0),
        };
        for square in board.side(color).pieces(man.kind) {
            if let Some(place) = self.squares.get_mut(self.count) {
                *place = square.index() as u8 ^ mirror;
                self.count += 1;
            }
        }
    }

    fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.squares[..self.count]
    }
}

impl Part {
    /// The value of the position, given the squares of the leading pawns, if there are any.
    fn value(
        &self,
        source: &Source,
        board: &Board,
        view: View,
        mut squares: Squares,
    ) -> Result<u16, Fault> {
        if let Pairs::Constant(value) = self.pairs {
            return Ok(value);
        }
        let men = self.layout.men();
        while squares.count < men.len() {
            let before = squares.count;
            squares.add(board, view, men[before]);
            if squares.count == before {
                // Only for a board of other men than the table's.
                return Err(OTHER_MEN);
            }
        }
        let index = self.layout.index(squares.as_mut_slice());
        self.pairs.value(source, index)
    }
}

impl Distances {
    /// Reads what the values mean.
    fn read_maps(&mut self, head: &mut Cursor<'_>) -> Result<(), Fault> {
        if self.flags & MAPPED == 0 {
            return Ok(());
        }
        let wide = self.flags & WIDE_MAPS != 0;
        if wide {
            head.align(2);
        }
        for _ in 0..4 {
            let read = |head: &mut Cursor<'_>| match wide {
                true => head.word(),
                false => head.byte().map(u16::from),
            };
            let count = read(head)?;
            let map = (0..count).map(|_| read(head));
            self.maps.push(map.collect::<Result<_, Fault>>()?);
        }
        Ok(())
    }

    /// Which of the maps is about an outcome.
    fn map_of(wdl: WdlScore) -> usize {
        match wdl {
            WdlScore::Win | WdlScore::Draw => 0,
            WdlScore::Loss => 1,
            WdlScore::CursedWin => 2,
            WdlScore::BlessedLoss => 3,
        }
    }

    /// The distance that a value means.
    fn of(&self, value: u16, wdl: WdlScore) -> Result<Distance, Fault> {
        let unknown = TableFault::Inconsistent("it has an unknown distance");
        let noted = match self.maps.get(Distances::map_of(wdl)) {
            Some(map) => *map.get(usize::from(value)).ok_or(unknown)?,
            None => value,
        };
        let noted = i32::from(noted);
        let (is_exact, before) = match wdl {
            WdlScore::Win => (self.flags & WINS_IN_PLIES != 0, 1),
            WdlScore::Loss => (self.flags & LOSSES_IN_PLIES != 0, 1),
            _ => (false, 101),
        };
        let plies = if is_exact { noted } else { 2 * noted };
        Ok(Distance {
            plies: (plies + before) * wdl.value().signum(),
            is_exact,
        })
    }
}
