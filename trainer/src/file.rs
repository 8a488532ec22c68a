//! Files that are replaced only when complete.

use std::path::Path;
use std::{fs, io};

/// Writes a temporary file beside `path`, with `.part` appended to its name, and renames it. Symbolic links
/// are kept; a device or pipe is written to directly.
///
/// # Errors
/// The file cannot be written.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(&target).is_ok_and(|old| !old.is_file()) {
        return fs::write(target, bytes);
    }
    let mut temporary = target.as_os_str().to_owned();
    temporary.push(".part");
    fs::write(&temporary, bytes)?;
    fs::rename(&temporary, target)
}
