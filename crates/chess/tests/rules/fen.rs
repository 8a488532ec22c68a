//! Reading FEN: malformed texts, illegal positions, repairs, unusual positions, and arbitrary
//! texts.

use crate::support::{board, random_boards, setup, square, squares};
use saavedra_chess::perft::{perft, slow_perft};
use saavedra_chess::{
    ArrayError, Bitboard, Board, Color, FenError, IllegalPosition, Piece, PieceKind, PositionError,
    Rank, Repair, Setup, Side,
};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The error of a malformed FEN.
fn fen_error(fen: &str) -> FenError {
    match Board::from_fen(fen) {
        Err(PositionError::Fen(error)) => error,
        other => panic!("{fen:?} is not malformed: {other:?}"),
    }
}

#[test]
fn malformed_fields_are_errors_that_name_the_text() {
    let rest = "/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let first = |rank: &str| format!("{rank}{rest}");
    let after = |fields: &str| format!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR {fields}");
    let text = str::to_owned;
    let cases = [
        (String::new(), FenError::Empty),
        (text("  \t "), FenError::Empty),
        (text("8/8/8/8/8/8/8 w - - 0 1"), FenError::RankCount(7)),
        (text("8/8/8/8/8/8/8/8/8 w - - 0 1"), FenError::RankCount(9)),
        (text("start"), FenError::RankCount(1)),
        (first("rnbqkbn"), FenError::RankLength(Rank::Eighth, 7)),
        (first("rnbqkbnrr"), FenError::RankLength(Rank::Eighth, 9)),
        (first("rnbqkbnr1"), FenError::RankLength(Rank::Eighth, 9)),
        (first(""), FenError::RankLength(Rank::Eighth, 0)),
        (first("ppppkppppppppppp"), FenError::RankLength(Rank::Eighth, 16)),
        (first("rnbxkbnr"), FenError::UnknownPiece(Rank::Eighth, 'x')),
        (first("rnb♛kbnr"), FenError::UnknownPiece(Rank::Eighth, '♛')),
        (first("9"), FenError::UnknownPiece(Rank::Eighth, '9')),
        (first("0rnbqkbnr"), FenError::UnknownPiece(Rank::Eighth, '0')),
        (first("44"), FenError::DigitsInARow(Rank::Eighth)),
        (after("W KQkq - 0 1"), FenError::Turn(text("W"))),
        (after("white KQkq - 0 1"), FenError::Turn(text("white"))),
        (after("- KQkq - 0 1"), FenError::Turn(text("-"))),
        (after("w KQxq - 0 1"), FenError::Castling(text("KQxq"))),
        (after("w -- - 0 1"), FenError::Castling(text("--"))),
        (after("w K- - 0 1"), FenError::Castling(text("K-"))),
        (after("w HAi - 0 1"), FenError::Castling(text("HAi"))),
        (after("w KQkq e3 0 1"), FenError::EnPassant(text("e3"))),
        (after("b KQkq e6 0 1"), FenError::EnPassant(text("e6"))),
        (after("w KQkq e9 0 1"), FenError::EnPassant(text("e9"))),
        (after("w KQkq E6 0 1"), FenError::EnPassant(text("E6"))),
        (after("w KQkq e 0 1"), FenError::EnPassant(text("e"))),
        (after("w KQkq e66 0 1"), FenError::EnPassant(text("e66"))),
        (after("w KQkq - -1 1"), FenError::Counter(text("-1"))),
        (after("w KQkq - 0 -1"), FenError::Counter(text("-1"))),
        (after("w KQkq - + 1"), FenError::Counter(text("+"))),
        (after("w KQkq - 0 1.5"), FenError::Counter(text("1.5"))),
        (after("w KQkq - zero 1"), FenError::Counter(text("zero"))),
        (after("w KQkq - 0 1 1"), FenError::TooManyFields(text("1"))),
    ];
    for (fen, error) in cases {
        let found = fen_error(&fen);
        assert_eq!(found, error, "{fen:?}");
        assert!(found.to_string().starts_with("malformed FEN: "), "{found}");
    }
}

