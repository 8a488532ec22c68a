//! Input and output of the commands: files, standard streams, and positions given as arguments.

use super::compressed::{EXTENSIONS, decompressed};
use super::{CommandError, progress};
use crate::chess::{Board, Game, STARTPOS, Setup};
use crate::data::OutputTarget;
use crate::formats::{self, Documents, Format, FormatError, Location, locate};
use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::fs::{self, File, TryLockError};
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Number of bytes of an input from which its format is guessed.
const HEAD_SIZE: usize = 1 << 12;

/// Size in bytes of the buffer for standard output. If an error occurs while the output is smaller,
/// nothing is written.
const STDOUT_BUFFER: usize = 8 << 20;

/// Minimum size in bytes of a file for a progress bar.
const PROGRESS_SIZE: u64 = 16 << 20;

/// An open input.
pub(super) struct Input {
    /// The argument, a file or `-`; `None` if the argument is the input itself.
    source: Option<OsString>,
    /// The start of the text.
    head: String,
    reader: Box<dyn Read>,
    /// Size of a file in bytes.
    length: u64,
}

impl Input {
    /// Opens the arguments one after another: files, folders, patterns, standard input, or positions.
    /// The words of an unquoted FEN or `position` command are one position. An argument that cannot
    /// be opened is an error; the next one is opened.
    pub(super) fn open_all(
        arguments: &[OsString],
    ) -> impl Iterator<Item = Result<Input, CommandError>> + use<> {
        let words: Option<Vec<&str>> = arguments.iter().map(|argument| argument.to_str()).collect();
        let unquoted = match words.as_deref() {
            Some([first, second, ..]) if !Path::new(first).exists() => match *first {
                "position" => true,
                STARTPOS => *second == "moves",
                first => first.matches('/').count() == 7 && matches!(*second, "w" | "b"),
            },
            _ => false,
        };
        let arguments = match words {
            Some(words) if unquoted => vec![words.join(" ").into()],
            _ => arguments.to_vec(),
        };
        let files = arguments.into_iter().flat_map(expanded);
        files.map(|argument| Input::open(&argument?))
    }

    /// Opens a file or standard input (`-`); an argument that looks like a position is the input
    /// itself.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn open(argument: &OsStr) -> Result<Input, CommandError> {
        let refused = |error| refused(argument, &error);
        if is_standard(argument.as_ref()) {
            return Input::of(Some(argument), io::stdin()).map_err(refused);
        }
        let file = match (File::open(argument), argument.to_str()) {
            (Ok(file), _) => file,
            (Err(_), Some(text)) if is_inline(text) => {
                let text = Cursor::new(text.to_owned());
                return Input::of(None, text).map_err(refused);
            }
            (Err(error), _) => return Err(refused(error)),
        };
        let metadata = file.metadata().map_err(refused)?;
        if metadata.is_dir() {
            return Err(refused(io::ErrorKind::IsADirectory.into()));
        }
        let mut input = Input::of(Some(argument), file).map_err(refused)?;
        input.length = metadata.len();
        Ok(input)
    }

    /// Adds a progress bar if the file is large.
    pub(super) fn with_progress(mut self) -> Input {
        if self.length >= PROGRESS_SIZE {
            let template = "{wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}";
            self.reader = Box::new(progress::bar(self.length, template).wrap_read(self.reader));
        }
        self
    }

    /// An input that can be read more than once.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn rereadable(mut self) -> Result<RereadableInput, CommandError> {
        let format = self.format();
        let is_file = self.length > 0 && self.source.as_ref().is_some_and(|name| name != "-");
        let bytes = if is_file {
            None
        } else {
            let mut bytes = Vec::new();
            let read = self.reader.read_to_end(&mut bytes);
            let source = || self.source.clone().unwrap_or_else(|| "input".into());
            read.map_err(|error| refused(&source(), &error))?;
            Some(bytes)
        };
        Ok(RereadableInput { source: self.source, format, bytes })
    }

    fn of(source: Option<&OsStr>, reader: impl Read + Send + 'static) -> io::Result<Input> {
        let mut reader = decompressed(reader)?;
        let mut head = Vec::new();
        (&mut reader).take(HEAD_SIZE as u64).read_to_end(&mut head)?;
        Ok(Input {
            source: source.map(OsStr::to_owned),
            head: String::from_utf8_lossy(&head).into_owned(),
            reader: Box::new(Cursor::new(head).chain(reader)),
            length: 0,
        })
    }

    /// The format by file extension, else by content. The argument `startpos` is a position.
    pub(super) fn format(&self) -> &'static dyn Format {
        if self.source.is_none() && self.head == STARTPOS {
            return &formats::fen::Fen;
        }
        let by_name = shown_name(self.source.as_deref())
            .and_then(|name| format_by_name(&name))
            .filter(|format| format.name() != "ascii");
        by_name.unwrap_or_else(|| formats::by_content(&self.head))
    }

    /// The name for messages, and the text.
    pub(super) fn into_parts(self) -> (Option<String>, Box<dyn Read>) {
        (shown_name(self.source.as_deref()), self.reader)
    }
}

