//! The log file: `MICROSECONDS < TEXT` for each input line, `MICROSECONDS > TEXT` for each output
//! line.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A log file. Its times count from when it was opened.
pub(super) struct Log {
    path: PathBuf,
    file: File,
    opened: Instant,
}

impl Log {
    /// Opens this file to append to it.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub(super) fn open(path: &Path) -> io::Result<Log> {
        Ok(Log {
            path: path.to_owned(),
            file: OpenOptions::new().append(true).create(true).open(path)?,
            opened: Instant::now(),
        })
    }

    /// The path of the file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Appends the lines of the text, each in one write, so that a crash leaves no partial line.
    pub(super) fn write(&mut self, direction: char, text: &str) {
        let time = self.opened.elapsed().as_micros();
        for line in text.lines() {
            // A full disk must not end the program.
            let _ = self.file.write_all(format!("{time} {direction} {line}\n").as_bytes());
        }
    }
}
