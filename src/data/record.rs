//! A recorded game as bytes.
//!
//! **Everything is from White's view**: the result and every score.
//!
//! | payload of a frame, little-endian | bytes |
//! |---|---|
//! | flags: 1 another start position than the standard one, 2 principal variations | 1 |
//! | with flag 1 the start position, a [`PackedPosition`] | 34 |
//! | result: 0 Black wins, 1 draw, 2 White wins | 1 |
//! | [`Termination`] | 1 |
//! | plies of the opening, which were not searched | 2 |
//! | for each ply the 16 bits of the move and the score | 4 |
//! | with flag 2, after each ply, the length of its principal variation, then its moves | 1 + 2n |

use super::crc::crc32;
use super::position::{PACKED_LEN, PackedPosition};
use crate::chess::{Color, GameResult, GameStatus};

/// The first bytes of a frame.
pub(super) const FRAME_MAGIC: &[u8; 4] = b"GAME";
/// The length of a frame before its payload: magic, length, checksum.
pub(super) const FRAME_HEADER: usize = 12;
/// The maximum length of a payload. A frame with a larger length is damaged.
pub(super) const MAX_PAYLOAD: usize = 1 << 18;

const HAS_START: u8 = 1;
const HAS_PVS: u8 = 2;

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
    /// The principal variation of the search at each ply, as the bits of its moves; empty for a ply
    /// that was not searched. Empty as a whole if they were not recorded.
    pub pvs: Vec<Vec<u16>>,
}

impl GameRecord {
    /// The payload. A game that would exceed [`MAX_PAYLOAD`] with its principal variations is
    /// encoded without them.
    fn encode(&self) -> Vec<u8> {
        if self.pvs.len() == self.plies.len() && !self.pvs.is_empty() {
            let bytes = self.encode_with(&self.pvs);
            if bytes.len() <= MAX_PAYLOAD {
                return bytes;
            }
        }
        self.encode_with(&[])
    }

    /// The payload with these principal variations, one for each ply or none.
    fn encode_with(&self, pvs: &[Vec<u16>]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(5 + PACKED_LEN + 4 * self.plies.len());
        let start_flag = if self.start.is_some() { HAS_START } else { 0 };
        let pvs_flag = if pvs.is_empty() { 0 } else { HAS_PVS };
        bytes.push(start_flag | pvs_flag);
        if let Some(position) = &self.start {
            position.encode(&mut bytes);
        }
        bytes.push(self.result.half_points(Color::White));
        bytes.push(self.termination as u8);
        bytes.extend(self.opening_plies.to_le_bytes());
        for (number, ply) in self.plies.iter().enumerate() {
            bytes.extend(ply.move_bits.to_le_bytes());
            bytes.extend(ply.score.to_le_bytes());
            if let Some(pv) = pvs.get(number) {
                let length = pv.len().min(usize::from(u8::MAX));
                bytes.push(length as u8);
                bytes.extend(pv[..length].iter().flat_map(|m| m.to_le_bytes()));
            }
        }
        bytes
    }

    /// The game of a payload; `None` if its bytes are invalid.
    pub(super) fn decode(payload: &[u8]) -> Option<GameRecord> {
        let (&flags, rest) = payload.split_first()?;
        if flags & !(HAS_START | HAS_PVS) != 0 {
            return None;
        }
        let (start, rest) = if flags & HAS_START != 0 {
            let (packed, rest) = rest.split_first_chunk()?;
            (Some(PackedPosition::decode(packed)?), rest)
        } else {
            (None, rest)
        };
        let (&[result, termination, low, high], rest) = rest.split_first_chunk()?;
        let (plies, pvs) = decode_plies(rest, flags & HAS_PVS != 0)?;
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
            plies,
            pvs,
        };
        (usize::from(game.opening_plies) <= game.plies.len()).then_some(game)
    }

    /// The frame of this game in a file.
    pub fn frame(&self) -> Vec<u8> {
        frame(FRAME_MAGIC, &self.encode())
    }
}

/// The plies and their principal variations; `None` if the bytes are invalid.
fn decode_plies(mut bytes: &[u8], has_pvs: bool) -> Option<(Vec<PlyRecord>, Vec<Vec<u16>>)> {
    let (mut plies, mut pvs) = (Vec::with_capacity(bytes.len() / 16), Vec::new());
    while !bytes.is_empty() {
        let (&[m0, m1, s0, s1], rest) = bytes.split_first_chunk()?;
        bytes = rest;
        plies.push(PlyRecord {
            move_bits: u16::from_le_bytes([m0, m1]),
            score: i16::from_le_bytes([s0, s1]),
        });
        if has_pvs {
            let (&length, rest) = bytes.split_first()?;
            let (moves, rest) = rest.split_at_checked(2 * usize::from(length))?;
            let (moves, _) = moves.as_chunks();
            pvs.push(moves.iter().map(|&m| u16::from_le_bytes(m)).collect());
            bytes = rest;
        }
    }
    Some((plies, pvs))
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
            pvs: Vec::new(),
        };
        assert!(game.encode().len() <= MAX_PAYLOAD);
        game.plies.push(ply);
        assert!(game.encode().len() > MAX_PAYLOAD);
    }

    #[test]
    fn a_game_that_fits_only_without_its_principal_variations_is_encoded_without_them() {
        let plies = 800;
        for (moves, fits) in [(0, true), (161, true), (162, false), (300, false)] {
            let game = GameRecord {
                start: None,
                result: GameResult::Draw,
                termination: Termination::MaximumPlies,
                opening_plies: 0,
                plies: vec![PlyRecord { move_bits: 1, score: 0 }; plies],
                pvs: vec![vec![7; moves]; plies],
            };
            let payload = game.encode();
            assert!(payload.len() <= MAX_PAYLOAD);
            let expected = if fits { game.clone() } else { GameRecord { pvs: vec![], ..game } };
            assert_eq!(GameRecord::decode(&payload), Some(expected), "{moves}");
        }
    }
}
