//! The list of errors of a game with the better lines.

use super::super::{Judgement, Review, line_text};
use super::{line, signed};
use crate::formats::Document;
use std::fmt::Write as _;

/// All errors; the key moments among them are marked.
pub(super) fn errors(game: u64, document: &Document, review: &Review, page: &mut String) {
    let errors = review.moves.iter().enumerate();
    let errors = errors.filter(|(_, judged)| judged.judgement >= Judgement::Inaccuracy);
    let mut errors = errors.peekable();
    if errors.peek().is_none() {
        return;
    }
    *page += "<section class=\"card\">\n<h3>Key moments and errors</h3>\n<ul class=\"errors\">\n";
    for (ply, judged) in errors {
        let (before, after) = (&review.positions[ply], &review.positions[ply + 1]);
        let Some(played) = judged.played else {
            continue;
        };
        let key = if review.key_moments.contains(&ply) { " key" } else { "" };
        let _ = write!(
            page,
            "<li class=\"{}{key}\" data-for=\"{3}\"><a href=\"#g{game}-{3}\"><b>{1}{2}</b></a> ",
            judged.judgement.name(),
            line_text(&before.board, &[played]).replace("... ", "… "),
            judged.judgement.symbol(),
            ply + 1
        );
        let _ =
            write!(page, "<small>{} → {}</small><br>", signed(before.eval()), signed(after.eval()));
        if let Some(reason) = &judged.reason {
            let _ = write!(page, "{}.<br>", reason.words);
        }
        *page += "Better: ";
        line(&before.board, &before.pv, document.chess960, page);
        let proves = judged.reason.as_ref().is_some_and(|reason| !reason.line.is_empty());
        if !after.pv.is_empty() && (judged.judgement >= Judgement::Mistake || proves) {
            *page += "<br>Now follows ";
            line(&after.board, &after.pv, document.chess960, page);
        }
        *page += "</li>\n";
    }
    *page += "</ul>\n</section>\n";
}
