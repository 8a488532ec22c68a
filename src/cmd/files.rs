//! What commands read and write: files, standard input and output, and positions given as arguments.

use super::CommandError;
use crate::formats::{self, Documents, Format, FormatError, locate};
use std::fs::{self, File};
use std::io::{self, Cursor, Read, Write};
use std::path::{Path, PathBuf};

/// How much of an input is looked at to tell its format, in bytes.
const HEAD: usize = 1 << 12;

/// How much of a result is held back before it goes to standard output, in bytes: so much can still
/// be taken back.
const HELD: usize = 8 << 20;

/// From this size on a file is worth a progress bar, in bytes.
const LONG: u64 = 16 << 20;

/// Something to read, opened.
pub(super) struct Input {
    /// What messages call it; nothing if it was given as an argument.
    name: Option<String>,
    /// The beginning of the text.
    head: String,
    reader: Box<dyn Read>,
    /// The size of a file, in bytes.
    length: u64,
}

impl Input {
    /// Opens a file, standard input (`-`), or takes the argument itself if it cannot be a file's name.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn open(argument: &str) -> Result<Input, CommandError> {
        if argument == "-" {
            return Input::of(Some("-"), Box::new(io::stdin())).map_err(|e| refused("-", &e));
        }
        let refused = |error| refused(argument, &error);
        let file = match File::open(argument) {
            Ok(file) => file,
            Err(_) if is_text(argument) => {
                let text = Cursor::new(argument.to_owned());
                return Input::of(None, Box::new(text)).map_err(refused);
            }
            Err(error) => return Err(refused(error)),
        };
        let metadata = file.metadata().map_err(refused)?;
        if metadata.is_dir() {
            return Err(refused(io::ErrorKind::IsADirectory.into()));
        }
        let mut input = Input::of(Some(argument), Box::new(file)).map_err(refused)?;
        input.length = metadata.len();
        Ok(input)
    }

    /// The same with a progress bar, if it is long.
    pub(super) fn with_progress(mut self) -> Input {
        if self.length >= LONG {
            self.reader = Box::new(progress(self.length).wrap_read(self.reader));
        }
        self
    }

    /// The same, to be read more than once.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn again(self) -> Result<Again, CommandError> {
        let format = self.format();
        let Input {
            name,
            head,
            mut reader,
            length,
        } = self;
        let bytes = match name.as_deref() {
            Some(name) if name != "-" && length > 0 => None,
            name => {
                let mut bytes = Vec::new();
                let read = reader.read_to_end(&mut bytes);
                read.map_err(|error| refused(name.unwrap_or("input"), &error))?;
                Some(bytes)
            }
        };
        drop(head);
        Ok(Again {
            name,
            format,
            bytes,
        })
    }

    fn of(name: Option<&str>, mut reader: Box<dyn Read>) -> io::Result<Input> {
        let mut head = Vec::new();
        (&mut reader).take(HEAD as u64).read_to_end(&mut head)?;
        Ok(Input {
            name: name.map(str::to_owned),
            head: String::from_utf8_lossy(&head).into_owned(),
            reader: Box::new(Cursor::new(head).chain(reader)),
            length: 0,
        })
    }

    /// The format it is in: by the name's ending, else by what it looks like; FEN if it was given as
    /// an argument.
    pub(super) fn format(&self) -> &'static dyn Format {
        match &self.name {
            None => &formats::fen::Fen,
            Some(name) => formats::by_file_name(name)
                .filter(|format| format.name() != "ascii")
                .unwrap_or_else(|| formats::by_content(&self.head)),
        }
    }

    /// The name for messages, and the text.
    pub(super) fn into_parts(self) -> (Option<String>, Box<dyn Read>) {
        (self.name, self.reader)
    }
}

/// An input that can be read more than once.
pub(super) struct Again {
    name: Option<String>,
    format: &'static dyn Format,
    /// The input itself, if it is no file.
    bytes: Option<Vec<u8>>,
}

