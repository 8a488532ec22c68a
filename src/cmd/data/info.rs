//! Statistics of recorded games as text and as JSON.

use crate::chess::{Color, GameResult};
use crate::data::Termination;
use crate::data::statistics::{LENGTH_BUCKET, SCORE_BUCKETS, Statistics};
use serde_json::{Map, json};
use std::fmt::Write;

fn percent(part: u64, all: u64) -> f64 {
    100.0 * part as f64 / all.max(1) as f64
}

/// The range of a score bucket.
fn score_range(number: usize) -> String {
    let from = number.checked_sub(1).map_or(0, |before| SCORE_BUCKETS[before]);
    match SCORE_BUCKETS.get(number) {
        None => "mate or tablebase".into(),
        Some(_) if number + 1 == SCORE_BUCKETS.len() => format!("{from} and more"),
        Some(end) => format!("{from} to {}", end - 1),
    }
}

/// The statistics as text.
pub(super) fn text(files: usize, statistics: &Statistics) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_text(&mut text, files, statistics);
    text.truncate(text.trim_end().len());
    text
}

fn write_text(text: &mut String, files: usize, s: &Statistics) -> std::fmt::Result {
    writeln!(text, "files        {files}")?;
    writeln!(
        text,
        "games        {}, {} of them repeated, {} not from the standard start",
        s.games, s.duplicates, s.other_starts
    )?;
    writeln!(text, "plies        {}", s.plies)?;
    writeln!(
        text,
        "positions    {} with a score, {} with a principal variation",
        s.positions, s.pvs
    )?;
    let share = |result| percent(s.games_with(result), s.games);
    writeln!(
        text,
        "results      white won {:.1} %, drawn {:.1} %, black won {:.1} %",
        share(GameResult::WhiteWins),
        share(GameResult::Draw),
        share(GameResult::BlackWins)
    )?;
    for (turn, correlation) in Color::ALL.map(Color::name).iter().zip(&s.correlations) {
        let coefficient = correlation.coefficient();
        let coefficient = coefficient.map_or("unknown".into(), |c| format!("{c:.3}"));
        writeln!(text, "correlation  {coefficient} of score and result, {turn} to move")?;
    }
    if let (played_out @ 1.., agrees) = s.adjudications {
        let agrees = percent(agrees, played_out);
        writeln!(text, "adjudication agrees with {agrees:.1} % of {played_out} games played out")?;
    }
    write_distributions(text, s)
}

/// Games by termination and by length, positions by score.
fn write_distributions(text: &mut String, s: &Statistics) -> std::fmt::Result {
    writeln!(text, "terminations")?;
    for (end, count) in Termination::ALL.into_iter().zip(s.terminations) {
        if count > 0 {
            let (name, share) = (end.name(), percent(count, s.games));
            writeln!(text, "  {name:<22} {count:>10} {share:5.1} %")?;
        }
    }
    if let Some(curve) = s.wdl.fit() {
        writeln!(
            text,
            "wdl curve    win probability 50 % at {:.0} centipawns, spread {:.0}",
            curve.even, curve.spread
        )?;
    }
    let (shortest, longest) = (s.shortest.unwrap_or(0), s.longest.unwrap_or(0));
    let mean = s.mean_length();
    writeln!(text, "plies of a game: mean {mean:.1}, {shortest} to {longest}")?;
    for (bucket, count) in s.lengths.iter().enumerate() {
        let (from, to) = (bucket * LENGTH_BUCKET + 1, (bucket + 1) * LENGTH_BUCKET);
        let share = percent(*count, s.games);
        writeln!(text, "  {:<22} {count:>10} {share:5.1} %", format!("{from} to {to}"))?;
    }
    writeln!(text, "scores in centipawns, positions, mean points of the side ahead")?;
    for (number, bucket) in s.scores.iter().enumerate() {
        let (count, share) = (bucket.positions, percent(bucket.positions, s.positions));
        let points = bucket.points / count.max(1) as f64;
        let name = score_range(number);
        writeln!(text, "  {name:<22} {count:>10} {share:5.1} %  {points:.3}")?;
    }
    Ok(())
}

/// The statistics as a JSON object.
pub(super) fn json(files: usize, s: &Statistics) -> String {
    let rounded = |number: f64, scale: f64| (number * scale).round() / scale;
    let [black, draws, white] = s.results;
    let terminations = Termination::ALL.into_iter().zip(s.terminations);
    let terminations = terminations.map(|(end, count)| (end.name().to_owned(), count.into()));
    let scores = s.scores.iter().enumerate().map(|(number, bucket)| {
        json!({
            "below": SCORE_BUCKETS.get(number),
            "positions": bucket.positions,
            "points": bucket.points,
        })
    });
    let [white_to_move, black_to_move] =
        s.correlations.map(|sums| sums.coefficient().map(|number| rounded(number, 1e4)));
    let curve = s.wdl.fit().map(
        |curve| json!({ "even": rounded(curve.even, 10.0), "spread": rounded(curve.spread, 10.0) }),
    );
    let (played_out, agrees) = s.adjudications;
    let statistics = json!({
        "files": files,
        "games": s.games,
        "duplicates": s.duplicates,
        "other_starts": s.other_starts,
        "plies": s.plies,
        "positions": s.positions,
        "pvs": s.pvs,
        "results": { "white": white, "draw": draws, "black": black },
        "mean_length": rounded(s.mean_length(), 100.0),
        "shortest": s.shortest.unwrap_or(0),
        "longest": s.longest.unwrap_or(0),
        "length_bucket": LENGTH_BUCKET,
        "lengths": s.lengths,
        "terminations": terminations.collect::<Map<_, _>>(),
        "scores": scores.collect::<Vec<_>>(),
        "correlation": { "white_to_move": white_to_move, "black_to_move": black_to_move },
        "wdl_curve": curve,
        "adjudication": { "played_out": played_out, "agrees": agrees },
    });
    statistics.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_games_give_valid_output() {
        let nothing = Statistics::default();
        assert!(text(0, &nothing).contains("games        0"));
        let json = json(0, &nothing);
        assert!(!json.contains("NaN") && !json.contains("inf"), "{json}");
    }

    #[test]
    fn json_has_the_terms_of_the_text() {
        let json = json(0, &Statistics::default());
        for key in ["terminations", "wdl_curve", "length_bucket", "agrees"] {
            assert!(json.contains(&format!("\"{key}\":")), "{key}: {json}");
        }
    }
}