#[test]
fn illegal_positions_are_errors_with_all_reasons() {
    use Color::{Black, White};
    use IllegalPosition::*;
    let on = |name| PawnOnBackRank(square(name));
    let cases: [(&str, &[IllegalPosition]); 22] = [
        ("8/8/8/8/8/8/8/8 w - - 0 1", &[NoKing(White), NoKing(Black)]),
        ("4k3/8/8/8/8/8/8/8 w - - 0 1", &[NoKing(White)]),
        ("8/8/8/8/8/8/8/4K3 b - - 0 1", &[NoKing(Black)]),
        ("4k3/8/8/8/8/8/8/K3K3 w - - 0 1", &[TooManyKings(White, 2)]),
        ("k3k2k/8/8/8/8/8/8/8 w - - 0 1", &[NoKing(White), TooManyKings(Black, 3)]),
        ("8/8/8/3kK3/8/8/8/8 w - - 0 1", &[KingsAdjacent]),
        ("8/8/8/3k4/4K3/8/8/8 b - - 0 1", &[KingsAdjacent]),
        ("4k3/8/8/8/8/8/8/4RK2 w - - 0 1", &[OpponentInCheck]),
        ("4k3/8/8/8/8/8/3p4/4K3 b - - 0 1", &[OpponentInCheck]),
        ("4k3/8/8/8/8/8/8/P3K3 w - - 0 1", &[on("a1")]),
        ("4k2P/8/8/8/8/8/8/4K3 w - - 0 1", &[on("h8")]),
        ("4k2p/8/8/8/8/8/8/p3K3 w - - 0 1", &[on("a1"), on("h8")]),
        ("4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1", &[TooManyPawns(White, 9)]),
        (
            "rnbqkbnr/pppppppp/p7/8/8/8/8/4K3 w - - 0 1",
            &[TooManyPieces(Black, 17), TooManyPawns(Black, 9)],
        ),
        (
            "rnbqkbnr/pppppppp/n7/8/8/8/8/4K3 w - - 0 1",
            &[TooManyPieces(Black, 17), TooManyPromotedPieces(Black, 1)],
        ),
        ("4k3/8/8/8/8/Q7/PPPPPPPP/3QK3 w - - 0 1", &[TooManyPromotedPieces(White, 1)]),
        ("4k3/8/8/8/8/NNN5/PPPPPPPP/4K3 w - - 0 1", &[TooManyPromotedPieces(White, 1)]),
        ("4k3/8/8/8/8/BBB5/PPPPPPPP/4K3 w - - 0 1", &[TooManyPromotedPieces(White, 1)]),
        ("4k3/8/8/8/8/RRR5/PPPPPPPP/4K3 w - - 0 1", &[TooManyPromotedPieces(White, 1)]),
        ("4k3/8/8/8/8/QQQQ4/PPPPPP2/4K3 w - - 0 1", &[TooManyPromotedPieces(White, 1)]),
        ("4k3/8/8/8/8/QQQQQ3/QQQQQ3/4K3 b - - 0 1", &[TooManyPromotedPieces(White, 1)]),
        ("p3k3/8/8/8/8/8/4R3/4K3 w - - 0 1", &[on("a8"), OpponentInCheck]),
    ];
    for (fen, reasons) in cases {
        match Board::from_fen(fen) {
            Err(PositionError::Setup(error)) => {
                assert_eq!(error.reasons, reasons, "{fen}");
                let text = error.to_string();
                assert!(text.starts_with("impossible position: "), "{text}");
                assert!(!text.contains('\n'), "{text}");
            }
            other => panic!("{fen} is not illegal: {other:?}"),
        }
    }
}

