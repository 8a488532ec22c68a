//! Writes analyses in the output formats.

use super::super::files::{self, Output, RereadableInput};
use super::super::{CommandError, print_to_stderr};
use super::earlier_output::{self, EarlierDocuments};
use super::selection::Selection;
use super::settings::{self, Settings};
use super::{Arguments, InputSummary, json, text};
use crate::analysis::page::{self, Layout, Report, page_name};
use crate::analysis::{
    self, AnalysisResult, Opening, Openings, Review, Scale, annotate, annotate_position,
    set_review_tags,
};
use crate::engine;
use crate::eval::Evaluation;
use crate::formats::{Document, ErrorKind, FormatError, Location, pgn};
use crate::search::PvLine;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The output formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum OutputFormat {
    Pgn,
    Json,
    Html,
    Text,
}

impl OutputFormat {
    /// The format that the arguments ask for, or the one of the input.
    fn of(
        arguments: &Arguments,
        path: Option<&Path>,
        summary: &InputSummary,
    ) -> Result<OutputFormat, CommandError> {
        let names = ["pgn", "json", "jsonl", "html", "htm", "text", "txt"];
        let name = files::output_format(arguments.format.as_deref(), path, &names)?;
        Ok(match name.as_deref() {
            Some("pgn") => OutputFormat::Pgn,
            Some("json" | "jsonl") => OutputFormat::Json,
            Some("html" | "htm") => OutputFormat::Html,
            Some(_) => OutputFormat::Text,
            None if summary.games => OutputFormat::Pgn,
            None => OutputFormat::Text,
        })
    }
}

type PositionResult = AnalysisResult<(u64, usize)>;

/// Whether a path of an output is a folder: it exists, or ends with a separator.
pub(super) fn is_folder(path: &Path) -> bool {
    let ends = path.to_string_lossy().ends_with(std::path::is_separator);
    ends || path.is_dir()
}

/// Makes the folder of the pages of games.
fn create_folder(folder: &Path, format: OutputFormat) -> Result<(), CommandError> {
    let refused =
        |reason: String| Err(CommandError::Refused(format!("{}: {reason}", folder.display())));
    if format != OutputFormat::Html {
        return refused("a folder holds the pages of --format html".into());
    }
    fs::create_dir_all(folder).or_else(|error| refused(error.to_string()))
}

