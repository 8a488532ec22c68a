//! What is known of endings, whatever evaluates: how a lone king is mated, and which material
//! cannot win.
//!
//! A search alone does not find a mate that is thirty moves away; it needs to be told what brings
//! it nearer. <https://www.chessprogramming.org/Mop-up_Evaluation>

use super::king_pawn;
use super::piece_square::PIECE_VALUES;
use crate::chess::{Bitboard, Board, Color, PieceKind, Side, Square};

/// Positions with more men than this are left to the evaluation.
const MOST_MEN: u32 = 8;

/// A win that only needs to be carried out, in centipawns, besides the material.
const KNOWN_WIN: i32 = 1000;

/// A side without pawns needs at least so much more than the other's pieces, in pawns.
const WINNING_SURPLUS: u32 = 4;

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Knowledge {
    /// Nothing.
    Nothing,
    /// Its score for the side to move, in centipawns.
    Score(i32),
    /// Of what the evaluation gives the side that stands better, so many quarters; for White and
    /// for Black.
    Quarters([i32; 2]),
}

/// What is known of a position.
#[inline]
pub(super) fn know(board: &Board) -> Knowledge {
    if board.occupied().count() > MOST_MEN {
        return Knowledge::Nothing;
    }
    for strong in Color::ALL {
        if board.side(!strong).occupied().count() == 1 {
            return against_lone_king(board, strong);
        }
    }
    let quarters = Color::ALL.map(|color| chances(board.side(color), board.side(!color)));
    match quarters {
        [4, 4] => Knowledge::Nothing,
        quarters => Knowledge::Quarters(quarters),
    }
}

/// How much of an advantage this side could make use of, in quarters, judged by material.
fn chances(own: &Side, other: &Side) -> i32 {
    if own.pieces(PieceKind::Pawn).any() {
        return 4;
    }
    let (ours, theirs) = (piece_points(own), piece_points(other));
    let only_knights = own.occupied().count() == 1 + own.pieces(PieceKind::Knight).count();
    if ours <= 3 || (only_knights && ours == 6) {
        0
    } else if ours < theirs + WINNING_SURPLUS {
        1
    } else {
        4
    }
}

/// The old values of the pieces, without pawns.
fn piece_points(side: &Side) -> u32 {
    let count = |kind| side.pieces(kind).count();
    let minors = count(PieceKind::Knight) + count(PieceKind::Bishop);
    3 * minors + 5 * count(PieceKind::Rook) + 9 * count(PieceKind::Queen)
}

/// Whether one side has its king alone: then the knowledge is better than what a search can learn.
pub(crate) fn is_lone_king(board: &Board) -> bool {
    board.us().occupied().count() == 1 || board.them().occupied().count() == 1
}

/// What is known of a side against a king alone.
fn against_lone_king(board: &Board, strong: Color) -> Knowledge {
    let side = board.side(strong);
    let pawns = side.pieces(PieceKind::Pawn);
    let (knights, bishops) = (
        side.pieces(PieceKind::Knight),
        side.pieces(PieceKind::Bishop),
    );
    let heavy = side.pieces(PieceKind::Rook) | side.pieces(PieceKind::Queen);
    let both_colors = (bishops & Bitboard::LIGHT).any() && (bishops & Bitboard::DARK).any();
    let lone_king = board.king(!strong);
    let score = if heavy.any() || both_colors {
        mop_up(board, strong) + 10 * off_centre(lone_king) - 4 * room(board, strong).count() as i32
    } else if bishops.any() && knights.any() {
        mop_up(board, strong) + 100 * near_corner(lone_king, bishops)
    } else if pawns.is_empty() {
        0
    } else if let (true, Some(pawn)) = (side.occupied().count() == 2, pawns.first()) {
        pawn_alone(board, strong, pawn)
    } else if knights.is_empty() && is_wrong_corner(strong, pawns, bishops, lone_king) {
        0
    } else {
        return Knowledge::Nothing;
    };
    Knowledge::Score(if board.turn() == strong {
        score
    } else {
        -score
    })
}

