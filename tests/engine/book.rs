//! Opening books: keys against published examples and python-chess, unusual entries, choosing
//! moves, books made from games.

use saavedra::book::{Book, BookEntry, Builder, Pick, key};
use saavedra::chess::{Board, Game, GameResult, Setup};

/// The published examples of the format, then positions whose keys python-chess 1.11.2 computed.
const KEYS: [(&str, u64); 15] = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0x463B_9618_1691_FC9C),
    ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", 0x823C_9B50_FD11_4196),
    ("rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 2", 0x0756_B944_61C5_0FB0),
    ("rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2", 0x662F_AFB9_65DB_29D4),
    ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", 0x22A4_8B5A_8E47_FF78),
    ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR b kq - 0 3", 0x652A_607C_A3F2_42C1),
    ("rnbq1bnr/ppp1pkpp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR w - - 0 4", 0x00FD_D303_C946_BDD9),
    ("rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR b KQkq c3 0 3", 0x3C81_23EA_7B06_7637),
    ("rnbqkbnr/p1pppppp/8/8/P6P/R1p5/1P1PPPP1/1NBQKBNR b Kkq - 0 4", 0x5C3F_9B82_9B27_9560),
    // A pawn attacks the en passant square, but is pinned.
    ("8/8/8/K2pP2q/8/8/8/7k w - d6 0 1", 0x8D76_5A85_BA99_0671),
    ("k3r3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", 0xFC93_A441_81D5_0F4E),
    ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", 0xF72E_EB99_5566_D34E),
    // No pawn attacks the en passant square.
    ("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1", 0x21EC_6916_8C52_BB26),
    // Chess960; each side has lost one right.
    ("nrkbbqrn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBQRN w KQkq - 0 1", 0x6D3C_AA6C_CF24_6880),
    ("r3k2r/8/8/8/8/8/8/R3K2R b Kq - 5 9", 0x516F_C9D8_C4A8_976A),
];

#[test]
fn keys_match_the_published_examples() {
    for (fen, expected) in KEYS {
        let setup = Setup::from_fen(fen).unwrap();
        let (board, _) = setup.to_board().unwrap();
        assert_eq!(key(&board, setup.en_passant()), expected, "{fen}");
    }
}

#[test]
fn the_en_passant_square_comes_from_the_game() {
    // After e5 and d5 the pawn on e5 is pinned: the board has no en passant square, the key hashes
    // it.
    let start = Board::from_fen("k3r3/3p4/8/4P3/8/8/8/4K3 b - - 0 1").unwrap();
    let mut game = Game::new(start);
    game.push_uci("d7d5").unwrap();
    assert_eq!(game.board().en_passant(), None);
    let en_passant = game.en_passant_square();
    assert_eq!(key(game.board(), en_passant), 0xFC93_A441_81D5_0F4E);
    let mut builder = Builder::new(10);
    game.push_uci("e1e2").unwrap();
    builder.add(&game, None);
    game.pop();
    let book = builder.build(1);
    assert_eq!(book.moves(game.board(), en_passant).len(), 1);
    assert_eq!(book.moves(game.board(), None).len(), 0);
}

#[test]
fn the_en_passant_square_of_a_fen_counts_though_the_capture_is_illegal() {
    let fen = "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1";
    let (board, repairs) = Board::from_fen_with_repairs(fen).unwrap();
    let mut game = Game::new(board).with_repairs(&repairs);
    assert_eq!(key(&board, game.en_passant_square()), 0xECBA_303C_D610_B817);
    let mut pushed = Game::new(self::board("8/8/8/8/k3p2Q/8/3P4/3K4 w - - 0 1"));
    pushed.push_uci("d2d4").unwrap();
    assert_eq!(pushed.en_passant_square(), game.en_passant_square());
    // A book built from the set-up finds the move after the push, and the other way round.
    game.push_uci("a4a5").unwrap();
    let mut builder = Builder::new(10);
    builder.add(&game, None);
    let book = builder.build(1);
    assert!(book.choose(&pushed, Pick::Best, 20).is_some());
    game.pop();
    assert!(book.choose(&game, Pick::Best, 20).is_some());
    // Without the pushed pawn the square means nothing.
    let (board, repairs) =
        Board::from_fen_with_repairs("8/8/8/8/k3p2Q/8/8/3K4 b - d3 0 1").unwrap();
    assert_eq!(Game::new(board).with_repairs(&repairs).en_passant_square(), None);
}

fn board(fen: &str) -> Board {
    Board::from_fen(fen).unwrap()
}

/// Encodes a move such as `e7e8q`; castling as written.
fn code(text: &str) -> u16 {
    let square = |text: &str| {
        let bytes = text.as_bytes();
        u16::from(bytes[0] - b'a') | u16::from(bytes[1] - b'1') << 3
    };
    let promotion = text.get(4..).unwrap();
    let promotion = ["", "n", "b", "r", "q"].iter().position(|p| *p == promotion).unwrap();
    square(&text[2..4]) | square(&text[..2]) << 6 | (promotion as u16) << 12
}

