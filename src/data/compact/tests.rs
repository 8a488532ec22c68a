//! Compares the decoder with a plain one.

mod reference;

use super::*;

use crate::chess::Random;
use crate::data::statistics::sigmoid;
use crate::data::{DECISIVE, FileHeader, GameFile, NO_SCORE, RecordFormat, RecordWriter};
use std::path::Path;

/// A score: mostly near the last one, sometimes far away, a mate, or missing.
fn random_score(random: &mut Random, last: &mut i16) -> i16 {
    let near = |random: &mut Random, size: i16| {
        let offset = random.below(2 * size as usize + 1) as i16 - size;
        last.saturating_add(offset).clamp(1 - DECISIVE, DECISIVE - 1)
    };
    let score = match random.below(20) {
        0 => NO_SCORE,
        1 => [-1, 1][random.below(2)] * (DECISIVE + random.below(2768) as i16),
        2 => near(random, 300),
        3 => near(random, 15_000),
        _ => near(random, 30),
    };
    *last = if score.unsigned_abs() < DECISIVE as u16 { score } else { *last };
    score
}

/// A game of random legal moves. Promotions and castling are chosen where they are possible.
fn random_game(random: &mut Random) -> GameRecord {
    let kind = random.below(4);
    let board =
        if kind == 0 { Board::chess960_startpos(random.below(960)) } else { Board::startpos() };
    let max_plies = [0, 1, 12, 150, 400][random.below(5)];
    let (mut next, mut plies, mut last) = (board, Vec::new(), 0);
    while plies.len() < max_plies {
        let mut moves = next.legal_moves().to_vec();
        moves.sort_by_key(|m| m.bits());
        let is_special = |m: &Move| m.is_castling() || m.is_en_passant() || m.is_promotion();
        let special: Vec<Move> = moves.iter().copied().filter(is_special).collect();
        let choices = if special.is_empty() { &moves[..] } else { &special[..] };
        let Some(m) = choices.get(random.below(choices.len().max(1))) else { break };
        plies.push(PlyRecord { move_bits: m.bits(), score: random_score(random, &mut last) });
        next = next.make(*m);
    }
    GameRecord {
        start: (kind == 0).then(|| PackedPosition::from_board(&board)),
        result: [GameResult::BlackWins, GameResult::Draw, GameResult::WhiteWins][random.below(3)],
        termination: Termination::ALL[random.below(9)],
        opening_plies: random.below(10).min(plies.len()) as u16,
        plies,
        pvs: Vec::new(),
    }
}

/// A game of these moves with their scores.
fn game_of<'a>(start: Board, plies: impl Iterator<Item = (&'a str, i16)>) -> GameRecord {
    let mut board = start;
    let plies = plies.map(|(text, score)| {
        let m = board.parse_uci(text).unwrap();
        board = board.make(m);
        PlyRecord { move_bits: m.bits(), score }
    });
    GameRecord {
        plies: plies.collect(),
        start: (start != Board::startpos()).then(|| PackedPosition::from_board(&start)),
        result: GameResult::Draw,
        termination: Termination::MaximumPlies,
        opening_plies: 0,
        pvs: Vec::new(),
    }
}

fn random_games(seed: u64, count: usize) -> Vec<GameRecord> {
    let mut random = Random::new(seed);
    (0..count).map(|_| random_game(&mut random)).collect()
}

fn encode(games: &[GameRecord]) -> Vec<u8> {
    let header = FileHeader { engine: "test".into(), nodes: 400, generation: 1, seed: 2 };
    let mut writer = RecordWriter::new(Vec::new(), &header, RecordFormat::Compact).unwrap();
    for game in games {
        writer.write(game).unwrap();
    }
    writer.finish().unwrap()
}

fn decode_fast(bytes: Vec<u8>) -> Vec<GameRecord> {
    let file = GameFile::from_bytes(Path::new("x"), bytes).unwrap();
    file.games().map(Result::unwrap).collect()
}

/// Everything but the scores is kept, and they are within 1/128 of a point.
fn assert_kept(game: &GameRecord, decoded: &GameRecord) {
    assert_eq!(game.plies.len(), decoded.plies.len());
    let mut expected = game.clone();
    for (ply, found) in expected.plies.iter_mut().zip(&decoded.plies) {
        if ply.score != NO_SCORE && ply.score.unsigned_abs() < DECISIVE as u16 {
            let [a, b] = [ply.score, found.score].map(|score| sigmoid(score.into()));
            assert!((a - b).abs() <= 1.0 / 128.0, "{} became {}", ply.score, found.score);
            ply.score = found.score;
        }
    }
    assert_eq!(expected, *decoded);
}