/// Writes the results, document by document.
pub(super) struct AnalysisWriter {
    format: OutputFormat,
    scale: Scale,
    evaluation: Evaluation,
    /// What the documents record.
    settings: Settings,
    /// Whether JSON has less of each move.
    is_compact: bool,
    output: Output,
    /// The path of the output if it is a file.
    path: Option<PathBuf>,
    /// Whether the output file is also an input.
    is_input: bool,
    /// Whether it goes on after an earlier run.
    resumes: bool,
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
    /// The folder of an index and one page a game.
    folder: Option<PathBuf>,
    /// An HTML page, which is written at the end.
    report: Report,
    /// Its elements, unless they are in the file beside the output.
    elements: Vec<String>,
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
        let folder = path.filter(|path| is_folder(path)).map(Path::to_owned);
        let index = folder.as_ref().map(|folder| folder.join("index.html"));
        let path = index.as_deref().or(path);
        let format = OutputFormat::of(arguments, path, summary)?;
        if let Some(folder) = &folder {
            create_folder(folder, format)?;
        }
        let is_resumable =
            format != OutputFormat::Text && (format, summary.suite) != (OutputFormat::Pgn, true);
        let output = if is_resumable { Output::resumable(path) } else { Output::create(path) }?;
        let evaluation = engine::embedded_evaluation()?;
        let mut writer = AnalysisWriter {
            format,
            scale: Scale::by_name(&arguments.scale).unwrap_or_default(),
            settings: Settings::new(arguments, format, summary.has_position, &evaluation),
            evaluation,
            is_compact: arguments.compact,
            path: path.filter(|_| output.is_file()).map(Path::to_owned),
            output,
            is_input: path.is_some_and(|path| inputs.iter().any(|input| input.is_at(path))),
            resumes: arguments.resume,
            written: 0,
            earlier: summary.earlier,
            continues: arguments.shard.is_some() && summary.earlier > 0,
            documents: summary.documents,
            suite: summary.suite,
            solved: 0,
            tested: 0,
            openings: None,
            folder,
            report: Report::default(),
            elements: Vec::new(),
        };
        let refuse = |message: String| Err(CommandError::Refused(message));
        match (arguments.resume, &writer.path, writer.output.left()) {
            _ if arguments.compact && format != OutputFormat::Json => {
                return refuse("--compact: the output is not JSON".into());
            }
            (true, None, _) => return refuse("--resume: the output is not a file".into()),
            (true, ..) if !is_resumable => {
                return refuse(
                    "--resume: a text or a suite in PGN cannot be continued; use json or html"
                        .into(),
                );
            }
            (true, Some(_), _) => writer.resume(inputs, selection)?,
            (false, _, Some(left)) => {
                return refuse(format!(
                    "{}: an interrupted run has left this file; go on with --resume, or remove it",
                    left.display()
                ));
            }
            (false, _, None) => {}
        }
        Ok(writer)
    }

    /// Goes on after the documents that an earlier run has written: to the output, or, if it was
    /// killed, beside it.
    fn resume(
        &mut self,
        inputs: &[RereadableInput],
        selection: &Selection,
    ) -> Result<(), CommandError> {
        let in_left = self.earlier_documents(true)?.count();
        let in_output = self.earlier_documents(false)?.count();
        if in_left + in_output == 0 && self.folder.is_none() && self.output.has_other_text() {
            let path = self.path.as_deref().unwrap_or(Path::new("")).display();
            let reason = format!("{path}: not an analysis, so --resume cannot continue it");
            return Err(CommandError::Refused(reason));
        }
        let has_other_settings = || -> io::Result<bool> {
            let first = self.earlier_documents(false)?.next().and_then(|(_, settings)| settings);
            Ok(first.is_none_or(|settings| self.settings.difference(&settings).is_some()))
        };
        let is_left =
            in_left > 0 && (self.is_input || in_left >= in_output || has_other_settings()?);
        let length = self.keep(self.earlier_documents(is_left)?, inputs, selection)?;
        self.output.keep(if is_left { length } else { 0 })?;
        if !is_left && self.written > 0 {
            self.output.write_all(self.head().as_bytes())?;
            for (text, _) in self.earlier_documents(false)?.take(self.written as usize) {
                self.output.write_all(text.as_bytes())?;
            }
        }
        Ok(())
    }

    /// The documents that an earlier run has left beside the output, or the documents of the output.
    fn earlier_documents(
        &self,
        is_left: bool,
    ) -> io::Result<impl Iterator<Item = (String, Option<Settings>)> + use<>> {
        let format = self.format;
        let folder = self.folder.clone().filter(|_| !is_left);
        let file = if folder.is_some() { None } else { self.output.earlier(is_left)? };
        let numbers = self.earlier + 1..=self.earlier + self.documents;
        let pages = folder.into_iter().flat_map(move |folder| {
            numbers.clone().map_while(move |number| File::open(folder.join(page_name(number))).ok())
        });
        let files = file.into_iter().chain(pages.map(Arc::new));
        Ok(files.flat_map(move |file| EarlierDocuments::new(format, file)))
    }

    /// Keeps the documents of an earlier output that are the first of the inputs, and returns their
    /// length in bytes.
    fn keep(
        &mut self,
        earlier: impl Iterator<Item = (String, Option<Settings>)>,
        inputs: &[RereadableInput],
        selection: &Selection,
    ) -> Result<u64, CommandError> {
        let mut length = self.head().len();
        let mut documents = selection.documents(inputs).filter_map(Result::ok);
        for (kept, settings) in earlier {
            let number = self.number();
            let refuse = |reason: &str| {
                let name = self.path.as_deref().unwrap_or(Path::new("")).display();
                let message =
                    format!("{name}: game {number} {reason}, so --resume cannot continue it");
                Err(CommandError::Refused(message))
            };
            let document =
                documents.next().filter(|of| earlier_output::is_of(self.format, &kept, of));
            let Some(document) = document else {
                return refuse("is not the game of the input");
            };
            match settings.map(|settings| self.settings.difference(&settings)) {
                Some(None) => {}
                Some(Some(difference)) => return refuse(&format!("was made with {difference}")),
                None => return refuse("has no settings of its analysis"),
            }
            let solved = earlier_output::was_solved(self.format, &kept);
            self.tested += u64::from(solved.is_some());
            self.solved += u64::from(solved == Some(true));
            length += kept.len();
            if self.format == OutputFormat::Html {
                let opening = self.opening(&document);
                self.list(&document, opening, &kept);
            }
            self.written += 1;
        }
        Ok(length as u64)
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
            let review = analysis::review(&document.tree, &results, self.scale, &self.evaluation);
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
        let opening = self.opening(&document);
        let text = match self.format {
            OutputFormat::Html => {
                let article = page::game(number, &document, review, opening);
                return self.element(&document, opening, article);
            }
            OutputFormat::Pgn => {
                let mut annotated = annotate(&document, review);
                set_review_tags(&mut annotated, review, opening);
                annotated.set_tag(settings::TAG, self.settings.text());
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
                if self.is_compact {
                    json::make_compact(&mut game);
                }
                game[settings::FIELD] = self.settings.text().into();
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
                return self.element(&document, None, section);
            }
            OutputFormat::Json => {
                let mut value = json::position(&document, &result, goal.as_ref().zip(solution));
                value[settings::FIELD] = self.settings.text().into();
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

    /// Lists an element of a page, and writes it beside the output, from where a run that is killed is
    /// resumed. The page itself is written at the end.
    fn element(
        &mut self,
        document: &Document,
        opening: Option<Opening>,
        html: String,
    ) -> Result<(), CommandError> {
        self.list(document, opening, &html);
        match (&self.path, self.written) {
            (None, _) => self.elements.push(html),
            (_, 0) => self.write(&(self.head() + &html))?,
            _ => self.write(&html)?,
        }
        Ok(())
    }

    /// Lists an element of a page in its contents.
    fn list(&mut self, document: &Document, opening: Option<Opening>, html: &str) {
        if self.is_game(document) {
            self.report.add_game(document, opening, html);
        } else {
            self.report.add_position();
        }
    }

    /// The opening of a game; a text names none.
    fn opening(&mut self, document: &Document) -> Option<Opening> {
        let is_named = self.format != OutputFormat::Text;
        is_named.then(|| self.openings.get_or_insert_default().of(&document.tree)).flatten()
    }

    /// What is before the elements of a page, beside the output.
    fn head(&self) -> String {
        if self.format == OutputFormat::Html { self.settings.meta() } else { String::new() }
    }

    /// A text with an empty line before it unless it is the first.
    fn separated(&self, text: &str) -> String {
        let separator = if self.written > 0 || self.continues { "\n" } else { "" };
        format!("{separator}{text}")
    }

    /// Completes the output: makes a page of the elements, or one page of each with an index.
    fn complete(mut self) -> Result<(), CommandError> {
        if self.format != OutputFormat::Html || self.written == 0 {
            return self.output.finish();
        }
        let (score, meta) = ((self.solved, self.tested), self.settings.meta());
        let Some(path) = &self.path else {
            let elements = self.elements.into_iter();
            self.report.write(elements, Layout::OnePage, score, &meta, &mut self.output)?;
            return self.output.finish();
        };
        self.output.flush()?;
        let elements = self.earlier_documents(true)?.map(|(html, _)| html);
        let mut output = Output::create(Some(path))?;
        if let Some(folder) = &self.folder {
            let first = self.earlier + 1;
            for (index, html) in elements.enumerate() {
                let page = self.report.page(index, first, &html, &meta);
                Output::put(Some(&folder.join(page_name(first + index as u64))), page)?;
            }
            let layout = Layout::Pages { first };
            self.report.write(std::iter::empty(), layout, score, &meta, &mut output)?;
        } else {
            self.report.write(elements, Layout::OnePage, score, &meta, &mut output)?;
        }
        output.finish()?;
        self.output.discard();
        Ok(())
    }

    /// Completes the output; whether all goals were met.
    pub(super) fn finish(mut self) -> Result<bool, CommandError> {
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
        let is_solved = self.solved == self.tested;
        self.complete()?;
        Ok(is_solved)
    }

    /// Keeps what is finished and names it in the message. Without a finished document nothing
    /// is written, nor over an input: the rest of it would be lost.
    pub(super) fn interrupt(self) -> String {
        let (written, all) = (self.written, self.documents);
        let name = self.path.as_ref().map(|path| path.display().to_string());
        if let Some(name) = name.as_ref().filter(|_| self.is_input) {
            // What an earlier run has left stays for the next one.
            if !self.resumes {
                self.output.discard();
            }
            return format!("interrupted: {name} is also an input and is unchanged");
        }
        let resumable = name.filter(|_| written > 0 && self.format != OutputFormat::Text);
        let hint = resumable.map_or(String::new(), |name| {
            format!("; they are in {name}, and --resume goes on from there")
        });
        let kept = if written > 0 { self.complete() } else { Ok(()) };
        match kept {
            Ok(()) => format!("interrupted: {written} of {all} finished{hint}"),
            Err(CommandError::Refused(reason)) => format!("interrupted: {reason}"),
            Err(_) => "interrupted: the results were not written".to_owned(),
        }
    }
}
