//! The documents of several inputs, one after the other.

use super::files::{self, Input, located};
use super::{CommandError, report};
use crate::formats::{Content, Document, Documents, ErrorKind, Format, FormatError, Location};
use std::ffi::OsString;
use std::fmt::Display;

/// The documents of the inputs that arguments name. Errors are reported as they are met, and the
/// number of repaired positions at the end of each input.
pub(super) struct InputDocuments {
    inputs: Box<dyn Iterator<Item = Result<Input, CommandError>>>,
    /// The format of all inputs; by default each has its own.
    pub(super) format: Option<&'static dyn Format>,
    /// Whether the legal moves of games with errors are kept.
    pub(super) keep_prefix: bool,
    open: Option<OpenInput>,
    /// Number of errors so far.
    pub(super) errors: u64,
    /// Whether all inputs so far are in a format of games.
    pub(super) only_games: bool,
}

struct OpenInput {
    /// The name for messages.
    name: Option<String>,
    documents: Documents<'static>,
    is_empty: bool,
    /// Number of repaired positions so far.
    repaired: u64,
}

impl InputDocuments {
    pub(super) fn new(arguments: &[OsString]) -> InputDocuments {
        InputDocuments {
            inputs: Box::new(Input::open_all(arguments)),
            format: None,
            keep_prefix: false,
            open: None,
            errors: 0,
            only_games: true,
        }
    }

    /// Reports an error at a location in the present input.
    pub(super) fn refuse(&mut self, location: Location, error: &dyn Display) {
        let name = self.open.as_ref().and_then(|open| open.name.as_deref());
        report(&located(name, location, error));
        self.errors += 1;
    }

    fn open(&mut self, input: Result<Input, CommandError>) {
        match input {
            Ok(input) => {
                let input = input.with_progress();
                let format = self.format.unwrap_or_else(|| input.format());
                self.only_games &= format.content() == Content::Game;
                let (name, reader) = input.into_parts();
                let documents = files::documents(format, reader, self.keep_prefix);
                self.open = Some(OpenInput { name, documents, is_empty: true, repaired: 0 });
            }
            Err(error) => {
                error.report();
                self.errors += 1;
            }
        }
    }

    fn close(&mut self) {
        let Some(open) = &self.open else { return };
        if open.repaired > 0 {
            let name = open.name.as_deref().unwrap_or("note");
            report(&format_args!("{name}: positions that were repaired: {}", open.repaired));
        }
        if open.is_empty {
            let empty = FormatError::new(Location::default(), ErrorKind::Empty);
            self.refuse(empty.location, &empty);
        }
        self.open = None;
    }
}

impl Iterator for InputDocuments {
    type Item = Document;

    fn next(&mut self) -> Option<Document> {
        loop {
            let Some(open) = &mut self.open else {
                let input = self.inputs.next()?;
                self.open(input);
                continue;
            };
            let Some(document) = open.documents.next() else {
                self.close();
                continue;
            };
            open.is_empty = false;
            match document {
                Ok(document) => {
                    open.repaired += u64::from(!document.repairs.is_empty());
                    document.errors.iter().for_each(|error| self.refuse(error.location, error));
                    return Some(document);
                }
                Err(error) => self.refuse(error.location, &error),
            }
        }
    }
}
