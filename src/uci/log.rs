//! The conversation, written down: `MICROSECONDS < TEXT` for a line that was read, `>` for one that
//! was printed.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A file that grows with the conversation. Times count from when it was opened.
pub(super) struct Log {
    path: PathBuf,
    file: File,
    opened: Instant,
}

impl Log {
    /// Appends to this file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn open(path: &Path) -> io::Result<Log> {
        Ok(Log {
            path: path.to_owned(),
            file: OpenOptions::new().append(true).create(true).open(path)?,
            opened: Instant::now(),
        })
    }

    /// Which file it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a text down, each line of it in one write, so that a crash leaves whole lines.
    pub(super) fn write(&mut self, direction: char, text: &str) {
        let time = self.opened.elapsed().as_micros();
        for line in text.lines() {
            // A full disk must not end the game.
            let _ = self
                .file
                .write_all(format!("{time} {direction} {line}\n").as_bytes());
        }
    }
}