/// The material and the kings' nearness; the goal of the chase is the caller's.
fn mop_up(board: &Board, strong: Color) -> i32 {
    let side = board.side(strong);
    let worth = |kind: PieceKind| side.pieces(kind).count() as i32 * PIECE_VALUES[kind.index()].1;
    let material: i32 = PieceKind::ALL.into_iter().map(worth).sum();
    let apart = i32::from(board.king(Color::White).distance(board.king(Color::Black)));
    let advances = side.pieces(PieceKind::Pawn).into_iter();
    let advances: i32 = advances
        .map(|pawn| i32::from(pawn.relative_to(strong).rank()))
        .sum();
    KNOWN_WIN + material + 10 * (7 - apart) + 5 * advances
}

/// The squares that the lone king can reach as long as nothing else moves.
fn room(board: &Board, strong: Color) -> Bitboard {
    let king = board.king(!strong).bitboard();
    let side = board.side(strong);
    let free = !side.attacks(strong, side.occupied());
    let mut room = king;
    loop {
        let across = room
            | Bitboard(room.0 << 1) & !Bitboard::FILE_A
            | Bitboard(room.0 >> 1) & !Bitboard::FILE_H;
        let around = across | Bitboard(across.0 << 8) | Bitboard(across.0 >> 8);
        let grown = around & free | king;
        if grown == room {
            return room;
        }
        room = grown;
    }
}

/// Steps from the four squares in the middle: 6 in the corners.
fn off_centre(square: Square) -> i32 {
    let steps = |line: u8| i32::from(if line < 4 { 3 - line } else { line - 4 });
    steps(square.file()) + steps(square.rank())
}

/// How near the king is to a corner that the bishops attack: 7 in it, 0 in the other two.
fn near_corner(king: Square, bishops: Bitboard) -> i32 {
    let king = match (bishops & Bitboard::DARK).any() {
        true => king,
        false => king.flip_file(),
    };
    // The dark corners a1 and h8 are the ends of the lines of equal sum of file and rank.
    (7 - i32::from(king.file()) - i32::from(king.rank())).abs()
}

/// King and pawn against king, which is solved.
fn pawn_alone(board: &Board, strong: Color, pawn: Square) -> i32 {
    let (king, lone_king) = (board.king(strong), board.king(!strong));
    if !king_pawn::is_won(strong, board.turn(), king, pawn, lone_king) {
        return 0;
    }
    let rank = pawn.relative_to(strong).rank();
    let goal = Square::at(pawn.file(), 7).relative_to(strong);
    KNOWN_WIN / 2 + 30 * i32::from(rank) - 5 * i32::from(king.distance(goal))
}

/// Whether nothing drives the king out of the corner where the pawns, all on that edge, would
/// promote: no bishop attacks it.
fn is_wrong_corner(strong: Color, pawns: Bitboard, bishops: Bitboard, king: Square) -> bool {
    for (file, edge) in [(0, Bitboard::FILE_A), (7, Bitboard::FILE_H)] {
        let corner = Square::at(file, 7).relative_to(strong);
        let color = match Bitboard::LIGHT.has(corner) {
            true => Bitboard::LIGHT,
            false => Bitboard::DARK,
        };
        if (pawns & !edge).is_empty() {
            return (bishops & color).is_empty() && king.distance(corner) <= 1;
        }
    }
    false
}

