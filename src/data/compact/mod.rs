//! The compact format of recorded games: less than a byte a position. `docs/RECORDS.md` specifies it.
//!
//! Moves are coded by how likely they are among the legal ones, scores by the scores before. Only
//! scores lose precision, see [`score_model`].

mod block;
mod move_model;
mod range_coder;
mod score_model;
#[cfg(test)]
mod tests;
mod weights;

use super::position::{PACKED_LEN, PackedPosition};
use super::record::MAX_PLIES;
use super::{GameRecord, PlyRecord, Termination};
use crate::chess::{Board, Color, GameResult, Move};
use move_model::{History, move_sizes};
use range_coder::{BitModel, Coder, code_bits};
use score_model::ScoreModel;

pub(super) use block::{BLOCK_MAGIC, Block, BlockGames, MAX_BLOCK};

/// The bits of the length of a number.
const LENGTH_BITS: u32 = 5;

/// What has been learned from the games of a block so far.
#[derive(Clone, Debug)]
struct Models {
    has_start: BitModel,
    position: Vec<[BitModel; 256]>,
    result: [BitModel; 4],
    termination: [[BitModel; 16]; 3],
    opening_plies: NumberModel,
    plies: NumberModel,
    scores: ScoreModel,
}

/// The models of a number: of its length in bits, and of each bit by length and place.
#[derive(Clone, Debug)]
struct NumberModel {
    length: [BitModel; 1 << LENGTH_BITS],
    bits: [[BitModel; 16]; 1 << LENGTH_BITS],
}

impl NumberModel {
    const NEW: NumberModel = NumberModel {
        length: [BitModel::NEW; 1 << LENGTH_BITS],
        bits: [[BitModel::NEW; 16]; 1 << LENGTH_BITS],
    };

    /// Codes a number of up to 16 bits; a longer one of a hostile file is cut off.
    fn code(&mut self, coder: &mut impl Coder, number: usize) -> usize {
        let length = (usize::BITS - number.leading_zeros()) as usize;
        let length = code_bits(coder, &mut self.length, LENGTH_BITS, length).min(16);
        // The highest bit is set.
        (0..length.saturating_sub(1)).rev().fold(usize::from(length > 0), |high, place| {
            let bit = self.bits[length][place].code(coder, number >> place & 1 == 1);
            high << 1 | usize::from(bit)
        })
    }
}

impl Models {
    fn new() -> Models {
        Models {
            has_start: BitModel::NEW,
            position: vec![[BitModel::NEW; 256]; PACKED_LEN],
            result: [BitModel::NEW; 4],
            termination: [[BitModel::NEW; 16]; 3],
            opening_plies: NumberModel::NEW,
            plies: NumberModel::NEW,
            scores: ScoreModel::new(),
        }
    }

    /// Codes a game of at most `max_plies` plies. An encoder is given the game, which must be legal.
    /// `None` if the coded values are no game.
    fn code_game(
        &mut self,
        coder: &mut impl Coder,
        given: Option<&GameRecord>,
        max_plies: usize,
    ) -> Option<GameRecord> {
        let start = self.code_start(coder, given.and_then(|game| game.start.as_ref()))?;
        let value = |field: fn(&GameRecord) -> usize| given.map_or(0, field);
        let half_points = value(|game| game.result.half_points(Color::White).into());
        let result = code_bits(coder, &mut self.result, 2, half_points);
        let end = value(|game| game.termination as usize);
        let end = code_bits(coder, self.termination.get_mut(result)?, 4, end);
        let opening_plies = value(|game| game.opening_plies.into());
        let opening_plies = self.opening_plies.code(coder, opening_plies);
        let count = self.plies.code(coder, value(|game| game.plies.len()));
        let mut game = GameRecord {
            start,
            result: [GameResult::BlackWins, GameResult::Draw, GameResult::WhiteWins][result],
            termination: *Termination::ALL.get(end)?,
            opening_plies: u16::try_from(opening_plies).ok()?,
            plies: Vec::new(),
            pvs: Vec::new(),
        };
        if opening_plies > count || count > max_plies.min(MAX_PLIES) {
            return None;
        }
        let (mut board, mut history) = (game.start_position().ok()?, History::default());
        self.scores.start_game();
        for number in 0..count {
            let given = given.and_then(|game| game.plies.get(number)).copied();
            let is_opening = number < opening_plies;
            let (played, score) =
                self.code_ply(coder, &board, &history, given.unwrap_or(NO_PLY), is_opening)?;
            if coder.is_past_end() {
                return None;
            }
            game.plies.push(PlyRecord { move_bits: played.bits(), score });
            history.push(&board, played);
            board = board.make(played);
        }
        (!coder.is_past_end()).then_some(game)
    }

    /// Codes the start position, byte by byte; `None` for the standard one.
    fn code_start(
        &mut self,
        coder: &mut impl Coder,
        given: Option<&PackedPosition>,
    ) -> Option<Option<PackedPosition>> {
        if !self.has_start.code(coder, given.is_some()) {
            return Some(None);
        }
        let mut bytes = Vec::with_capacity(PACKED_LEN);
        if let Some(position) = given {
            position.encode(&mut bytes);
        }
        bytes.resize(PACKED_LEN, 0);
        for (byte, models) in bytes.iter_mut().zip(&mut self.position) {
            *byte = code_bits(coder, models, 8, usize::from(*byte)) as u8;
        }
        Some(Some(PackedPosition::decode(bytes.first_chunk()?)?))
    }

    /// Codes a score and then a move. Each move of an opening is as likely as the others.
    fn code_ply(
        &mut self,
        coder: &mut impl Coder,
        board: &Board,
        history: &History,
        given: PlyRecord,
        is_opening: bool,
    ) -> Option<(Move, i16)> {
        let score = self.scores.code(coder, given.score, is_opening, board.occupied().count())?;
        let mut moves = board.legal_moves().to_vec();
        moves.sort_unstable_by_key(|m| m.bits());
        let level = self.scores.last_level();
        let lead = if board.turn() == Color::White { level } else { -level };
        let sizes = if is_opening {
            vec![1; moves.len()]
        } else {
            move_sizes(board, history, lead, &moves)
        };
        let index = moves.iter().position(|m| m.bits() == given.move_bits).unwrap_or(0);
        if moves.is_empty() {
            return None;
        }
        Some((moves[coder.choice(&sizes, index)], score))
    }
}

/// Stands for the unknown ply of a decoder.
const NO_PLY: PlyRecord = PlyRecord { move_bits: 0, score: 0 };
