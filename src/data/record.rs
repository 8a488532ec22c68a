//! A recorded game as bytes.
//!
//! **Everything is from White's view**: the result and every score.
//!
//! | payload of a frame, little-endian | bytes |
//! |---|---|
//! | start position: 0 is the standard one; 1, then a [`PackedPosition`] of 34 bytes | 1 or 35 |
//! | result: 0 Black wins, 1 draw, 2 White wins | 1 |
//! | [`Termination`] | 1 |
//! | plies of the opening, which were not searched | 2 |
//! | for each ply the 16 bits of the move and the score | 4 |

use super::crc::crc32;
use super::position::{PACKED_LEN, PackedPosition};
use crate::chess::{Color, GameResult, GameStatus};

/// The first bytes of a frame.
pub(super) const FRAME_MAGIC: &[u8; 4] = b"GAME";
/// The length of a frame before its payload: magic, length, checksum.
pub(super) const FRAME_HEADER: usize = 12;
/// The maximum length of a payload. A frame with a larger length is damaged.
pub(super) const MAX_PAYLOAD: usize = 1 << 18;

/// The maximum length of a game, in plies.
pub(super) const MAX_PLIES: usize = (MAX_PAYLOAD - PACKED_LEN - 5) / 4;

/// The score of a ply that was not searched.
pub const NO_SCORE: i16 = i16::MIN;
/// The minimum size of mate and tablebase scores. Smaller scores are centipawns.
pub const DECISIVE: i16 = 30_000;

/// Why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Termination {
    /// Checkmate.
    Checkmate = 0,
    /// Stalemate.
    Stalemate = 1,
    /// Neither side can mate.
    InsufficientMaterial = 2,
    /// Fifty moves without a capture or pawn move.
    FiftyMoves = 3,
    /// Threefold repetition.
    Threefold = 4,
    /// Adjudicated as a win by score.
    AdjudicatedWin = 5,
    /// Adjudicated as a draw by score.
    AdjudicatedDraw = 6,
    /// Adjudicated as a draw at the maximum length.
    MaximumPlies = 7,
    /// Adjudicated by tablebases.
    Tablebase = 8,
}

impl Termination {
    /// All of them, by their number in the file.
    pub const ALL: [Termination; 9] = [
        Termination::Checkmate,
        Termination::Stalemate,
        Termination::InsufficientMaterial,
        Termination::FiftyMoves,
        Termination::Threefold,
        Termination::AdjudicatedWin,
        Termination::AdjudicatedDraw,
        Termination::MaximumPlies,
        Termination::Tablebase,
    ];

    /// The name in commands and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Termination::Checkmate => "checkmate",
            Termination::Stalemate => "stalemate",
            Termination::InsufficientMaterial => "insufficient_material",
            Termination::FiftyMoves => "fifty_moves",
            Termination::Threefold => "threefold",
            Termination::AdjudicatedWin => "adjudicated_win",
            Termination::AdjudicatedDraw => "adjudicated_draw",
            Termination::MaximumPlies => "maximum_plies",
            Termination::Tablebase => "tablebase",
        }
    }

    /// The termination of a game with this status; `None` while it is ongoing.
    pub const fn from_status(status: GameStatus) -> Option<Termination> {
        match status {
            GameStatus::Ongoing => None,
            GameStatus::Checkmate => Some(Termination::Checkmate),
            GameStatus::Stalemate => Some(Termination::Stalemate),
            GameStatus::InsufficientMaterial => Some(Termination::InsufficientMaterial),
            GameStatus::FiftyMoves => Some(Termination::FiftyMoves),
            GameStatus::Threefold => Some(Termination::Threefold),
        }
    }

    /// The status of the last position of such a game: ongoing if it was adjudicated.
    pub const fn status(self) -> GameStatus {
        match self {
            Termination::Checkmate => GameStatus::Checkmate,
            Termination::Stalemate => GameStatus::Stalemate,
            Termination::InsufficientMaterial => GameStatus::InsufficientMaterial,
            Termination::FiftyMoves => GameStatus::FiftyMoves,
            Termination::Threefold => GameStatus::Threefold,
            _ => GameStatus::Ongoing,
        }
    }
}