impl Knowledge {
    /// The score of a position, given how to evaluate it where more than knowledge is needed.
    #[inline]
    pub(super) fn apply(self, board: &Board, evaluate: impl FnOnce() -> i32) -> i32 {
        match self {
            Knowledge::Nothing => evaluate(),
            Knowledge::Score(score) => score,
            Knowledge::Quarters(quarters) => {
                let score = evaluate();
                let better = if score > 0 {
                    board.turn()
                } else {
                    !board.turn()
                };
                score * quarters[better.index()] / 4
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn knowledge(fen: &str) -> Knowledge {
        let board = Board::from_fen(fen).expect("a sound position");
        let (one, other) = (know(&board), know(&board.flipped()));
        match (one, other) {
            (Knowledge::Quarters([a, b]), Knowledge::Quarters([c, d])) => {
                assert_eq!([a, b], [d, c], "{fen}");
            }
            _ => assert_eq!(one, other, "colours are equal: {fen}"),
        }
        one
    }

    fn score(fen: &str) -> i32 {
        match knowledge(fen) {
            Knowledge::Score(score) => score,
            other => panic!("{fen}: {other:?}"),
        }
    }

    #[test]
    fn what_mates_wins_and_what_does_not_draws() {
        for (fen, is_won) in [
            ("8/8/3k4/8/8/3K4/8/Q7 w - - 0 1", true),
            ("8/8/3k4/8/8/3K4/8/R7 b - - 0 1", true),
            ("8/8/3k4/8/8/3K4/8/BB6 w - - 0 1", true),
            ("8/8/3k4/8/8/3K4/8/BN6 w - - 0 1", true),
            ("8/8/3k4/8/8/3K4/8/NN6 w - - 0 1", false),
            ("8/8/3k4/8/8/3K4/1B6/B7 w - - 0 1", false),
            ("8/8/8/1k6/8/1K6/1P6/8 w - - 0 1", false),
            ("8/8/1k6/8/1K6/8/1P6/8 w - - 0 1", true),
            ("k7/8/K7/P7/8/8/8/4B3 w - - 0 1", false),
            ("8/8/8/8/8/5pk1/8/5K2 b - - 0 1", true),
        ] {
            let board = Board::from_fen(fen).expect("a sound position");
            let sign = if board.side(board.turn()).occupied().count() > 1 {
                1
            } else {
                -1
            };
            assert_eq!(sign * score(fen) > 400, is_won, "{fen}");
            assert_eq!(score(fen) == 0, !is_won, "{fen}");
        }
    }

    #[test]
    fn a_promotion_is_better_than_a_pawn_about_to() {
        let pawn = score("8/3P4/1k1K4/8/8/8/8/8 w - - 0 1");
        let queen = -score("3Q4/8/1k1K4/8/8/8/8/8 b - - 0 1");
        assert!(queen > pawn + 500);
    }

    #[test]
    fn a_king_is_driven_to_the_corner_of_the_bishop() {
        for (worse, better) in [
            (
                "k7/2K5/8/8/8/8/8/2BN4 w - - 0 1",
                "7k/5K2/8/8/8/8/8/2BN4 w - - 0 1",
            ),
            (
                "7k/5K2/8/8/8/8/8/1B1N4 w - - 0 1",
                "k7/2K5/8/8/8/8/8/1B1N4 w - - 0 1",
            ),
            (
                "3k4/8/3K4/8/8/8/8/R7 w - - 0 1",
                "k7/8/K7/8/8/8/8/R7 w - - 0 1",
            ),
            (
                "k7/8/8/3K4/8/8/8/7R w - - 0 1",
                "k7/2K5/8/8/8/8/8/7R w - - 0 1",
            ),
        ] {
            assert!(score(better) > score(worse), "{better} against {worse}");
        }
    }

    #[test]
    fn material_that_cannot_win_is_worth_less() {
        for (fen, quarters) in [
            ("8/8/3k1p2/8/8/3K4/8/B7 w - - 0 1", [0, 4]),
            ("8/8/3k1p2/8/8/3K4/8/NN6 w - - 0 1", [0, 4]),
            ("8/8/3kr3/8/8/3K4/8/RB6 w - - 0 1", [1, 1]),
            ("8/8/3kn3/8/8/3K4/8/R7 w - - 0 1", [1, 0]),
        ] {
            assert_eq!(knowledge(fen), Knowledge::Quarters(quarters), "{fen}");
        }
        for fen in [
            "8/8/3kr3/8/8/3K4/8/Q7 w - - 0 1",
            "8/5p2/3kr3/8/8/3K4/2P5/R7 w - - 0 1",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        ] {
            let known = knowledge(fen);
            assert!(!matches!(known, Knowledge::Score(_)), "{fen}: {known:?}");
        }
    }
}
