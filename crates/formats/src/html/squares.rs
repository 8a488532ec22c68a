//! The squares of an HTML page, found in one pass over its tags with a stack of open elements.
//!
//! The tokenizer follows the HTML standard. Of the standard's tree construction only what decides
//! to which square a text belongs is here: end tags that may be missing, and end tags that are
//! ignored.

use super::super::{FormatError, HtmlError, Location, Result};
use html5gum::{DefaultEmitter, StartTag, Token, Tokenizer};
use std::rc::Rc;

/// Maximum nesting depth of elements. An end tag is matched against all open elements.
const MAX_DEPTH: usize = 256;
/// The attributes that are kept.
const ATTRIBUTES: [&str; 11] = [
    "data-col",
    "data-row",
    "data-turn",
    "data-castling",
    "data-ep",
    "data-halfmove",
    "data-fullmove",
    "data-chess960",
    "data-flipped",
    "data-last",
    "data-shapes",
];
/// An element with one of these attributes is the container of a board.
const BOARD_ATTRIBUTES: [&str; 3] = ["data-turn", "data-castling", "data-ep"];
/// Elements whose text a browser does not show.
const HIDDEN: [&str; 5] = ["noscript", "script", "style", "template", "title"];
/// Elements that have no content and no end tag.
const VOID: [&str; 13] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
    "wbr",
];
/// The parts of a table, the outermost first. Each closes those from its own place on.
const TABLE_PARTS: [&str; 9] =
    ["table", "caption", "colgroup", "tbody", "thead", "tfoot", "tr", "td", "th"];
/// Other elements that the end tag of an element outside of them does not close, unless that
/// element is one of them.
const BLOCKS: [&str; 26] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "header",
    "html",
    "li",
    "main",
    "nav",
    "ol",
    "p",
    "section",
    "ul",
];

/// An element with `data-col` and `data-row`.
pub(super) struct SquareElement {
    pub(super) attributes: Attributes,
    /// The container of its board.
    pub(super) container: Container,
    /// Its text without the text of squares within it.
    pub(super) text: String,
}

/// An element around the squares of a board; the page if there is none.
#[derive(Clone, Default)]
pub(super) struct Container {
    /// Number of the container in the page, from 1; 0 is the page.
    pub(super) number: usize,
    pub(super) attributes: Attributes,
}

/// The [`ATTRIBUTES`] of an element, each from the nearest element around it that has it.
#[derive(Clone, Default)]
pub(super) struct Attributes {
    values: Vec<(&'static str, Rc<str>, u64)>,
    /// The line where the element starts, from 1.
    pub(super) line: u64,
}

impl Attributes {
    /// The trimmed value of an attribute, and the line of its element.
    pub(super) fn get(&self, name: &str) -> Option<(&str, u64)> {
        let found = self.values.iter().find(|(known, ..)| *known == name);
        found.map(|(_, value, line)| (value.trim(), *line))
    }