/// A ply of a recorded game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlyRecord {
    /// The move, as `chess::Move::bits` gives it.
    pub move_bits: u16,
    /// The score of the position before the move, in centipawns from White's view; at least
    /// [`DECISIVE`] in size for mate and tablebase scores; [`NO_SCORE`] if it was not searched.
    pub score: i16,
}

/// A recorded game. Its moves are unchecked, see [`check_game`](super::check_game).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// The start position; `None` is the standard one.
    pub start: Option<PackedPosition>,
    /// The result.
    pub result: GameResult,
    /// Why the game ended.
    pub termination: Termination,
    /// The number of plies of the opening, which were not searched.
    pub opening_plies: u16,
    /// The moves with their scores.
    pub plies: Vec<PlyRecord>,
}

impl GameRecord {
    fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(5 + PACKED_LEN + 4 * self.plies.len());
        bytes.push(u8::from(self.start.is_some()));
        if let Some(position) = &self.start {
            position.encode(&mut bytes);
        }
        bytes.push(self.result.half_points(Color::White));
        bytes.push(self.termination as u8);
        bytes.extend(self.opening_plies.to_le_bytes());
        for ply in &self.plies {
            bytes.extend(ply.move_bits.to_le_bytes());
            bytes.extend(ply.score.to_le_bytes());
        }
        bytes
    }

    /// The game of a payload; `None` if its bytes are invalid.
    pub(super) fn decode(payload: &[u8]) -> Option<GameRecord> {
        let (&has_start, rest) = payload.split_first()?;
        let (start, rest) = match has_start {
            0 => (None, rest),
            1 => {
                let (packed, rest) = rest.split_first_chunk()?;
                (Some(PackedPosition::decode(packed)?), rest)
            }
            _ => return None,
        };
        let (&[result, termination, low, high], rest) = rest.split_first_chunk()?;
        let (plies, []) = rest.as_chunks() else {
            return None;
        };
        let ply = |&[m0, m1, s0, s1]: &[u8; 4]| PlyRecord {
            move_bits: u16::from_le_bytes([m0, m1]),
            score: i16::from_le_bytes([s0, s1]),
        };
        let game = GameRecord {
            start,
            result: match result {
                0 => GameResult::BlackWins,
                1 => GameResult::Draw,
                2 => GameResult::WhiteWins,
                _ => return None,
            },
            termination: *Termination::ALL.get(usize::from(termination))?,
            opening_plies: u16::from_le_bytes([low, high]),
            plies: plies.iter().map(ply).collect(),
        };
        (usize::from(game.opening_plies) <= game.plies.len()).then_some(game)
    }

    /// The frame of this game in a file.
    pub fn frame(&self) -> Vec<u8> {
        frame(FRAME_MAGIC, &self.encode())
    }
}

/// The frame of a payload in a file.
pub(super) fn frame(magic: &[u8; 4], payload: &[u8]) -> Vec<u8> {
    let length = payload.len() as u32;
    [magic, &length.to_le_bytes()[..], &crc32(payload).to_le_bytes(), payload].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Board;

    #[test]
    fn the_longest_game_fits_into_a_frame_and_no_longer_one_does() {
        let ply = PlyRecord { move_bits: 1, score: NO_SCORE };
        let mut game = GameRecord {
            start: Some(PackedPosition::from_board(&Board::startpos())),
            result: GameResult::Draw,
            termination: Termination::MaximumPlies,
            opening_plies: 0,
            plies: vec![ply; MAX_PLIES],
        };
        assert!(game.encode().len() <= MAX_PAYLOAD);
        game.plies.push(ply);
        assert!(game.encode().len() > MAX_PAYLOAD);
    }
}
