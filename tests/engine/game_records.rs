//! Game files: games round-trip, damage is reported with its place and skipped, and a file whose
//! writer was killed can be continued.

mod compact;
mod writing;

use saavedra::chess::{Board, Color, GameResult, GameStatus, Piece, PieceKind, Square};
use saavedra::data::store::find_files;
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
        engine: "Saavedra 0.1.0 – test".into(), nodes: 1500, generation: 3, seed: 1 << 60
    }
}

fn piece(square: u8, letter: char) -> (Square, Piece) {
    let piece = Piece::from_letter(letter).expect("a piece");
    (Square::from_index(square), piece)
}

fn game(seed: u16) -> GameRecord {
    let pieces = [piece(0, 'R'), piece(4, 'K'), piece(60, 'k'), piece(63, 'r'), piece(33, 'p')];
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
        result: [GameResult::BlackWins, GameResult::Draw, GameResult::WhiteWins][seed as usize % 3],
        termination: Termination::ALL[seed as usize % Termination::ALL.len()],
        opening_plies: 2,
        plies: (0..20 + seed % 7)
            .map(|ply| PlyRecord {
                move_bits: ply.wrapping_mul(3001).wrapping_add(seed),
                score: if ply < 2 { NO_SCORE } else { ply as i16 * 100 - seed as i16 },
            })
            .collect(),
        pvs: if seed % 3 == 2 { pvs(20 + seed % 7) } else { vec![] },
    }
}

