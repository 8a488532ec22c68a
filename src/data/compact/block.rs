//! Blocks: many games that share what was learned from them, with one checksum.

use super::Models;
use super::range_coder::{Decoder, Encoder};
use crate::data::position::{PACKED_LEN, PackedPosition};
use crate::data::record::{MAX_PLIES, frame};
use crate::data::{GameRecord, ReplayError};
use std::io;

/// The first bytes of a block.
pub(in crate::data) const BLOCK_MAGIC: &[u8; 4] = b"BLCK";
/// The maximum length of a block's payload. A block with a larger length is damaged. No ply of the
/// longest game takes 80 bytes, since no bit takes more than 16 and no move more than 24.
pub(in crate::data) const MAX_BLOCK: usize = 1 << 23;
/// The length from which on a block is complete.
const FULL_BLOCK: usize = 1 << 16;
/// The maximum number of plies for each byte of a payload, so that a reader's time is linear in the
/// length of a file. A game counts as a ply.
const MAX_DENSITY: usize = 4;

const _: () = assert!(FULL_BLOCK + 80 * (MAX_PLIES + 1) < MAX_BLOCK);

/// Reads the games of a block.
#[derive(Clone, Debug)]
pub(in crate::data) struct BlockGames<'a> {
    models: Box<Models>,
    decoder: Decoder<'a>,
    games: u32,
    /// The number of plies that the block can still hold.
    plies: usize,
}

impl<'a> BlockGames<'a> {
    /// The games of this payload; `None` if it has no number of games.
    pub(in crate::data) fn new(payload: &'a [u8]) -> Option<BlockGames<'a>> {
        let (count, coded) = payload.split_first_chunk()?;
        Some(BlockGames {
            models: Box::new(Models::new()),
            decoder: Decoder::new(coded),
            games: u32::from_le_bytes(*count),
            plies: payload.len() * MAX_DENSITY,
        })
    }

    /// Whether there is no game left.
    pub(in crate::data) fn is_empty(&self) -> bool {
        self.games == 0
    }

    fn decode(&mut self) -> Option<GameRecord> {
        self.plies = self.plies.checked_sub(1)?;
        let game = self.models.code_game(&mut self.decoder, None, self.plies)?;
        self.plies -= game.plies.len();
        Some(game)
    }
}

impl Iterator for BlockGames<'_> {
    /// A game; `None` if the rest of the block is invalid.
    type Item = Option<GameRecord>;

    fn next(&mut self) -> Option<Option<GameRecord>> {
        self.games = self.games.checked_sub(1)?;
        let game = self.decode();
        if game.is_none() {
            self.games = 0;
        }
        Some(game)
    }
}

/// A block that is being written.
#[derive(Debug)]
pub(in crate::data) struct Block {
    models: Box<Models>,
    encoder: Encoder,
    games: u32,
    plies: usize,
}

impl Block {
    /// A block without games.
    pub(in crate::data) fn new() -> Block {
        Block { models: Box::new(Models::new()), encoder: Encoder::new(), games: 0, plies: 0 }
    }

    /// Whether it has no games.
    pub(in crate::data) fn is_empty(&self) -> bool {
        self.games == 0
    }

    /// Whether it has as many games as a block should.
    pub(in crate::data) fn is_full(&self) -> bool {
        self.encoder.len() >= FULL_BLOCK
    }

    /// Adds a game.
    ///
    /// # Errors
    /// If it is illegal or too long; then nothing is added.
    pub(in crate::data) fn push(&mut self, game: &GameRecord) -> io::Result<()> {
        let illegal = |error: ReplayError| io::Error::new(io::ErrorKind::InvalidInput, error);
        game.replay().map_err(illegal)?.try_for_each(|ply| ply.map(drop)).map_err(illegal)?;
        let invalid =
            || io::Error::new(io::ErrorKind::InvalidInput, "the game has no valid record");
        let mut start = Vec::with_capacity(PACKED_LEN);
        let has_valid_start = game.start.as_ref().is_none_or(|position| {
            position.encode(&mut start);
            start.first_chunk().is_some_and(|bytes| PackedPosition::decode(bytes).is_some())
        });
        let plies = game.plies.len();
        if !has_valid_start || plies > MAX_PLIES || usize::from(game.opening_plies) > plies {
            return Err(invalid());
        }
        self.models.code_game(&mut self.encoder, Some(game), MAX_PLIES).ok_or_else(invalid)?;
        self.games += 1;
        self.plies += plies;
        Ok(())
    }

    /// The frame of the block in a file.
    pub(in crate::data) fn frame(self) -> Vec<u8> {
        let mut payload = self.games.to_le_bytes().to_vec();
        payload.extend(self.encoder.finish());
        let min_length = (self.plies + self.games as usize).div_ceil(MAX_DENSITY);
        payload.resize(payload.len().max(min_length), 0);
        frame(BLOCK_MAGIC, &payload)
    }
}
