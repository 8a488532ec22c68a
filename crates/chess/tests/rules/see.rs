//! Static exchange evaluation compared with known cases and with a slow reference that makes each
//! capture on an array of 64 squares.

use crate::support::{board, random_boards, square};
use saavedra_chess::attacks::slow;
use saavedra_chess::{Board, Color, Move, MoveKind, Piece, PieceKind, SEE_VALUES, Square};

/// The pieces by square.
type Squares = [Option<Piece>; 64];

fn value(kind: PieceKind) -> i32 {
    SEE_VALUES[kind.index()]
}

/// Whether the piece on `from` attacks `to`.
fn attacks(squares: &Squares, from: usize, to: usize) -> bool {
    let occupied = (0..64).filter(|i| squares[*i].is_some()).fold(0, |set, i| set | 1u64 << i);
    let Some(piece) = squares[from] else {
        return false;
    };
    let set = match (piece.kind, piece.color) {
        (PieceKind::Pawn, Color::White) => slow::leaps(from, &[(-1, 1), (1, 1)]),
        (PieceKind::Pawn, Color::Black) => slow::leaps(from, &[(-1, -1), (1, -1)]),
        (PieceKind::Knight, _) => slow::leaps(from, &slow::KNIGHT),
        (PieceKind::Bishop, _) => slow::slides(from, &slow::BISHOP, occupied),
        (PieceKind::Rook, _) => slow::slides(from, &slow::ROOK, occupied),
        (PieceKind::Queen, _) => slow::slides(from, &slow::KING, occupied),
        (PieceKind::King, _) => slow::leaps(from, &slow::KING),
    };
    set >> to & 1 != 0
}

/// The opponent's sliders that give check to the king of a colour.
fn sliding_checkers(squares: &Squares, color: Color) -> Vec<usize> {
    let slider = |piece: Piece| {
        use PieceKind::{Bishop, Queen, Rook};
        piece.color != color && matches!(piece.kind, Bishop | Rook | Queen)
    };
    let king = squares.iter().position(|p| *p == Some(Piece::new(color, PieceKind::King)));
    (0..64)
        .filter(|i| squares[*i].is_some_and(slider))
        .filter(|i| king.is_some_and(|king| attacks(squares, *i, king)))
        .collect()
}

fn moved(squares: &Squares, from: usize, to: usize) -> Squares {
    let mut after = *squares;
    after[to] = after[from].take();
    after
}

/// The gain of a colour by capturing on the square with its least valuable piece, or 0 without
/// capture.
fn exchange(squares: &Squares, color: Color, to: usize) -> i32 {
    let victim = squares[to].map_or(0, |piece| value(piece.kind));
    let checked = sliding_checkers(squares, color);
    let may_capture = |from: &usize| {
        let Some(piece) = squares[*from] else {
            return false;
        };
        if piece.color != color || !attacks(squares, *from, to) {
            return false;
        }
        let after = moved(squares, *from, to);
        match piece.kind {
            // The king cannot capture a defended piece.
            PieceKind::King => !(0..64).any(|i| {
                i != to && squares[i].is_some_and(|p| p.color != color) && attacks(squares, i, to)
            }),
            // The capture must not uncover a check by a slider.
            _ => sliding_checkers(&after, color).iter().all(|i| checked.contains(i)),
        }
    };
    // Of several least valuable pieces the first, counted from the colour's back rank.
    let relative = |i: &usize| Square::from_index(*i as u8).relative_to(color).index();
    let least_valuable = (0..64)
        .filter(may_capture)
        .min_by_key(|i| (squares[*i].map(|piece| piece.kind), relative(i)));
    match least_valuable {
        None => 0,
        Some(from) => (victim - exchange(&moved(squares, from, to), !color, to)).max(0),
    }
}

/// The static exchange evaluation of a move.
fn slow_see(board: &Board, m: Move) -> i32 {
    if m.is_castling() {
        return 0;
    }
    let mut squares: Squares = std::array::from_fn(|i| board.piece_at(Square::from_index(i as u8)));
    let (from, to) = (m.from().index(), m.to().index());
    let mut gain = squares[to].map_or(0, |piece| value(piece.kind));
    match m.kind() {
        MoveKind::EnPassant => {
            squares[Square::new(m.to().file(), m.from().rank()).index()] = None;
            gain = value(PieceKind::Pawn);
        }
        MoveKind::Promotion(kind) => {
            squares[from] = Some(Piece::new(board.turn(), kind));
            gain += value(kind) - value(PieceKind::Pawn);
        }
        _ => {}
    }
    gain - exchange(&moved(&squares, from, to), !board.turn(), to)
}

