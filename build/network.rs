//! Part of the build script: checks the network that becomes part of the program and takes the
//! sizes of the evaluation from it.

#[allow(dead_code, unreachable_pub)]
#[path = "../src/nnue/format.rs"]
mod format;

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Writes `network.rs` into `out`: the sizes and the bytes of the file `$EVALFILE`, or of
/// `networks/default.nnue`. Where there is neither, the smallest sizes and no bytes.
pub(crate) fn embed(out: &Path) -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let chosen = env::var_os("EVALFILE").filter(|name| !name.is_empty());
    let path = root.join(
        chosen
            .as_deref()
            .unwrap_or("networks/default.nnue".as_ref()),
    );
    println!("cargo::rerun-if-changed=build/network.rs");
    println!("cargo::rerun-if-changed=src/nnue/format.rs");
    println!("cargo::rerun-if-env-changed=EVALFILE");
    // A path that does not exist would count as changed at every build.
    let watched = if path.exists() {
        path.clone()
    } else {
        root.join("networks")
    };
    println!("cargo::rerun-if-changed={}", watched.display());
    let (hidden, buckets, bytes) = if chosen.is_none() && !path.exists() {
        (format::HIDDEN_MULTIPLE, 1, "None".to_string())
    } else {
        let named = |error: &dyn std::error::Error| {
            io::Error::other(format!("{}: {error}", path.display()))
        };
        let file = fs::read(&path).map_err(|error| named(&error))?;
        let network = format::Parameters::from_bytes(&file).map_err(|error| named(&error))?;
        let bytes = format!("Some(include_bytes!({path:?}))");
        (network.hidden(), network.output_buckets(), bytes)
    };
    let text = format!(
        "/// Hidden neurons per perspective.\n\
         pub const HIDDEN: usize = {hidden};\n\
         /// Output buckets, chosen by the number of men.\n\
         pub const OUTPUT_BUCKETS: usize = {buckets};\n\
         /// The file of the network that is part of the program.\n\
         pub(super) const EMBEDDED: Option<&[u8]> = {bytes};\n"
    );
    fs::write(out.join("network.rs"), text)
}