/// A file name without the extension of its compression.
fn plain_name(name: &str) -> &str {
    let plain = EXTENSIONS.iter().find_map(|extension| name.strip_suffix(extension));
    plain.unwrap_or(name)
}

/// The format with the extension of a file name, which may have one of a compression after it.
pub(super) fn format_by_name(name: &str) -> Option<&'static dyn Format> {
    formats::by_file_name(plain_name(name))
}

/// The files that an argument stands for, by name: those of a folder with games or positions, or
/// those that match a pattern such as `games/*.pgn`; else the argument itself.
fn expanded(argument: OsString) -> Vec<Result<OsString, CommandError>> {
    let path = Path::new(&argument);
    // A game may have these characters too.
    let is_name =
        |text: &str| !text.contains(char::is_whitespace) || format_by_name(text).is_some();
    let is_pattern = |text: &&str| text.contains(['*', '?']) && is_name(text) && !path.exists();
    let found = if path.is_dir() {
        files_of_folder(path)
    } else if let Some(pattern) = argument.to_str().filter(is_pattern) {
        let paths = glob::glob(pattern).map_err(io::Error::other);
        paths.map(|paths| paths.filter_map(Result::ok).collect())
    } else {
        return vec![Ok(argument)];
    };
    let mut files = match found {
        Ok(files) if files.is_empty() => Err(io::Error::other("no games or positions")),
        found => found,
    };
    if let Ok(files) = &mut files {
        files.sort();
    }
    match files {
        Ok(files) => files.into_iter().map(|file| Ok(file.into())).collect(),
        Err(error) => vec![Err(refused(&argument, &error))],
    }
}

/// The files of a folder with games or positions, by name. A page or a text may be about something
/// else.
fn files_of_folder(folder: &Path) -> io::Result<Vec<PathBuf>> {
    const NAMES: [&str; 4] = ["pgn", "epd", "fen", "uci"];
    let files = fs::read_dir(folder)?.map(|file| Ok(file?.path()));
    let is_of_games = |path: &io::Result<PathBuf>| match path {
        Ok(path) => format_by_name(&path.to_string_lossy())
            .is_some_and(|format| NAMES.contains(&format.name())),
        Err(_) => true,
    };
    files.filter(is_of_games).collect()
}

/// The name of an input for messages. What is not UTF-8 in it is replaced.
fn shown_name(source: Option<&OsStr>) -> Option<String> {
    source.map(|name| name.to_string_lossy().into_owned())
}

