//! Endgame knowledge, for every evaluation but the material count: mating a lone king, and material
//! that cannot win.
//!
//! A search does not see a mate thirty moves away. The mop-up evaluation rewards progress towards
//! it: <https://www.chessprogramming.org/Mop-up_Evaluation>.

use super::kpk;
use super::piece_square::PIECE_VALUES;
use crate::chess::{Bitboard, Board, Color, File, PieceKind, Rank, Side, Square};

/// Maximum number of pieces of a recognised endgame, kings included.
const MAX_PIECES: u32 = 8;

/// Bonus for a known win, in centipawns, besides the material.
const KNOWN_WIN: i32 = 1000;

/// Minimum lead in non-pawn material, in pawns, for the full advantage of a side without pawns.
const MIN_WINNING_LEAD: u32 = 4;

/// The scale factor that leaves the evaluation unchanged.
const NORMAL_SCALE: i32 = 4;

/// The endgame knowledge about a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum EndgameScore {
    /// None.
    Unknown,
    /// The score in centipawns from the side to move's view.
    Score(i32),
    /// Scale factors for the evaluation, in quarters: White's if White is better, else Black's.
    Scale([i32; 2]),
}

/// The endgame knowledge about a position.
#[inline]
pub(super) fn probe(board: &Board) -> EndgameScore {
    if board.occupied().count() > MAX_PIECES {
        return EndgameScore::Unknown;
    }
    for strong in Color::ALL {
        if board.side(!strong).occupied().count() == 1 {
            return score_against_lone_king(board, strong);
        }
    }
    let scale = Color::ALL.map(|color| scale_factor(board.side(color), board.side(!color)));
    match scale {
        [NORMAL_SCALE, NORMAL_SCALE] => EndgameScore::Unknown,
        scale => EndgameScore::Scale(scale),
    }
}

/// The scale factor, in quarters, for an advantage of the side `us`, by material.
fn scale_factor(us: &Side, them: &Side) -> i32 {
    if us.pieces(PieceKind::Pawn).any() {
        return NORMAL_SCALE;
    }
    let (ours, theirs) = (non_pawn_material(us), non_pawn_material(them));
    if us.pieces(PieceKind::Queen).any() && is_two_minors_with_a_bishop(them) {
        return NORMAL_SCALE;
    }
    let only_knights = us.occupied().count() == 1 + us.pieces(PieceKind::Knight).count();
    if ours <= 3 || (only_knights && ours == 6) {
        0
    } else if ours < theirs + MIN_WINNING_LEAD {
        1
    } else {
        NORMAL_SCALE
    }
}

/// Whether a side has two minor pieces that are not both knights, and nothing else. Most positions
/// with a queen against them are won; two knights hold.
/// <https://en.wikipedia.org/wiki/Pawnless_chess_endgame>
fn is_two_minors_with_a_bishop(side: &Side) -> bool {
    let bishops = side.pieces(PieceKind::Bishop).count();
    let knights = side.pieces(PieceKind::Knight).count();
    side.occupied().count() == 3 && bishops > 0 && bishops + knights == 2
}

/// Non-pawn material in pawns: 3, 3, 5, 9.
fn non_pawn_material(side: &Side) -> u32 {
    let count = |kind| side.pieces(kind).count();
    let minors = count(PieceKind::Knight) + count(PieceKind::Bishop);
    3 * minors + 5 * count(PieceKind::Rook) + 9 * count(PieceKind::Queen)
}

/// Whether one side has only its king. Endgame knowledge is then more reliable than corrections
/// from the search.
pub(crate) fn has_lone_king(board: &Board) -> bool {
    board.us().occupied().count() == 1 || board.them().occupied().count() == 1
}

/// The score of `strong` against a lone king.
fn score_against_lone_king(board: &Board, strong: Color) -> EndgameScore {
    let side = board.side(strong);
    let pawns = side.pieces(PieceKind::Pawn);
    let (knights, bishops) = (side.pieces(PieceKind::Knight), side.pieces(PieceKind::Bishop));
    let heavy = side.pieces(PieceKind::Rook) | side.pieces(PieceKind::Queen);
    let both_colors = (bishops & Bitboard::LIGHT).any() && (bishops & Bitboard::DARK).any();
    let lone_king = board.king(!strong);
    let score = if heavy.any() || both_colors {
        mop_up(board, strong) + 10 * centre_distance(lone_king)
            - 4 * reachable_squares(board, strong).count() as i32
    } else if bishops.any() && knights.any() {
        mop_up(board, strong) + 100 * corner_proximity(lone_king, bishops)
    } else if knights.count() > 2 {
        mop_up(board, strong) + 10 * centre_distance(lone_king)
    } else if pawns.is_empty() {
        0
    } else if let (true, Some(pawn)) = (side.occupied().count() == 2, pawns.first()) {
        kpk_score(board, strong, pawn)
    } else if knights.is_empty() && is_wrong_rook_pawn(strong, pawns, bishops, lone_king) {
        0
    } else {
        return EndgameScore::Unknown;
    };
    EndgameScore::Score(if board.turn() == strong { score } else { -score })
}

