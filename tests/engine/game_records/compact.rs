//! The compact format: damage costs a block, which is named as in the other format, and files of both
//! formats are read alike. The library's own tests compare its decoder with a plain one.

use super::{Scratch, header, parse as read};
use saavedra::chess::{Board, GameResult};
use saavedra::data::store::prepare_folder;
use saavedra::data::{
    DECISIVE, DamageKind, GameFile, GameRecord, GameWriter, NO_SCORE, PackedPosition, PlyRecord,
    RecordFormat, RecordWriter, Termination,
};
use std::fs;
use std::path::Path;

/// A game of shuffling knights, with scores that are kept exactly.
fn game(number: usize) -> GameRecord {
    let start = Board::chess960_startpos(518);
    let moves = ["b1c3", "b8c6", "c3b1", "c6b8"].into_iter().cycle();
    let scores = [NO_SCORE, 0, 22, -33, DECISIVE + 7, -i16::MAX].into_iter().cycle();
    let mut board = start;
    let plies = moves.zip(scores).take(10 + number).map(|(text, score)| {
        let played = board.parse_uci(text).expect("legal");
        board = board.make(played);
        PlyRecord { move_bits: played.bits(), score }
    });
    GameRecord {
        plies: plies.collect(),
        start: (number % 2 == 1).then(|| PackedPosition::from_board(&start)),
        result: [GameResult::BlackWins, GameResult::Draw, GameResult::WhiteWins][number % 3],
        termination: Termination::ALL[number % Termination::ALL.len()],
        opening_plies: number as u16 % 4,
        pvs: vec![],
    }
}

fn write(games: &[GameRecord], format: RecordFormat) -> Vec<u8> {
    let mut writer = RecordWriter::new(Vec::new(), &header(), format).expect("written");
    for game in games {
        writer.write(game).expect("written");
    }
    writer.finish().expect("written")
}

/// A file of three blocks with four games each, and where each block starts and the last one ends.
fn blocks() -> (Vec<GameRecord>, Vec<u8>, Vec<usize>) {
    let games: Vec<_> = (0..12).map(game).collect();
    let mut bytes = write(&[], RecordFormat::Compact);
    let header = bytes.len();
    let mut ends = vec![header];
    for games in games.chunks(4) {
        bytes.extend(&write(games, RecordFormat::Compact)[header..]);
        ends.push(bytes.len());
    }
    (games, bytes, ends)
}

#[test]
fn principal_variations_are_left_out() {
    let plain = game(4);
    let pvs = plain.plies.iter().map(|ply| vec![ply.move_bits; 3]).collect();
    let with_pvs = GameRecord { pvs, ..plain.clone() };
    let compact = |game| write(&[game], RecordFormat::Compact);
    assert_eq!(compact(with_pvs), compact(plain));
}

#[test]
fn a_reader_recognises_the_format_by_the_header() {
    let (games, compact, ends) = blocks();
    for format in [RecordFormat::Games, RecordFormat::Compact] {
        let bytes = write(&games, format);
        let file = GameFile::from_bytes(Path::new("x"), bytes.clone()).expect("a header");
        assert_eq!((file.format(), file.header()), (format, &header()));
        assert_eq!(read(&bytes), (games.clone(), vec![]));
    }
    let file = GameFile::from_bytes(Path::new("x"), compact).expect("a header");
    let mut read = file.games();
    for number in 0..12 {
        assert_eq!(read.offset(), ends[number / 4], "the block of game {number}");
        assert_eq!(read.next(), Some(Ok(games[number].clone())));
    }
    assert_eq!((read.offset(), read.next()), (ends[3], None));
}

#[test]
fn a_damaged_block_is_reported_with_its_place_and_only_it_is_lost() {
    let (games, bytes, ends) = blocks();
    let (start, end) = (ends[1], ends[2]);
    for at in start..end {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x41;
        let (read, damages) = read(&damaged);
        assert_eq!(read, [&games[..4], &games[8..]].concat(), "byte {at}");
        assert!(matches!(damages[..], [(offset, length, kind)]
            if offset == start && length == end - start && kind != DamageKind::Truncated));
    }
    let garbage = [b"BLCK", &bytes[..90], b"BLCBLCK\xff\xff\0\0\0\0\0"].concat();
    let with = [&bytes[..start], &garbage, &bytes[start..]].concat();
    assert_eq!(read(&with).0, games);
}

#[test]
fn a_truncated_file_keeps_its_complete_blocks() {
    let (games, bytes, ends) = blocks();
    for cut in ends[0]..bytes.len() {
        let whole = ends.iter().filter(|&&end| end <= cut).count() - 1;
        let damage = (ends[whole], cut - ends[whole], DamageKind::Truncated);
        let damages = if ends.contains(&cut) { vec![] } else { vec![damage] };
        assert_eq!(read(&bytes[..cut]), (games[..4 * whole].to_vec(), damages), "cut at {cut}");
    }
}

/// Every few bytes start a block of the maximum length.
#[test]
fn damage_with_many_block_headers_is_skipped_in_linear_time() {
    let (games, bytes, ends) = blocks();
    let block_header = [b"BLCK".as_slice(), &(1u32 << 23).to_le_bytes(), b"\0\0\0\0"].concat();
    let damage = block_header.repeat(1_000_000);
    let hostile = [&bytes[..ends[1]], &damage, &bytes[ends[1]..]].concat();
    let (read, damages) = read(&hostile);
    assert_eq!(read, games);
    assert_eq!(damages, [(ends[1], damage.len(), DamageKind::Checksum)]);
}

#[test]
fn no_games_are_appended_to_a_compact_file() {
    let (_, bytes, ends) = blocks();
    let scratch = Scratch::new("compact-folder");
    fs::create_dir_all(&scratch.0).expect("created");
    let path = scratch.0.join("a.games");
    // Whole or with a part of a block at the end, which no run of self-play left there.
    for length in [ends[3], ends[2] + 20] {
        fs::write(&path, &bytes[..length]).expect("written");
        assert!(GameWriter::resume(&path).is_err());
        let content = prepare_folder(&scratch.0).expect("prepared");
        assert!(content.seeds.contains(&header().seed));
        assert_eq!(fs::read(&path).expect("read"), bytes[..length]);
    }
    fs::remove_dir_all(&scratch.0).expect("removed");
}
