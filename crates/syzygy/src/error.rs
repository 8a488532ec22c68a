//! Missing and broken table files.

use std::fmt;
use std::path::PathBuf;

/// Why a table file or a folder cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TableError {
    /// The folder cannot be read, for this reason.
    Folder(String),
    /// The file is missing, though most tables of its kind and number of pieces are there.
    Missing,
    /// Number of missing tables of this kind and number of pieces beyond those listed by name.
    ManyMissing(usize),
    /// The file cannot be read, for this reason.
    Unreadable(String),
    /// The file does not start with the magic bytes of its kind.
    BadMagic,
    /// The size of the file in bytes, which no table has: it is truncated or has trailing bytes.
    Size(u64),
    /// The checksum at the end of the file does not match its content.
    Checksum,
    /// The content of the file contradicts itself, for this reason.
    Corrupt(&'static str),
}

/// A table file that is missing or broken. The other tables are used without it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableProblem {
    /// The file or folder.
    pub path: PathBuf,
    /// Why it cannot be used.
    pub error: TableError,
}

impl fmt::Display for TableProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.error {
            TableError::Folder(why) => write!(f, "tablebase folder {path}: {why}"),
            TableError::Missing => write!(f, "tablebase file {path} is missing"),
            TableError::ManyMissing(count) => {
                write!(f, "{count} more tablebase files like {path} are missing")
            }
            TableError::Unreadable(why) => write!(f, "tablebase file {path}: {why}"),
            TableError::BadMagic => write!(f, "tablebase file {path}: not a Syzygy file"),
            TableError::Size(size) => {
                write!(f, "tablebase file {path}: no Syzygy file has {size} bytes")
            }
            TableError::Checksum => write!(f, "tablebase file {path}: wrong checksum"),
            TableError::Corrupt(why) => write!(f, "tablebase file {path}: corrupt, {why}"),
        }
    }
}

impl std::error::Error for TableProblem {}