impl Again {
    /// What messages call it.
    pub(super) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The format it is in.
    pub(super) fn format(&self) -> &'static dyn Format {
        self.format
    }

    /// Reads it from its beginning.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn documents(&self) -> Result<Documents<'_>, CommandError> {
        let reader: Box<dyn Read> = match (&self.bytes, &self.name) {
            (Some(bytes), _) => Box::new(bytes.as_slice()),
            (None, name) => {
                let name = name.as_deref().unwrap_or_default();
                Box::new(File::open(name).map_err(|error| refused(name, &error))?)
            }
        };
        Ok(self.format.read(reader))
    }
}

/// Whether an argument is a position or a game and no file's name.
fn is_text(argument: &str) -> bool {
    argument.contains(char::is_whitespace) || argument.matches('/').count() == 7
}

/// All bytes of a file, or of standard input (`-`).
///
/// # Errors
/// It cannot be read.
pub(super) fn read_all(path: &Path) -> Result<Vec<u8>, CommandError> {
    let mut bytes = Vec::new();
    let read = match is_standard(path) {
        true => io::stdin().read_to_end(&mut bytes),
        false => File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)),
    };
    match read {
        Ok(_) => Ok(bytes),
        Err(error) => Err(refused(&path.display().to_string(), &error)),
    }
}

/// Whether this names standard input or output and no file.
pub(super) fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

fn refused(name: &str, error: &io::Error) -> CommandError {
    CommandError::Refused(format!("{name}: {error}"))
}

/// A message about an input of this name, with its place.
pub(super) fn message(name: Option<&str>, error: &FormatError) -> String {
    match name {
        Some(name) => locate(name, error.location, error),
        None => error.to_string(),
    }
}

/// A progress bar of bytes.
fn progress(length: u64) -> indicatif::ProgressBar {
    let template = "{wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}";
    super::progress::bar(length, template)
}

/// Where a result goes: standard output, or a file that appears only when it is complete.
///
/// What is dropped without [`finish`](Output::finish) leaves nothing behind, but for what a long
/// result has already put on standard output.
pub(super) struct Output {
    writer: io::BufWriter<Box<dyn Write>>,
    /// The file that is being written, and what it will be.
    file: Option<(PathBuf, PathBuf)>,
}

impl Output {
    /// Opens standard output (no path, or `-`), or a file beside the one of this path.
    ///
    /// # Errors
    /// The file cannot be made.
    pub(super) fn create(path: Option<&Path>) -> Result<Output, CommandError> {
        let Some(path) = path.filter(|path| !is_standard(path)) else {
            return Ok(Output::new(HELD, io::stdout(), None));
        };
        let refused = |error| refused(&path.display().to_string(), &error);
        // A link stays a link; what is no file, such as a device, is written to as it is.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let old = fs::metadata(&target).ok();
        if old.as_ref().is_some_and(|old| !old.is_file()) {
            let device = File::options().write(true).open(&target).map_err(refused)?;
            return Ok(Output::new(HELD, device, None));
        }
        let mut name = target.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.part", std::process::id()));
        let beside = target.with_file_name(name);
        let file = File::create(&beside).map_err(refused)?;
        if let Some(old) = old {
            file.set_permissions(old.permissions()).map_err(refused)?;
        }
        Ok(Output::new(1 << 16, file, Some((beside, target))))
    }

    fn new(held: usize, writer: impl Write + 'static, file: Option<(PathBuf, PathBuf)>) -> Output {
        Output {
            writer: io::BufWriter::with_capacity(held, Box::new(writer)),
            file,
        }
    }

    /// Whether the result is seen only when it is complete.
    pub(super) fn is_file(&self) -> bool {
        self.file.is_some()
    }

    /// Makes the result appear.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn finish(mut self) -> Result<(), CommandError> {
        match (self.writer.flush(), self.file.take()) {
            // Whoever reads has had enough.
            (Err(error), None) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            (flushed, None) => Ok(flushed?),
            (flushed, Some((beside, target))) => {
                let done = flushed.and_then(|()| fs::rename(&beside, &target));
                done.map_err(|error| {
                    let _ = fs::remove_file(&beside);
                    refused(&target.display().to_string(), &error)
                })
            }
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        // What is left in the buffer was not to be seen.
        let nowhere = io::BufWriter::new(Box::new(io::sink()) as Box<dyn Write>);
        drop(std::mem::replace(&mut self.writer, nowhere).into_parts());
        if let Some((beside, _)) = &self.file {
            let _ = fs::remove_file(beside);
        }
    }
}
