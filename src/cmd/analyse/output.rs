//! Writes analyses in the output formats.

use super::super::files::{Output, RereadableInput};
use super::super::{CommandError, print_to_stderr};
use super::selection::Selection;
use super::{Arguments, InputSummary, earlier_output, json, text};
use crate::analysis::page::{self, Entry};
use crate::analysis::{self, AnalysisResult, Openings, Review, Scale, annotate, annotate_position};
use crate::formats::{Document, ErrorKind, FormatError, Location, pgn};
use crate::search::PvLine;
use std::io::Write;

/// The output formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum OutputFormat {
    Pgn,
    Json,
    Html,
    Text,
}

type PositionResult = AnalysisResult<(u64, usize)>;

/// Writes the results, document by document.
pub(super) struct AnalysisWriter {
    format: OutputFormat,
    scale: Scale,
    output: Output,
    /// The name of the output, for messages, if it is a file.
    name: Option<String>,
    /// Whether the output file is also an input.
    is_input: bool,
    written: u64,
    /// The number of documents of the input before the first one.
    earlier: u64,
    /// Whether the output continues another one: it is a later part of the whole.
    continues: bool,
    /// The number of documents of the input.
    documents: u64,
    suite: bool,
    solved: u64,
    tested: u64,
    openings: Option<Openings>,
    /// The content of an HTML page, which is written at the end.
    entries: Vec<Entry>,
}

impl AnalysisWriter {
    /// Opens the output. The default format follows from the extension of the file or the input.
    /// With `--resume` the documents that an earlier run has written are kept.
    pub(super) fn new(
        arguments: &Arguments,
        summary: &InputSummary,
        inputs: &[RereadableInput],
        selection: &Selection,
    ) -> Result<AnalysisWriter, CommandError> {
        let path = arguments.output.as_deref();
        let extension =
            path.and_then(|path| Some(path.extension()?.to_str()?.to_ascii_lowercase()));
        let format = match arguments.format.as_deref().or(extension.as_deref()) {
            Some("pgn") => OutputFormat::Pgn,
            Some("json" | "jsonl") => OutputFormat::Json,
            Some("html" | "htm") => OutputFormat::Html,
            Some("text" | "txt") => OutputFormat::Text,
            _ if summary.games => OutputFormat::Pgn,
            _ => OutputFormat::Text,
        };
        let output = Output::create(path)?;
        let file = path.filter(|_| output.is_file());
        let mut writer = AnalysisWriter {
            format,
            scale: Scale::by_name(&arguments.scale).unwrap_or_default(),
            output,
            name: file.map(|path| path.display().to_string()),
            is_input: path.is_some_and(|path| inputs.iter().any(|input| input.is_at(path))),
            written: 0,
            earlier: summary.earlier,
            continues: arguments.shard.is_some() && summary.earlier > 0,
            documents: summary.documents,
            suite: summary.suite,
            solved: 0,
            tested: 0,
            openings: None,
            entries: Vec::new(),
        };
        if arguments.resume {
            let not_a_file = || CommandError::Refused("--resume: the output is not a file".into());
            let file = file.ok_or_else(not_a_file)?;
            if format == OutputFormat::Text || (format, summary.suite) == (OutputFormat::Pgn, true)
            {
                let message =
                    "--resume: a text or a suite in PGN cannot be continued; use json or html";
                return Err(CommandError::Refused(message.into()));
            }
            if let Some(earlier) = Output::earlier(file)? {
                writer.keep(&earlier, inputs, selection)?;
            }
        }
        Ok(writer)
    }

    /// Keeps the documents of an earlier output that are the first of the inputs.
    fn keep(
        &mut self,
        earlier: &str,
        inputs: &[RereadableInput],
        selection: &Selection,
    ) -> Result<(), CommandError> {
        let ranges = earlier_output::documents(self.format, earlier);
        let mut documents = selection.documents(inputs).filter_map(Result::ok);
        for range in &ranges {
            let kept = &earlier[range.clone()];
            let number = self.number();
            let document = documents.next().map(|document| {
                if self.is_game(&document) && self.format == OutputFormat::Pgn {
                    analysis::with_annotator(document)
                } else {
                    document
                }
            });
            let document = document.filter(|of| earlier_output::is_of(self.format, kept, of));
            let Some(document) = document else {
                let name = self.name.as_deref().unwrap_or_default();
                return Err(CommandError::Refused(format!(
                    "{name}: game {number} is not the game of the input, so --resume cannot continue it"
                )));
            };
            let solved = earlier_output::was_solved(self.format, kept);
            self.tested += u64::from(solved.is_some());
            self.solved += u64::from(solved == Some(true));
            if self.format == OutputFormat::Html {
                self.entries.push(if self.is_game(&document) {
                    Entry::game(&document, kept.to_owned())
                } else {
                    Entry::position(kept.to_owned())
                });
            }
            self.written += 1;
        }
        if self.format != OutputFormat::Html {
            let end = ranges.last().map_or(0, |range| range.end);
            self.output.write_all(&earlier.as_bytes()[..end])?;
        }
        Ok(())
    }

    /// The number of the next document, from 1.
    fn number(&self) -> u64 {
        self.earlier + self.written + 1
    }

    /// The number of documents written.
    pub(super) fn written(&self) -> u64 {
        self.written
    }

    /// Whether a document is written as a game, not as a position. A game with tags, or of a PGN,
    /// may have no moves; a text shows the lines of its position instead.
    fn is_game(&self, document: &Document) -> bool {
        let has_tags = !document.tags.is_empty();
        !document.tree.is_empty()
            || match self.format {
                OutputFormat::Pgn => has_tags || !self.suite,
                OutputFormat::Json | OutputFormat::Html => has_tags,
                OutputFormat::Text => false,
            }
    }

