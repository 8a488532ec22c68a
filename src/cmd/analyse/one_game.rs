//! The analysis of one game for callers in the same process.

use super::json;
use crate::analysis::{self, Analyser, Openings, Scale};
use crate::formats::Document;
use std::io;

/// A reviewed game in the JSON of `saavedra analyse --format json`; `number` is its number in its file.
///
/// # Errors
/// A hash table or a thread cannot be created, or the analyser is stopped.
pub fn game_as_json(number: u64, document: &Document, analyser: &Analyser) -> io::Result<String> {
    let positions = analysis::game_positions(&document.tree);
    let total = positions.len() as u64;
    let mut groups = analysis::game_groups(positions).into_iter();
    let mut results = Vec::new();
    analyser.analyse_groups(&mut groups, total, &mut |result, _| results.push(result))?;
    results.sort_by_key(|result| result.tag);
    let review = analysis::review(&document.tree, &results, Scale::default(), &analyser.evaluation);
    let opening = Openings::new().of(&document.tree);
    Ok(json::game(number, document, &review, opening).to_string())
}
