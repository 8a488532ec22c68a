//! Files that are replaced only when complete.

use saavedra::data::OutputTarget;
use std::path::Path;
use std::{fs, io};

/// Writes a temporary file beside `path`, with `.part` appended to its name, and renames it. Symbolic links
/// are kept; a device or pipe is written to directly.
///
/// # Errors
/// The file cannot be written.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = match OutputTarget::of(path) {
        OutputTarget::File(target) => target,
        OutputTarget::Device(device) => return fs::write(device, bytes),
    };
    let mut temporary = target.as_os_str().to_owned();
    temporary.push(".part");
    fs::write(&temporary, bytes)?;
    fs::rename(&temporary, target)
}
