//! A UCI session, line by line, with searches that are stopped at once.
#![no_main]

use libfuzzer_sys::fuzz_target;
use saavedra::engine::{Engine, Platform};
use saavedra::eval::Evaluation;
use saavedra::uci::{LineSession, Next, Signal};

/// Options that read or write files.
const FILE_OPTIONS: [&str; 4] = ["file", "path", "hash", "threads"];

fuzz_target!(|text: &str| {
    let platform = Platform { has_threads: false, ..Platform::default() };
    let engine =
        Engine::with_platform(platform.clone(), 1, 1, Evaluation::PieceSquare).expect("an engine");
    let mut session = LineSession::new(platform, engine, std::io::sink());
    for line in text.lines().take(50) {
        let lower = line.to_lowercase();
        let uses_files = FILE_OPTIONS.iter().any(|name| lower.contains(name));
        let is_long = lower.contains("bench") || lower.contains("perft");
        if uses_files || is_long {
            continue;
        }
        if session.execute(line, || Some(Signal::Stop)) == Next::Quit {
            break;
        }
    }
});
