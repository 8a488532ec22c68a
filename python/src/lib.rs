//! The native part of the Python module `saavedra`; `saavedra/__init__.py` re-exports it and
//! `saavedra/_saavedra.pyi` documents its types.

mod analysis;
mod arguments;
mod board;
mod engine;
mod games;
mod interrupt;
mod process;
mod turns;

use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::Path;

/// Runs the command line of Saavedra and returns its exit status. `arguments` begin with the path
/// of the program, as `sys.argv` does.
#[pyfunction]
fn run(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    let (program, arguments) = match arguments.split_first() {
        Some((program, arguments)) => (Path::new(program), arguments),
        None => (Path::new("saavedra"), &[][..]),
    };
    py.detach(|| saavedra::cmd::run(program, arguments))
}

/// The native part of the module `saavedra`.
#[pymodule]
mod _saavedra {
    #[pymodule_export]
    use super::analysis::Stream;
    #[pymodule_export]
    use super::board::{Board, IllegalMove, evaluate, perft};
    #[pymodule_export]
    use super::engine::Engine;
    #[pymodule_export]
    use super::games::{Game, Games, explain, puzzles_of_game, read_games, review};
    #[pymodule_export]
    use super::run;

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "the name in Python")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