/// A book of one position; the moves have the weights 1, 2, 3 and so on.
fn book_of(board: &Board, codes: &[u16]) -> Book {
    let entry = |(i, code): (usize, &u16)| {
        let mut bytes = key(board, board.en_passant()).to_be_bytes().to_vec();
        bytes.extend(code.to_be_bytes());
        bytes.extend((i as u16 + 1).to_be_bytes());
        bytes.extend([0, 0, 0, 9]);
        bytes
    };
    Book::from_bytes(&codes.iter().enumerate().flat_map(entry).collect::<Vec<u8>>())
}

/// The legal moves of the book in UCI notation, castling as in Chess960.
fn texts(book: &Book, board: &Board) -> Vec<String> {
    let moves = book.moves(board, board.en_passant());
    moves.iter().map(|entry| board.uci(entry.m, true)).collect()
}

#[test]
fn only_legal_moves_are_read() {
    let cases: [(&str, &[&str], &[&str]); 8] = [
        // Position, moves in the book, expected legal moves.
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            &["e2e4", "e2e5", "e7e5", "a1a1", "g1f3", "e1h1", "d1h5", "e4e5", "e2e4q"],
            &["e2e4", "g1f3"],
        ),
        (
            "8/P6k/8/8/8/8/p6K/8 w - - 0 1",
            &["a7a8q", "a7a8n", "a7a8", "a7a8r", "a7a8b", "a2a1q", "h2h3"],
            &["a7a8q", "a7a8n", "a7a8r", "a7a8b", "h2h3"],
        ),
        // Castling in both encodings.
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", &["e1h1", "e1c1"], &["e1h1", "e1a1"]),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", &["e8g8", "e8a8"], &["e8h8", "e8a8"]),
        ("r3k2r/8/8/8/8/8/8/R3K2R w Qkq - 0 1", &["e1h1", "e1g1", "e1a1"], &["e1a1"]),
        // The same squares without castling: a rook or queen moves there.
        ("7k/8/8/8/8/8/7K/4R3 w - - 0 1", &["e1h1", "e1g1"], &["e1h1", "e1g1"]),
        // Chess960: king takes rook, even an adjacent one; a king move stays a king move.
        ("4k3/8/8/8/8/8/8/1R3KR1 w GB - 0 1", &["f1g1", "f1b1", "f1e1"], &["f1g1", "f1b1", "f1e1"]),
        ("4k3/8/8/8/8/8/8/R4K1R w HA - 0 1", &["f1h1", "f1g1", "f1c1"], &["f1h1", "f1g1"]),
    ];
    for (fen, codes, legal) in cases {
        let board = board(fen);
        let codes: Vec<u16> = codes.iter().map(|text| code(text)).collect();
        assert_eq!(texts(&book_of(&board, &codes), &board), legal, "{fen}");
    }
}

#[test]
fn any_encoded_move_is_legal_or_none() {
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/1P6/8/3pP3/8/8/6p1/R3K2R w KQkq d6 0 1",
    ] {
        let board = board(fen);
        let entry = |encoded_move| BookEntry { key: 0, encoded_move, weight: 1, learn: 0 };
        let legal = (0..1 << 15).filter_map(|code| entry(code).legal_move(&board));
        // Both encodings of castling are the same move.
        let castlings = board.legal_moves().iter().filter(|m| m.is_castling()).count();
        assert_eq!(legal.count(), board.legal_moves().len() + castlings, "{fen}");
    }
}

#[test]
fn moves_are_chosen_by_weight() {
    let start = Board::startpos();
    let codes = ["e2e4", "e2e5", "d2d4", "c2c4"].map(code);
    let book = book_of(&start, &codes);
    let text = |m| start.uci(m, false);
    assert_eq!(book.pick(&start, None, Pick::Best).map(text), Some("c2c4".into()));
    // The weights are 1, 3 and 4; the illegal move with weight 2 is skipped.
    let mut counts = std::collections::BTreeMap::new();
    for random in 0..8 {
        let m = book.pick(&start, None, Pick::Weighted(random)).unwrap();
        *counts.entry(text(m)).or_insert(0) += 1;
    }
    let expected = [("c2c4", 4), ("d2d4", 3), ("e2e4", 1)].map(|(m, n)| (m.to_owned(), n));
    assert_eq!(counts.into_iter().collect::<Vec<_>>(), expected);
    assert!(book.pick(&start, None, Pick::Weighted(u64::MAX)).is_some());
}

