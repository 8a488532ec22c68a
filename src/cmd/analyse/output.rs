//! Writes analyses in the output formats.

use super::super::CommandError;
use super::super::files::Output;
use super::{InputSummary, json};
use crate::analysis::{
    self, AnalysisResult, Eval, Goal, Review, SideSummary, Solution, annotate, games_page,
    line_text, positions_page,
};
use crate::formats::{Document, ErrorKind, FormatError, Location, Ply, pgn, result_text};
use std::io::Write;
use std::path::Path;

/// Width of the names of positions in the text output of a suite.
const NAME_WIDTH: usize = 24;

/// The output formats.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OutputFormat {
    Pgn,
    Json,
    Html,
    Text,
}

type PositionResult = AnalysisResult<(u64, usize)>;

/// Writes the results, document by document.
pub(super) struct AnalysisWriter {
    form: OutputFormat,
    output: Output,
    written: u64,
    suite: bool,
    solved: u64,
    tested: u64,
    /// The content of an HTML page, which is written at the end.
    games: Vec<(Document, Review)>,
    positions: Vec<(Document, PositionResult, Option<Solution>)>,
}

impl AnalysisWriter {
    /// Opens the output. The default format follows from the extension of the file or the input.
    pub(super) fn new(
        form: Option<&str>,
        path: Option<&Path>,
        summary: &InputSummary,
    ) -> Result<AnalysisWriter, CommandError> {
        let ending = path.and_then(|path| path.extension()?.to_str());
        let form = match form.or(ending) {
            Some("pgn") => OutputFormat::Pgn,
            Some("json" | "jsonl") => OutputFormat::Json,
            Some("html" | "htm") => OutputFormat::Html,
            Some("text" | "txt") => OutputFormat::Text,
            _ if summary.games => OutputFormat::Pgn,
            _ => OutputFormat::Text,
        };
        Ok(AnalysisWriter {
            form,
            output: Output::create(path)?,
            written: 0,
            suite: summary.suite,
            solved: 0,
            tested: 0,
            games: Vec::new(),
            positions: Vec::new(),
        })
    }

    /// Writes a document; there is a result for each of its positions.
    pub(super) fn take(
        &mut self,
        document: Document,
        results: Vec<PositionResult>,
    ) -> Result<(), CommandError> {
        let is_game = !document.tree.is_empty() || (self.form == OutputFormat::Pgn && !self.suite);
        if is_game {
            let review = analysis::review(&document.tree, &results);
            self.game(document, review)?;
        } else if let Some(result) = results.into_iter().next() {
            self.position(document, result)?;
        }
        self.written += 1;
        Ok(())
    }

    fn game(&mut self, document: Document, review: Review) -> Result<(), CommandError> {
        let number = self.written + 1;
        let text = match self.form {
            OutputFormat::Html => {
                self.games.push((document, review));
                return Ok(());
            }
            OutputFormat::Pgn => self.separated(&pgn::write(&annotate(
                &with_line(document, &review),
                &review,
            ))),
            OutputFormat::Json => format!("{}\n", json::game(number, &document, &review)),
            OutputFormat::Text => self.separated(&game_text(&document, &review)),
        };
        Ok(self.output.write_all(text.as_bytes())?)
    }

    fn position(&mut self, document: Document, result: PositionResult) -> Result<(), CommandError> {
        let goal = analysis::goals(&document);
        let solution = goal.as_ref().map(|goal| analysis::solution(goal, &result));
        self.tested += u64::from(goal.is_some());
        self.solved += u64::from(solution.is_some_and(|solution| solution.solved));
        let text = match self.form {
            OutputFormat::Html => {
                self.positions.push((document, result, solution));
                return Ok(());
            }
            OutputFormat::Json => {
                let value = json::position(&document, &result, goal.as_ref().zip(solution));
                format!("{value}\n")
            }
            OutputFormat::Pgn => {
                let mut document = document;
                for line in &result.lines {
                    add_line(&mut document, &line.moves);
                }
                self.separated(&pgn::write(&document))
            }
            OutputFormat::Text => match goal.as_ref().zip(solution) {
                Some((goal, solution)) => {
                    suite_text(self.tested, &document, &result, goal, solution)
                }
                None => self.separated(&position_text(&document, &result)),
            },
        };
        Ok(self.output.write_all(text.as_bytes())?)
    }

    /// A text with an empty line before it unless it is the first.
    fn separated(&self, text: &str) -> String {
        match self.written {
            0 => text.to_owned(),
            _ => format!("\n{text}"),
        }
    }

