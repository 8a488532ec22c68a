//! Files that are replaced only when complete.

use saavedra::data::OutputTarget;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Checks that [`write()`] can write at this path, and leaves the file there unchanged.
///
/// # Errors
/// It cannot.
pub fn check_writable(path: &Path) -> io::Result<()> {
    match OutputTarget::of(path) {
        OutputTarget::File(target) => {
            let temporary = temporary(&target);
            fs::File::create(&temporary)?;
            fs::remove_file(temporary)
        }
        OutputTarget::Device(device) if device.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        // A pipe can be opened once only.
        OutputTarget::Device(_) => Ok(()),
    }
}

/// Writes a temporary file beside `path`, with `.part` appended to its name, and renames it when it
/// is on the disk: not even a power failure leaves an empty file. Symbolic links are kept; a device
/// or pipe is written to directly.
///
/// # Errors
/// The file cannot be written.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = match OutputTarget::of(path) {
        OutputTarget::File(target) => target,
        OutputTarget::Device(device) => return fs::write(device, bytes),
    };
    let temporary = temporary(&target);
    let mut file = fs::File::create(&temporary)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&temporary, target)
}

/// The temporary file of an output.
fn temporary(target: &Path) -> PathBuf {
    let mut temporary = target.as_os_str().to_owned();
    temporary.push(".part");
    temporary.into()
}