#[test]
fn no_move_is_chosen_without_weights() {
    let start = Board::startpos();
    for book in [Book::default(), book_of(&start, &[code("e2e5"), 0, 0xFFFF])] {
        assert_eq!(book.pick(&start, None, Pick::Best), None);
        assert_eq!(book.pick(&start, None, Pick::Weighted(7)), None);
    }
    let mut bytes = book_of(&start, &[code("e2e4")]).to_bytes();
    bytes[10..12].fill(0);
    let unplayed = Book::from_bytes(&bytes);
    assert_eq!(unplayed.moves(&start, None).len(), 1);
    assert_eq!(unplayed.pick(&start, None, Pick::Best), None, "weight 0");
}

#[test]
fn the_book_depth_is_respected() {
    let mut builder = Builder::new(100);
    let mut game = Game::default();
    for text in ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3"] {
        game.push_uci(text).unwrap();
    }
    builder.add(&game, None);
    let book = builder.build(1);
    game.pop();
    assert_eq!(game.board().fullmove_number(), 3);
    assert_eq!(book.choose(&game, Pick::Best, 2), None);
    assert!(book.choose(&game, Pick::Best, 3).is_some());
    assert!(book.choose(&Game::default(), Pick::Best, 1).is_some());
    assert_eq!(book.choose(&Game::default(), Pick::Best, 0), None);
}

#[test]
fn unsorted_and_truncated_files_are_read() {
    let boards = ["e2e4", "d2d4", "c2c4"].map(|m| Board::startpos().try_make_uci(m).unwrap());
    let codes = [code("e7e5"), code("d7d5")];
    let mut bytes: Vec<u8> = Vec::new();
    for board in &boards {
        bytes.extend(book_of(board, &codes).to_bytes());
    }
    bytes.extend([1, 2, 3]);
    let book = Book::from_bytes(&bytes);
    assert_eq!((book.entries().len(), book.trailing_bytes()), (6, 3));
    assert!(book.entries().is_sorted_by_key(|entry| entry.key));
    for board in &boards {
        assert_eq!(texts(&book, board), ["e7e5", "d7d5"]);
        assert_eq!(book.moves(board, None)[0].learn, 9);
    }
    assert_eq!(Book::from_bytes(&book.to_bytes()).entries(), book.entries());
    assert!(Book::open("/no/such/book.bin").is_err());
}

fn game(moves: &str) -> Game {
    let mut game = Game::default();
    for text in moves.split_whitespace() {
        game.push_uci(text).unwrap();
    }
    game
}

#[test]
fn the_order_of_games_makes_no_difference() {
    let games = [
        (game("e2e4 e7e5 g1f3 b8c6"), Some(GameResult::WhiteWins)),
        (game("e2e4 e7e5 f1c4"), None),
        (game("e2e4 c7c5 g1f3"), Some(GameResult::BlackWins)),
        (game("d2d4 d7d5"), Some(GameResult::WhiteWins)),
        (game("h2h4 e7e5"), Some(GameResult::BlackWins)),
    ];
    let build = |order: &[usize], plies, min_games| {
        let mut builder = Builder::new(plies);
        for i in order {
            builder.add(&games[*i].0, games[*i].1);
        }
        builder.build(min_games)
    };
    let book = build(&[0, 1, 2, 3, 4], 3, 1);
    assert_eq!(book.to_bytes(), build(&[4, 2, 0, 3, 1], 3, 1).to_bytes());
    let weights = |book: &Book, board: &Board| {
        let moves = book.moves(board, None);
        let text = |m| board.uci(m, false);
        moves.iter().map(|entry| (text(entry.m), entry.weight)).collect::<Vec<_>>()
    };
    // Two points for a win, one for a draw; moves without points are left out.
    let start = Board::startpos();
    let expected = [("e2e4".to_owned(), 3), ("d2d4".to_owned(), 2)];
    assert_eq!(weights(&book, &start), expected);
    let after_e4 = start.try_make_uci("e2e4").unwrap();
    let expected = [("c7c5".to_owned(), 2), ("e7e5".to_owned(), 1)];
    assert_eq!(weights(&book, &after_e4), expected);
    assert!(weights(&book, games[0].0.boards().get(3).unwrap()).is_empty(), "three plies");
    let often = build(&[0, 1, 2, 3, 4], 3, 2);
    assert_eq!(weights(&often, &start), [("e2e4".to_owned(), 3)]);
}

#[test]
fn large_weights_are_scaled_down() {
    let mut builder = Builder::new(1);
    let start = Board::startpos();
    let moves = ["e2e4", "d2d4", "a2a3"].map(|text| start.parse_uci(text).unwrap());
    for (m, points) in moves.into_iter().zip([200_000, 100_000, 1]) {
        builder.add_move(&start, None, m, points);
    }
    let book = builder.build(1);
    let weights: Vec<u16> = book.entries().iter().map(|entry| entry.weight).collect();
    assert_eq!(weights, [65_535, 32_767, 1]);
}
