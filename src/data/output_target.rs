//! Where an output is written.

use std::fs;
use std::path::{Path, PathBuf};

/// What an output at a path replaces or writes to. Symbolic links are followed, so that they are
/// kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OutputTarget {
    /// A file, which may not exist yet. It is replaced when the output is complete.
    File(PathBuf),
    /// A device, a pipe or a folder: it is opened and written to directly, which a folder refuses.
    Device(PathBuf),
}

impl OutputTarget {
    /// The target of an output at this path.
    ///
    /// ```
    /// use saavedra::data::OutputTarget;
    ///
    /// let folder = std::env::temp_dir();
    /// assert!(matches!(OutputTarget::of(&folder), OutputTarget::Device(_)));
    /// let file = folder.join("there is no such file");
    /// assert_eq!(OutputTarget::of(&file), OutputTarget::File(file));
    /// ```
    pub fn of(path: &Path) -> OutputTarget {
        // The link `/dev/stdout` of a pipe has no path at its end, but can be opened.
        if fs::metadata(path).is_ok_and(|old| !old.is_file()) {
            return OutputTarget::Device(path.to_owned());
        }
        OutputTarget::File(fs::canonicalize(path).unwrap_or_else(|_| follow_links(path)))
    }
}

/// The path that a symbolic link leads to, if there is no file yet.
fn follow_links(path: &Path) -> PathBuf {
    /// The number of links that Linux follows.
    const MAX_LINKS: usize = 40;
    let mut target = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&target) {
            // A relative path is relative to the folder of the link; an absolute one replaces it.
            Ok(next) => target = target.with_file_name("").join(next),
            Err(_) => break,
        }
    }
    target
}
