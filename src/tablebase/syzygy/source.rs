//! The bytes of a table file, wherever they are: small files are held in memory, of large ones
//! only the pages used last.
//!
//! Every read is checked against the size of the file; a read past its end is a [`Fault`], never a
//! panic.

use super::super::TableFault;
use super::checksum;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Files up to this many bytes are checked whole when the folder is opened, and read whole when
/// they are first used. All tables of up to four men are smaller.
pub(super) const SMALL: u64 = 1 << 20;

/// Bytes of a page of a large file.
const PAGE: usize = 1 << 14;
/// How many pages of a large file are kept.
const PAGES: usize = 64;

/// Why a table cannot be read.
pub(super) type Fault = TableFault;

/// What reading outside a file amounts to.
const OUTSIDE: Fault = TableFault::Inconsistent("it points outside itself");

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        TableFault::Unreadable(error.to_string())
    }
}

/// The bytes of one file.
pub(super) enum Source {
    /// All of them.
    Memory(Box<[u8]>),
    /// The file and the pages used last.
    Paged(Paged),
}

impl Source {
    /// Opens a file and, if it is small, reads it and compares its checksum.
    pub(super) fn open(path: &Path) -> Result<Source, Fault> {
        let file = File::open(path)?;
        let size = file.metadata()?.len();
        if size % 64 != checksum::LENGTH {
            return Err(TableFault::Size(size));
        }
        if size > SMALL {
            return Ok(Source::Paged(Paged::new(file, size)));
        }
        drop(file);
        let bytes = std::fs::read(path)?;
        if !checksum::matches(&bytes) {
            return Err(TableFault::Checksum);
        }
        Ok(Source::Memory(bytes.into_boxed_slice()))
    }

    /// How many bytes there are.
    pub(super) fn size(&self) -> u64 {
        match self {
            Source::Memory(bytes) => bytes.len() as u64,
            Source::Paged(paged) => paged.size,
        }
    }

    /// Hands `length` bytes from `at` on to a function.
    #[inline]
    pub(super) fn with<R>(
        &self,
        at: u64,
        length: usize,
        use_bytes: impl FnOnce(&[u8]) -> R,
    ) -> Result<R, Fault> {
        match self {
            Source::Memory(bytes) => {
                let rest = usize::try_from(at).ok().and_then(|at| bytes.get(at..));
                let wanted = rest.and_then(|rest| rest.get(..length)).ok_or(OUTSIDE)?;
                Ok(use_bytes(wanted))
            }
            Source::Paged(paged) => paged.with(at, length, use_bytes),
        }
    }

    /// `N` bytes from `at` on.
    #[inline]
    pub(super) fn bytes<const N: usize>(&self, at: u64) -> Result<[u8; N], Fault> {
        self.with(at, N, |bytes| {
            let mut array = [0; N];
            array.copy_from_slice(bytes);
            array
        })
    }
}

/// A large file with a cache of pages. Each page has one place it may be kept in, with a lock of
/// its own, so that threads that read different pages do not wait for each other.
pub(super) struct Paged {
    file: File,
    size: u64,
    places: Vec<Mutex<Place>>,
}

/// One place of the cache: the page it holds, if any.
#[derive(Default)]
struct Place {
    page: Option<u64>,
    bytes: Vec<u8>,
}

impl Paged {
    /// An open file of so many bytes.
    pub(super) fn new(file: File, size: u64) -> Paged {
        Paged {
            file,
            size,
            places: (0..PAGES).map(|_| Mutex::default()).collect(),
        }
    }

    fn with<R>(
        &self,
        at: u64,
        length: usize,
        use_bytes: impl FnOnce(&[u8]) -> R,
    ) -> Result<R, Fault> {
        let end = at.checked_add(length as u64).ok_or(OUTSIDE)?;
        if end > self.size {
            return Err(OUTSIDE);
        }
        let page = at / PAGE as u64;
        let offset = (at % PAGE as u64) as usize;
        if offset + length > PAGE {
            // Over the edge of a page: rare, because blocks of data are aligned.
            let mut bytes = vec![0; length];
            read_at(&self.file, &mut bytes, at)?;
            return Ok(use_bytes(&bytes));
        }
        let place = &self.places[page as usize % PAGES];
        // A panic of another thread cannot have left the place half written in a way that matters:
        // the page's number is set last.
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        if place.page != Some(page) {
            place.page = None;
            let start = page * PAGE as u64;
            let filled = (self.size - start).min(PAGE as u64) as usize;
            place.bytes.resize(filled, 0);
            read_at(&self.file, &mut place.bytes, start)?;
            place.page = Some(page);
        }
        let wanted = place.bytes.get(offset..offset + length).ok_or(OUTSIDE)?;
        Ok(use_bytes(wanted))
    }
}

/// Fills the buffer from a position of the file, without moving a cursor that threads share.
#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, at)
}

/// Fills the buffer from a position of the file. The cursor moves, but nobody uses it.
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

/// Where files have no positions, large tables cannot be read.
#[cfg(not(any(unix, windows)))]
fn read_at(_file: &File, _buffer: &mut [u8], _at: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of several pages reads the same from memory and by pages.
    #[test]
    fn pages_hold_the_bytes_of_the_file() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/syzygy/KRRvK.rtbz");
        let memory = Source::open(Path::new(path)).unwrap();
        let size = memory.size();
        let paged = Source::Paged(Paged::new(File::open(path).unwrap(), size));
        assert!(size > 3 * PAGE as u64);
        let copy = |source: &Source, at, length| source.with(at, length, <[u8]>::to_vec);
        for at in (0..size + 100).step_by(61).chain([u64::MAX, u64::MAX - 5]) {
            for length in [0, 1, 7, 64, 1024, 40_000] {
                let (a, b) = (copy(&memory, at, length), copy(&paged, at, length));
                assert_eq!(a, b, "{length} bytes from {at}");
                assert_eq!(a.is_ok(), at.saturating_add(length as u64) <= size);
            }
        }
    }
}