    /// The attributes of an element within this one.
    fn with(&self, tag: &StartTag<usize>, line: u64) -> Attributes {
        let own = ATTRIBUTES.iter().filter_map(|name| {
            let value = tag.attributes.get(name.as_bytes())?;
            Some((*name, Rc::from(String::from_utf8_lossy(value)), line))
        });
        let mut values: Vec<_> = own.collect();
        for inherited in &self.values {
            if values.iter().all(|(name, ..)| *name != inherited.0) {
                values.push(inherited.clone());
            }
        }
        Attributes { values, line }
    }
}

/// An open element.
#[derive(Clone, Default)]
struct Element {
    name: String,
    attributes: Attributes,
    /// Index of the innermost square around its text.
    square: Option<usize>,
    container: Container,
    is_hidden: bool,
}

/// All square elements of a page in document order.
///
/// # Errors
/// Elements are nested too deep.
pub(super) fn squares(page: &str) -> Result<Vec<SquareElement>> {
    let mut emitter = DefaultEmitter::<usize>::new_with_span();
    emitter.naively_switch_states(true);
    let mut reader = SquareReader { open: vec![Element::default()], ..SquareReader::default() };
    let (mut line, mut at) = (1, 0);
    for Ok(token) in Tokenizer::new_with_emitter(page, emitter) {
        match token {
            Token::StartTag(tag) => {
                let start = tag.span.start.clamp(at, page.len());
                line += page.as_bytes()[at..start].iter().filter(|c| **c == b'\n').count() as u64;
                at = start;
                reader.start(&tag, line)?;
            }
            Token::EndTag(tag) => reader.end(&String::from_utf8_lossy(&tag.name)),
            Token::String(text) => reader.text(&String::from_utf8_lossy(&text)),
            _ => {}
        }
    }
    Ok(reader.squares)
}

#[derive(Default)]
struct SquareReader {
    squares: Vec<SquareElement>,
    containers: usize,
    /// The open elements, the outermost first. The first is the page.
    open: Vec<Element>,
}

impl SquareReader {
    fn start(&mut self, tag: &StartTag<usize>, line: u64) -> Result<()> {
        let name = String::from_utf8_lossy(&tag.name).into_owned();
        self.close_implied(&name);
        let mut element = self.open.last().cloned().unwrap_or_default();
        let has = |name: &&str| tag.attributes.contains_key(name.as_bytes());
        if ATTRIBUTES.iter().any(has) {
            element.attributes = element.attributes.with(tag, line);
        }
        element.is_hidden |= HIDDEN.contains(&&*name);
        if element.is_hidden {
            // A square that nobody sees is none.
        } else if has(&"data-col") && has(&"data-row") {
            element.square = Some(self.squares.len());
            let (attributes, container) = (element.attributes.clone(), element.container.clone());
            self.squares.push(SquareElement { attributes, container, text: String::new() });
        } else if BOARD_ATTRIBUTES.iter().any(has) {
            self.containers += 1;
            element.container =
                Container { number: self.containers, attributes: element.attributes.clone() };
        }
        if !VOID.contains(&&*name) {
            element.name = name;
            self.open.push(element);
        }
        if self.open.len() > MAX_DEPTH {
            return Err(FormatError::new(Location::line(line), HtmlError::TooDeep(MAX_DEPTH)));
        }
        Ok(())
    }

    /// Closes the elements whose end tags may be missing before this start tag.
    fn close_implied(&mut self, name: &str) {
        let closed: &[&str] = match name {
            "table" => &["p"],
            "td" | "th" => &["td", "th"],
            "tr" => &["tr", "td", "th"],
            "li" => &["li"],
            "dt" | "dd" => &["dt", "dd"],
            "option" => &["option"],
            _ if TABLE_PARTS.contains(&name) => &TABLE_PARTS[1..],
            _ if BLOCKS.contains(&name) => &["p"],
            _ => return,
        };
        let scope = ["table", "ul", "ol", "dl", "select"];
        let inner = self.open.iter().rposition(|element| scope.contains(&&*element.name));
        let first = inner.map_or(1, |at| at + 1);
        let within = self.open[first..].iter();
        if let Some(at) = within.clone().position(|element| closed.contains(&&*element.name)) {
            self.open.truncate(first + at);
        }
    }

    fn end(&mut self, name: &str) {
        let is_table_part = TABLE_PARTS.contains(&name);
        let keeps_open = |element: &Element| {
            let other = &&*element.name;
            element.name != name
                && (*other == "table"
                    || !is_table_part && TABLE_PARTS.contains(other)
                    || !is_table_part && !BLOCKS.contains(&name) && BLOCKS.contains(other))
        };
        let found = self.open.iter().rposition(|e| e.name == name || keeps_open(e));
        if let Some(at) = found.filter(|at| self.open[*at].name == name && *at > 0) {
            self.open.truncate(at);
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(Element { square: Some(square), is_hidden: false, .. }) = self.open.last() {
            self.squares[*square].text.push_str(text);
        }
    }
}
