//! Game files: games round-trip, damage is reported with its place and skipped, and a file whose
//! writer was killed can be continued.

use saavedra::chess::{Board, Color, GameResult, Piece, PieceKind, Square};
use saavedra::data::{
    DamageKind, FileHeader, GameFile, GameRecord, GameWriter, NO_SCORE, PackedPosition, PlyRecord,
    ReplayError, Termination,
};
use std::fs;
use std::path::{Path, PathBuf};

/// A file of this test that is removed when dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("saavedra-{}-{name}", std::process::id()));
        let _ = fs::remove_file(&path);
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn header() -> FileHeader {
    FileHeader {
        engine: "Saavedra 0.1.0 – test".into(),
        nodes: 1500,
        generation: 3,
        seed: 1 << 60,
    }
}

fn piece(square: u8, letter: char) -> (Square, Piece) {
    let piece = Piece::from_letter(letter).expect("a piece");
    (Square::from_index(square), piece)
}

fn game(seed: u16) -> GameRecord {
    let pieces = [
        piece(0, 'R'),
        piece(4, 'K'),
        piece(60, 'k'),
        piece(63, 'r'),
        piece(33, 'p'),
    ];
    let position = PackedPosition {
        black_to_move: true,
        chess960: true,
        castling: [None, Some(0), Some(7), None],
        en_passant: Some(41),
        halfmove_clock: 1234,
        fullmove_number: 65535,
        ..PackedPosition::with_pieces(pieces)
    };
    GameRecord {
        start: (seed % 2 == 1).then_some(position),
        result: [
            GameResult::BlackWins,
            GameResult::Draw,
            GameResult::WhiteWins,
        ][seed as usize % 3],
        termination: Termination::ALL[seed as usize % Termination::ALL.len()],
        opening_plies: 2,
        plies: (0..20 + seed % 7)
            .map(|ply| PlyRecord {
                move_bits: ply.wrapping_mul(3001).wrapping_add(seed),
                score: if ply < 2 {
                    NO_SCORE
                } else {
                    ply as i16 * 100 - seed as i16
                },
            })
            .collect(),
    }
}

/// The bytes of a file with this number of games; where each frame starts, and the end of the last.
fn file_with(games: u16) -> (Vec<u8>, Vec<usize>) {
    let scratch = Scratch::new(&format!("games-{games}-{:?}", std::thread::current().id()));
    let mut writer = GameWriter::create(&scratch.0, &header()).expect("created");
    let mut ends = vec![writer.bytes_written() as usize];
    for seed in 0..games {
        writer.write(&game(seed)).expect("written");
        ends.push(writer.bytes_written() as usize);
    }
    (fs::read(&scratch.0).expect("read"), ends)
}

fn parse(bytes: &[u8]) -> (Vec<GameRecord>, Vec<(usize, usize, DamageKind)>) {
    let file = GameFile::from_bytes(Path::new("x"), bytes.to_vec()).expect("header");
    let (mut games, mut damages) = (Vec::new(), Vec::new());
    for item in file.games() {
        match item {
            Ok(game) => games.push(game),
            Err(damage) => damages.push((damage.offset, damage.length, damage.kind)),
        }
    }
    (games, damages)
}

#[test]
fn games_round_trip() {
    let (bytes, ends) = file_with(9);
    assert_eq!(ends.last(), Some(&bytes.len()));
    let file = GameFile::from_bytes(Path::new("x"), bytes.clone()).expect("header");
    assert_eq!(*file.header(), header());
    let (games, damages) = parse(&bytes);
    assert_eq!(games, (0..9).map(game).collect::<Vec<_>>());
    assert_eq!(damages, []);
}

#[test]
fn packed_positions_keep_their_pieces() {
    let all: Vec<(Square, Piece)> = (0..32)
        .map(|number| {
            let color = Color::ALL[usize::from(number % 3 == 0)];
            let kind = PieceKind::ALL[number % 6];
            (
                Square::from_index(number as u8 * 2),
                Piece::new(color, kind),
            )
        })
        .collect();
    let packed = PackedPosition::with_pieces(all.iter().rev().copied());
    assert_eq!(packed.pieces().collect::<Vec<_>>(), all);
    let corners = [piece(0, 'K'), piece(63, 'k')];
    let packed = PackedPosition::with_pieces(corners);
    assert_eq!(packed.pieces().collect::<Vec<_>>(), corners);
}

#[test]
fn packed_boards_round_trip() {
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 3 17",
        "rnbqkb1r/ppp1pppp/5n2/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3",
        "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 99 300",
        "nrbbqkrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKRN b GBg - 0 1",
    ] {
        let board = Board::from_fen(fen).expect("sound");
        let packed = PackedPosition::from_board(&board);
        assert_eq!(packed.to_board().expect("sound"), board, "{fen}");
    }
    let one_king = PackedPosition::with_pieces([piece(3, 'K')]);
    assert!(one_king.to_board().is_err());
}