#[test]
fn wrong_castling_rights_and_en_passant_squares_are_repaired() {
    use Color::{Black, White};
    use Repair::{CastlingDropped, EnPassantDropped, MoveNumberZero, SecondCastlingDropped};
    let ep = |name| EnPassantDropped(square(name));
    let second = |name| SecondCastlingDropped(square(name));
    let cases: [(&str, &str, &[Repair]); 26] = [
        // Castling rights without king or rook.
        ("4k3/8/8/8/8/8/8/4K2R w KQ - 0 1", "K", &[CastlingDropped(White)]),
        (
            "r3k3/8/8/8/8/8/8/4K3 w KQkq - 0 1",
            "q",
            &[CastlingDropped(White), CastlingDropped(Black)],
        ),
        (
            "r3k3/8/8/8/8/8/8/4K3 w KkQq - 0 1",
            "q",
            &[CastlingDropped(White), CastlingDropped(Black)],
        ),
        ("4k3/8/8/8/8/8/4K3/R6R w KQ - 0 1", "-", &[CastlingDropped(White)]),
        ("4k3/8/8/8/8/8/8/K6R w Q - 0 1", "-", &[CastlingDropped(White)]),
        ("4k3/8/8/8/8/8/8/4K2R w G - 0 1", "-", &[CastlingDropped(White)]),
        ("4k3/8/8/8/8/8/8/4K2R w E - 0 1", "-", &[CastlingDropped(White)]),
        ("4k2r/8/8/8/8/8/8/4K3 w h - 0 1", "k", &[]),
        ("4k3/8/8/8/8/8/8/4K2r w K - 0 1", "-", &[CastlingDropped(White)]),
        // At most one castling right on each side.
        ("4k3/8/8/8/8/8/8/R1R1K2R w ACH - 0 1", "KQ", &[second("c1")]),
        ("4k3/8/8/8/8/8/8/RR2K3 w AB - 0 1", "Q", &[second("b1")]),
        ("4k3/8/8/8/8/8/8/RR2K3 w BQ - 0 1", "B", &[second("a1")]),
        (
            "rrr1k3/8/8/8/8/8/8/RRR1K3 w ABCBaCb - 0 1",
            "Qq",
            &[second("b1"), second("c1"), second("b8")],
        ),
        ("4k3/8/8/8/8/8/8/RR2K3 w ABDK - 0 1", "Q", &[second("b1"), CastlingDropped(White)]),
        ("4k3/8/8/8/8/8/8/R1R1K2R w CH - 0 1", "KC", &[]),
        ("4k3/8/8/8/8/8/8/R3K2R w KQKQ - 0 1", "KQ", &[]),
        // En passant.
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "d6", &[]),
        ("4k3/8/8/3p4/8/8/8/4K3 w - d6 0 2", "-", &[ep("d6")]),
        ("4k3/8/8/4P3/8/8/8/4K3 w - d6 0 2", "-", &[ep("d6")]),
        ("4k3/3n4/8/3pP3/8/8/8/4K3 w - d6 0 2", "-", &[ep("d6")]),
        ("4k3/8/3n4/3pP3/8/8/8/4K3 w - d6 0 2", "-", &[ep("d6")]),
        ("8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 2", "-", &[ep("d6")]),
        ("4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 2", "d3", &[]),
        ("4k3/8/8/8/3P4/8/8/4K3 b - d3 0 2", "-", &[ep("d3")]),
        // Clocks.
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 0", "0 1", &[MoveNumberZero]),
        (
            "4k3/8/8/8/8/8/8/4K3 w KQ e6 7 0",
            "7 1",
            &[CastlingDropped(White), ep("e6"), MoveNumberZero],
        ),
    ];
    for (fen, expected, repairs) in cases {
        let (board, found) = Board::from_fen_with_repairs(fen).expect(fen);
        assert_eq!(found, repairs, "{fen}");
        let again = board.to_fen();
        assert!(again.contains(&format!(" {expected}")), "{fen} became {again}");
        assert_eq!(Board::from_fen_with_repairs(&again), Ok((board, vec![])), "{fen}");
        for repair in found {
            assert!(!repair.to_string().contains('\n'));
        }
    }
}

