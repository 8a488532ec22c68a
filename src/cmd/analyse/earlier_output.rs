//! The games that an interrupted run has written, for `--resume`.

use super::json;
use super::output::OutputFormat;
use super::settings::{self, Settings};
use crate::analysis::page::heading;
use crate::analysis::{ACCURACY_TAGS, OPENING_TAGS};
use crate::formats::{Document, Format, parse_result, pgn};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::iter::Peekable;

/// Reads the complete documents of an earlier output in order. What follows the last one is not part
/// of any: the end of a page, the score of a suite, or a document that was cut off.
pub(super) struct EarlierDocuments {
    format: OutputFormat,
    /// The complete lines, with their ends.
    lines: Peekable<Box<dyn Iterator<Item = String>>>,
    /// Those of a page.
    settings: Option<Settings>,
}

impl EarlierDocuments {
    pub(super) fn new(format: OutputFormat, file: impl Read + 'static) -> EarlierDocuments {
        let mut reader = BufReader::new(file);
        let line = move || {
            let mut line = Vec::new();
            reader.read_until(b'\n', &mut line).ok()?;
            String::from_utf8(line).ok().filter(|line| line.ends_with('\n'))
        };
        let lines: Box<dyn Iterator<Item = String>> = Box::new(std::iter::from_fn(line).fuse());
        EarlierDocuments { format, lines: lines.peekable(), settings: None }
    }

    /// A game as this program writes it: two blocks with an empty line between, tags and movetext.
    fn pgn_game(&mut self) -> Option<(String, Option<Settings>)> {
        let (tags, movetext) = (self.block(), self.block());
        let last = movetext.trim_end().rsplit([' ', '\n']).next();
        let is_cut_off = movetext.rfind('{') > movetext.rfind('}');
        let is_complete = !is_cut_off && last.is_some_and(|word| parse_result(word).is_some());
        let game = tags + &movetext;
        let settings = Settings::of_tags(&game);
        is_complete.then_some((game, settings))
    }

    /// The lines before the next empty line, with the empty lines before them.
    fn block(&mut self) -> String {
        let mut text = String::new();
        text.extend(std::iter::from_fn(|| self.lines.next_if(|line| line == "\n")));
        text.extend(std::iter::from_fn(|| self.lines.next_if(|line| line != "\n")));
        text
    }

    fn json_line(&mut self) -> Option<(String, Option<Settings>)> {
        let line = self.lines.next()?;
        let value: Value = serde_json::from_str(&line).ok()?;
        value.get("start").or(value.get("fen"))?;
        Some((line, Settings::of_json(&value)))
    }

    /// An element of a page that holds a game or a position. Text in it is escaped, so its end tag
    /// is not part of it.
    fn element(&mut self) -> Option<(String, Option<Settings>)> {
        loop {
            let mut element = self.lines.next()?;
            self.settings = Settings::of_meta(&element).or(self.settings.take());
            let is_start = |name: &&str| element.starts_with(&format!("<{name}"));
            let Some(name) = ["article", "section"].into_iter().find(is_start) else { continue };
            let end = format!("\n</{name}>\n");
            while !element.ends_with(&end) {
                element += &self.lines.next()?;
            }
            return Some((element, self.settings.clone()));
        }
    }
}

/// The texts of the documents, and the settings they were made with, if they are recorded.
impl Iterator for EarlierDocuments {
    type Item = (String, Option<Settings>);

    fn next(&mut self) -> Option<(String, Option<Settings>)> {
        match self.format {
            OutputFormat::Pgn => self.pgn_game(),
            OutputFormat::Json => self.json_line(),
            OutputFormat::Html => self.element(),
            OutputFormat::Text => None,
        }
    }
}

/// Whether a text of an earlier output belongs to a document: its part that does not depend on the
/// analysis is the same, tags and main line.
pub(super) fn is_of(format: OutputFormat, text: &str, expected: &Document) -> bool {
    match format {
        OutputFormat::Pgn => is_annotated_game(text, expected),
        OutputFormat::Json => {
            let value: Value = serde_json::from_str(text).unwrap_or_default();
            let tags = value["tags"].as_object().cloned().unwrap_or_default();
            tags == json::tags(expected) && json_main_line(&value) == json::main_line(expected)
        }
        OutputFormat::Html if text.starts_with("<section") => {
            let code = format!("<code>{}</code>", expected.tree.start().to_fen());
            expected.tree.is_empty() && text.contains(&code)
        }
        OutputFormat::Html => {
            let moves = text.split(" data-ply=\"").skip(1);
            let fens: Vec<&str> = moves.filter_map(first_fen).collect();
            text.contains(&heading(expected)) && fens == main_line(expected)
        }
        OutputFormat::Text => false,
    }
}

