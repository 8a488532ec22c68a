//! Writing games in either format.

use super::compact::Block;
use super::{FileHeader, GameRecord, RecordFormat};
use std::io::{self, Write};

/// Writes a file of games. It holds at most one block of them in memory.
#[derive(Debug)]
pub struct RecordWriter<W> {
    writer: W,
    /// The block that is being written; `None` if the format has none.
    block: Option<Block>,
}

impl<W: Write> RecordWriter<W> {
    /// Writes the header of a file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(mut writer: W, header: &FileHeader, format: RecordFormat) -> io::Result<Self> {
        writer.write_all(&header.encode(format))?;
        let block = (format == RecordFormat::Compact).then(Block::new);
        Ok(RecordWriter { writer, block })
    }

    /// Adds a game.
    ///
    /// # Errors
    /// If it cannot be written. The compact format has no illegal games.
    pub fn write(&mut self, game: &GameRecord) -> io::Result<()> {
        let Some(block) = &mut self.block else {
            return self.writer.write_all(&game.frame());
        };
        block.push(game)?;
        if block.is_full() {
            self.writer.write_all(&std::mem::replace(block, Block::new()).frame())?;
        }
        Ok(())
    }

    /// Writes the last games. Returns the writer.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        if let Some(block) = self.block.filter(|block| !block.is_empty()) {
            self.writer.write_all(&block.frame())?;
        }
        Ok(self.writer)
    }
}
