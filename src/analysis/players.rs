//! Summaries of players over all games of a file.

use super::motif::MotifName;
use super::phase::phases;
use super::{Opening, Review, SideSummary};
use crate::chess::{Color, GameResult};
use crate::formats::Document;
use std::collections::{BTreeMap, HashMap};
use std::fmt;

/// The moves of a side in a phase.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct PhaseRecord {
    /// The number of moves.
    pub moves: u32,
    /// The sum of their accuracies in percent.
    pub accuracy: f64,
    /// The number of moves with a known time.
    pub timed: u32,
    /// The sum of their times in seconds.
    pub seconds: f64,
}

impl PhaseRecord {
    fn add(&mut self, other: &PhaseRecord) {
        self.moves += other.moves;
        self.accuracy += other.accuracy;
        self.timed += other.timed;
        self.seconds += other.seconds;
    }

    /// The mean accuracy of the moves in percent; `None` without moves.
    pub fn mean_accuracy(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.accuracy / f64::from(self.moves))
    }

    /// The mean time of a move in seconds; `None` without clocks.
    pub fn mean_seconds(&self) -> Option<f64> {
        (self.timed > 0).then(|| self.seconds / f64::from(self.timed))
    }
}

/// What a side did in a game: all that the summary of its player counts.
///
/// Its text is one line, and [`SideRecord::parse`] reads it; numbers have one decimal.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct SideRecord {
    /// The accuracy of the game in percent; `None` without moves.
    pub accuracy: Option<f64>,
    /// The numbers of inaccuracies, mistakes and blunders.
    pub errors: [u32; 3],
    /// The phases, in the order of [`Phase::ALL`](super::Phase::ALL).
    pub phases: [PhaseRecord; 3],
    /// The motifs that errors missed.
    pub missed: Vec<MotifName>,
    /// The motifs that errors allowed the other side.
    pub allowed: Vec<MotifName>,
}

impl SideRecord {
    /// The record of a side of a reviewed game.
    pub fn new(document: &Document, review: &Review, color: Color) -> SideRecord {
        let SideSummary { accuracy, inaccuracies, mistakes, blunders, .. } =
            review.sides[color.index()];
        let phase = |sides: &[SideSummary; 2]| {
            let SideSummary { moves, accuracy, .. } = sides[color.index()];
            let accuracy = accuracy.unwrap_or(0.0) * moves as f64;
            PhaseRecord { moves: moves as u32, accuracy, ..PhaseRecord::default() }
        };
        let mut record = SideRecord {
            accuracy,
            errors: [inaccuracies, mistakes, blunders].map(|count| count as u32),
            phases: review.phases.each_ref().map(phase),
            ..SideRecord::default()
        };
        let phase_of = phases(review.positions.iter().map(|position| &position.board));
        for (phase, seconds) in phase_of.into_iter().zip(times(document, review, color)) {
            if let Some(seconds) = seconds {
                record.phases[phase as usize].timed += 1;
                record.phases[phase as usize].seconds += seconds;
            }
        }
        let bad = review.moves.iter().filter(|judged| judged.mover == color);
        for reason in bad.filter_map(|judged| judged.reason.as_ref()) {
            // The better line proves what was missed, a line of its own what was allowed.
            let motifs =
                if reason.line.is_empty() { &mut record.missed } else { &mut record.allowed };
            motifs.extend(reason.motif);
        }
        record
    }

    /// The number of errors.
    pub fn error_count(&self) -> u32 {
        self.errors.iter().sum()
    }

    /// Reads the text of a record; `None` if it is malformed.
    pub fn parse(text: &str) -> Option<SideRecord> {
        let mut fields = text.split(' ');
        let numbers = |field: &str| -> Option<Vec<f64>> {
            field.split('/').map(|number| number.parse().ok()).collect()
        };
        let accuracy = fields.next()?;
        let errors = numbers(fields.next()?)?;
        let mut record = SideRecord {
            accuracy: if accuracy == "-" { None } else { Some(accuracy.parse().ok()?) },
            errors: <[f64; 3]>::try_from(errors).ok()?.map(|count| count as u32),
            ..SideRecord::default()
        };
        for phase in &mut record.phases {
            let [moves, accuracy, timed, seconds] =
                <[f64; 4]>::try_from(numbers(fields.next()?)?).ok()?;
            *phase = PhaseRecord { moves: moves as u32, accuracy, timed: timed as u32, seconds };
        }
        for motifs in [&mut record.missed, &mut record.allowed] {
            let tokens = fields.next()?.split(',').filter(|token| *token != "-");
            let named = tokens.map(MotifName::by_token);
            *motifs = named.collect::<Option<_>>()?;
        }
        fields.next().is_none().then_some(record)
    }
}

