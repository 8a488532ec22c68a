//! The pieces of a side: outposts, open files, bishops, the safety of the king.

use super::pawns::{ahead, neighbours};
use super::{Motif, MotifName};
use crate::chess::{Bitboard, Board, Color, File, PieceKind, Rank, Side, Square, attacks};
use crate::eval::is_wrong_rook_pawn;

/// The least number of own pawns on the colour of a bad bishop, and of these fixed in the centre.
const BAD_BISHOP: (u32, u32) = (4, 2);

/// The motifs of the pieces of a side.
pub(super) fn motifs(board: &Board, side: Color) -> Vec<Motif> {
    let motif = |name, squares| Motif { name, side, squares, ply: 0 };
    let own = board.side(side);
    let mut found: Vec<Motif> = (own.pieces(PieceKind::Knight) | own.pieces(PieceKind::Bishop))
        .into_iter()
        .filter(|square| is_outpost(board, side, *square))
        .map(|square| motif(MotifName::Outpost, vec![square]))
        .collect();
    let rooks = own.pieces(PieceKind::Rook).into_iter();
    let files = rooks.filter(|square| has_open_file(board, side, *square));
    found.extend(files.map(|square| motif(MotifName::OpenFile, vec![square])));
    let bishops = own.pieces(PieceKind::Bishop);
    if is_pair(own) && !is_pair(board.side(!side)) {
        found.push(motif(MotifName::BishopPair, bishops.into_iter().collect()));
    }
    let bad = bishops.into_iter().filter(|square| is_bad(board, side, *square));
    found.extend(bad.map(|square| motif(MotifName::BadBishop, vec![square])));
    if has_wrong_bishop(board, side) {
        found.push(motif(MotifName::WrongBishop, bishops.into_iter().collect()));
    }
    if is_weak_king(board, side) {
        found.push(motif(MotifName::WeakKing, vec![own.king()]));
    }
    // Both sides have it, and it is named once.
    let others = board.side(!side).pieces(PieceKind::Bishop);
    if side == Color::White && is_opposite(bishops, others) {
        found.push(motif(MotifName::OppositeBishops, bishops.into_iter().chain(others).collect()));
    }
    found
}

/// Outpost: a knight or bishop on the fourth to the sixth rank of its side, protected by a pawn, that
/// no enemy pawn can attack by advancing. (<https://www.chessprogramming.org/Outposts>)
fn is_outpost(board: &Board, side: Color, square: Square) -> bool {
    let rank = square.rank().relative_to(side);
    let attackers = board.side(!side).pieces(PieceKind::Pawn) & neighbours(square.file());
    let protectors = attacks::pawn(!side, square) & board.side(side).pieces(PieceKind::Pawn);
    (Rank::Fourth..=Rank::Sixth).contains(&rank)
        && protectors.any()
        && (attackers & ahead(square, side)).is_empty()
}

/// Open file: a rook on a file without pawns, where the other side has no rook or queen. Where most
/// files are open, it is nothing special. (<https://www.chessprogramming.org/Open_File>)
fn has_open_file(board: &Board, side: Color, square: Square) -> bool {
    const MAX_OPEN: usize = 4;
    let pawns = board.pieces(PieceKind::Pawn);
    let is_open = |file: &File| (pawns & file.bitboard()).is_empty();
    let opposed = board.side(!side).orthogonal_sliders() & square.file().bitboard();
    is_open(&square.file())
        && opposed.is_empty()
        && File::ALL.into_iter().filter(is_open).count() <= MAX_OPEN
}

fn is_pair(side: &Side) -> bool {
    let bishops = side.pieces(PieceKind::Bishop);
    (bishops & Bitboard::LIGHT).any() && (bishops & Bitboard::DARK).any()
}

