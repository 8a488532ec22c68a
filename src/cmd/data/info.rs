//! Statistics of games as text and as JSON.

use crate::chess::{Color, GameResult};
use crate::data::record::Termination;
use crate::data::statistics::{LENGTH_CLASS, SCORE_CLASSES, Statistics};
use std::fmt::Write;

/// The word for an ending.
fn end_name(end: Termination) -> &'static str {
    match end {
        Termination::Checkmate => "checkmate",
        Termination::Stalemate => "stalemate",
        Termination::InsufficientMaterial => "insufficient_material",
        Termination::FiftyMoves => "fifty_moves",
        Termination::Threefold => "threefold",
        Termination::AdjudicatedWin => "adjudicated_win",
        Termination::AdjudicatedDraw => "adjudicated_draw",
        Termination::MaximumPlies => "maximum_plies",
        Termination::Tablebase => "tablebase",
    }
}

/// The ending with this name.
pub(super) fn end_by_name(name: &str) -> Result<Termination, String> {
    let found = Termination::ALL
        .into_iter()
        .find(|end| end_name(*end) == name);
    found.ok_or_else(|| {
        let names = Termination::ALL.map(end_name);
        format!("expected one of {}", names.join(", "))
    })
}

fn percent(part: u64, all: u64) -> f64 {
    100.0 * part as f64 / all.max(1) as f64
}

/// The class of scores with this number, signs aside.
fn score_class(number: usize) -> String {
    let from = number
        .checked_sub(1)
        .map_or(0, |before| SCORE_CLASSES[before]);
    match SCORE_CLASSES.get(number) {
        None => "certain".into(),
        Some(_) if number + 1 == SCORE_CLASSES.len() => format!("{from} and more"),
        Some(end) => format!("{from} to {}", end - 1),
    }
}

/// The statistics for people.
pub(super) fn text(files: usize, statistics: &Statistics) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
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
    writeln!(text, "positions    {} with a score", s.positions)?;
    let share = |result| percent(s.with(result), s.games);
    writeln!(
        text,
        "results      white won {:.1} %, drawn {:.1} %, black won {:.1} %",
        share(GameResult::WhiteWins),
        share(GameResult::Draw),
        share(GameResult::BlackWins)
    )?;
    for (turn, sums) in Color::ALL.map(Color::name).iter().zip(&s.correlations) {
        let coefficient = sums.coefficient();
        let coefficient = coefficient.map_or("unknown".into(), |c| format!("{c:.3}"));
        writeln!(
            text,
            "correlation  {coefficient} of score and result, {turn} to move"
        )?;
    }
    if let (played_out @ 1.., right) = s.adjudications {
        let right = percent(right, played_out);
        writeln!(
            text,
            "adjudication would be right in {right:.1} % of {played_out} games played out"
        )?;
    }
    write_classes(text, s)
}

/// Games by ending and by length, positions by score.
fn write_classes(text: &mut String, s: &Statistics) -> std::fmt::Result {
    writeln!(text, "ends")?;
    for (end, count) in Termination::ALL.into_iter().zip(s.terminations) {
        if count > 0 {
            let (name, share) = (end_name(end), percent(count, s.games));
            writeln!(text, "  {name:<22} {count:>10} {share:5.1} %")?;
        }
    }
    if let Some(curve) = s.wdl.fit() {
        writeln!(
            text,
            "chances      winning is even at {:.0} centipawns, spread {:.0}",
            curve.even, curve.spread
        )?;
    }
    let (shortest, longest) = (s.shortest.unwrap_or(0), s.longest.unwrap_or(0));
    let mean = s.mean_length();
    writeln!(
        text,
        "plies of a game: {mean:.1} on average, {shortest} to {longest}"
    )?;
    for (class, count) in s.lengths.iter().enumerate() {
        let (from, to) = (class * LENGTH_CLASS + 1, (class + 1) * LENGTH_CLASS);
        let share = percent(*count, s.games);
        writeln!(
            text,
            "  {:<22} {count:>10} {share:5.1} %",
            format!("{from} to {to}")
        )?;
    }
    writeln!(
        text,
        "scores in centipawns, and the points of the side ahead"
    )?;
    for (number, class) in s.scores.iter().enumerate() {
        let (count, share) = (class.positions, percent(class.positions, s.positions));
        let points = class.points / count.max(1) as f64;
        let name = score_class(number);
        writeln!(text, "  {name:<22} {count:>10} {share:5.1} %  {points:.3}")?;
    }
    Ok(())
}

/// The statistics as a JSON object.
pub(super) fn json(files: usize, s: &Statistics) -> String {
    let [black, draws, white] = s.results;
    let ends = Termination::ALL.into_iter().zip(s.terminations);
    let ends: Vec<String> = ends
        .map(|(end, count)| format!("\"{}\":{count}", end_name(end)))
        .collect();
    let scores: Vec<String> = s
        .scores
        .iter()
        .enumerate()
        .map(|(number, class)| {
            let end = SCORE_CLASSES.get(number);
            let end = end.map_or("null".into(), i16::to_string);
            let (count, points) = (class.positions, class.points);
            format!("{{\"below\":{end},\"positions\":{count},\"points\":{points}}}")
        })
        .collect();
    let [of_white, of_black] = s.correlations.map(|sums| {
        let coefficient = sums.coefficient();
        coefficient.map_or("null".into(), |c| format!("{c:.4}"))
    });
    let (played_out, right) = s.adjudications;
    let chances = s.wdl.fit().map_or("null".into(), |curve| {
        format!(
            "{{\"even\":{:.1},\"spread\":{:.1}}}",
            curve.even, curve.spread
        )
    });
    let lengths: Vec<String> = s.lengths.iter().map(u64::to_string).collect();
    format!(
        "{{\"files\":{files},\"games\":{},\"duplicates\":{},\"other_starts\":{},\"plies\":{},\
         \"positions\":{},\"results\":{{\"white\":{white},\"draw\":{draws},\"black\":{black}}},\
         \"mean_length\":{:.2},\"shortest\":{},\"longest\":{},\"length_class\":{LENGTH_CLASS},\
         \"lengths\":[{}],\"ends\":{{{}}},\"scores\":[{}],\
         \"correlation\":{{\"white_to_move\":{of_white},\"black_to_move\":{of_black}}},\
         \"chances\":{chances},\
         \"adjudication\":{{\"played_out\":{played_out},\"right\":{right}}}}}",
        s.games,
        s.duplicates,
        s.other_starts,
        s.plies,
        s.positions,
        s.mean_length(),
        s.shortest.unwrap_or(0),
        s.longest.unwrap_or(0),
        lengths.join(","),
        ends.join(","),
        scores.join(","),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ending_has_its_own_name() {
        for end in Termination::ALL {
            assert_eq!(end_by_name(end_name(end)), Ok(end));
        }
        assert!(end_by_name("nothing").is_err());
    }

    #[test]
    fn no_games_at_all_make_sound_reports() {
        let nothing = Statistics::default();
        assert!(text(0, &nothing).contains("games        0"));
        let json = json(0, &nothing);
        assert!(!json.contains("NaN") && !json.contains("inf"), "{json}");
    }
}
