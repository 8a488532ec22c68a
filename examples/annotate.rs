//! Reads games from a PGN file, reviews their moves on all cores, and prints them annotated.
//!
//! `cargo run --release --example annotate -- games.pgn`

use saavedra::analysis::{Analyser, Budget, Scale, annotate, game_positions, review};
use saavedra::eval::Evaluation;
use saavedra::formats::pgn;
use std::error::Error;
use std::fs::File;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: annotate FILE")?;
    let analyser = Analyser {
        threads: std::thread::available_parallelism()?.get(),
        hash: 32,
        multipv: 1,
        budget: Budget::Nodes(20_000),
        evaluation: Evaluation::embedded(),
        tablebases: None,
        stop: Default::default(),
    };
    for game in pgn::Reader::new(File::open(path)?) {
        let game = match game {
            Ok(game) => game,
            Err(error) => {
                eprintln!("{error}");
                continue;
            }
        };
        let positions = game_positions(&game.tree);
        let total = positions.len() as u64;
        let mut results = Vec::new();
        analyser.analyse(&mut positions.into_iter(), total, &mut |result, _| {
            results.push(result);
        })?;
        results.sort_by_key(|result| result.tag);
        let review = review(&game.tree, &results, Scale::default(), &analyser.evaluation);
        let annotated = annotate(&game, &review);
        println!("{}", pgn::write(&annotated));
    }
    Ok(())
}
