//! Validates the network to embed and takes the layer sizes from it.
//!
//! It writes only to Cargo's output directory and downloads nothing.

#[allow(dead_code, unreachable_pub)]
#[path = "src/nnue/format.rs"]
mod format;

use std::path::PathBuf;
use std::{env, fs, io};

/// Writes `network.rs`: the layer sizes and the bytes of the file `$EVALFILE`, or of
/// `networks/default.nnue`. If there is neither, the minimum sizes and no bytes.
fn main() -> io::Result<()> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::Error::other("OUT_DIR is not set"))?);
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let chosen = env::var_os("EVALFILE").filter(|name| !name.is_empty());
    let path = root.join(chosen.as_deref().unwrap_or("networks/default.nnue".as_ref()));
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/nnue/format.rs");
    println!("cargo::rerun-if-env-changed=EVALFILE");
    // Cargo treats a path that does not exist as changed at every build.
    let watched = if path.exists() { path.clone() } else { root.join("networks") };
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
        "/// Hidden layer size: neurons per perspective.\n\
         pub const HIDDEN: usize = {hidden};\n\
         /// Output buckets, selected by piece count.\n\
         pub const OUTPUT_BUCKETS: usize = {buckets};\n\
         /// The file of the embedded network.\n\
         pub(super) const EMBEDDED: Option<&[u8]> = {bytes};\n"
    );
    fs::write(out.join("network.rs"), text)
}