/// Material and the distance of the kings. The caller adds the target of the lone king.
fn mop_up(board: &Board, strong: Color) -> i32 {
    let side = board.side(strong);
    let value = |kind: PieceKind| side.pieces(kind).count() as i32 * PIECE_VALUES[kind.index()].1;
    let material: i32 = PieceKind::ALL.into_iter().map(value).sum();
    let distance = i32::from(board.king(Color::White).distance(board.king(Color::Black)));
    let advances = side.pieces(PieceKind::Pawn).into_iter();
    let advances: i32 = advances.map(|pawn| pawn.rank().relative_to(strong) as i32).sum();
    KNOWN_WIN + material + 10 * (7 - distance) + 5 * advances
}

/// The squares that the lone king can reach if only it moves.
fn reachable_squares(board: &Board, strong: Color) -> Bitboard {
    let king = board.king(!strong).bitboard();
    let side = board.side(strong);
    let free = !side.attacks(strong, side.occupied());
    let mut reached = king;
    loop {
        let across = reached
            | Bitboard(reached.0 << 1) & !Bitboard::FILE_A
            | Bitboard(reached.0 >> 1) & !Bitboard::FILE_H;
        let around = across | Bitboard(across.0 << 8) | Bitboard(across.0 >> 8);
        let grown = around & free | king;
        if grown == reached {
            return reached;
        }
        reached = grown;
    }
}

/// Manhattan distance from the four centre squares: 6 in the corners.
fn centre_distance(square: Square) -> i32 {
    let steps = |line: u8| i32::from(if line < 4 { 3 - line } else { line - 4 });
    steps(square.file() as u8) + steps(square.rank() as u8)
}

/// 7 minus the Manhattan distance of the king from the nearer corner of the bishops' colour: 0 in
/// the other two corners.
fn corner_proximity(king: Square, bishops: Bitboard) -> i32 {
    let king = if (bishops & Bitboard::DARK).any() { king } else { king.flip_file() };
    (7 - king.file() as i32 - king.rank() as i32).abs()
}

/// The score of king and pawn against king.
fn kpk_score(board: &Board, strong: Color, pawn: Square) -> i32 {
    let (king, lone_king) = (board.king(strong), board.king(!strong));
    if !kpk::is_won(strong, board.turn(), king, pawn, lone_king) {
        return 0;
    }
    let rank = pawn.rank().relative_to(strong);
    let promotion_square = Square::new(pawn.file(), Rank::Eighth.relative_to(strong));
    KNOWN_WIN / 2 + 30 * rank as i32 - 5 * i32::from(king.distance(promotion_square))
}

/// Whether all pawns are rook pawns of one file whose promotion corner the lone king holds, because
/// no bishop attacks it (<https://en.wikipedia.org/wiki/Wrong_rook_pawn>).
pub(crate) fn is_wrong_rook_pawn(
    strong: Color,
    pawns: Bitboard,
    bishops: Bitboard,
    king: Square,
) -> bool {
    for file in [File::A, File::H] {
        let corner = Square::new(file, Rank::Eighth.relative_to(strong));
        let color = if Bitboard::LIGHT.has(corner) { Bitboard::LIGHT } else { Bitboard::DARK };
        if (pawns & !file.bitboard()).is_empty() {
            return (bishops & color).is_empty() && king.distance(corner) <= 1;
        }
    }
    false
}

