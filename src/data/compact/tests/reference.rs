//! A slow, plain decoder of compact files, written from `docs/RECORDS.md`.

use crate::chess::{Board, Color, GameResult, Move, PieceKind, Square, attacks};
use crate::data::compact::score_model::LEVELS;
use crate::data::compact::weights::WEIGHTS;
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
            pvs: Vec::new(),
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
        let piece = board.us().piece_at(*square).expect("a piece of the side to move");
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
pub(super) fn decode(file: &[u8]) -> Vec<GameRecord> {
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