    /// Completes the output; whether all goals were met.
    pub(super) fn finish(mut self) -> Result<bool, CommandError> {
        let page = match (self.games.is_empty(), self.positions.is_empty()) {
            (false, _) => games_page(&self.games),
            (true, false) => positions_page(&self.positions),
            (true, true) => String::new(),
        };
        self.output.write_all(page.as_bytes())?;
        let score = format!("solved {} of {}", self.solved, self.tested);
        match self.form {
            _ if self.tested == 0 => {}
            OutputFormat::Text => writeln!(self.output, "{score}")?,
            OutputFormat::Json => {
                let value = json::score(self.solved, self.tested);
                writeln!(self.output, "{value}")?;
                eprintln!("{score}");
            }
            OutputFormat::Pgn | OutputFormat::Html => eprintln!("{score}"),
        }
        if self.written == 0 {
            let empty = FormatError::new(Location::default(), ErrorKind::Empty);
            return Err(CommandError::Refused(empty.to_string()));
        }
        self.output.finish()?;
        Ok(self.solved == self.tested)
    }
}

/// A game without moves gets its best line as moves.
fn with_line(mut document: Document, review: &Review) -> Document {
    if document.tree.is_empty() {
        add_line(&mut document, &review.positions[0].pv);
        let eval = review.positions[0].eval();
        let root = document.tree.node_mut(crate::formats::NodeId::ROOT);
        root.add_comment(&format!("[%eval {eval}]"));
    }
    document
}

fn add_line(document: &mut Document, moves: &[crate::chess::Move]) {
    let mut at = crate::formats::NodeId::ROOT;
    for m in moves {
        at = document.tree.add(at, Ply::Move(*m));
    }
}

/// The name of a position: its `id` or number.
fn name(number: u64, document: &Document) -> String {
    let id = document.operation("id").and_then(|id| id.operands.first());
    id.cloned().unwrap_or_else(|| format!("position {number}"))
}

fn suite_text(
    number: u64,
    document: &Document,
    result: &PositionResult,
    goal: &Goal,
    solution: Solution,
) -> String {
    let board = &result.board;
    let sans = |moves: &[crate::chess::Move]| {
        let texts: Vec<String> = moves.iter().map(|m| board.san(*m)).collect();
        texts.join(" ")
    };
    let mut goals = Vec::new();
    if !goal.best.is_empty() {
        goals.push(format!("bm {}", sans(&goal.best)));
    }
    if !goal.avoid.is_empty() {
        goals.push(format!("am {}", sans(&goal.avoid)));
    }
    goals.extend(goal.mate.map(|moves| format!("dm {moves}")));
    let status = match (solution.solved, solution.time) {
        (true, Some(time)) => format!("solved {:8.3} s", time.as_secs_f64()),
        (true, None) => "solved".into(),
        (false, _) => "failed           ".into(),
    };
    let found = result.best().map_or("-".into(), |m| board.san(m));
    let eval = Eval::new(result.score, board.turn());
    format!(
        "{:<NAME_WIDTH$} {status}  {found:<7} {eval:>7}  ({})\n",
        name(number, document),
        goals.join("; ")
    )
}

fn position_text(document: &Document, result: &PositionResult) -> String {
    let board = &result.board;
    let mut text = format!("{}\n", board.to_fen());
    if let Some(id) = document.operation("id").and_then(|id| id.operands.first()) {
        text += &format!("{id}\n");
    }
    for line in &result.lines {
        let eval = Eval::new(line.score, board.turn());
        let moves = line_text(board, &line.moves);
        text += &format!("{eval:>7}  depth {:<3} {moves}\n", line.depth);
    }
    if result.lines.is_empty() {
        text += &format!("{}\n", board.status().name().replace('_', " "));
    }
    text
}

fn game_text(document: &Document, review: &Review) -> String {
    let player = |tag| document.tag(tag).unwrap_or("?");
    let mut text = format!(
        "{} – {}  {}\n",
        player("White"),
        player("Black"),
        result_text(document.result)
    );
    for (number, judged) in review.moves.iter().enumerate() {
        let (before, after) = (&review.positions[number], &review.positions[number + 1]);
        let san = judged
            .played
            .map_or("--".into(), |m| line_text(&before.board, &[m]));
        let mut line = format!("{san}{}", judged.judgement.symbol());
        line = format!("{line:<16} {:>7}", after.eval().to_string());
        if judged.judgement.nag().is_some() {
            let better = &before.pv[..before.pv.len().min(8)];
            line += &format!("  better {}", line_text(&before.board, better));
        }
        text += &format!("{line}\n");
    }
    for (name, side) in ["White", "Black"].into_iter().zip(review.sides) {
        let SideSummary {
            inaccuracies,
            mistakes,
            blunders,
            ..
        } = side;
        text += &format!(
            "{name}: accuracy {:.0} %, inaccuracies {inaccuracies}, mistakes {mistakes}, blunders \
             {blunders}\n",
            side.accuracy
        );
    }
    text
}
