//! The bytes of a table file: small files are held in memory, large ones behind a page cache.
//!
//! Every read is checked against the size of the file; a read past its end is a [`TableError`],
//! never a panic.

use super::TableError;
use super::checksum;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Maximum size in bytes of a small file: checked completely when the folder is opened, read into
/// memory at the first probe. All tables of up to four pieces are smaller.
pub(super) const SMALL: u64 = 1 << 20;

/// Size of a page in bytes.
const PAGE: usize = 1 << 14;
/// Number of pages in the cache of a file.
const PAGES: usize = 64;

/// A read past the end of the file.
const OUTSIDE: TableError = TableError::Corrupt("an offset lies outside the file");

impl From<io::Error> for TableError {
    fn from(error: io::Error) -> TableError {
        TableError::Unreadable(error.to_string())
    }
}

/// The bytes of one file.
pub(super) enum TableBytes {
    /// The whole file in memory.
    Memory(Box<[u8]>),
    /// An open file with a page cache.
    Paged(PagedFile),
}

impl TableBytes {
    /// Opens a file; if it is small, reads it and verifies its checksum.
    pub(super) fn open(path: &Path) -> Result<TableBytes, TableError> {
        let file = File::open(path)?;
        let size = file.metadata()?.len();
        if size <= SMALL {
            drop(file);
            return TableBytes::from_memory(std::fs::read(path)?);
        }
        if size % 64 != checksum::LENGTH {
            return Err(TableError::Size(size));
        }
        Ok(TableBytes::Paged(PagedFile::new(path, file, size)))
    }

    /// The bytes of a whole file; verifies its checksum.
    pub(super) fn from_memory(bytes: Vec<u8>) -> Result<TableBytes, TableError> {
        let size = bytes.len() as u64;
        if size % 64 != checksum::LENGTH {
            return Err(TableError::Size(size));
        }
        // Fuzzing changes bytes and must reach the code after the check of the checksum.
        if !cfg!(fuzzing) && !checksum::matches(&bytes) {
            return Err(TableError::Checksum);
        }
        Ok(TableBytes::Memory(bytes.into_boxed_slice()))
    }

    /// Size of the file in bytes.
    pub(super) fn size(&self) -> u64 {
        match self {
            TableBytes::Memory(bytes) => bytes.len() as u64,
            TableBytes::Paged(paged) => paged.size,
        }
    }

    /// Calls `use_bytes` with the `length` bytes at offset `at`.
    #[inline]
    pub(super) fn with<R>(
        &self,
        at: u64,
        length: usize,
        use_bytes: impl FnOnce(&[u8]) -> R,
    ) -> Result<R, TableError> {
        match self {
            TableBytes::Memory(bytes) => {
                let rest = usize::try_from(at).ok().and_then(|at| bytes.get(at..));
                let slice = rest.and_then(|rest| rest.get(..length)).ok_or(OUTSIDE)?;
                Ok(use_bytes(slice))
            }
            TableBytes::Paged(paged) => paged.with(at, length, use_bytes),
        }
    }

    /// The `N` bytes at offset `at`.
    #[inline]
    pub(super) fn read<const N: usize>(&self, at: u64) -> Result<[u8; N], TableError> {
        self.with(at, N, |bytes| {
            let mut array = [0; N];
            array.copy_from_slice(bytes);
            array
        })
    }
}

/// A large file with a direct-mapped page cache. Each slot has its own lock, so that threads that
/// read different pages do not wait for each other.
pub(super) struct PagedFile {
    path: PathBuf,
    /// The open file; if there is none, it is opened for each read.
    file: Option<File>,
    size: u64,
    slots: Vec<Mutex<CachedPage>>,
}

/// A slot of the cache: the number and the bytes of the page it holds, if any.
#[derive(Default)]
struct CachedPage {
    page: Option<u64>,
    bytes: Vec<u8>,
}

impl PagedFile {
    /// A cache for an open file of `size` bytes.
    pub(super) fn new(path: &Path, file: File, size: u64) -> PagedFile {
        PagedFile {
            path: path.to_owned(),
            file: Some(file),
            size,
            slots: (0..PAGES).map(|_| Mutex::default()).collect(),
        }
    }

    /// Closes the file between reads: a process may have only so many open.
    pub(super) fn close(&mut self) {
        self.file = None;
    }

    fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<()> {
        match &self.file {
            Some(file) => read_at(file, buffer, at),
            None => read_at(&File::open(&self.path)?, buffer, at),
        }
    }

    fn with<R>(
        &self,
        at: u64,
        length: usize,
        use_bytes: impl FnOnce(&[u8]) -> R,
    ) -> Result<R, TableError> {
        let end = at.checked_add(length as u64).ok_or(OUTSIDE)?;
        if end > self.size {
            return Err(OUTSIDE);
        }
        let page = at / PAGE as u64;
        let offset = (at % PAGE as u64) as usize;
        if offset + length > PAGE {
            // Crosses a page boundary: rare, because data blocks are aligned.
            let mut bytes = vec![0; length];
            self.read_at(&mut bytes, at)?;
            return Ok(use_bytes(&bytes));
        }
        let slot = &self.slots[page as usize % PAGES];
        // A slot is valid even if another thread panicked while filling it: the page number is set
        // last.
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if slot.page != Some(page) {
            slot.page = None;
            let start = page * PAGE as u64;
            let filled = (self.size - start).min(PAGE as u64) as usize;
            slot.bytes.resize(filled, 0);
            self.read_at(&mut slot.bytes, start)?;
            slot.page = Some(page);
        }
        let slice = slot.bytes.get(offset..offset + length).ok_or(OUTSIDE)?;
        Ok(use_bytes(slice))
    }
}

/// Fills the buffer from an offset of the file. Threads share the file, so its cursor is not used.
#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, at)
}

/// Fills the buffer from an offset of the file. The cursor moves, but nothing depends on it.
#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
    let mut done = 0;
    while done < buffer.len() {
        let from = at + done as u64;
        match std::os::windows::fs::FileExt::seek_read(file, &mut buffer[done..], from)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => done += count,
        }
    }
    Ok(())
}

/// Platforms without reads at an offset cannot probe large tables.
#[cfg(not(any(unix, windows)))]
fn read_at(_file: &File, _buffer: &mut [u8], _at: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Memory and page cache return the same bytes.
    #[test]
    fn page_cache_returns_the_bytes_of_the_file() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tables/KRRvK.rtbz");
        let memory = TableBytes::open(Path::new(path)).unwrap();
        let size = memory.size();
        assert!(size > 3 * PAGE as u64);
        let open = || PagedFile::new(Path::new(path), File::open(path).unwrap(), size);
        let mut closed = open();
        closed.close();
        let copy = |source: &TableBytes, at, length| source.with(at, length, <[u8]>::to_vec);
        for paged in [open(), closed].map(TableBytes::Paged) {
            for at in (0..size + 100).step_by(61).chain([u64::MAX, u64::MAX - 5]) {
                for length in [0, 1, 7, 64, 1024, 40_000] {
                    let (a, b) = (copy(&memory, at, length), copy(&paged, at, length));
                    assert_eq!(a, b, "{length} bytes from {at}");
                    assert_eq!(a.is_ok(), at.saturating_add(length as u64) <= size);
                }
            }
        }
    }
}
