//! The engine as a WebAssembly module.
//!
//! `exports` has the functions that JavaScript calls: UCI lines, and as JSON the requests of
//! [`saavedra_api::request`] about positions and games and those of [`saavedra_api::engine`]. The folder `npm` has the JavaScript
//! around the module: a worker that speaks UCI, a typed interface, and a program for Node.

#[cfg(target_family = "wasm")]
mod exports;