    /// Writes a document; there is a result for each of its positions.
    pub(super) fn take(
        &mut self,
        document: Document,
        results: Vec<PositionResult>,
    ) -> Result<(), CommandError> {
        if self.is_game(&document) {
            let review = analysis::review_on_scale(&document.tree, &results, self.scale);
            // A game without moves is a position, with several lines if they are asked for.
            let lines = results.into_iter().next().map_or(vec![], |result| result.lines);
            self.game(document, &review, &lines)?;
        } else if let Some(result) = results.into_iter().next() {
            self.position(document, result)?;
        }
        self.written += 1;
        Ok(())
    }

    fn game(
        &mut self,
        document: Document,
        review: &Review,
        lines: &[PvLine],
    ) -> Result<(), CommandError> {
        let number = self.number();
        let opening = match self.format {
            OutputFormat::Html | OutputFormat::Json => {
                let openings = self.openings.get_or_insert_default();
                openings.of(&document.tree)
            }
            OutputFormat::Pgn | OutputFormat::Text => None,
        };
        let text = match self.format {
            OutputFormat::Html => {
                let article = page::game(number, &document, review, opening);
                self.entries.push(Entry::game(&document, article));
                return Ok(());
            }
            OutputFormat::Pgn => {
                let mut annotated = annotate(&document, review);
                if document.tree.is_empty() {
                    annotate_position(&mut annotated, lines);
                }
                self.separated(&pgn::write(&annotated))
            }
            OutputFormat::Json => {
                let mut game = json::game(number, &document, review, opening);
                if document.tree.is_empty() {
                    game["lines"] = json::lines(&document, lines);
                }
                format!("{game}\n")
            }
            OutputFormat::Text => self.separated(&text::game_text(&document, review)),
        };
        self.write(&text)
    }

    fn position(&mut self, document: Document, result: PositionResult) -> Result<(), CommandError> {
        let goal = analysis::goals(&document);
        let solution = goal.as_ref().map(|goal| analysis::solution(goal, &result));
        self.tested += u64::from(goal.is_some());
        self.solved += u64::from(solution.is_some_and(|solution| solution.solved));
        let text = match self.format {
            OutputFormat::Html => {
                let section = page::position(&document, &result, solution);
                self.entries.push(Entry::position(section));
                return Ok(());
            }
            OutputFormat::Json => {
                let value = json::position(&document, &result, goal.as_ref().zip(solution));
                format!("{value}\n")
            }
            OutputFormat::Pgn => {
                let mut document = document;
                annotate_position(&mut document, &result.lines);
                self.separated(&pgn::write(&document))
            }
            OutputFormat::Text => match goal.as_ref().zip(solution) {
                Some((goal, solution)) => {
                    text::suite_text(self.tested, &document, &result, goal, solution)
                }
                None => self.separated(&text::position_text(&document, &result)),
            },
        };
        self.write(&text)
    }

    /// Writes a document at once, so that people see it; after a crash it is in the file beside the
    /// output.
    fn write(&mut self, text: &str) -> Result<(), CommandError> {
        self.output.write_all(text.as_bytes())?;
        Ok(self.output.flush()?)
    }

    /// A text with an empty line before it unless it is the first.
    fn separated(&self, text: &str) -> String {
        let separator = if self.written > 0 || self.continues { "\n" } else { "" };
        format!("{separator}{text}")
    }

    /// Writes an HTML page.
    fn page(&mut self) -> Result<(), CommandError> {
        if self.entries.is_empty() {
            return Ok(());
        }
        let page = page::page(&self.entries, (self.solved, self.tested));
        Ok(self.output.write_all(page.as_bytes())?)
    }

    /// Completes the output; whether all goals were met.
    pub(super) fn finish(mut self) -> Result<bool, CommandError> {
        self.page()?;
        let score = format!("solved {} of {}", self.solved, self.tested);
        match self.format {
            _ if self.tested == 0 => {}
            OutputFormat::Text => writeln!(self.output, "{score}")?,
            OutputFormat::Json => {
                let value = json::score(self.solved, self.tested);
                writeln!(self.output, "{value}")?;
                print_to_stderr(&score);
            }
            OutputFormat::Pgn | OutputFormat::Html => print_to_stderr(&score),
        }
        if self.written == 0 {
            let empty = FormatError::new(Location::default(), ErrorKind::Empty);
            return Err(CommandError::Refused(empty.to_string()));
        }
        self.output.finish()?;
        Ok(self.solved == self.tested)
    }

    /// Keeps what is finished and names it in the message. Without a finished document nothing
    /// is written, nor over an input: the rest of it would be lost.
    pub(super) fn interrupt(mut self) -> String {
        let (written, all) = (self.written, self.documents);
        if let Some(name) = self.name.as_ref().filter(|_| self.is_input) {
            return format!("interrupted: {name} is also an input and is unchanged");
        }
        let resumable =
            self.name.as_ref().filter(|_| written > 0 && self.format != OutputFormat::Text);
        let hint = resumable.map_or(String::new(), |name| {
            format!("; they are in {name}, and --resume goes on from there")
        });
        let kept = match written {
            0 => Ok(()),
            _ => self.page().and_then(|()| self.output.finish()),
        };
        match kept {
            Ok(()) => format!("interrupted: {written} of {all} finished{hint}"),
            Err(CommandError::Refused(reason)) => format!("interrupted: {reason}"),
            Err(_) => "interrupted: the results were not written".to_owned(),
        }
    }
}
