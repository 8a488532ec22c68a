//! The documents of several inputs, one after the other.

use super::CommandError;
use super::files::{Input, message};
use crate::formats::Document;
use std::ffi::OsString;
use std::iter;

/// The documents of the inputs in order. An input is opened when its turn comes: there may be more
/// than the system lets be open. Errors are messages with their place; the errors of a document come
/// before it.
pub(super) fn documents_of(
    arguments: &[OsString],
) -> impl Iterator<Item = Result<Document, String>> {
    Input::open_all(arguments).flat_map(|input| match input {
        Ok(input) => read(input.with_progress()),
        Err(CommandError::Refused(message)) => Box::new(iter::once(Err(message))),
        // Inputs are opened or refused.
        Err(_) => Box::new(iter::empty()),
    })
}

fn read(input: Input) -> Box<dyn Iterator<Item = Result<Document, String>>> {
    let format = input.format();
    let (name, reader) = input.into_parts();
    Box::new(format.read(reader).flat_map(move |document| {
        let name = name.as_deref();
        match document {
            Ok(document) => {
                let errors = document.errors.iter().map(|error| Err(message(name, error)));
                let mut read: Vec<_> = errors.collect();
                read.push(Ok(document));
                read
            }
            Err(error) => vec![Err(message(name, &error))],
        }
    }))
}
