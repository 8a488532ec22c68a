//! Reproducible random positions for the tests, from random games and with pieces on random
//! squares.

#![allow(dead_code)]

pub(crate) use saavedra_chess::Random;
use saavedra_chess::{
    Bitboard, Board, CastlingRight, CastlingRook, Color, File, Move, MoveKind, Piece, PieceKind,
    Rank, Setup, Square,
};

/// The back rank of a random Chess960 start position.
fn back_rank(random: &mut Random) -> String {
    let mut rank = [' '; 8];
    rank[2 * random.below(4)] = 'b';
    rank[2 * random.below(4) + 1] = 'b';
    for piece in ['q', 'n', 'n', 'r', 'k', 'r'] {
        let free: Vec<usize> = (0..8).filter(|file| rank[*file] == ' ').collect();
        let place = match piece {
            'q' | 'n' => *random.pick(&free),
            // Rook, king and rook in this order.
            _ => free[0],
        };
        rank[place] = piece;
    }
    rank.iter().collect()
}

/// A start position of Chess960, or of double Chess960 (different back ranks).
pub(crate) fn chess960_start(random: &mut Random, double: bool) -> Board {
    let white = back_rank(random);
    let black = if double { back_rank(random) } else { white.clone() };
    let white = white.to_uppercase();
    let fen = format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{white} w KQkq - 0 1");
    Board::from_fen(&fen).expect("a start position")
}

/// A random legal move; rare kinds of moves are preferred. `None` if there is none.
pub(crate) fn random_move(board: &Board, random: &mut Random) -> Option<Move> {
    let moves = board.legal_moves();
    let rare = |m: &Move| !matches!(m.kind(), MoveKind::Normal(_) | MoveKind::DoublePush);
    let checks_and_en_passant = |m: &Move| {
        board.gives_check(*m)
            || (m.kind() == MoveKind::DoublePush && board.make(*m).en_passant().is_some())
    };
    for (one_in, wanted) in
        [(2, &rare as &dyn Fn(&Move) -> bool), (3, &checks_and_en_passant), (1, &|_| true)]
    {
        let chosen: Vec<Move> = moves.iter().copied().filter(|m| wanted(m)).collect();
        if !chosen.is_empty() && random.below(one_in) == 0 {
            return Some(*random.pick(&chosen));
        }
    }
    None
}

/// The positions of a random game, from the start position.
pub(crate) fn random_game(start: Board, plies: usize, random: &mut Random) -> Vec<Board> {
    let mut boards = vec![start];
    while boards.len() <= plies {
        let board = boards[boards.len() - 1];
        let Some(m) = random_move(&board, random) else {
            break;
        };
        boards.push(board.make(m));
    }
    boards
}

/// Pieces on random squares, often with castling rights. The position may be illegal.
pub(crate) fn random_setup(random: &mut Random) -> Setup {
    let mut setup = Setup::empty();
    let kinds = [
        PieceKind::Pawn,
        PieceKind::Pawn,
        PieceKind::Knight,
        PieceKind::Bishop,
        PieceKind::Rook,
        PieceKind::Queen,
    ];
    let few = random.below(2) == 0;
    let count = random.below(if few { 4 } else { 20 });
    for _ in 0..count {
        let kind = *random.pick(&kinds);
        let color = *random.pick(&Color::ALL);
        let square = Square::from_index(random.below(64) as u8);
        let back_ranks = Bitboard::RANK_1 | Bitboard::RANK_8;
        if kind != PieceKind::Pawn || !back_ranks.has(square) {
            setup.set_piece(square, Some(Piece::new(color, kind)));
        }
    }
    let mut castling = Vec::new();
    for color in Color::ALL {
        if !few && random.below(2) == 0 {
            // A king on its back rank with a rook on each side.
            let king = 1 + random.below(6) as u8;
            let west = random.below(king as usize) as u8;
            let east = king + 1 + random.below(7 - king as usize) as u8;
            for (file, kind) in
                [(west, PieceKind::Rook), (king, PieceKind::King), (east, PieceKind::Rook)]
            {
                let square = Square::new(File::from_index(file), Rank::First).relative_to(color);
                setup.set_piece(square, Some(Piece::new(color, kind)));
            }
            for rook in [CastlingRook::KingSide, CastlingRook::QueenSide] {
                castling.push(CastlingRight { color, rook });
            }
        } else {
            let square = Square::from_index(random.below(64) as u8);
            setup.set_piece(square, Some(Piece::new(color, PieceKind::King)));
        }
    }
    setup.set_castling_rights(castling);
    let turn = *random.pick(&Color::ALL);
    setup.set_turn(turn);
    if random.below(2) == 0 {
        let rank = Rank::Sixth.relative_to(turn);
        setup.set_en_passant(Some(Square::new(*random.pick(&File::ALL), rank)));
    }
    setup.set_clocks(random.below(120) as u16, 1 + random.below(200) as u32);
    setup
}

/// This number of positions: of random games of standard chess, Chess960 and double Chess960, and
/// with pieces on random squares.
pub(crate) fn random_boards(count: usize, seed: u64) -> Vec<Board> {
    let mut random = Random::new(seed);
    let mut boards = Vec::with_capacity(count + 300);
    let mut round = 0;
    while boards.len() < count {
        let plies = 20 + random.below(200);
        match round % 4 {
            0 => boards.extend(random_game(Board::startpos(), plies, &mut random)),
            1 | 2 => {
                let start = chess960_start(&mut random, round % 4 == 2);
                boards.extend(random_game(start, plies, &mut random));
            }
            _ => {
                for _ in 0..100 {
                    let legal = random_setup(&mut random).to_board().ok();
                    boards.extend(
                        legal.into_iter().flat_map(|(board, _)| random_game(board, 3, &mut random)),
                    );
                }
            }
        }
        round += 1;
    }
    boards.truncate(count);
    boards
}

/// The position of a FEN.
pub(crate) fn board(fen: &str) -> Board {
    Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// The setup of a FEN.
pub(crate) fn setup(fen: &str) -> Setup {
    Setup::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// The square with this name.
pub(crate) fn square(name: &str) -> Square {
    name.parse().expect("the name of a square")
}

/// The squares with these names, separated by spaces.
pub(crate) fn squares(names: &str) -> Bitboard {
    names.split_whitespace().map(square).collect()
}