/// The name of the format of an output: the one that was asked for, else the extension of the file
/// in small letters, if it has one.
///
/// # Errors
/// The extension is none of these names.
pub(super) fn output_format(
    asked: Option<&str>,
    path: Option<&Path>,
    names: &[&str],
) -> Result<Option<String>, CommandError> {
    let extension = || Some(path?.extension()?.to_string_lossy().to_ascii_lowercase());
    match (asked.map(str::to_owned).or_else(extension), path) {
        (Some(name), Some(path)) if !names.contains(&name.as_str()) => {
            let (path, names) = (path.display(), names.join(", "));
            let reason = format!("{path}: the extension is not one of {names}; use --format");
            Err(CommandError::Refused(reason))
        }
        (name, _) => Ok(name),
    }
}

/// Reads documents; with the legal prefixes of games with errors if asked.
pub(super) fn documents<'a>(
    format: &'static dyn Format,
    reader: Box<dyn Read + 'a>,
    keep_prefix: bool,
) -> Documents<'a> {
    if keep_prefix { format.read_prefixes(reader) } else { format.read(reader) }
}

/// An input that can be read more than once.
pub(super) struct RereadableInput {
    source: Option<OsString>,
    format: &'static dyn Format,
    /// The whole input, if it is not a file.
    bytes: Option<Vec<u8>>,
}

impl RereadableInput {
    /// The name for messages.
    pub(super) fn name(&self) -> Option<String> {
        shown_name(self.source.as_deref())
    }

    /// The format.
    pub(super) fn format(&self) -> &'static dyn Format {
        self.format
    }

    /// Whether it is the file at this path, whatever the spelling and the links.
    pub(super) fn is_at(&self, path: &Path) -> bool {
        let source = self.source.as_ref().filter(|_| self.bytes.is_none());
        source.is_some_and(|source| is_same_file(source.as_ref(), path))
    }

    /// Reads the input from its start.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn documents(&self, keep_prefix: bool) -> Result<Documents<'_>, CommandError> {
        let reader: Box<dyn Read> = match (&self.bytes, &self.source) {
            (Some(bytes), _) => Box::new(bytes.as_slice()),
            (None, source) => {
                let source = source.as_deref().unwrap_or_default();
                let text = File::open(source).and_then(decompressed);
                text.map_err(|error| refused(source, &error))?
            }
        };
        Ok(documents(self.format, reader, keep_prefix))
    }
}

/// Whether two paths are of one file or folder, whatever the spelling and the links.
pub(super) fn is_same_file(a: &Path, b: &Path) -> bool {
    let found = fs::canonicalize(a);
    found.is_ok_and(|found| fs::canonicalize(b).is_ok_and(|other| found == other))
}

/// Whether an argument that is not a file is a position or a game.
fn is_inline(argument: &str) -> bool {
    let is_text = argument.contains(char::is_whitespace)
        || argument.matches('/').count() == 7
        || argument.starts_with('[')
        || argument == STARTPOS;
    is_text && formats::by_file_name(argument).is_none()
}

/// The words of a FEN given as one or several arguments; without arguments, the start position.
///
/// # Errors
/// The FEN is malformed or the position invalid.
pub(super) fn parse_setup(words: &[String]) -> Result<Setup, CommandError> {
    match words {
        [] => Ok(Setup::from(&Board::startpos())),
        words => Setup::from_fen(&words.join(" ")).map_err(CommandError::refused),
    }
}

/// A game that starts from a FEN or `startpos`. Repairs of the FEN are reported.
///
/// # Errors
/// The FEN is malformed or the position invalid.
pub(super) fn parse_game(text: &str) -> Result<Game, CommandError> {
    let parsed = Board::from_fen_with_repairs(text);
    let (board, repairs) = parsed.map_err(CommandError::refused)?;
    repairs.iter().for_each(|repair| super::report(repair));
    Ok(Game::new(board).with_repairs(&repairs))
}

/// The position of [`parse_game`].
///
/// # Errors
/// The FEN is malformed or the position invalid.
pub(super) fn parse_board(text: &str) -> Result<Board, CommandError> {
    parse_game(text).map(|game| *game.board())
}

