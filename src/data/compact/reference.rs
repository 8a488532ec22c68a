//! A slow, plain decoder of compact files, written from `docs/RECORDS.md`, and the tests that compare
//! it with the fast one.

use super::score_model::LEVELS;
use super::weights::WEIGHTS;
use crate::chess::{Board, Color, GameResult, Move, PieceKind, Square, attacks};
use crate::data::position::PackedPosition;
use crate::data::{GameRecord, NO_SCORE, PlyRecord, Termination};
use std::cmp::Ordering;
use std::collections::HashMap;

/// A decoder of one block. Its models are named by what they are for.
struct Block<'a> {
    bytes: &'a [u8],
    code: u128,
    range: u128,
    models: HashMap<(&'static str, Vec<usize>), (i64, i64)>,
}

impl Block<'_> {
    fn next_byte(&mut self) -> u128 {
        match self.bytes.split_first() {
            Some((byte, rest)) => {
                self.bytes = rest;
                (*byte).into()
            }
            None => panic!("the block ends too early"),
        }
    }

    /// Takes the part of the range that begins at `start`.
    fn take(&mut self, start: u128, length: u128) {
        self.code -= start;
        self.range = length;
        while self.range < 1 << 56 {
            self.range *= 256;
            self.code = self.code * 256 + self.next_byte();
        }
        assert!(self.code < self.range);
    }

    /// A bit with the mean probability of these models.
    fn bit(&mut self, names: &[(&'static str, Vec<usize>)]) -> bool {
        let mut sum = 0;
        for name in names {
            let (probability, _) = self.models.entry(name.clone()).or_insert((1 << 23, 0));
            sum += (*probability / 256).clamp(1, 65_535) as u128;
        }
        let split = self.range / 65_536 * (sum / names.len() as u128);
        let bit = self.code < split;
        if bit {
            self.take(0, split)
        } else {
            self.take(split, self.range - split)
        }
        for name in names {
            let (probability, seen) = self.models.get_mut(name).expect("it is there");
            let distance = if bit { (1 << 24) - *probability } else { -*probability };
            *probability += 2 * distance / (2 * *seen + 3);
            *seen = (*seen + 1).min(255);
        }
        bit
    }

    /// A number of this many bits; the context is a 1 and the bits before.
    fn bits(&mut self, name: &'static str, context: &[usize], count: u32) -> usize {
        let mut prefix = 1;
        for _ in 0..count {
            let place = [context, &[prefix]].concat();
            prefix = prefix * 2 + usize::from(self.bit(&[(name, place)]));
        }
        prefix - (1 << count)
    }

    /// A number with its length in bits before it.
    fn number(&mut self, name: &'static str) -> usize {
        let length = self.bits(name, &[], 5);
        if length == 0 {
            return 0;
        }
        let mut number = 1;
        for place in (0..length - 1).rev() {
            number = number * 2 + usize::from(self.bit(&[(name, vec![length, place, 0])]));
        }
        number
    }

    fn game(&mut self) -> GameRecord {
        let start = self.bit(&[("start", vec![])]).then(|| {
            let bytes: Vec<u8> = (0..34).map(|at| self.bits("position", &[at], 8) as u8).collect();
            PackedPosition::decode(bytes.first_chunk().expect("34 bytes")).expect("valid")
        });
        let result = self.bits("result", &[], 2);
        let termination = self.bits("termination", &[result], 4);
        let opening_plies = self.number("opening");
        let count = self.number("plies");
        let mut game = GameRecord {
            start,
            result: [GameResult::BlackWins, GameResult::Draw, GameResult::WhiteWins][result],
            termination: Termination::ALL[termination],
            opening_plies: opening_plies as u16,
            plies: Vec::new(),
        };
        let mut boards = vec![game.start_position().expect("legal")];
        let mut moves: Vec<Move> = Vec::new();
        let mut levels = vec![0, 0, 0];
        let mut was_unsearched = true;
        for ply in 0..count {
            let board = *boards.last().expect("a board");
            let is_opening = ply < opening_plies;
            let context = vec![usize::from(is_opening), usize::from(was_unsearched)];
            was_unsearched = self.bit(&[("unsearched", context)]);
            let score = if was_unsearched { NO_SCORE } else { self.score(&mut levels, &board) };
            let mut legal = board.legal_moves().to_vec();
            legal.sort_by_key(|m| m.bits());
            let lead = match board.turn() {
                Color::White => levels[levels.len() - 1],
                Color::Black => -levels[levels.len() - 1],
            };
            let sums: Vec<i32> =
                legal.iter().map(|m| weight(&boards, moves.last(), lead, *m)).collect();
            let best = *sums.iter().max().expect("a legal move");
            let size = |sum: &i32| if is_opening { 1 } else { power(best - sum) };
            let played = legal[self.choice(&sums.iter().map(size).collect::<Vec<_>>())];
            game.plies.push(PlyRecord { move_bits: played.bits(), score });
            boards.push(board.make(played));
            moves.push(played);
        }
        game
    }

    fn choice(&mut self, sizes: &[u128]) -> usize {
        let unit = self.range / sizes.iter().sum::<u128>();
        let mut start = 0;
        for (index, size) in sizes.iter().enumerate() {
            if self.code < (start + size) * unit {
                self.take(start * unit, size * unit);
                return index;
            }
            start += size;
        }
        panic!("no choice")
    }

    fn score(&mut self, levels: &mut Vec<i32>, board: &Board) -> i16 {
        let [third, second, last] = levels[levels.len() - 3..] else { unreachable!() };
        let group = match last.abs() {
            0 => 0,
            1..3 => 1,
            3..7 => 2,
            7..13 => 3,
            13..20 => 4,
            20..27 => 5,
            _ => 6,
        };
        let pieces = board.occupied().count() as usize;
        let sizes = (last - second).abs().min(3) + (second - third).abs().min(3);
        let by_level =
            vec![group, usize::from(last > 0), ((last - second).clamp(-3, 3) + 3) as usize];
        let by_phase = vec![sizes as usize, (pieces / 6).min(5)];
        let names = |place: usize| {
            [&by_level, &by_phase]
                .map(|context| [context.as_slice(), &[place]].concat())
                .into_iter()
                .zip(["level", "phase"])
                .map(|(context, name)| (name, context))
                .collect::<Vec<_>>()
        };
        let mut level = last;
        if self.bit(&names(0)) {
            let sign = if self.bit(&names(1)) { 1 } else { -1 };
            let mut size = 1;
            while size <= 16 && self.bit(&names(100 + 100 * usize::from(sign > 0) + size)) {
                size += 1;
            }
            level = match size {
                1..=16 => last + sign * size as i32,
                _ => self.bits("absolute level", &[], 7) as i32 - 34,
            };
        }
        levels.push(level);
        let size = match level.abs() {
            34 => 30_000 + self.bits("decisive", &[], 12) as i16,
            size => LEVELS[size as usize],
        };
        size * level.signum() as i16
    }
}

/// 2^(16 - sixteenths / 16), from the rounded powers of the first octave.
fn power(sixteenths: i32) -> u128 {
    let first = (65_536.0 * 2_f64.powf(f64::from(sixteenths % 16) / -16.0)).round() as u128;
    (first >> (sixteenths / 16)).max(1)
}

fn value(kind: PieceKind) -> i32 {
    [1, 3, 3, 5, 9, 20][kind.index()]
}

/// The pieces of a colour that attack the square.
fn attackers(board: &Board, color: Color, square: Square) -> Vec<PieceKind> {
    let all = board.attackers_to(square, board.occupied()) & board.side(color).occupied();
    let mut kinds: Vec<_> =
        all.into_iter().filter_map(|square| board.side(color).piece_at(square)).collect();
    kinds.sort();
    kinds
}

/// 1 + the least kind of the opponent's pieces that attack the square, 0 for none.
fn attacker(board: &Board, square: Square) -> usize {
    attackers(board, !board.turn(), square).first().map_or(0, |kind| kind.index() + 1)
}

/// Own pieces in danger, except on this square.
fn in_danger(board: &Board, except: Square) -> Vec<Square> {
    let is_in_danger = |square: &Square| {
        let piece = board.us().piece_at(*square).expect("an own piece");
        let theirs = attackers(board, !board.turn(), *square);
        let is_defended = !attackers(board, board.turn(), *square).is_empty();
        let has_lesser = theirs.iter().any(|kind| value(*kind) < value(piece));
        piece != PieceKind::King && (has_lesser || (!theirs.is_empty() && !is_defended))
    };
    let others = board.us().occupied().into_iter().filter(|square| *square != except);
    others.filter(is_in_danger).collect()
}

/// The gain of a capture and the risk of a move.
fn gain_and_risk(board: &Board, m: Move, captured: Option<PieceKind>) -> (usize, usize) {
    let gain = captured.map_or(0, |captured| match value(captured).cmp(&value(m.piece())) {
        Ordering::Less => 1,
        Ordering::Equal => 2,
        Ordering::Greater => 3,
    });
    let risk = match attackers(board, !board.turn(), m.destination()).first() {
        None => 0,
        Some(least) if is_defended(board, m) && value(*least) >= value(m.piece()) => 1,
        Some(_) => 2,
    };
    (gain, risk)
}

fn is_defended(board: &Board, m: Move) -> bool {
    let all = board.attackers_to(m.destination(), board.occupied()) & board.us().occupied();
    all.into_iter().any(|square| square != m.from() || m.is_castling())
}

/// The squares that the piece attacks from its target and not from its origin, and the threat.
fn attacks_and_threat(board: &Board, m: Move) -> (Vec<Square>, usize) {
    let (from, to, turn) = (m.from(), m.destination(), board.turn());
    let arrived = m.promotion().unwrap_or(m.piece());
    let occupied = (board.occupied() & !from.bitboard()) | to.bitboard();
    let before = attacks::of(m.piece(), turn, from, board.occupied());
    let after = attacks::of(arrived, turn, to, occupied).into_iter();
    let new: Vec<Square> = after.filter(|square| !before.has(*square)).collect();
    let threats = new.iter().filter_map(|square| {
        let piece = board.them().piece_at(*square).filter(|kind| *kind != PieceKind::King)?;
        let is_undefended = attackers(board, !turn, *square).is_empty();
        (is_undefended || value(piece) > value(arrived)).then_some(piece.index() + 1)
    });
    let threat = threats.max().unwrap_or(0);
    (new, threat)
}

/// The index in the table of pawns.
fn pawn(board: &Board, m: Move) -> usize {
    if m.piece() != PieceKind::Pawn {
        return 0;
    }
    let place = |square: Square| {
        let square = square.relative_to(board.turn()).index();
        (square % 8, square / 8)
    };
    let (file, rank) = place(m.to());
    let stops = |square: Square| place(square).0.abs_diff(file) <= 1 && place(square).1 > rank;
    let is_passed = !board.them().pieces(PieceKind::Pawn).into_iter().any(stops);
    rank * 2 + usize::from(is_passed)
}

/// The sum of the weights of a move.
fn weight(boards: &[Board], last: Option<&Move>, lead: i32, m: Move) -> i32 {
    let board = boards.last().expect("a board");
    let next = board.make(m);
    let (kind, from, to) = (m.piece().index(), m.from(), m.destination());
    let captured = if m.is_en_passant() {
        Some(PieceKind::Pawn)
    } else {
        board.piece_at(m.to()).filter(|_| !m.is_castling()).map(|piece| piece.kind)
    };
    let is_capture = captured.is_some();
    let (gain, risk) = gain_and_risk(board, m, captured);
    let (new_attacks, threat) = attacks_and_threat(board, m);
    let in_danger = in_danger(board, from);
    let guards = in_danger.iter().any(|square| new_attacks.contains(square));
    let mut before = boards.iter().rev().skip(1).take(8);
    let repeats =
        !is_capture && kind > 0 && before.any(|position| is_same_position(position, &next));
    let lead = match lead {
        ..=-16 => 0,
        -15..=-4 => 1,
        -3..=3 => 2,
        4..=15 => 3,
        16.. => 4,
    };
    let castling = if m.is_castling() { 1 + usize::from(m.to() > from) } else { 0 };
    let last = last.map(|last| last.destination());
    let relative = |square: Square| square.relative_to(board.turn()).index();
    let flags = |flags: &[bool]| flags.iter().fold(0, |all, flag| all * 2 + usize::from(*flag));
    let is_own_defended = !attackers(board, board.turn(), from).is_empty();
    let features = [
        (384, kind * 64 + relative(from)),
        (384, kind * 64 + relative(to)),
        (84, (kind * 7 + captured.map_or(6, PieceKind::index)) * 2 + flags(&[last == Some(to)])),
        (336, ((kind * 7 + attacker(board, to)) * 2 + flags(&[is_defended(board, m)])) * 4 + gain),
        (84, (kind * 7 + attacker(board, from)) * 2 + flags(&[is_own_defended])),
        (12, (flags(&[next.in_check()]) * 3 + risk) * 2 + flags(&[is_capture])),
        (72, (kind * 6 + threat) * 2 + flags(&[risk == 2])),
        (16, pawn(board, m)),
        (3, castling),
        (24, kind * 4 + flags(&[board.in_check(), is_capture])),
        (24, kind * 4 + flags(&[guards, !in_danger.is_empty()])),
        (10, lead * 2 + flags(&[repeats])),
        (48, last.map_or(7, |last| usize::from(last.distance(to))) * 6 + kind),
    ];
    let mut start = 0;
    let mut sum = 0;
    for (count, index) in features {
        assert!(index < count);
        sum += i32::from(WEIGHTS[start + index]);
        start += count;
    }
    assert_eq!(start, WEIGHTS.len());
    sum
}

/// Whether two positions have the same pieces, side to move, castling rights and en passant capture.
fn is_same_position(a: &Board, b: &Board) -> bool {
    let state = |board: &Board| (board.turn(), board.castling_rights(), board.en_passant());
    Color::ALL.iter().all(|color| a.side(*color) == b.side(*color)) && state(a) == state(b)
}

/// The games of a file, with all blocks intact.
fn decode(file: &[u8]) -> Vec<GameRecord> {
    let name = usize::from(u16::from_le_bytes([file[36], file[37]]));
    let mut rest = &file[38 + name + 4..];
    let mut games = Vec::new();
    while let Some((header, after)) = rest.split_at_checked(12) {
        let length = u32::from_le_bytes(*header[4..].first_chunk().expect("a length")) as usize;
        let (payload, after) = after.split_at(length);
        let (count, coded) = payload.split_first_chunk().expect("a number");
        let mut block =
            Block { bytes: coded, code: 0, range: u64::MAX.into(), models: HashMap::new() };
        for _ in 0..8 {
            block.code = block.code * 256 + block.next_byte();
        }
        games.extend((0..u32::from_le_bytes(*count)).map(|_| block.game()));
        rest = after;
    }
    games
}

mod tests {
    use super::*;
    use crate::chess::Random;
    use crate::data::compact::{Block as FastBlock, BlockGames};
    use crate::data::statistics::sigmoid;
    use crate::data::{DECISIVE, FileHeader, GameFile, RecordFormat, RecordWriter};
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
            result: [GameResult::BlackWins, GameResult::Draw, GameResult::WhiteWins]
                [random.below(3)],
            termination: Termination::ALL[random.below(9)],
            opening_plies: random.below(10).min(plies.len()) as u16,
            plies,
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
        assert!(decode(&bytes) == decoded, "the decoders differ");
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
        let mut block = FastBlock::new();
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
}
