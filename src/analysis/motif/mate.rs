//! Mates and their patterns. The named mates follow
//! <https://en.wikipedia.org/wiki/Checkmate_pattern>.

use super::super::material::guards;
use super::course::Course;
use super::{Motif, MotifName};
use crate::chess::{Bitboard, Board, PieceKind, Rank, Square, attacks};

/// The mate of a line, and its patterns if the line reaches it.
pub(super) fn motifs(course: &Course) -> Vec<Motif> {
    if !course.mates {
        return Vec::new();
    }
    let last = &course.boards[course.moves.len()];
    let ply = course.moves.len() - 1;
    if last.turn() == course.us || !last.is_checkmate() {
        // The line is cut; its score proves the mate.
        return vec![course.motif(MotifName::Mate, 0, vec![last.king(!course.us)])];
    }
    let squares: Vec<_> = last.checkers().into_iter().chain([last.us().king()]).collect();
    let mut names = vec![MotifName::Mate];
    names.extend(Mate::new(last).iter().flat_map(Mate::patterns));
    names.into_iter().map(|name| course.motif(name, ply, squares.clone())).collect()
}

/// A mate by one piece.
struct Mate {
    board: Board,
    /// The mated king.
    king: Square,
    /// The piece that gives check.
    checker: Square,
    /// The squares around the king.
    near: Bitboard,
    /// Those beside it, before it and behind it.
    straight: Bitboard,
    /// The back rank of its side.
    home: Bitboard,
}

/// A mate that has a name.
struct Pattern {
    name: MotifName,
    /// The pieces that may give check.
    kinds: &'static [PieceKind],
    is_it: fn(&Mate) -> bool,
}

const HEAVY: &[PieceKind] = &[PieceKind::Rook, PieceKind::Queen];

#[rustfmt::skip]
const PATTERNS: &[Pattern] = &[
    Pattern { name: MotifName::BackRankMate, kinds: HEAVY, is_it: Mate::is_back_rank },
    Pattern { name: MotifName::SmotheredMate, kinds: &[PieceKind::Knight], is_it: Mate::is_smothered },
    Pattern { name: MotifName::Anastasia, kinds: HEAVY, is_it: Mate::is_anastasia },
    Pattern { name: MotifName::Arabian, kinds: &[PieceKind::Rook], is_it: Mate::is_arabian },
    Pattern { name: MotifName::Boden, kinds: &[PieceKind::Bishop], is_it: Mate::is_boden },
    Pattern { name: MotifName::Opera, kinds: &[PieceKind::Rook], is_it: Mate::is_opera },
    Pattern { name: MotifName::Legal, kinds: &[PieceKind::Knight], is_it: Mate::is_legal },
    Pattern { name: MotifName::Epaulette, kinds: &[PieceKind::Queen], is_it: Mate::is_epaulette },
    Pattern { name: MotifName::SwallowsTail, kinds: &[PieceKind::Queen], is_it: Mate::is_swallows_tail },
    Pattern { name: MotifName::Dovetail, kinds: &[PieceKind::Queen], is_it: Mate::is_dovetail },
    Pattern { name: MotifName::Damiano, kinds: &[PieceKind::Queen], is_it: Mate::is_damiano },
    Pattern { name: MotifName::Lolli, kinds: &[PieceKind::Queen], is_it: Mate::is_lolli },
    Pattern { name: MotifName::Hook, kinds: &[PieceKind::Rook], is_it: Mate::is_hook },
    Pattern { name: MotifName::Morphy, kinds: &[PieceKind::Bishop], is_it: Mate::is_morphy },
];

impl Mate {
    /// The mate on a board; `None` if two pieces give check.
    fn new(board: &Board) -> Option<Mate> {
        let checker = board.checkers().first().filter(|_| !board.checkers().more_than_one())?;
        let king = board.us().king();
        let near = attacks::king(king);
        let straight = near & attacks::rook_rays(king);
        let home = board.turn().back_rank();
        Some(Mate { board: *board, king, checker, near, straight, home })
    }

    fn patterns(&self) -> Vec<MotifName> {
        let Some(kind) = self.board.them().piece_at(self.checker) else {
            return Vec::new();
        };
        let fits = |pattern: &&Pattern| pattern.kinds.contains(&kind) && (pattern.is_it)(self);
        PATTERNS.iter().filter(fits).map(|pattern| pattern.name).collect()
    }

    /// The mating pieces of a kind.
    fn pieces(&self, kind: PieceKind) -> Bitboard {
        self.board.them().pieces(kind)
    }

    /// The mating pieces of a kind that guard a square.
    fn guards(&self, kind: PieceKind, square: Square) -> Bitboard {
        guards(&self.board, !self.board.turn(), square) & self.pieces(kind)
    }

    /// Whether the men of the king occupy all these squares.
    fn is_blocked(&self, squares: Bitboard) -> bool {
        (squares & !self.board.us().occupied()).is_empty()
    }

    /// Whether a castled king could stand there: on its back rank, not in the middle.
    fn is_castled(&self) -> bool {
        const MIDDLE: Bitboard =
            Bitboard::from_squares(&[Square::D1, Square::E1, Square::D8, Square::E8]);
        (self.home & !MIDDLE).has(self.king)
    }

    /// The check comes along the back rank, and all squares in front of the king are blocked.
    fn is_back_rank(&self) -> bool {
        self.home.has(self.king)
            && self.home.has(self.checker)
            && self.is_blocked(self.near & !self.home)
    }

    /// The men of the king occupy all squares around it.
    fn is_smothered(&self) -> bool {
        self.is_blocked(self.near)
    }