#[test]
fn missing_fields_have_defaults() {
    let pieces = "r3k2r/8/8/8/8/8/8/R3K2R";
    let cases = [
        ("", " w - - 0 1"),
        (" b", " b - - 0 1"),
        (" w KQkq", " w KQkq - 0 1"),
        (" b Kq -", " b Kq - 0 1"),
        (" w - - 12", " w - - 12 1"),
        ("\tw \t - - 3 4 ", " w - - 3 4"),
    ];
    for (fields, expected) in cases {
        let fen = format!("{pieces}{fields}");
        let (board, repairs) = Board::from_fen_with_repairs(&fen).expect("a FEN");
        assert_eq!(board.to_fen(), format!("{pieces}{expected}"), "{fen}");
        assert_eq!(repairs, [], "{fen}");
    }
}

#[test]
fn unusual_legal_positions_are_accepted() {
    let cases = [
        ("three checkers", "4k3/4R3/8/1B6/8/5N2/8/4K3 b - - 0 1"),
        ("four checkers", "4k3/2N1R3/8/1B5B/8/8/8/4K3 b - - 0 1"),
        ("two rooks check on one line", "k7/8/8/8/8/8/8/R3K2R b - - 0 1"),
        ("check by a pawn that cannot have moved", "8/8/8/8/8/k7/1P6/4K3 b - - 0 1"),
        ("nine queens", "4k3/8/8/8/8/QQQQQ3/QQQQ4/4K3 b - - 0 1"),
        (
            "two bishops on squares of one colour and eight pawns",
            "4k3/8/8/8/8/8/PPPPPPPP/B1B1K3 w - - 0 1",
        ),
        ("pawns that have passed each other", "8/PPPPPPPP/8/1k6/6K1/8/pppppppp/8 w - - 0 1"),
        ("a halfmove clock above 100", "4k3/8/8/8/8/8/8/4K2R w K - 9999 5000"),
        ("stalemate", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"),
        ("mate", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"),
        ("218 moves", "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1"),
    ];
    for (name, fen) in cases {
        let (board, repairs) = Board::from_fen_with_repairs(fen).expect(name);
        assert_eq!(repairs, [], "{name}");
        assert_eq!(board.to_fen(), fen, "{name}");
        for depth in 0..=2 {
            assert_eq!(perft(&board, depth), slow_perft(&board, depth), "{name}");
        }
    }
    assert_eq!(board(cases[10].1).legal_moves().len(), 218);
}

#[test]
fn large_clocks_saturate() {
    let cases = [
        ("99999 1", "65535 1"),
        ("0 99999999999999999999999", "0 4294967295"),
        ("340282366920938463463374607431768211456 7", "65535 7"),
        ("0065 007", "65 7"),
    ];
    for (counters, expected) in cases {
        let board = board(&format!("4k3/8/8/8/8/8/8/4K3 b - - {counters}"));
        assert_eq!(board.to_fen(), format!("4k3/8/8/8/8/8/8/4K3 b - - {expected}"));
        // Making moves does not overflow.
        for (_, child) in board.children() {
            assert!(child.halfmove_clock() >= board.halfmove_clock());
            assert!(child.fullmove_number() >= board.fullmove_number());
        }
    }
}

#[test]
fn castling_fields_of_fen_x_fen_and_shredder_fen() {
    let cases = [
        // FEN, rooks, X-FEN, Shredder-FEN.
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "a1 h1 a8 h8", "KQkq", "HAha"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", "a1 h1 a8 h8", "KQkq", "HAha"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w qK - 0 1", "h1 a8", "Kq", "Ha"),
        ("1rk3r1/8/8/8/8/8/8/1RK3R1 w KQkq - 0 1", "b1 g1 b8 g8", "KQkq", "GBgb"),
        // K and Q mean the outermost rook; an inner rook needs its file.
        ("4k3/8/8/8/8/8/8/RR2K1RR w KQ - 0 1", "a1 h1", "KQ", "HA"),
        ("4k3/8/8/8/8/8/8/RR2K1RR w GB - 0 1", "b1 g1", "GB", "GB"),
        ("1r2k1rr/8/8/8/8/8/8/4K3 w gb - 0 1", "g8 b8", "gq", "gb"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "", "-", "-"),
    ];
    for (fen, rooks, x_fen, shredder) in cases {
        let board = board(fen);
        assert_eq!(board.castling_rights(), squares(rooks), "{fen}");
        assert_eq!(board.to_fen().split(' ').nth(2), Some(x_fen), "{fen}");
        assert_eq!(board.to_shredder_fen().split(' ').nth(2), Some(shredder), "{fen}");
    }
}

#[test]
fn a_setup_from_sides_from_an_array_and_from_pieces() {
    let start = Board::startpos();
    assert_eq!(board(START), start);
    let mut setup = Setup::from_sides(start.side(Color::White), start.side(Color::Black));
    setup.allow_standard_castling();
    assert_eq!(setup.to_board(), Ok((start, vec![])));

    let array = [
        [-4, -2, -3, -5, -6, -3, -2, -4],
        [-1; 8],
        [0; 8],
        [0; 8],
        [0; 8],
        [0; 8],
        [1; 8],
        [4, 2, 3, 5, 6, 3, 2, 4],
    ];
    let setup = Setup::from_array(&array).expect("numbers from -6 to 6");
    assert_eq!(setup.to_board(), Ok((start, vec![])));
    for wrong in [7, -7, i8::MIN, i8::MAX] {
        let mut array = array;
        array[3][2] = wrong;
        let error = ArrayError { square: square("c5"), number: wrong };
        assert_eq!(Setup::from_array(&array), Err(error));
    }

    let mut setup = Setup::empty();
    setup.set_piece(square("e1"), Some(Piece::new(Color::White, PieceKind::King)));
    setup.set_piece(square("e8"), Some(Piece::new(Color::Black, PieceKind::King)));
    setup.set_piece(square("a1"), Some(Piece::new(Color::White, PieceKind::Rook)));
    setup.set_turn(Color::Black);
    setup.set_clocks(3, 9);
    let (built, repairs) = setup.to_board().expect("a legal position");
    assert_eq!(built.to_fen(), "4k3/8/8/8/8/8/8/R3K3 b - - 3 9");
    assert_eq!(repairs, []);
    setup.set_piece(square("e1"), None);
    assert!(setup.to_board().is_err());
}

#[test]
fn a_setup_from_a_board_gives_an_equal_board() {
    for board in random_boards(4_000, 22) {
        assert_eq!(Setup::from(&board).to_board(), Ok((board, vec![])));
        assert_eq!(board.to_string().parse(), Ok(board));
        let from_epd: Board = board.to_epd().parse().expect("missing clocks have defaults");
        assert!(from_epd.same_position(&board), "{board}");
    }
}

#[test]
fn changes_of_a_side_return_a_new_side() {
    let side = Side::EMPTY.with(PieceKind::King, square("e1")).with(PieceKind::Pawn, square("e2"));
    assert_eq!(side.occupied(), squares("e1 e2"));
    assert_eq!(side.moved(square("e2"), square("e4")).pieces(PieceKind::Pawn), squares("e4"));
    assert_eq!(side.moved(square("a1"), square("a2")), side, "a1 is empty");
    assert_eq!(side.without(square("e2")).occupied(), squares("e1"));
    // A piece put on an occupied square replaces the piece there.
    let rook = side.with(PieceKind::Rook, square("e2"));
    assert_eq!(rook.piece_at(square("e2")), Some(PieceKind::Rook));
    assert_eq!(rook.pieces(PieceKind::Pawn), Bitboard::EMPTY);
    assert_eq!(side.occupied(), squares("e1 e2"), "the first side is unchanged");
    let attacked = side.attacks(Color::White, side.occupied());
    assert_eq!(attacked, squares("d1 f1 d2 e2 f2 d3 f3"));
}

#[test]
fn the_text_of_a_setup_error_names_all_reasons() {
    let error = setup("p6P/8/8/8/8/8/8/8 w - - 0 1").to_board().expect_err("no kings");
    assert_eq!(
        error.to_string(),
        "impossible position: white has no king; black has no king; a pawn stands on a8; \
         a pawn stands on h8"
    );
}