impl fmt::Display for SideRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.accuracy {
            Some(accuracy) => write!(f, "{accuracy:.1}")?,
            None => f.write_str("-")?,
        }
        let [inaccuracies, mistakes, blunders] = self.errors;
        write!(f, " {inaccuracies}/{mistakes}/{blunders}")?;
        for PhaseRecord { moves, accuracy, timed, seconds } in &self.phases {
            write!(f, " {moves}/{accuracy:.1}/{timed}/{seconds:.1}")?;
        }
        for motifs in [&self.missed, &self.allowed] {
            let tokens: Vec<&str> = motifs.iter().map(|name| name.token()).collect();
            let text = if tokens.is_empty() { "-" } else { &tokens.join(",") };
            write!(f, " {text}")?;
        }
        Ok(())
    }
}

/// The time that a side used for each move of the game, in seconds: its last clock less this one,
/// and what the tag `TimeControl` adds for a move. `None` for moves of the other side, for the
/// first one, and where a clock is missing or has more time than before.
fn times(document: &Document, review: &Review, color: Color) -> impl Iterator<Item = Option<f64>> {
    let control = document.tag("TimeControl").and_then(|tag| tag.split_once('+'));
    let increment = control.and_then(|(_, added)| added.parse::<f64>().ok());
    let increment = increment.filter(|seconds| (0.0..3600.0).contains(seconds)).unwrap_or(0.0);
    let mut last = None;
    review.moves.iter().map(move |judged| {
        if judged.mover != color {
            return None;
        }
        let now = clock(&document.tree.node(judged.node).comment).and_then(seconds);
        let before = std::mem::replace(&mut last, now)?;
        Some(before + increment - now?).filter(|used| *used >= 0.0)
    })
}

/// The clock time in a comment, as the command `[%clk 1:23:45]` gives it.
pub(super) fn clock(comment: &str) -> Option<&str> {
    let (_, rest) = comment.split_once("[%clk ")?;
    let (time, _) = rest.split_once(']')?;
    let time = time.trim();
    let is_time = |c: char| c.is_ascii_digit() || matches!(c, ':' | '.');
    (!time.is_empty() && time.len() <= 12 && time.chars().all(is_time)).then_some(time)
}

/// The seconds of a clock time: hours, minutes and seconds, or fewer of them.
fn seconds(time: &str) -> Option<f64> {
    let parts: Option<Vec<f64>> = time.split(':').map(|part| part.parse().ok()).collect();
    parts.map(|parts| parts.into_iter().fold(0.0, |sum, part| 60.0 * sum + part))
}

/// Games with their results, from the view of a player.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Results {
    /// All games, those without a result included.
    pub games: u32,
    /// The games won.
    pub wins: u32,
    /// The games drawn.
    pub draws: u32,
    /// The games lost.
    pub losses: u32,
}

impl Results {
    fn add(&mut self, result: Option<GameResult>, color: Color) {
        self.games += 1;
        match result {
            None => {}
            Some(GameResult::Draw) => self.draws += 1,
            Some(result) if result == GameResult::win(color) => self.wins += 1,
            Some(_) => self.losses += 1,
        }
    }
}

/// A player over all games of a file.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct PlayerSummary {
    /// The games with their results.
    pub results: Results,
    /// The sum of the accuracies of the games in percent, and the number of these games.
    accuracies: (f64, u32),
    /// The numbers of inaccuracies, mistakes and blunders.
    pub errors: [u32; 3],
    /// The phases, in the order of [`Phase::ALL`](super::Phase::ALL).
    pub phases: [PhaseRecord; 3],
    /// The families of openings by name, with the side of the player and the results.
    pub openings: BTreeMap<(&'static str, Color), Results>,
    /// How often errors missed a motif.
    pub missed: BTreeMap<MotifName, u32>,
    /// How often errors allowed a motif.
    pub allowed: BTreeMap<MotifName, u32>,
}

impl PlayerSummary {
    fn add(
        &mut self,
        record: &SideRecord,
        color: Color,
        result: Option<GameResult>,
        opening: Option<Opening>,
    ) {
        self.results.add(result, color);
        if let Some(accuracy) = record.accuracy {
            self.accuracies = (self.accuracies.0 + accuracy, self.accuracies.1 + 1);
        }
        for (sum, count) in self.errors.iter_mut().zip(record.errors) {
            *sum += count;
        }
        for (sum, phase) in self.phases.iter_mut().zip(&record.phases) {
            sum.add(phase);
        }
        if let Some(opening) = opening {
            self.openings.entry((opening.family(), color)).or_default().add(result, color);
        }
        for (counts, motifs) in
            [(&mut self.missed, &record.missed), (&mut self.allowed, &record.allowed)]
        {
            for name in motifs {
                *counts.entry(*name).or_default() += 1;
            }
        }
    }