#[test]
fn games_are_replayed_up_to_the_first_illegal_move() {
    let mut board = Board::startpos();
    let mut plies = Vec::new();
    for (text, score) in [("e2e4", NO_SCORE), ("e7e5", 20), ("g1f3", -15)] {
        let played = board.parse_uci(text).expect("legal");
        plies.push(PlyRecord {
            move_bits: played.bits(),
            score,
        });
        board = board.make(played);
    }
    let mut game = GameRecord {
        start: None,
        opening_plies: 1,
        plies,
        ..game(2)
    };
    let mut replay = game.replay().expect("sound");
    let plies: Vec<_> = replay.by_ref().map(|ply| ply.expect("legal")).collect();
    assert_eq!(replay.board(), &board);
    assert_eq!(
        plies.iter().map(|ply| ply.score).collect::<Vec<_>>(),
        [NO_SCORE, 20, -15]
    );
    assert_eq!(
        plies.iter().map(|ply| ply.is_opening).collect::<Vec<_>>(),
        [true, false, false]
    );
    assert_eq!(plies[0].board, Board::startpos());
    game.plies[1].move_bits = game.plies[0].move_bits;
    let plies: Vec<_> = game.replay().expect("sound").collect();
    assert_eq!(plies.len(), 2);
    assert_eq!(plies[1], Err(ReplayError::IllegalMove(1)));
}

#[test]
fn a_damaged_game_is_reported_with_its_place_and_only_it_is_lost() {
    let (bytes, ends) = file_with(5);
    let (start, end) = (ends[2], ends[3]);
    for at in start..end {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x41;
        let (games, damages) = parse(&damaged);
        let expected: Vec<_> = [0, 1, 3, 4].map(game).into();
        assert_eq!(games, expected, "byte {at}");
        assert!(matches!(damages[..], [(offset, length, kind)]
            if offset == start && length == end - start && kind != DamageKind::Truncated));
    }
}

#[test]
fn bytes_between_games_are_skipped() {
    let (bytes, ends) = file_with(2);
    let garbage = [b"GAME", &bytes[..200], b"GAMGAME\0\0\0\0\0\0\0"].concat();
    let with = [&bytes[..ends[1]], &garbage, &bytes[ends[1]..]].concat();
    let (games, damages) = parse(&with);
    // The garbage has the first 200 bytes of the file, and perhaps the first game in them.
    assert!(games.contains(&game(0)) && games.contains(&game(1)));
    assert_eq!(damages[0].0, ends[1]);
}

/// Every 12 bytes start a frame of the maximum length, so computing each checksum anew would take
/// 80,000 times the length of a frame.
#[test]
fn damage_with_many_frame_headers_is_skipped_in_linear_time() {
    let (bytes, ends) = file_with(2);
    let max_length = (1u32 << 18).to_le_bytes();
    let frame_header = [b"GAME".as_slice(), &max_length, b"\0\0\0\0"].concat();
    let damage = frame_header.repeat(80_000);
    let hostile = [&bytes[..ends[1]], &damage, &bytes[ends[1]..]].concat();
    let (games, damages) = parse(&hostile);
    assert_eq!(games, [game(0), game(1)]);
    assert_eq!(damages, [(ends[1], damage.len(), DamageKind::Checksum)]);
}

#[test]
fn a_truncated_file_keeps_its_complete_games_and_resumes() {
    let (bytes, ends) = file_with(3);
    for cut in ends[0]..bytes.len() {
        let whole = ends.iter().filter(|&&end| end <= cut).count() - 1;
        let (games, damages) = parse(&bytes[..cut]);
        assert_eq!(games.len(), whole, "cut at {cut}");
        let at_end = ends.contains(&cut);
        assert_eq!(damages.is_empty(), at_end);
        assert!(
            damages
                .iter()
                .all(|damage| *damage == (ends[whole], cut - ends[whole], DamageKind::Truncated))
        );
    }
    for cut in [ends[0], ends[1] + 1, ends[1] + 11, ends[2] - 1, ends[2]] {
        let scratch = Scratch::new(&format!("cut-{cut}"));
        fs::write(&scratch.0, &bytes[..cut]).expect("written");
        let (mut writer, whole, damage) = GameWriter::resume(&scratch.0).expect("resumed");
        assert_eq!(damage.is_none(), ends.contains(&cut));
        writer.write(&game(77)).expect("written");
        let after = fs::read(&scratch.0).expect("read");
        assert_eq!(after.len() as u64, writer.bytes_written());
        let (games, damages) = parse(&after);
        let expected: Vec<_> = (0..whole as u16).chain([77]).map(game).collect();
        assert_eq!((games, damages), (expected, vec![]), "cut at {cut}");
    }
}

#[test]
fn files_with_a_damaged_or_another_header_are_refused() {
    let (bytes, ends) = file_with(1);
    for at in 0..ends[0] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x02;
        assert!(
            GameFile::from_bytes(Path::new("x"), damaged).is_err(),
            "byte {at}"
        );
        assert!(GameFile::from_bytes(Path::new("x"), bytes[..at].to_vec()).is_err());
    }
    let error = GameFile::from_bytes(Path::new("a/b"), b"hello".to_vec()).expect_err("refused");
    assert_eq!(error.kind, DamageKind::NotAGameFile);
    let message = error.to_string();
    assert!(
        message.starts_with("a/b: offset 0: not a game file"),
        "{message}"
    );
}

#[test]
fn an_existing_file_is_never_overwritten() {
    let scratch = Scratch::new("existing");
    fs::write(&scratch.0, "precious").expect("written");
    assert!(GameWriter::create(&scratch.0, &header()).is_err());
    assert!(GameWriter::resume(&scratch.0).is_err());
    assert_eq!(fs::read(&scratch.0).expect("read"), b"precious");
}
