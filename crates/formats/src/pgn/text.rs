//! Values of tag pairs and comments, decoded when asked for.

use std::borrow::Cow;

/// How the value of a tag pair is written.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) enum Quotes {
    #[default]
    Closed,
    /// Up to the end of the line.
    Open,
    None,
}

/// The value of a tag pair as it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TagValue<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) quotes: Quotes,
}

impl<'a> TagValue<'a> {
    /// The bytes between the quotation marks, with escapes.
    pub fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// The text, without escapes.
    pub fn decode(self) -> Cow<'a, str> {
        match self.quotes {
            Quotes::Closed if self.bytes.contains(&b'\r') => {
                self.unescaped().replace('\r', " ").into()
            }
            Quotes::Closed => self.unescaped(),
            Quotes::None => trimmed(decoded(self.bytes)),
            Quotes::Open => {
                let text = self.unescaped();
                let text = text.trim_end().trim_end_matches(']').trim_end_matches('"');
                text.to_owned().into()
            }
        }
    }

    fn unescaped(self) -> Cow<'a, str> {
        if !self.bytes.contains(&b'\\') {
            return decoded(self.bytes);
        }
        let mut value = Vec::with_capacity(self.bytes.len());
        let mut bytes = self.bytes.iter().peekable();
        while let Some(byte) = bytes.next() {
            let escaped = (*byte == b'\\').then(|| bytes.next_if(|b| matches!(b, b'"' | b'\\')));
            value.push(*escaped.flatten().unwrap_or(byte));
        }
        decoded(&value).into_owned().into()
    }
}

/// A comment as it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Comment<'a> {
    pub(super) bytes: &'a [u8],
}

impl<'a> Comment<'a> {
    /// The bytes between the braces.
    pub fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// The text, trimmed and with its lines joined.
    pub fn decode(self) -> Cow<'a, str> {
        let text = trimmed(decoded(self.bytes));
        if text.contains(['\n', '\r', '\t']) {
            return text.split_whitespace().collect::<Vec<_>>().join(" ").into();
        }
        text
    }
}

/// Decodes UTF-8, or Latin-1 if the bytes are not UTF-8.
pub(super) fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => bytes.iter().map(|b| char::from(*b)).collect(),
    }
}

fn trimmed(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => text.trim().into(),
        Cow::Owned(text) => text.trim().to_owned().into(),
    }
}