#[test]
fn see_equals_the_slow_reference() {
    let mut losing = 0;
    for board in random_boards(6_000, 21) {
        for m in &board.legal_moves() {
            let value = slow_see(&board, m);
            for (threshold, expected) in [(value - 1, true), (value, true), (value + 1, false)] {
                assert_eq!(
                    board.see_ge(m, threshold),
                    expected,
                    "{} has SEE {value}, threshold {threshold}: {}",
                    board.uci(m, true),
                    board.to_fen()
                );
            }
            losing += usize::from(value < 0);
        }
    }
    assert!(losing > 10_000, "only {losing} losing moves");
}

#[test]
fn known_cases() {
    let cases = [
        ("a pawn without recapture", "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 100),
        ("pawn for pawn", "4k3/8/4p3/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 0),
        ("a rook takes a defended pawn", "4k3/8/4p3/3p4/8/8/8/3RK3 w - - 0 1", "d1d5", -400),
        ("x-ray through the own rook", "4k3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", 100),
        ("rook and rook against one", "3rk3/8/8/3p4/8/3R4/8/3RK3 w - - 0 1", "d3d5", 100),
        ("the stronger piece in front", "3rk3/8/8/3p4/8/3Q4/8/3RK3 w - - 0 1", "d3d5", -300),
        ("the king recaptures", "8/8/4k3/3p4/8/8/8/3RK3 w - - 0 1", "d1d5", -400),
        (
            "the king cannot recapture a defended piece",
            "8/8/4k3/3p4/8/8/3R4/3RK3 w - - 0 1",
            "d2d5",
            100,
        ),
        ("a quiet move beside a king", "4k3/8/8/8/8/8/8/3RK3 w - - 0 1", "d1d7", -500),
        (
            "a quiet move to a square attacked by a pawn",
            "4k3/8/4p3/8/8/8/8/3QK3 w - - 0 1",
            "d1d5",
            -900,
        ),
        ("en passant without recapture", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "e5d6", 100),
        ("en passant with recapture", "4k3/2p5/8/3pP3/8/8/8/4K3 w - d6 0 2", "e5d6", 0),
        ("en passant opens a line", "3rk3/8/8/3pP3/8/8/3R4/3RK3 w - d6 0 2", "e5d6", 100),
        ("promotion", "8/4P1k1/8/8/8/8/8/4K3 w - - 0 1", "e7e8q", 800),
        (
            "promotion on a square that is not attacked",
            "8/4P3/5k2/8/8/8/r7/4K3 w - - 0 1",
            "e7e8q",
            800,
        ),
        ("promotion with recapture", "r7/4P1k1/8/8/8/8/8/4K3 w - - 0 1", "e7e8q", -100),
        ("promotion with a capture", "3r2k1/4P3/8/8/8/8/8/4K3 w - - 0 1", "e7d8q", 1300),
        ("promotion to a knight with recapture", "r7/4P1k1/8/8/8/8/8/4K3 w - - 0 1", "e7e8n", -100),
        ("castling", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", 0),
        ("the defender is pinned", "4k3/4n3/8/3p4/8/8/4R3/3RK3 w - - 0 1", "d1d5", 100),
        ("the second rook recaptures", "4k3/4r3/8/3bn3/8/4R3/4R3/4K3 w - - 0 1", "e3e5", 300),
        (
            "x-ray of a bishop through the own queen",
            "4k3/6p1/5p2/8/3Q4/2B5/8/4K3 w - - 0 1",
            "d4f6",
            -700,
        ),
        ("knight takes, pawn recaptures", "4k3/8/1p6/2b5/8/3N4/8/4K3 w - - 0 1", "d3c5", 0),
        ("the same for black", "4k3/8/3n4/8/2B5/1P6/8/4K3 b - - 0 1", "d6c4", 0),
    ];
    for (name, fen, text, value) in cases {
        for (board, text) in [(board(fen), text.to_owned()), (board(fen).flipped(), mirrored(text))]
        {
            let m = board.parse_uci(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(slow_see(&board, m), value, "{name}, slow reference: {text} {board:?}");
            assert!(board.see_ge(m, value), "{name}: {text} has SEE of at least {value} {board:?}");
            assert!(
                !board.see_ge(m, value + 1),
                "{name}: {text} has SEE of at most {value} {board:?}"
            );
        }
    }
}

/// The text of the same move with ranks mirrored.
fn mirrored(text: &str) -> String {
    let flip = |name| square(name).flip_rank().to_string();
    flip(&text[..2]) + &flip(&text[2..4]) + &text[4..]
}