/// A principal variation for each of these plies.
fn pvs(plies: u16) -> Vec<Vec<u16>> {
    (0..plies).map(|ply| (0..ply % 9).map(|m| m * 5000 + ply).collect()).collect()
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

/// The CRC-32 of zip, bit by bit.
fn slow_crc32(bytes: &[u8]) -> u32 {
    let mut register = u32::MAX;
    for byte in bytes {
        register ^= u32::from(*byte);
        for _ in 0..8 {
            let carry = register & 1;
            register >>= 1;
            if carry == 1 {
                register ^= 0xedb8_8320;
            }
        }
    }
    !register
}

/// The frame of a payload with its right checksum.
fn frame(payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_le_bytes();
    let checksum = slow_crc32(payload).to_le_bytes();
    [b"GAME".as_slice(), &length, &checksum, payload].concat()
}

/// The packed position of [`game`].
const POSITION: [u8; 34] = [
    0x11, 0, 0, 0, 2, 0, 0, 0x90, // occupied: a1 e1 b5 e8 h8
    0x53, 0xd8, 0x0b, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, // R K p k r
    3, 0xff, 0, 7, 0xff, 41, 0xd2, 0x04, 0xff, 0xff,
];

/// Files are exchanged between versions, so their bytes do not change.
#[test]
fn the_bytes_of_a_file_are_those_of_the_format() {
    let scratch = Scratch::new("bytes");
    let header = FileHeader {
        engine: "Eé".into(),
        nodes: 0x0102_0304,
        generation: 5,
        seed: 0x1112_1314_1516_1718,
    };
    let mut writer = GameWriter::create(&scratch.0, &header).expect("created");
    let ply = |move_bits, score| PlyRecord { move_bits, score };
    let record = GameRecord {
        start: None,
        result: GameResult::WhiteWins,
        termination: Termination::FiftyMoves,
        opening_plies: 1,
        plies: vec![ply(0x1234, NO_SCORE), ply(0x5678, -2)],
        pvs: vec![],
    };
    writer.write(&record).expect("written");
    let with_pvs = GameRecord { pvs: vec![vec![], vec![0x5678, 0x9abc]], ..record };
    writer.write(&with_pvs).expect("written");
    let from_position =
        GameRecord { result: GameResult::BlackWins, opening_plies: 0, plies: vec![], ..game(1) };
    writer.write(&from_position).expect("written");
    let mut expected = b"SAAVEDRA-GAMES\0\0\x01\0\0\0\x04\x03\x02\x01\x05\0\0\0".to_vec();
    expected.extend(b"\x18\x17\x16\x15\x14\x13\x12\x11\x03\0E\xc3\xa9");
    expected.extend(slow_crc32(&expected).to_le_bytes());
    expected.extend(frame(b"\0\x02\x03\x01\0\x34\x12\0\x80\x78\x56\xfe\xff"));
    expected
        .extend(frame(b"\x02\x02\x03\x01\0\x34\x12\0\x80\0\x78\x56\xfe\xff\x02\x78\x56\xbc\x9a"));
    let payload = [&[1], &POSITION[..], &[0, 1, 0, 0]].concat();
    expected.extend(frame(&payload));
    assert_eq!(fs::read(&scratch.0).expect("read"), expected);
}

#[test]
fn a_long_name_of_an_engine_is_cut_at_a_character() {
    for (name, length) in [("é".repeat(600), 1000), ("x".to_owned() + &"é".repeat(600), 999)] {
        let scratch = Scratch::new(&format!("name-{length}"));
        let header = FileHeader { engine: name.clone(), ..header() };
        GameWriter::create(&scratch.0, &header).expect("created");
        let file = GameFile::open(&scratch.0).expect("read").expect("header");
        assert_eq!(file.header().engine, name[..length]);
    }
}

/// Payloads with a right checksum, as another program could write them.
#[test]
fn games_with_invalid_bytes_are_reported() {
    let (bytes, ends) = file_with(0);
    let read = |payload: &[u8]| parse(&[&bytes[..ends[0]], &frame(payload)].concat());
    let plies = [0, 1, 2, 3, 4, 5, 6, 7];
    let from_start = |head: [u8; 5], plies: &[u8]| [&head, plies].concat();
    let from_position = |at: usize, byte: u8| {
        let mut position = POSITION;
        position[at] = byte;
        [&[1], &position[..], &[1, 6, 0, 0]].concat()
    };
    // Thirty-three pawns are one more than the codes have room for.
    let with_pawns = |count: u32| {
        let mut position = [0; 34];
        position[..8].copy_from_slice(&((1u64 << count) - 1).to_le_bytes());
        [&[1], &position[..], &[1, 6, 0, 0]].concat()
    };
    for (name, payload, valid) in [
        ("sound", from_start([0, 1, 8, 2, 0], &plies), true),
        ("no principal variations", from_start([2, 1, 8, 2, 0], &[0; 10]), true),
        ("part of a principal variation", from_start([2, 1, 8, 2, 0], &plies), false),
        ("no principal variation", from_start([2, 1, 8, 1, 0], &plies[..4]), false),
        ("principal variation", from_start([2, 1, 8, 1, 0], &[1, 2, 3, 4, 1, 9, 9]), true),
        ("flags", from_start([4, 1, 8, 2, 0], &plies), false),
        ("result", from_start([0, 3, 8, 2, 0], &plies), false),
        ("termination", from_start([0, 1, 9, 2, 0], &plies), false),
        ("opening", from_start([0, 1, 8, 3, 0], &plies), false),
        ("opening", from_start([0, 1, 8, 0, 1], &plies), false),
        ("part of a ply", from_start([0, 1, 8, 0, 0], &plies[..7]), false),
        ("no plies", from_start([0, 1, 8, 0, 0], &[]), true),
        ("no length of the opening", vec![0, 1, 8, 0], false),
        ("empty", vec![], false),
        ("position", from_position(24, 3), true),
        ("part of a position", [&[1], &POSITION[..33]].concat(), false),
        ("flags", from_position(24, 4), false),
        ("kind of piece", from_position(8, 0x56), false),
        ("kind of piece", from_position(10, 0x0e), false),
        ("code of no piece", from_position(11, 0x66), true),
        ("file of a rook", from_position(25, 7), true),
        ("file of a rook", from_position(25, 8), false),
        ("en passant", from_position(29, 63), true),
        ("en passant", from_position(29, 64), false),
        ("32 pieces", with_pawns(32), true),
        ("33 pieces", with_pawns(33), false),
    ] {
        let (games, damages) = read(&payload);
        let kinds: Vec<_> = damages.iter().map(|damage| damage.2).collect();
        if valid {
            assert_eq!((games.len(), &kinds[..]), (1, &[][..]), "{name}")
        } else {
            assert_eq!((games.len(), &kinds[..]), (0, &[DamageKind::Payload][..]), "{name}")
        }
    }
}

#[test]
fn packed_positions_keep_their_pieces() {
    let all: Vec<(Square, Piece)> = (0..32)
        .map(|number| {
            let color = Color::ALL[usize::from(number % 3 == 0)];
            let kind = PieceKind::ALL[number % 6];
            (Square::from_index(number as u8 * 2), Piece::new(color, kind))
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
        plies.push(PlyRecord { move_bits: played.bits(), score });
        board = board.make(played);
    }
    let mut game = GameRecord { start: None, opening_plies: 1, plies, ..game(2) };
    let mut replay = game.replay().expect("sound");
    let plies: Vec<_> = replay.by_ref().map(|ply| ply.expect("legal")).collect();
    assert_eq!(replay.board(), &board);
    assert_eq!(plies.iter().map(|ply| ply.score).collect::<Vec<_>>(), [NO_SCORE, 20, -15]);
    assert_eq!(plies.iter().map(|ply| ply.is_opening).collect::<Vec<_>>(), [true, false, false]);
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
    // The shortest ones too: the search for the next game begins at the next byte.
    for length in 1..6 {
        let garbage = vec![b'G'; length];
        let with = [&bytes[..ends[1]], &garbage, &bytes[ends[1]..]].concat();
        let expected = vec![(ends[1], length, DamageKind::NotAFrame)];
        assert_eq!(parse(&with), (vec![game(0), game(1)], expected));
    }
}

/// Every 12 or 24 bytes start a frame of the maximum length, so computing each checksum anew would
/// take 80,000 times the length of a frame.
#[test]
fn damage_with_many_frame_headers_is_skipped_in_linear_time() {
    let (bytes, ends) = file_with(2);
    let max_length = (1u32 << 18).to_le_bytes();
    let frame_header = [b"GAME".as_slice(), &max_length, b"\0\0\0\0"].concat();
    // An intact frame of no bytes, which is no game, ends each damaged place.
    let empty_frame = b"GAME\0\0\0\0\0\0\0\0".as_slice();
    for (unit, damaged_places) in
        [(frame_header.clone(), 1), ([empty_frame, &frame_header].concat(), 160_000)]
    {
        let damage = unit.repeat(80_000);
        let hostile = [&bytes[..ends[1]], &damage, &bytes[ends[1]..]].concat();
        let (games, damages) = parse(&hostile);
        assert_eq!(games, [game(0), game(1)]);
        assert_eq!(damages.len(), damaged_places);
        assert!(damages.iter().any(|(.., kind)| *kind == DamageKind::Checksum));
        let damaged: usize = damages.iter().map(|(_, length, _)| length).sum();
        assert_eq!(damaged, damage.len());
    }
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

/// A power failure can leave a file its length without its last bytes.
#[test]
fn zeros_at_the_end_of_a_file_are_cut_off() {
    let (bytes, ends) = file_with(2);
    // All of a game or a part of it.
    for (whole, intact) in [(2, ends[2]), (1, ends[1]), (1, ends[1] + 20)] {
        let scratch = Scratch::new(&format!("zeros-{intact}"));
        fs::write(&scratch.0, [&bytes[..intact], &[0; 4096]].concat()).expect("written");
        let (mut writer, games, damage) = GameWriter::resume(&scratch.0).expect("resumed");
        assert_eq!((games, damage.is_some()), (whole, true), "{intact}");
        writer.write(&game(77)).expect("written");
        let after = fs::read(&scratch.0).expect("read");
        let expected: Vec<_> = (0..whole as u16).chain([77]).map(game).collect();
        assert_eq!(parse(&after), (expected, vec![]), "{intact}");
    }
}

#[test]
fn files_with_a_damaged_or_another_header_are_refused() {
    let (bytes, ends) = file_with(1);
    for at in 0..ends[0] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x02;
        assert!(GameFile::from_bytes(Path::new("x"), damaged).is_err(), "byte {at}");
        assert!(GameFile::from_bytes(Path::new("x"), bytes[..at].to_vec()).is_err());
    }
    let error = GameFile::from_bytes(Path::new("a/b"), b"hello".to_vec()).expect_err("refused");
    assert_eq!(error.kind, DamageKind::NotAGameFile);
    let message = error.to_string();
    assert!(message.starts_with("a/b: offset 0: not a game file"), "{message}");
}

#[test]
fn game_files_of_both_formats_are_found_in_a_folder() {
    let folder = std::env::temp_dir().join(format!("saavedra-{}-formats", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("created");
    for name in ["1.games", "2.compact", "3.weights", "4"] {
        fs::write(folder.join(name), "").expect("written");
    }
    let expected = ["1.games", "2.compact"].map(|name| folder.join(name));
    assert_eq!(find_files(std::slice::from_ref(&folder)).expect("read"), expected);
    fs::remove_dir_all(&folder).expect("removed");
}

#[cfg(unix)]
#[test]
fn links_to_folders_are_not_followed_below_a_folder() {
    use std::os::unix::fs::symlink;
    let folder = std::env::temp_dir().join(format!("saavedra-{}-links", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("a/b")).expect("created");
    fs::write(folder.join("a/b/1.games"), "").expect("written");
    for (target, link) in [
        (".", "loop"),
        ("..", "a/up"),
        ("../..", "a/b/up.games"),
        ("a/b", "twice"),
        ("a/b/1.games", "2.games"),
        ("nowhere", "3.games"),
    ] {
        symlink(target, folder.join(link)).expect("a link");
    }
    let find = |name: &str| find_files(&[folder.join(name)]).expect("read");
    let expected = ["2.games", "3.games", "a/b/1.games"].map(|name| folder.join(name));
    assert_eq!(find(""), expected);
    // The same folder named in two ways counts once.
    let twice = [folder.join("a"), folder.join("a/../a/b")];
    let found = find_files(&twice).expect("read");
    assert_eq!(found.len(), 1, "{found:?}");
    // A link that is named is followed.
    assert_eq!(find("twice"), [folder.join("twice/1.games")]);
    fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn every_end_of_a_game_by_the_rules_has_its_termination() {
    let mut found = Vec::new();
    for status in [
        GameStatus::Checkmate,
        GameStatus::Stalemate,
        GameStatus::InsufficientMaterial,
        GameStatus::FiftyMoves,
        GameStatus::Threefold,
    ] {
        let termination = Termination::from_status(status).expect("the game is over");
        assert_eq!((termination.status(), termination.name()), (status, status.name()));
        found.push(termination);
    }
    assert_eq!(Termination::from_status(GameStatus::Ongoing), None);
    for other in Termination::ALL.into_iter().filter(|t| !found.contains(t)) {
        assert_eq!(other.status(), GameStatus::Ongoing, "{}", other.name());
    }
}

#[test]
fn game_files_are_found_by_their_extension_at_any_depth() {
    let folder = std::env::temp_dir().join(format!("saavedra-{}-find", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("b/c")).expect("created");
    for name in ["b/c/1.games", "a.games", "b/2.games", "a.txt", "games", "b/3.games.partial"] {
        fs::write(folder.join(name), "").expect("written");
    }
    let find = |names: &[&str]| {
        let paths: Vec<_> = names.iter().map(|name| folder.join(name)).collect();
        find_files(&paths).expect("read")
    };
    let expected = |names: &[&str]| names.iter().map(|n| folder.join(n)).collect::<Vec<_>>();
    let all = ["a.games", "b/2.games", "b/c/1.games"];
    assert_eq!(find(&[""]), expected(&all));
    assert_eq!(find(&["", "b", "a.games"]), expected(&all), "each file once");
    // A file that is named needs no extension.
    assert_eq!(find(&["b/c", "a.txt"]), expected(&["a.txt", "b/c/1.games"]));
    fs::remove_dir_all(&folder).expect("removed");
}
