//! Reads games from a file, judges their moves on all cores, and writes them annotated.
//!
//! `cargo run --release --example annotate -- games.pgn`

use saavedra::analysis::{Analyser, Budget, annotate, game_positions, review};
use saavedra::eval::Evaluation;
use saavedra::formats::pgn;
use std::error::Error;
use std::fs::File;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("which file?")?;
    let analyser = Analyser {
        threads: std::thread::available_parallelism()?.get(),
        hash: 32,
        multipv: 1,
        budget: Budget::Nodes(20_000),
        evaluation: Evaluation::embedded(),
    };
    for game in pgn::Reader::new(File::open(path)?) {
        let game = match game {
            Ok(game) => game,
            Err(error) => {
                eprintln!("{error}");
                continue;
            }
        };
        let questions = game_positions(&game.tree);
        let total = questions.len() as u64;
        let mut answers = Vec::new();
        analyser.analyse(&mut questions.into_iter(), total, &mut |answer, _| {
            answers.push(answer);
        })?;
        answers.sort_by_key(|answer| answer.tag);
        let annotated = annotate(&game, &review(&game.tree, &answers));
        println!("{}", pgn::write(&annotated));
    }
    Ok(())
}