#[test]
fn games_are_kept_and_the_plain_decoder_agrees() {
    let mut games = random_games(1, 120);
    // Repeated positions, which random games do not have.
    let moves = ["g1f3", "g8f6", "f3g1", "f6g8"].into_iter().cycle();
    games.push(game_of(Board::startpos(), moves.zip((-200..200).step_by(9))));
    let bytes = encode(&games);
    let decoded = decode_fast(bytes.clone());
    assert_eq!(decoded.len(), games.len());
    for (game, decoded) in games.iter().zip(&decoded) {
        assert_kept(game, decoded);
    }
    assert!(reference::decode(&bytes) == decoded, "the decoders differ");
    assert!(encode(&decoded) == bytes, "a second time changes nothing");
}

#[test]
fn every_score_has_a_level_within_its_error() {
    let all: Vec<i16> = (i16::MIN..=i16::MAX).collect();
    for scores in all.chunks(20_000) {
        let moves = ["g1f3", "g8f6", "f3g1", "f6g8"].into_iter().cycle();
        let game = game_of(Board::startpos(), moves.zip(scores.iter().copied()));
        assert_kept(&game, &decode_fast(encode(std::slice::from_ref(&game)))[0]);
    }
}

/// Files must be readable for ever: neither weights nor models may change.
#[test]
fn the_format_is_frozen() {
    assert_eq!(crate::data::crc::crc32(&encode(&random_games(7, 50))), 0x66f0_b7a1);
}

#[test]
fn illegal_games_are_refused_and_leave_the_block_as_it_was() {
    let games = random_games(3, 8);
    let longest = games.iter().max_by_key(|game| game.plies.len()).unwrap();
    let with = |change: fn(&mut GameRecord)| {
        let mut game = longest.clone();
        change(&mut game);
        game
    };
    let mut block = Block::new();
    for game in &games {
        block.push(game).unwrap();
    }
    for game in [
        with(|game| game.plies[9] = game.plies[8]),
        with(|game| game.plies[3].move_bits = 0),
        with(|game| game.plies[3].move_bits = u16::MAX),
        with(|game| game.opening_plies = game.plies.len() as u16 + 1),
        with(|game| game.start = Some(PackedPosition::with_pieces([]))),
    ] {
        assert!(block.push(&game).is_err());
    }
    let frame = block.frame();
    let decoded: Vec<_> = BlockGames::new(&frame[12..]).unwrap().flatten().collect();
    assert_eq!(decoded, decode_fast(encode(&games)));
}

/// A game that never costs a bit: long blocks of such games are filled up.
#[test]
fn a_block_holds_at_most_four_plies_a_byte() {
    let board = Board::from_fen("7k/8/8/8/8/8/8/K7 w - - 0 1").unwrap();
    let moves = ["a1b1", "h8g8", "b1a1", "g8h8"].into_iter().cycle();
    let game = game_of(board, moves.zip([NO_SCORE; 20_000]));
    let bytes = encode(&vec![game.clone(); 20]);
    assert!(bytes.len() >= 20 * game.plies.len() / 4);
    assert_eq!(decode_fast(bytes), vec![game; 20]);
}

/// Payloads as another program could write them: with a right checksum, but changed bytes.
#[test]
fn damaged_payloads_give_legal_games_and_end() {
    let file = encode(&random_games(5, 40));
    let payload = &file[38 + 4 + 4 + 12..];
    let mut random = Random::new(11);
    for _ in 0..200 {
        let mut damaged = payload.to_vec();
        damaged.truncate(payload.len() - random.below(2) * random.below(payload.len()));
        for _ in 0..random.below(4) {
            let at = random.below(damaged.len().min(64) + 1).min(damaged.len());
            if let Some(byte) = damaged.get_mut(at) {
                *byte = random.next_u64() as u8;
            }
        }
        let max = 4 * damaged.len();
        let mut plies = 0;
        for game in BlockGames::new(&damaged).into_iter().flatten().flatten() {
            assert!(game.replay().unwrap().all(|ply| ply.is_ok()));
            plies += game.plies.len() + 1;
        }
        assert!(plies <= max);
    }
}
