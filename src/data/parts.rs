//! Reading a file of games part by part, in constant memory.

use super::{DamageError, DamageKind, GameFile, GameRecord};
use std::io::{self, Read};
use std::path::Path;

/// The number of bytes that are read at once.
pub(super) const PART: usize = 1 << 24;

/// Reads the games of a file, in parts of this many bytes. `each` gets them and the damaged places
/// between them, and where they start. It stops the reading by an error. Damage that is longer than
/// the longest frame is reported in parts. The path is only used in errors.
///
/// # Errors
/// If the file cannot be read. The inner error is that of `each`.
pub(super) fn for_each_game_of<E, R: Read>(
    path: &Path,
    mut reader: R,
    part: usize,
    each: &mut dyn FnMut(usize, Result<GameRecord, DamageError>) -> Result<(), E>,
) -> io::Result<Result<(), E>> {
    let mut bytes = Vec::new();
    let mut is_last = read_part(&mut reader, part, &mut bytes)?;
    let mut file = match GameFile::from_bytes(path, bytes) {
        Ok(file) => file,
        Err(mut damage) => {
            damage.length += io::copy(&mut reader, &mut io::sink())? as usize;
            return Ok(each(0, Err(damage)));
        }
    };
    let mut base = 0;
    loop {
        let end = match for_each_game_of_part(&file, base, is_last, each) {
            Ok(end) => end,
            Err(error) => return Ok(Err(error)),
        };
        if is_last {
            return Ok(Ok(()));
        }
        base += end;
        let mut bytes = file.bytes_from(end).to_vec();
        is_last = read_part(&mut reader, part, &mut bytes)?;
        file = file.with_bytes(bytes);
    }
}

/// Appends up to this many bytes. Whether they are the last ones.
fn read_part(reader: &mut impl Read, part: usize, bytes: &mut Vec<u8>) -> io::Result<bool> {
    Ok(reader.take(part as u64).read_to_end(bytes)? < part)
}

/// Reads the games of a part of a file. Returns where the next part must start: what seems to be
/// damaged at the end may be a frame that continues there.
fn for_each_game_of_part<E>(
    file: &GameFile,
    base: usize,
    is_last: bool,
    each: &mut dyn FnMut(usize, Result<GameRecord, DamageError>) -> Result<(), E>,
) -> Result<usize, E> {
    let end = file.bytes_from(0).len();
    let mut games = file.games();
    loop {
        let offset = games.offset();
        let game = match games.next() {
            None => return Ok(end),
            Some(game) => game,
        };
        let at_base = |damage: DamageError| DamageError { offset: damage.offset + base, ..damage };
        match game {
            Err(damage)
                if !is_last
                    && damage.kind != DamageKind::Payload
                    && damage.offset + damage.length == end =>
            {
                // No frame from before this place reaches beyond the part.
                let next = end.saturating_sub(file.max_frame()).max(damage.offset);
                if next > damage.offset {
                    let length = next - damage.offset;
                    // The file does not end here.
                    let kind = match damage.kind {
                        DamageKind::Truncated => DamageKind::NotAFrame,
                        kind => kind,
                    };
                    each(base + offset, Err(at_base(DamageError { length, kind, ..damage })))?;
                }
                return Ok(next);
            }
            game => each(base + offset, game.map_err(at_base))?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Board, GameResult};
    use crate::data::{FileHeader, NO_SCORE, PlyRecord, RecordFormat, RecordWriter, Termination};

    fn game(plies: usize) -> GameRecord {
        let mut board = Board::startpos();
        let moves = ["g1f3", "g8f6", "f3g1", "f6g8"].into_iter().cycle().take(plies);
        let plies = moves.map(|text| {
            let m = board.parse_uci(text).unwrap();
            board = board.make(m);
            PlyRecord { move_bits: m.bits(), score: NO_SCORE }
        });
        GameRecord {
            start: None,
            result: GameResult::Draw,
            termination: Termination::Threefold,
            opening_plies: 1,
            plies: plies.collect(),
            pvs: Vec::new(),
        }
    }

    /// Blocks or games, intact or damaged, with garbage between them and a part at the end.
    #[test]
    fn parts_of_any_size_give_what_the_whole_file_does() {
        let header = FileHeader { engine: "test".into(), nodes: 1, generation: 0, seed: 1 };
        for format in [RecordFormat::Games, RecordFormat::Compact] {
            let write = |games: &[GameRecord]| {
                let mut writer = RecordWriter::new(Vec::new(), &header, format).unwrap();
                games.iter().for_each(|game| writer.write(game).unwrap());
                writer.finish().unwrap()
            };
            let start = write(&[]);
            let frames = |games: &[GameRecord]| write(games)[start.len()..].to_vec();
            let mut damaged = frames(&[game(30), game(40)]);
            damaged[20] ^= 1;
            let whole = [
                start.clone(),
                frames(&[game(1), game(7)]),
                damaged,
                frames(&[game(12)]),
                b"GAMEBLCKGAM".to_vec(),
                frames(&[game(20), game(9), game(2)]),
                frames(&[game(5)])[..15].to_vec(),
            ]
            .concat();
            for end in [whole.len(), whole.len() - 15] {
                let whole = &whole[..end];
                let file = GameFile::from_bytes(Path::new("x"), whole.to_vec()).unwrap();
                let mut games = file.games();
                let next = || Some((games.offset(), games.next()?));
                let expected: Vec<_> = std::iter::from_fn(next).collect();
                for part in start.len()..end + 2 {
                    let mut found = Vec::new();
                    for_each_game_of::<(), _>(Path::new("x"), whole, part, &mut |offset, game| {
                        found.push((offset, game));
                        Ok(())
                    })
                    .unwrap()
                    .unwrap();
                    assert_eq!(found, expected, "{format:?}, {part} bytes");
                }
            }
        }
    }

    #[test]
    fn long_damage_is_skipped_in_parts_and_the_games_behind_it_are_found() {
        let header = FileHeader { engine: "test".into(), nodes: 1, generation: 0, seed: 1 };
        let garbage = b"GAME".repeat(300_000);
        let bytes = [header.to_bytes(), game(3).frame(), garbage.clone(), game(4).frame()].concat();
        let (mut games, mut skipped) = (Vec::new(), 0);
        for_each_game_of::<(), _>(Path::new("x"), &bytes[..], 100_000, &mut |_, game| {
            match game {
                Ok(game) => games.push(game),
                Err(damage) => {
                    assert_eq!(damage.offset, header.to_bytes().len() + game_length(3) + skipped);
                    skipped += damage.length;
                }
            }
            Ok(())
        })
        .unwrap()
        .unwrap();
        assert_eq!((games, skipped), (vec![game(3), game(4)], garbage.len()));
        for_each_game_of::<(), _>(Path::new("x"), &garbage[..], 1000, &mut |_, game| {
            assert_eq!(game.unwrap_err().length, garbage.len());
            Ok(())
        })
        .unwrap()
        .unwrap();
    }

    fn game_length(plies: usize) -> usize {
        game(plies).frame().len()
    }
}
