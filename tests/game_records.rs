//! Game records: what is written is read back, damage is reported with its place and skipped, and
//! a file whose writer was killed goes on.

use saavedra::chess::{Board, GameResult};
use saavedra::data::record::{
    FileHeader, GameFile, GameRecord, GameWriter, NO_SCORE, PackedPosition, Ply, Reason,
    Termination,
};
use saavedra::data::replay::ReplayError;
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

fn game(seed: u16) -> GameRecord {
    let men = [
        (0, 3, false),
        (4, 5, false),
        (60, 5, true),
        (63, 3, true),
        (33, 0, true),
    ];
    let position = PackedPosition {
        black_to_move: true,
        chess960: true,
        castling: [None, Some(0), Some(7), None],
        en_passant: Some(41),
        halfmove_clock: 1234,
        fullmove_number: 65535,
        ..PackedPosition::with_men(men)
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
            .map(|ply| Ply {
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

/// The bytes of a file with so many games, and where each frame begins and the last one ends.
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

fn parse(bytes: &[u8]) -> (Vec<GameRecord>, Vec<(usize, usize, Reason)>) {
    let file = GameFile::from_bytes(Path::new("x"), bytes.to_vec()).expect("header");
    let (mut games, mut faults) = (Vec::new(), Vec::new());
    for item in file.games() {
        match item {
            Ok(game) => games.push(game),
            Err(fault) => faults.push((fault.offset, fault.length, fault.reason)),
        }
    }
    (games, faults)
}

#[test]
fn games_round_trip() {
    let (bytes, ends) = file_with(9);
    assert_eq!(ends.last(), Some(&bytes.len()));
    let file = GameFile::from_bytes(Path::new("x"), bytes.clone()).expect("header");
    assert_eq!(*file.header(), header());
    let (games, faults) = parse(&bytes);
    assert_eq!(games, (0..9).map(game).collect::<Vec<_>>());
    assert_eq!(faults, []);
}

#[test]
fn packed_positions_keep_their_men() {
    let all: Vec<_> = (0..32)
        .map(|man| (man * 2, man % 6, man % 3 == 0))
        .collect();
    let packed = PackedPosition::with_men(all.iter().rev().copied());
    assert_eq!(packed.men().collect::<Vec<_>>(), all);
    let corners = [(0, 5, false), (63, 5, true)];
    assert_eq!(
        PackedPosition::with_men(corners).men().collect::<Vec<_>>(),
        corners
    );
}

#[test]
fn boards_survive_packing() {
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 3 17",
        "rnbqkb1r/ppp1pppp/5n2/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3",
        "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 99 300",
        "nrbbqkrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKRN b GBg - 0 1",
    ] {
        let board = Board::from_fen(fen).expect("sound");
        let packed = PackedPosition::from_board(&board);
        assert_eq!(packed.board().expect("sound"), board, "{fen}");
    }
    assert!(PackedPosition::with_men([(3, 5, false)]).board().is_err());
}

#[test]
fn games_are_replayed_up_to_the_first_illegal_move() {
    let mut board = Board::startpos();
    let mut plies = Vec::new();
    for (text, score) in [("e2e4", NO_SCORE), ("e7e5", 20), ("g1f3", -15)] {
        let played = board.parse_uci(text).expect("legal");
        plies.push(Ply {
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
    let moments: Vec<_> = replay
        .by_ref()
        .map(|moment| moment.expect("legal"))
        .collect();
    assert_eq!(replay.board(), &board);
    assert_eq!(
        moments.iter().map(|m| m.score).collect::<Vec<_>>(),
        [NO_SCORE, 20, -15]
    );
    assert_eq!(
        moments.iter().map(|m| m.opening).collect::<Vec<_>>(),
        [true, false, false]
    );
    assert_eq!(moments[0].board, Board::startpos());
    game.plies[1].move_bits = game.plies[0].move_bits;
    let moments: Vec<_> = game.replay().expect("sound").collect();
    assert_eq!(moments.len(), 2);
    assert_eq!(moments[1], Err(ReplayError::Illegal(1)));
}

#[test]
fn a_damaged_game_is_reported_with_its_place_and_only_it_is_lost() {
    let (bytes, ends) = file_with(5);
    let (start, end) = (ends[2], ends[3]);
    for at in start..end {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x41;
        let (games, faults) = parse(&damaged);
        let expected: Vec<_> = [0, 1, 3, 4].map(game).into();
        assert_eq!(games, expected, "byte {at}");
        assert!(matches!(faults[..], [(offset, length, reason)]
            if offset == start && length == end - start && reason != Reason::Partial));
    }
}

#[test]
fn bytes_between_games_are_skipped() {
    let (bytes, ends) = file_with(2);
    let rubbish = [b"GAME", &bytes[..200], b"GAMGAME\0\0\0\0\0\0\0"].concat();
    let with = [&bytes[..ends[1]], &rubbish, &bytes[ends[1]..]].concat();
    let (games, faults) = parse(&with);
    // The rubbish holds the first 200 bytes of the file, so the first game too, perhaps.
    assert!(games.contains(&game(0)) && games.contains(&game(1)));
    assert_eq!(faults[0].0, ends[1]);
}

#[test]
fn a_file_cut_anywhere_keeps_its_whole_games_and_resumes() {
    let (bytes, ends) = file_with(3);
    for cut in ends[0]..bytes.len() {
        let whole = ends.iter().filter(|&&end| end <= cut).count() - 1;
        let (games, faults) = parse(&bytes[..cut]);
        assert_eq!(games.len(), whole, "cut at {cut}");
        let at_end = ends.contains(&cut);
        assert_eq!(faults.is_empty(), at_end);
        assert!(
            faults
                .iter()
                .all(|fault| *fault == (ends[whole], cut - ends[whole], Reason::Partial))
        );
    }
    for cut in [ends[0], ends[1] + 1, ends[1] + 11, ends[2] - 1, ends[2]] {
        let scratch = Scratch::new(&format!("cut-{cut}"));
        fs::write(&scratch.0, &bytes[..cut]).expect("written");
        let (mut writer, whole, fault) = GameWriter::resume(&scratch.0).expect("resumed");
        assert_eq!(fault.is_none(), ends.contains(&cut));
        writer.write(&game(77)).expect("written");
        let after = fs::read(&scratch.0).expect("read");
        assert_eq!(after.len() as u64, writer.bytes_written());
        let (games, faults) = parse(&after);
        let expected: Vec<_> = (0..whole as u16).chain([77]).map(game).collect();
        assert_eq!((games, faults), (expected, vec![]), "cut at {cut}");
    }
}

#[test]
fn damaged_and_foreign_files_are_refused_by_their_header() {
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
    let fault = GameFile::from_bytes(Path::new("a/b"), b"hello".to_vec()).expect_err("foreign");
    assert_eq!(fault.reason, Reason::NotGames);
    assert!(
        fault
            .to_string()
            .starts_with("a/b: offset 0: not a file of games")
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