/// All bytes of a file, or of standard input (`-`).
///
/// # Errors
/// It cannot be read.
pub(super) fn read_all(path: &Path) -> Result<Vec<u8>, CommandError> {
    let mut bytes = Vec::new();
    let read = if is_standard(path) {
        io::stdin().read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|mut file| file.read_to_end(&mut bytes))
    };
    match read {
        Ok(_) => Ok(bytes),
        Err(error) => Err(refused(path.as_os_str(), &error)),
    }
}

/// Whether this is standard input or output (`-`).
pub(super) fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

fn refused(name: &OsStr, error: &io::Error) -> CommandError {
    CommandError::Refused(format!("{}: {error}", name.display()))
}

/// An error message with the location in an input of this name.
pub(super) fn message(name: Option<&str>, error: &FormatError) -> String {
    located(name, error.location, error)
}

/// A message with its location in an input of this name.
pub(super) fn located(name: Option<&str>, location: Location, message: &dyn Display) -> String {
    match name {
        Some(name) => locate(name, location, message),
        None => message.to_string(),
    }
}

/// Standard output, or a file that is replaced only when the output is complete.
///
/// If it is dropped without [`finish`](Output::finish), the file is unchanged, and no temporary file
/// is left unless it is resumable.
pub(super) struct Output {
    writer: io::BufWriter<Box<dyn Write + Send>>,
    /// The path of a file or device, for messages; `None` for standard output.
    name: Option<PathBuf>,
    file: Option<TemporaryFile>,
}

/// What is written in place of a file until it is complete.
struct TemporaryFile {
    file: Arc<File>,
    path: PathBuf,
    /// The path it is renamed to.
    target: PathBuf,
    /// Whether what has been written outlives a run that is killed or fails.
    is_resumable: bool,
}

impl Output {
    /// Opens standard output (no path, or `-`), or a temporary file in the folder of the path.
    ///
    /// # Errors
    /// The file cannot be created.
    pub(super) fn create(path: Option<&Path>) -> Result<Output, CommandError> {
        Output::open(path, false)
    }

    /// An output with a temporary file `NAME.part`, which may have what an earlier run
    /// [left](Output::left).
    ///
    /// # Errors
    /// The file cannot be created, or another run is writing it.
    pub(super) fn resumable(path: Option<&Path>) -> Result<Output, CommandError> {
        Output::open(path, true)
    }