/// Bad bishop: a bishop in its own half, but off its back rank; at least four own pawns, and most of
/// them, stand on its colour; at least two of them are fixed on the files c to f; and it has few
/// squares.
/// (<https://www.chessprogramming.org/Bad_Bishop>)
fn is_bad(board: &Board, side: Color, square: Square) -> bool {
    const CENTRE: [File; 4] = [File::C, File::D, File::E, File::F];
    const FEW_SQUARES: u32 = 5;
    let colour = [Bitboard::LIGHT, Bitboard::DARK].into_iter().find(|squares| squares.has(square));
    let colour = colour.unwrap_or(Bitboard::EMPTY);
    let own = board.side(side).pieces(PieceKind::Pawn);
    let stuck = (own & colour).into_iter().filter(|pawn| {
        let stop = ahead(*pawn, side) & pawn.file().bitboard() & attacks::king(*pawn);
        CENTRE.contains(&pawn.file()) && (stop & board.side(!side).occupied()).any()
    });
    let reach = attacks::bishop(square, board.occupied()) & !board.side(side).occupied();
    let on_colour = (own & colour).count();
    (Rank::Second..=Rank::Fourth).contains(&square.rank().relative_to(side))
        && on_colour >= BAD_BISHOP.0
        && on_colour > (own & !colour).count()
        && stuck.count() as u32 >= BAD_BISHOP.1
        && reach.count() <= FEW_SQUARES
}

/// Wrong bishop: besides king and bishops the side has pawns on one rook file alone, no bishop guards the
/// corner where they promote, and the other side has a lone king in or next to this corner. It
/// cannot be driven away. (<https://en.wikipedia.org/wiki/Wrong_bishop>)
fn has_wrong_bishop(board: &Board, side: Color) -> bool {
    let (own, king) = (board.side(side), board.king(!side));
    let (pawns, bishops) = (own.pieces(PieceKind::Pawn), own.pieces(PieceKind::Bishop));
    own.occupied() == pawns | bishops | own.king().bitboard()
        && board.side(!side).occupied() == king.bitboard()
        && pawns.any()
        && bishops.any()
        && is_wrong_rook_pawn(side, pawns, bishops, king)
}

/// Weak king: the other side has its queen; at most one own pawn stands on the two ranks in front of
/// the king, on its file and the files beside it; one of these files has no own pawn at all; and at
/// least two enemy pieces attack squares around the king.
/// (<https://www.chessprogramming.org/King_Safety>)
fn is_weak_king(board: &Board, side: Color) -> bool {
    let (own, other, king) = (board.side(side), board.side(!side), board.king(side));
    let near = neighbours(king.file()) | king.file().bitboard();
    let shelter = Square::ALL.into_iter().filter(|square| {
        let steps = square.rank().distance(king.rank());
        ahead(king, side).has(*square) && near.has(*square) && steps <= 2
    });
    let pawns = own.pieces(PieceKind::Pawn);
    let shelter = shelter.filter(|square| pawns.has(*square)).count();
    let is_open = File::ALL.into_iter().any(|file| {
        near.has(Square::new(file, king.rank())) && (pawns & file.bitboard()).is_empty()
    });
    let around = attacks::king(king) | king.bitboard();
    let officers =
        other.occupied() & !other.pieces(PieceKind::Pawn) & !other.pieces(PieceKind::King);
    let attackers = officers.into_iter().filter(|square| {
        let kind = other.piece_at(*square).unwrap_or(PieceKind::Pawn);
        (attacks::of(kind, !side, *square, board.occupied()) & around).any()
    });
    other.pieces(PieceKind::Queen).any() && shelter <= 1 && is_open && attackers.count() >= 2
}

/// Opposite bishops: each side has exactly one, on squares of different colours.
/// (<https://www.chessprogramming.org/Bishops_of_Opposite_Colors>)
fn is_opposite(own: Bitboard, other: Bitboard) -> bool {
    let single = own.count() == 1 && other.count() == 1;
    single && (own | other).into_iter().filter(|square| Bitboard::LIGHT.has(*square)).count() == 1
}
