//! Converts a game to UCI notation, a text diagram and an HTML page.
//!
//! `cargo run --example formats > board.html`

use saavedra::formats;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let named = |name| formats::by_name(name).ok_or("an unknown format");
    let game = named("pgn")?.import("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *")?;
    eprint!("{}", named("uci")?.export(&game));
    eprint!("{}", named("unicode")?.export(&game));
    print!("{}", named("html")?.export(&game));
    Ok(())
}
