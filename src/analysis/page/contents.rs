//! The table of contents of a report, and the links between its pages.

use super::super::{Opening, Players, SideRecord};
use super::{Layout, attribute, known_tag, page_name, player_names};
use crate::formats::html::escape;
use crate::formats::{Document, result_text};
use std::fmt::Write as _;

/// The number of names that the filter suggests.
const MAX_SUGGESTIONS: usize = 1000;

/// A row of the table of contents.
pub(super) struct Row {
    pub(super) players: String,
    event: String,
    date: String,
    result: &'static str,
    opening: Option<Opening>,
    /// The numbers of errors of White and Black.
    errors: String,
    /// The accuracies of White and Black.
    accuracies: String,
}

impl Row {
    pub(super) fn new(
        document: &Document,
        opening: Option<Opening>,
        sides: &[SideRecord; 2],
        html: &str,
    ) -> Row {
        let tag = |name| known_tag(document, name).unwrap_or_default().to_owned();
        let [white, black] = sides.each_ref().map(SideRecord::error_count);
        Row {
            players: player_names(document),
            event: tag("Event"),
            date: tag("Date"),
            result: result_text(document.result),
            opening,
            errors: format!("{white} – {black}"),
            accuracies: attribute(html, "data-accuracy").unwrap_or_default().to_owned(),
        }
    }
}

/// The table of contents. Where there is a script, a field filters it.
pub(super) fn contents(rows: &[Option<Row>], players: &Players, layout: Layout, page: &mut String) {
    *page += "<nav class=\"card contents\" aria-label=\"Games\">\n<p class=\"filter\" hidden>\
              <label>Filter <input type=\"search\" list=\"players\" \
              placeholder=\"player, event, opening\"></label> <output></output></p>\n\
              <datalist id=\"players\">";
    for (name, _) in players.by_games().into_iter().take(MAX_SUGGESTIONS) {
        let _ = write!(page, "<option value=\"{}\">", escape(name));
    }
    *page += "</datalist>\n<table>\n<thead><tr><th scope=\"col\">Game</th>\
              <th scope=\"col\">Result</th><th scope=\"col\">Accuracy</th>\
              <th scope=\"col\">Errors</th><th scope=\"col\" class=\"wide\">Opening</th>\
              <th scope=\"col\" class=\"wide\">Event</th><th scope=\"col\" class=\"wide\">Date</th>\
              </tr></thead>\n<tbody>\n";
    for (index, row) in (0..).zip(rows) {
        let (number, target) = match layout {
            Layout::OnePage => (index + 1, format!("#g{}", index + 1)),
            Layout::Pages { first } => (first + index, page_name(first + index)),
        };
        let Some(row) = row else {
            if layout != Layout::OnePage {
                let _ = writeln!(
                    page,
                    "<tr><td><span>{number}.</span> <a href=\"{target}\">Position</a></td></tr>"
                );
            }
            continue;
        };
        let opening = row.opening.map_or_else(String::new, |Opening { eco, name }| {
            format!("<span>{eco}</span> {}", escape(name))
        });
        let _ = writeln!(
            page,
            "<tr><td><span>{number}.</span> <a href=\"{target}\">{}</a></td><td>{}</td>\
             <td>{}</td><td>{}</td><td class=\"wide\">{opening}</td><td class=\"wide\">{}</td>\
             <td class=\"wide\">{}</td></tr>",
            escape(&row.players),
            row.result,
            escape(&row.accuracies),
            row.errors,
            escape(&row.event),
            escape(&row.date)
        );
    }
    *page += "</tbody>\n</table>\n</nav>\n";
}

/// The links of the page of a game: to the index, and to the pages before and after it.
pub(super) fn links(index: usize, count: usize, first: u64, page: &mut String) {
    let number = first + index as u64;
    *page += "<nav class=\"pages\" aria-label=\"Pages\"><a href=\"index.html\">All games</a>";
    if index > 0 {
        let _ = write!(page, " <a href=\"{}\" rel=\"prev\">Previous</a>", page_name(number - 1));
    }
    if index + 1 < count {
        let _ = write!(page, " <a href=\"{}\" rel=\"next\">Next</a>", page_name(number + 1));
    }
    *page += "</nav>\n";
}