    fn open(path: Option<&Path>, is_resumable: bool) -> Result<Output, CommandError> {
        let Some(path) = path.filter(|path| !is_standard(path)) else {
            return Ok(Output::new(STDOUT_BUFFER, io::stdout(), None, None));
        };
        let name = Some(path);
        let refused = |error| refused(path.as_os_str(), &error);
        let target = match OutputTarget::of(path) {
            OutputTarget::File(target) => target,
            OutputTarget::Device(device) => {
                let device = File::options().write(true).open(device).map_err(refused)?;
                return Ok(Output::new(STDOUT_BUFFER, device, name, None));
            }
        };
        let mut temporary = target.file_name().unwrap_or_default().to_owned();
        if !is_resumable {
            temporary.push(format!(".{}", std::process::id()));
        }
        temporary.push(".part");
        let path = target.with_file_name(temporary);
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(!is_resumable);
        let file = options.open(&path).map_err(refused)?;
        // Where a file system has no locks, two runs are not told apart.
        if is_resumable && matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(refused(io::Error::other("another run is writing this file")));
        }
        if let Ok(old) = fs::metadata(&target) {
            file.set_permissions(old.permissions()).map_err(refused)?;
        }
        let file = Arc::new(file);
        let temporary = TemporaryFile { file: Arc::clone(&file), path, target, is_resumable };
        Ok(Output::new(1 << 16, file, name, Some(temporary)))
    }

    /// Writes a whole output, see [`create`](Output::create).
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn put(path: Option<&Path>, content: impl AsRef<[u8]>) -> Result<(), CommandError> {
        let mut output = Output::create(path)?;
        output.write_all(content.as_ref())?;
        output.finish()
    }

    /// Checks that a file can be created, before long work for an [output](Output::create) that is
    /// opened only after it; so an interruption leaves no temporary file. A device is not opened: a
    /// pipe would end.
    ///
    /// # Errors
    /// The file cannot be created.
    pub(super) fn check(path: &Path) -> Result<(), CommandError> {
        match OutputTarget::of(path) {
            OutputTarget::File(_) => Output::create(Some(path)).map(drop),
            OutputTarget::Device(_) => Ok(()),
        }
    }

    /// The path of what an earlier run has left in the temporary file, if anything.
    pub(super) fn left(&self) -> Option<&Path> {
        let file = self.file.as_ref()?;
        file.has_content().then_some(&file.path)
    }

    /// What an earlier run has written: [left](Output::left) in the temporary file, or in the file.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn earlier(&self, is_left: bool) -> io::Result<Option<Arc<File>>> {
        let Some(TemporaryFile { file, target, .. }) = &self.file else { return Ok(None) };
        let opened = if is_left {
            // The locked file itself: some systems let no other handle read it.
            self.named((&**file).rewind().map(|()| Arc::clone(file)))
        } else {
            self.named(File::open(target).map(Arc::new))
        };
        match opened {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            opened => opened.map(Some),
        }
    }

    /// Whether there is a file with content that this output would replace.
    pub(super) fn has_other_text(&self) -> bool {
        let target = self.file.as_ref().map(|file| &file.target);
        target.and_then(|target| fs::metadata(target).ok()).is_some_and(|old| old.len() > 0)
    }

    /// Keeps so many bytes of what an earlier run has left, and continues behind them.
    ///
    /// # Errors
    /// The temporary file cannot be written.
    pub(super) fn keep(&mut self, length: u64) -> io::Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let kept = file.file.set_len(length);
        self.named(kept.and_then(|()| (&*file.file).seek(SeekFrom::Start(length)).map(drop)))
    }

    /// Gives the output up, with its temporary file.
    pub(super) fn discard(mut self) {
        if let Some(file) = &mut self.file {
            file.is_resumable = false;
        }
    }

    fn new(
        held: usize,
        writer: impl Write + Send + 'static,
        name: Option<&Path>,
        file: Option<TemporaryFile>,
    ) -> Output {
        Output {
            writer: io::BufWriter::with_capacity(held, Box::new(writer)),
            name: name.map(Path::to_owned),
            file,
        }
    }

    /// Whether the output is a file, which is replaced only when complete.
    pub(super) fn is_file(&self) -> bool {
        self.file.is_some()
    }

    /// Completes the output.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn finish(mut self) -> Result<(), CommandError> {
        match (self.flush(), &self.file) {
            // The reader has closed the pipe.
            (Err(error), None) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            (Ok(()), Some(file)) => Ok(self.named(fs::rename(&file.path, &file.target))?),
            (flushed, _) => Ok(flushed?),
        }
    }

    /// Adds the name of the output to an error.
    fn named<T>(&self, result: io::Result<T>) -> io::Result<T> {
        result.map_err(|error| match &self.name {
            Some(name) => io::Error::new(error.kind(), format!("{}: {error}", name.display())),
            None => error,
        })
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.writer.write(bytes);
        self.named(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.writer.flush();
        self.named(flushed)
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        // Discards the buffer instead of flushing it.
        let nowhere = io::BufWriter::new(Box::new(io::sink()) as Box<dyn Write + Send>);
        drop(std::mem::replace(&mut self.writer, nowhere).into_parts());
        if let Some(file) =
            self.file.as_ref().filter(|file| !file.is_resumable || !file.has_content())
        {
            let _ = fs::remove_file(&file.path);
        }
    }
}

impl TemporaryFile {
    fn has_content(&self) -> bool {
        self.file.metadata().is_ok_and(|metadata| metadata.len() > 0)
    }
}
