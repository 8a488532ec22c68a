//! The documents that are being analysed.

use super::super::CommandError;
use super::super::files::RereadableInput;
use super::super::interrupt::Guarded;
use super::output::AnalysisWriter;
use super::selection::Selection;
use crate::analysis::{self, AnalysisResult, AnalysisTask};
use crate::formats::{Document, Documents};
use std::cell::RefCell;
use std::collections::VecDeque;

/// A document whose positions are being analysed.
struct PendingDocument {
    document: Document,
    results: Vec<Option<AnalysisResult<(u64, usize)>>>,
    open: usize,
}

/// The documents that are being analysed, in the order of the input.
pub(super) struct PendingAnalysis {
    pending: VecDeque<PendingDocument>,
    /// Number of the first of them.
    first: u64,
    writer: Guarded<AnalysisWriter>,
    failed: Option<CommandError>,
}

impl PendingAnalysis {
    pub(super) fn new(writer: Guarded<AnalysisWriter>, first: u64) -> PendingAnalysis {
        PendingAnalysis { pending: VecDeque::new(), first, writer, failed: None }
    }

    /// Adds a result and writes the documents that are complete.
    pub(super) fn take(&mut self, result: AnalysisResult<(u64, usize)>) {
        let (number, ply) = result.tag;
        if let Some(pending) = self.pending.get_mut((number - self.first) as usize) {
            pending.results[ply] = Some(result);
            pending.open -= 1;
        }
        while self.pending.front().is_some_and(|pending| pending.open == 0) {
            let Some(done) = self.pending.pop_front() else {
                return;
            };
            self.first += 1;
            let results: Vec<_> = done.results.into_iter().flatten().collect();
            let written = self.writer.change(|writer| writer.take(done.document, results));
            let failed = written.and_then(Result::err);
            self.failed = self.failed.take().or(failed);
        }
    }

    /// The number of documents that are finished.
    pub(super) fn finished(&self) -> u64 {
        self.first
    }

    /// Completes the output; whether all goals were met.
    pub(super) fn finish(self) -> Result<bool, CommandError> {
        match self.failed {
            Some(failure) => Err(failure),
            None => self.writer.finish(AnalysisWriter::finish).unwrap_or(Ok(true)),
        }
    }
}

/// A task: number of the document and ply.
type PositionTask = AnalysisTask<(u64, usize)>;

/// Iterator over the positions of all documents, in groups.
pub(super) struct DocumentGroups<'a> {
    documents: Documents<'a>,
    work: &'a RefCell<PendingAnalysis>,
    number: u64,
    ready: VecDeque<Vec<PositionTask>>,
    skipped_positions: u64,
}

impl<'a> DocumentGroups<'a> {
    /// The documents of the inputs, without the first `skip`.
    pub(super) fn new(
        inputs: &'a [RereadableInput],
        selection: &Selection,
        skip: u64,
        work: &'a RefCell<PendingAnalysis>,
    ) -> DocumentGroups<'a> {
        let mut groups = DocumentGroups {
            documents: Box::new(selection.documents(inputs)),
            work,
            number: 0,
            ready: VecDeque::new(),
            skipped_positions: 0,
        };
        while groups.number < skip {
            let Some(document) = groups.next_document() else {
                break;
            };
            groups.number += 1;
            groups.skipped_positions += 1 + document.tree.mainline_nodes().count() as u64;
        }
        groups.refill();
        groups
    }

    /// Number of positions in the skipped documents.
    pub(super) fn skipped_positions(&self) -> u64 {
        self.skipped_positions
    }

    /// Whether the next position has no earlier positions.
    pub(super) fn is_position(&self) -> bool {
        let next = self.ready.front().and_then(|group| group.first());
        next.is_some_and(|task| task.previous_keys.is_empty())
    }

    /// The next document without an error; errors have been printed by `InputSummary::add`.
    fn next_document(&mut self) -> Option<Document> {
        self.documents.by_ref().find_map(Result::ok)
    }

    /// Whether an output error has made the rest of the analysis useless.
    fn has_failed(&self) -> bool {
        self.work.borrow().failed.is_some()
    }

    fn refill(&mut self) {
        while self.ready.is_empty() {
            let Some(document) = self.next_document() else {
                return;
            };
            let positions = analysis::game_positions(&document.tree);
            let number = self.number;
            self.number += 1;
            let open = positions.len();
            let tasks = positions.into_iter().map(|task| AnalysisTask {
                tag: (number, task.tag),
                board: task.board,
                previous_keys: task.previous_keys,
            });
            self.ready = analysis::game_groups(tasks.collect()).into();
            self.work.borrow_mut().pending.push_back(PendingDocument {
                document,
                results: vec![None; open],
                open,
            });
        }
    }
}

impl Iterator for DocumentGroups<'_> {
    type Item = Vec<PositionTask>;

    fn next(&mut self) -> Option<Vec<PositionTask>> {
        if self.has_failed() {
            return None;
        }
        self.refill();
        self.ready.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Arguments, InputSummary};
    use super::*;
    use crate::cmd::files::Input;
    use clap::Parser;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        arguments: Arguments,
    }

    #[test]
    fn nothing_is_analysed_after_a_failed_write() {
        let games = "1. e4 e5 *\n\n1. d4 d5 *\n";
        let input = Input::open(games.as_ref()).and_then(Input::rereadable);
        let inputs = [input.expect("an input")];
        let arguments = Command::parse_from(["analyse", games]).arguments;
        let all = Selection::new(&inputs, None, None, false).expect("no input is read");
        let make = || AnalysisWriter::new(&arguments, &InputSummary::default(), &inputs, &all);
        let writer = Guarded::new(make, drop).expect("a writer");
        let work = RefCell::new(PendingAnalysis::new(writer, 0));
        let mut groups = DocumentGroups::new(&inputs, &all, 0, &work);
        assert!(groups.next().is_some());
        work.borrow_mut().failed = Some(CommandError::Reported);
        assert!(groups.next().is_none());
    }
}