impl EndgameScore {
    /// The score of a position from the side to move's view; calls `evaluate` if it is needed.
    #[inline]
    pub(super) fn apply(self, board: &Board, evaluate: impl FnOnce() -> i32) -> i32 {
        match self {
            EndgameScore::Unknown => evaluate(),
            EndgameScore::Score(score) => score,
            EndgameScore::Scale(scale) => {
                let score = evaluate();
                let better = if score > 0 { board.turn() } else { !board.turn() };
                score * scale[better.index()] / NORMAL_SCALE
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endgame_score(fen: &str) -> EndgameScore {
        let board = Board::from_fen(fen).expect("a legal position");
        let (score, flipped) = (probe(&board), probe(&board.flipped()));
        match (score, flipped) {
            (EndgameScore::Scale([a, b]), EndgameScore::Scale([c, d])) => {
                assert_eq!([a, b], [d, c], "{fen}");
            }
            _ => assert_eq!(score, flipped, "symmetric in colours: {fen}"),
        }
        score
    }

    fn score(fen: &str) -> i32 {
        match endgame_score(fen) {
            EndgameScore::Score(score) => score,
            other => panic!("{fen}: {other:?}"),
        }
    }

    #[test]
    fn mating_material_wins_and_other_material_draws() {
        for (fen, is_won) in [
            ("8/8/3k4/8/8/3K4/8/Q7 w - - 0 1", true),
            ("8/8/3k4/8/8/3K4/8/R7 b - - 0 1", true),
            ("8/8/3k4/8/8/3K4/8/BB6 w - - 0 1", true),
            ("8/8/3k4/8/8/3K4/8/BN6 w - - 0 1", true),
            ("8/8/3k4/8/8/3K4/8/NN6 w - - 0 1", false),
            ("8/8/3k4/8/8/3K4/8/NNN5 w - - 0 1", true),
            ("8/8/3k4/8/8/3K4/1B6/B7 w - - 0 1", false),
            ("8/8/8/1k6/8/1K6/1P6/8 w - - 0 1", false),
            ("8/8/1k6/8/1K6/8/1P6/8 w - - 0 1", true),
            ("k7/8/K7/P7/8/8/8/4B3 w - - 0 1", false),
            ("8/8/8/8/8/5pk1/8/5K2 b - - 0 1", true),
        ] {
            let board = Board::from_fen(fen).expect("a legal position");
            let sign = if board.side(board.turn()).occupied().count() > 1 { 1 } else { -1 };
            assert_eq!(sign * score(fen) > 400, is_won, "{fen}");
            assert_eq!(score(fen) == 0, !is_won, "{fen}");
        }
    }

    #[test]
    fn a_queen_scores_more_than_a_pawn_on_the_seventh() {
        let pawn = score("8/3P4/1k1K4/8/8/8/8/8 w - - 0 1");
        let queen = -score("3Q4/8/1k1K4/8/8/8/8/8 b - - 0 1");
        assert!(queen > pawn + 500);
    }

    #[test]
    fn the_lone_king_is_driven_to_the_edge_and_the_bishops_corner() {
        for (worse, better) in [
            ("k7/2K5/8/8/8/8/8/2BN4 w - - 0 1", "7k/5K2/8/8/8/8/8/2BN4 w - - 0 1"),
            ("7k/5K2/8/8/8/8/8/1B1N4 w - - 0 1", "k7/2K5/8/8/8/8/8/1B1N4 w - - 0 1"),
            ("3k4/8/3K4/8/8/8/8/R7 w - - 0 1", "k7/8/K7/8/8/8/8/R7 w - - 0 1"),
            ("k7/8/8/3K4/8/8/8/7R w - - 0 1", "k7/2K5/8/8/8/8/8/7R w - - 0 1"),
        ] {
            assert!(score(better) > score(worse), "{better} against {worse}");
        }
    }

    #[test]
    fn material_that_cannot_win_is_scaled_down() {
        for (fen, scale) in [
            ("8/8/3k1p2/8/8/3K4/8/B7 w - - 0 1", [0, 4]),
            ("8/8/3k1p2/8/8/3K4/8/NN6 w - - 0 1", [0, 4]),
            ("8/8/3kr3/8/8/3K4/8/RB6 w - - 0 1", [1, 1]),
            ("8/8/3kn3/8/8/3K4/8/R7 w - - 0 1", [1, 0]),
            ("8/8/3kbn2/8/8/3K4/8/Q7 w - - 0 1", [4, 1]),
            ("8/8/3kbb2/8/8/3K4/8/Q7 w - - 0 1", [4, 1]),
            ("8/8/3knn2/8/8/3K4/8/Q7 w - - 0 1", [1, 0]),
        ] {
            assert_eq!(endgame_score(fen), EndgameScore::Scale(scale), "{fen}");
        }
        for fen in [
            "8/8/3kr3/8/8/3K4/8/Q7 w - - 0 1",
            "8/5p2/3kr3/8/8/3K4/2P5/R7 w - - 0 1",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        ] {
            let score = endgame_score(fen);
            assert!(!matches!(score, EndgameScore::Score(_)), "{fen}: {score:?}");
        }
    }
}