/// Whether an annotated game has the tags and the main line of a document. The tags of the analysis
/// itself do not count.
fn is_annotated_game(text: &str, expected: &Document) -> bool {
    let games = [text, &pgn::write(expected)].map(|text| pgn::Pgn.import(text));
    let [Ok(game), Ok(expected)] = games else {
        return false;
    };
    let is_of_game = |(name, _): &&(String, String)| {
        let name = name.as_str();
        let is_added = OPENING_TAGS.contains(&name) && expected.tag(name).is_none();
        !is_added && !ACCURACY_TAGS.contains(&name) && !["Annotator", settings::TAG].contains(&name)
    };
    let tags = |document: &Document| -> Vec<_> {
        document.tags.iter().filter(is_of_game).cloned().collect()
    };
    tags(&game) == tags(&expected) && main_line(&game) == main_line(&expected)
}

/// The start position of a game and its moves; the position of a document without moves.
fn json_main_line(document: &Value) -> Vec<&str> {
    let start = document.get("start").unwrap_or(document).get("fen");
    let moves = document["moves"].as_array().into_iter().flatten();
    start.into_iter().chain(moves.map(|m| &m["uci"])).filter_map(Value::as_str).collect()
}

/// The positions of the main line.
fn main_line(document: &Document) -> Vec<String> {
    let mut board = *document.tree.start();
    let after = document.tree.mainline().map(|ply| {
        board = ply.make(&board);
        board.to_fen()
    });
    std::iter::once(document.tree.start().to_fen()).chain(after).collect()
}

/// The position of the first element that shows one.
fn first_fen(page: &str) -> Option<&str> {
    let (_, rest) = page.split_once(" data-fen=\"")?;
    rest.split_once('"').map(|(fen, _)| fen)
}

/// Whether a test position in an earlier output was solved; `None` if it is no test position.
pub(super) fn was_solved(format: OutputFormat, text: &str) -> Option<bool> {
    match format {
        OutputFormat::Json => {
            let value: Value = serde_json::from_str(text).ok()?;
            value["solved"].as_bool()
        }
        OutputFormat::Html => {
            let solved = text.contains("<p class=\"solved\">");
            (solved || text.contains("<p class=\"unsolved\">")).then_some(solved)
        }
        OutputFormat::Pgn | OutputFormat::Text => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents(format: OutputFormat, text: &str) -> Vec<String> {
        let text = std::io::Cursor::new(text.as_bytes().to_vec());
        EarlierDocuments::new(format, text).map(|(text, _)| text).collect()
    }

    #[test]
    fn only_complete_documents_are_found() {
        let game = |number: u32| format!("[White \"{number}\"]\n\n1. e4 {{a 1-0\n*}} e5 *\n");
        let pgn = format!("{}\n{}\n{}", game(1), game(2), game(3));
        let line = "{\"fen\":\"8/8\",\"id\":\"ä\"}\n";
        let article = "<article id=\"g1\">\n<p>&lt;/article&gt;</p>\n</article>\n";
        for (format, whole, each, rest) in [
            (OutputFormat::Pgn, pgn, game(1).len() + 1, ""),
            (OutputFormat::Json, line.repeat(3), line.len(), "{\"solved\":1,\"of\":2}\n"),
            (OutputFormat::Html, article.repeat(3), article.len(), "</main>\n</html>\n"),
        ] {
            let found = documents(format, &(whole.clone() + rest));
            assert_eq!(found.concat(), whole, "{format:?}");
            assert_eq!(found.len(), 3, "{format:?}");
            // Cut off at every byte, also within a character.
            for end in 0..whole.len() {
                let cut = std::io::Cursor::new(whole.as_bytes()[..end].to_vec());
                let found: Vec<_> = EarlierDocuments::new(format, cut).collect();
                let complete = (end + usize::from(format == OutputFormat::Pgn)) / each;
                assert_eq!(found.len(), complete.min(3), "{format:?} {end}");
            }
        }
        let page = format!("<html>\n<main>\n{article}{article}</main>\n");
        assert_eq!(documents(OutputFormat::Html, &page), [article, article]);
    }
}