    /// The check comes along the outer file, the square beside the king is blocked, and a knight
    /// guards the two next to it.
    fn is_anastasia(&self) -> bool {
        let edge = self.king.file().bitboard();
        let is_outer = (edge & (Bitboard::FILE_A | Bitboard::FILE_H)).any();
        let inner = self.near & !edge;
        let mut knights = self.pieces(PieceKind::Knight).into_iter();
        is_outer
            && edge.has(self.checker)
            && self.straight.count() == 3
            && self.is_blocked(inner & self.straight)
            && knights.any(|knight| (inner & !self.straight & !attacks::knight(knight)).is_empty())
    }

    /// The rook stands beside a king in the corner, and a knight guards it and the other square
    /// beside the king.
    fn is_arabian(&self) -> bool {
        let mut knights = self.pieces(PieceKind::Knight).into_iter();
        self.straight.count() == 2
            && self.straight.has(self.checker)
            && knights.any(|knight| (self.straight & !attacks::knight(knight)).is_empty())
    }

    /// A bishop guards the rook, which stands beside an uncastled king on its back rank; a man of the
    /// king other than a knight is in its way.
    fn is_opera(&self) -> bool {
        let own = self.board.us();
        self.home.has(self.king)
            && !self.is_castled()
            && (self.home & self.straight).has(self.checker)
            && self.guards(PieceKind::Bishop, self.checker).any()
            && (self.near & own.occupied() & !own.pieces(PieceKind::Knight)).any()
    }

    /// A knight beside the king guards the rook beside it, a pawn guards the knight, and a pawn of the
    /// king is in its way.
    fn is_hook(&self) -> bool {
        let knights = self.guards(PieceKind::Knight, self.checker) & self.near;
        self.straight.has(self.checker)
            && knights.into_iter().any(|knight| self.guards(PieceKind::Pawn, knight).any())
            && (self.near & self.board.us().pieces(PieceKind::Pawn)).any()
    }

    /// Two bishops on diagonals that cross guard all squares around the king that are not blocked.
    fn is_boden(&self) -> bool {
        let occupied = self.board.occupied() & !self.king.bitboard();
        let free = self.near & !self.board.us().occupied();
        let reach = |bishop: Square| attacks::bishop(bishop, occupied) & free;
        let rises = |a: Square, b: Square| (a.file() > b.file()) == (a.rank() > b.rank());
        let left = free & !reach(self.checker);
        let others = self.pieces(PieceKind::Bishop) & !self.checker.bitboard();
        others.into_iter().any(|other| {
            let crosses = |square| rises(other, square) != rises(self.checker, self.king);
            left.any() && (left & !reach(other)).is_empty() && left.into_iter().all(crosses)
        })
    }

    /// The bishop gives check in the corner, where a pawn stands before the king and a rook on the
    /// next file guards the square beside it.
    fn is_morphy(&self) -> bool {
        let pawns = self.board.us().pieces(PieceKind::Pawn);
        let beside = self.straight & self.home;
        self.straight.count() == 2
            && (self.straight & !self.home & pawns).any()
            && beside.first().is_some_and(|square| {
                (self.guards(PieceKind::Rook, square) & square.file().bitboard()).any()
            })
    }

    /// The queen gives check along the file from a distance; the squares beside the king on its back
    /// rank are blocked, those in front of it are not.
    fn is_epaulette(&self) -> bool {
        let sides = self.straight & self.home;
        self.home.has(self.king)
            && self.checker.file() == self.king.file()
            && !self.near.has(self.checker)
            && sides.count() == 2
            && self.is_blocked(sides)
            && (self.near & !self.home & self.board.us().occupied()).is_empty()
    }

    /// The queen stands on one of these squares around the king. Two squares behind the king are out
    /// of her reach, and blocked.
    fn has_tail(&self, places: Bitboard) -> bool {
        let rays = attacks::queen(self.checker, Bitboard::EMPTY) | self.checker.bitboard();
        let tail = self.near & !rays;
        places.has(self.checker) && tail.count() == 2 && self.is_blocked(tail)
    }

    fn is_swallows_tail(&self) -> bool {
        self.has_tail(self.straight)
    }

    fn is_dovetail(&self) -> bool {
        self.has_tail(self.near & !self.straight)
    }

    /// The queen stands diagonally before a castled king; a pawn on the king's file guards her.
    fn is_damiano(&self) -> bool {
        let pawns = self.guards(PieceKind::Pawn, self.checker) & self.king.file().bitboard();
        self.is_castled() && (self.near & !self.straight).has(self.checker) && pawns.any()
    }

    /// The queen stands straight before a castled king; a pawn guards her.
    fn is_lolli(&self) -> bool {
        self.is_castled()
            && (self.straight & !self.home).has(self.checker)
            && self.guards(PieceKind::Pawn, self.checker).any()
    }

    /// Knights and a bishop alone mate a king on its second rank: one knight gives check, another one
    /// guards the bishop, which stands beside the king.
    fn is_legal(&self) -> bool {
        let free = self.near & !self.board.us().occupied();
        let is_minor = |square: Square| {
            let kinds = [PieceKind::Knight, PieceKind::Bishop].into_iter();
            kinds.into_iter().any(|kind| self.guards(kind, square).any())
        };
        let bishops = self.near & self.pieces(PieceKind::Bishop);
        self.king.rank().relative_to(self.board.turn()) == Rank::Second
            && bishops.into_iter().any(|bishop| self.guards(PieceKind::Knight, bishop).any())
            && free.into_iter().all(is_minor)
    }
}