    /// The mean of the accuracies of the games in percent; `None` if no game has any.
    pub fn accuracy(&self) -> Option<f64> {
        let (sum, games) = self.accuracies;
        (games > 0).then(|| sum / f64::from(games))
    }

    /// The mean time of a move in seconds; `None` without clocks.
    pub fn seconds_per_move(&self) -> Option<f64> {
        let mut all = PhaseRecord::default();
        self.phases.iter().for_each(|phase| all.add(phase));
        all.mean_seconds()
    }
}

/// The players of a file.
#[derive(Clone, Default, Debug)]
pub struct Players(HashMap<String, PlayerSummary>);

impl Players {
    /// Adds a game with the records of White and Black. A player without a name is left out.
    pub fn add(&mut self, document: &Document, opening: Option<Opening>, sides: &[SideRecord; 2]) {
        for (color, record) in Color::ALL.into_iter().zip(sides) {
            let tag = if color == Color::White { "White" } else { "Black" };
            let name = document.tag(tag).unwrap_or_default().trim();
            if !name.is_empty() && !name.starts_with('?') {
                let player = self.0.entry(name.to_owned()).or_default();
                player.add(record, color, document.result, opening);
            }
        }
    }

    /// The number of players.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The players with their names, those with the most games first.
    pub fn by_games(&self) -> Vec<(&str, &PlayerSummary)> {
        let mut all: Vec<(&str, &PlayerSummary)> =
            self.0.iter().map(|(name, summary)| (name.as_str(), summary)).collect();
        all.sort_by_key(|(name, summary)| (std::cmp::Reverse(summary.results.games), *name));
        all
    }
}

/// The most frequent of counted things, the most frequent first.
pub(super) fn most_frequent<K: Copy>(counts: &BTreeMap<K, u32>, limit: usize) -> Vec<(K, u32)> {
    let mut all: Vec<(K, u32)> = counts.iter().map(|(key, count)| (*key, *count)).collect();
    all.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    all.truncate(limit);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_found_in_comments() {
        assert_eq!(clock("[%eval 0.3] [%clk 1:02:03] good"), Some("1:02:03"));
        assert_eq!(clock("[%clk 0:00:09.7]"), Some("0:00:09.7"));
        for comment in ["", "[%clk ]", "[%clk 1:00", "[%clk <b>]", "clk 1:00"] {
            assert_eq!(clock(comment), None, "{comment}");
        }
    }

    #[test]
    fn clocks_are_read_in_seconds() {
        for (text, expected) in [
            ("1:02:03", Some(3723.0)),
            ("0:00:09.5", Some(9.5)),
            ("10:00", Some(600.0)),
            ("7", Some(7.0)),
            ("1::2", None),
            ("1.2.3", None),
        ] {
            assert_eq!(seconds(text), expected, "{text}");
        }
    }

    #[test]
    fn the_text_of_a_record_is_read_back() {
        let phase = PhaseRecord { moves: 10, accuracy: 914.5, timed: 9, seconds: 31.2 };
        let full = SideRecord {
            accuracy: Some(87.5),
            errors: [3, 2, 1],
            phases: [phase, PhaseRecord::default(), phase],
            missed: vec![MotifName::Fork, MotifName::Fork],
            allowed: vec![MotifName::BackRankMate],
        };
        for record in [full, SideRecord::default()] {
            assert_eq!(SideRecord::parse(&record.to_string()), Some(record));
        }
        for text in ["", "-", "- 0/0/0", "- 0/0 0/0/0/0 0/0/0/0 0/0/0/0 - -", "x"] {
            assert_eq!(SideRecord::parse(text), None, "{text}");
        }
    }

    #[test]
    fn results_count_from_the_view_of_the_player() {
        for (result, color, expected) in [
            (Some(GameResult::WhiteWins), Color::White, (1, 0, 0)),
            (Some(GameResult::WhiteWins), Color::Black, (0, 0, 1)),
            (Some(GameResult::BlackWins), Color::Black, (1, 0, 0)),
            (Some(GameResult::Draw), Color::Black, (0, 1, 0)),
            (None, Color::White, (0, 0, 0)),
        ] {
            let mut results = Results::default();
            results.add(result, color);
            let Results { games, wins, draws, losses } = results;
            assert_eq!((games, (wins, draws, losses)), (1, expected), "{result:?} {color:?}");
        }
    }
}
