//! The analysis of one game for callers in the same process.

use super::json;
use crate::analysis::{self, Analyser, AnalysisProgress, Openings, Scale};
use crate::formats::Document;
use std::cell::Cell;
use std::io;

/// A reviewed game in the JSON of `saavedra analyse --format json`; `number` is its number in its file.
/// `goes_on` is called after each position; once it returns false, the analysis ends with `None`.
///
/// # Errors
/// A hash table or a thread cannot be created.
pub fn game_as_json(
    number: u64,
    document: &Document,
    analyser: &Analyser,
    goes_on: &mut dyn FnMut(AnalysisProgress) -> bool,
) -> io::Result<Option<String>> {
    let positions = analysis::game_positions(&document.tree);
    let total = positions.len() as u64;
    let is_stopped = Cell::new(false);
    let groups = analysis::game_groups(positions).into_iter();
    let mut results = Vec::new();
    analyser.analyse_groups(
        &mut groups.take_while(|_| !is_stopped.get()),
        total,
        &mut |result, progress| {
            results.push(result);
            is_stopped.set(is_stopped.get() || !goes_on(progress));
        },
    )?;
    if is_stopped.get() {
        return Ok(None);
    }
    results.sort_by_key(|result| result.tag);
    let review = analysis::review(&document.tree, &results, Scale::default(), &analyser.evaluation);
    let opening = Openings::new().of(&document.tree);
    Ok(Some(json::game(number, document, &review, opening).to_string()))
}
