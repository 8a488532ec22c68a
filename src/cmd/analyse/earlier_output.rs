//! The games that an interrupted run has written, for `--resume`.

use super::json;
use super::output::OutputFormat;
use crate::analysis::page::heading;
use crate::formats::{Document, Format, parse_result, pgn};
use serde_json::Value;
use std::ops::Range;

/// The complete documents in an earlier output, in order. What follows the last one is not part of
/// any: the end of a page, the score of a suite, or a document that was cut off.
pub(super) fn documents(format: OutputFormat, text: &str) -> Vec<Range<usize>> {
    match format {
        OutputFormat::Pgn => pgn_games(text),
        OutputFormat::Json => json_lines(text),
        OutputFormat::Html => elements(text),
        OutputFormat::Text => Vec::new(),
    }
}

/// Games as this program writes them: two blocks with an empty line between, tags and movetext.
fn pgn_games(text: &str) -> Vec<Range<usize>> {
    let mut games = Vec::new();
    let mut start = 0;
    while let Some(tags) = text[start..].find("\n\n") {
        let movetext = start + tags + 2;
        let end = text[movetext..].find("\n\n").map_or(text.len(), |length| movetext + length + 1);
        let last = text[movetext..end].trim_end().rsplit([' ', '\n']).next();
        let is_complete =
            text[..end].ends_with('\n') && last.is_some_and(|word| parse_result(word).is_some());
        if !is_complete {
            break;
        }
        games.push(start..end);
        start = (end + 1).min(text.len());
    }
    games
}

fn json_lines(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        let range = start..start + line.len();
        start = range.end;
        range
    });
    let is_document = |line: &Range<usize>| {
        let value: Option<Value> = serde_json::from_str(&text[line.clone()]).ok();
        let is_object =
            value.is_some_and(|value| value.get("start").or(value.get("fen")).is_some());
        is_object && text[line.clone()].ends_with('\n')
    };
    lines.take_while(is_document).collect()
}

/// The elements of a page that hold a game or a position. Text in them is escaped, so their end
/// tags are not part of it.
fn elements(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some((start, end)) = ["article", "section"]
        .into_iter()
        .filter_map(|name| {
            let start = at + text[at..].find(&format!("\n<{name}"))? + 1;
            let end_tag = format!("\n</{name}>\n");
            let end = start + text[start..].find(&end_tag)? + end_tag.len();
            Some((start, end))
        })
        .min()
    {
        found.push(start..end);
        at = end - 1;
    }
    found
}

/// Whether a text of an earlier output belongs to a document: its part that does not depend on the
/// analysis is the same, tags and main line.
pub(super) fn is_of(format: OutputFormat, text: &str, expected: &Document) -> bool {
    match format {
        OutputFormat::Pgn => is_annotated_game(text, expected),
        OutputFormat::Json => {
            let value: Value = serde_json::from_str(text).unwrap_or_default();
            let tags = value["tags"].as_object().cloned().unwrap_or_default();
            tags == json::tags(expected) && json_main_line(&value) == main_line(expected)
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

/// Whether an annotated game has the tags and the main line of a document.
fn is_annotated_game(text: &str, expected: &Document) -> bool {
    let Ok(game) = pgn::Pgn.import(text) else {
        return false;
    };
    let written = pgn::write(expected);
    let [tags, expected_tags] = [text, &written].map(|text| text.split_once("\n\n"));
    tags.map(|(tags, _)| tags) == expected_tags.map(|(tags, _)| tags)
        && main_line(&game) == main_line(expected)
}

/// The positions of the main line of a game; the position of a document without moves.
fn json_main_line(document: &Value) -> Vec<&str> {
    let start = document.get("start").unwrap_or(document);
    let moves = document["moves"].as_array().into_iter().flatten();
    let positions = std::iter::once(start).chain(moves);
    positions.filter_map(|position| position["fen"].as_str()).collect()
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

    #[test]
    fn only_complete_documents_are_found() {
        let game = |number: u32| format!("[White \"{number}\"]\n\n1. e4 {{a 1-0\n*}} e5 *\n");
        let pgn = format!("{}\n{}\n{}", game(1), game(2), game(3));
        let of = |text: &str| documents(OutputFormat::Pgn, text).len();
        assert_eq!(of(&pgn), 3);
        assert_eq!(of(&pgn[..pgn.len() - 1]), 2, "no end of line");
        assert_eq!(of(&pgn[..pgn.len() - 4]), 2, "no result");
        assert_eq!(of(""), 0);
        assert_eq!(&pgn[documents(OutputFormat::Pgn, &pgn)[1].clone()], game(2));

        let line = "{\"fen\":\"8/8\"}\n";
        let json = format!("{line}{line}{{\"solved\":1,\"of\":2}}\n");
        assert_eq!(documents(OutputFormat::Json, &json).len(), 2);
        assert_eq!(documents(OutputFormat::Json, "{\"fen\":1}\n{\"fe").len(), 1);

        let article = "<article id=\"g1\">\n<p>&lt;/article&gt;</p>\n</article>\n";
        let page = format!("<html>\n<main>\n{article}{article}</main>\n");
        let found = documents(OutputFormat::Html, &page);
        assert_eq!(found.len(), 2);
        assert_eq!(&page[found[1].clone()], article);
    }
}
