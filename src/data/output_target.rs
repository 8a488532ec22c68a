//! Where an output is written.

use std::fs;
use std::path::{Path, PathBuf};

/// What an output at a path replaces or writes to. Symbolic links are followed, so that they are kept.
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
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        match fs::metadata(&target).is_ok_and(|old| !old.is_file()) {
            true => OutputTarget::Device(target),
            false => OutputTarget::File(target),
        }
    }
}
