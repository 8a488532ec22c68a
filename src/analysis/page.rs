//! Reviews as pages that stand alone: no network, no image, everything inside.

use super::{
    AnalysisResult, Judgement, Review, ReviewedPosition, SideSummary, Solution, line_text,
};
use crate::chess::{Color, Move, Square, UciMove};
use crate::eval::wdl::expected_points;
use crate::formats::html::{STYLE, board as board_html, escape};
use crate::formats::{Document, Shape, ShapeColor, result_text};
use std::fmt::Write as _;

const PAGE_STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The size of a graph, in its own units.
const GRAPH: (f64, f64) = (600.0, 110.0);

/// How many plies of a line are shown.
const LINE_LENGTH: usize = 12;

/// A page of reviewed games to step through.
pub fn games_page(games: &[(Document, Review)]) -> String {
    let title = match games {
        [(document, _)] => name(document),
        _ => format!("{} games", games.len()),
    };
    let mut page = head(&title);
    for (number, (document, review)) in games.iter().enumerate() {
        game(number + 1, document, review, &mut page);
    }
    page + "<script>\n" + SCRIPT + "</script>\n</main>\n</body>\n</html>\n"
}

/// A page of positions with the best lines found, and whether they were solved where that is asked.
pub fn positions_page<T>(positions: &[(Document, AnalysisResult<T>, Option<Solution>)]) -> String {
    let mut page = head(&match positions.len() {
        1 => "Position".to_owned(),
        n => format!("{n} positions"),
    });
    let judged = positions.iter().filter_map(|(_, _, solution)| *solution);
    let (solved, all) = judged.fold((0, 0), |(solved, all), s| {
        (solved + usize::from(s.solved), all + 1)
    });
    if all > 0 {
        let _ = writeln!(page, "<p>Solved {solved} of {all}.</p>");
    }
    page += "<div class=\"positions\">\n";
    for (document, answer, solution) in positions {
        position(document, answer, *solution, &mut page);
    }
    page + "</div>\n</main>\n</body>\n</html>\n"
}

fn head(title: &str) -> String {
    let title = escape(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}{PAGE_STYLE}</style>\n</head>\n<body>\n<main>\n\
         <h1>{title}</h1>\n"
    )
}

/// Who played.
fn name(document: &Document) -> String {
    let player = |tag| document.tag(tag).filter(|name| !name.starts_with('?'));
    format!(
        "{} – {}",
        player("White").unwrap_or("White"),
        player("Black").unwrap_or("Black")
    )
}

fn game(number: usize, document: &Document, review: &Review, page: &mut String) {
    let known = |tag| document.tag(tag).filter(|value| !value.starts_with('?'));
    let facts = ["Event", "Site", "Date", "Round", "ECO"]
        .into_iter()
        .filter_map(known);
    let facts: Vec<String> = std::iter::once(result_text(document.result))
        .chain(facts)
        .map(escape)
        .collect();
    let _ = writeln!(
        page,
        "<article class=\"game\" id=\"g{number}\">\n<h2>{}</h2>\n<p class=\"facts\">{}</p>\n\
         <div class=\"study\">\n<div>",
        escape(&name(document)),
        facts.join(" · ")
    );
    bar(page);
    *page += &board_html(document);
    *page += CONTROLS;
    *page += "</div>\n<div>\n";
    graph(review, page);
    sides(document, review, page);
    *page += "<h3>Moves</h3>\n";
    moves(number, document, review, page);
    key_moments(number, review, page);
    *page += "</div>\n</div>\n</article>\n";
}

const CONTROLS: &str = "<div class=\"controls\">\
    <button type=\"button\" data-do=\"first\" aria-label=\"First position\">⇤</button>\
    <button type=\"button\" data-do=\"back\" aria-label=\"Back\">←</button>\
    <button type=\"button\" data-do=\"on\" aria-label=\"On\">→</button>\
    <button type=\"button\" data-do=\"last\" aria-label=\"Last position\">⇥</button>\
    <button type=\"button\" data-do=\"flip\" aria-label=\"Turn the board\">⇅</button></div>\n\
    <p class=\"said\" aria-live=\"polite\">Ply with the arrow keys, to key moments with up and down, \
    turn the board with f.</p>\n";

/// The bar of chances, which the script fills.
fn bar(page: &mut String) {
    *page += "<div class=\"wdl\" role=\"img\"><span class=\"white\"></span>\
              <span class=\"draw\"></span><span class=\"black\"></span></div>\n";
}

/// Where a position lies in a graph of so many.
fn place(ply: usize, positions: usize, standing: &ReviewedPosition) -> (f64, f64) {
    let white = match standing.board.turn() {
        Color::White => expected_points(standing.score),
        Color::Black => 1.0 - expected_points(standing.score),
    };
    let x = ply as f64 * GRAPH.0 / (positions.max(2) - 1) as f64;
    (x, GRAPH.1 * (1.0 - white))
}

/// White's expected result over the game.
fn graph(review: &Review, page: &mut String) {
    let (width, height) = GRAPH;
    let count = review.positions.len();
    let _ = write!(
        page,
        "<svg class=\"graph\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-label=\"White's chances over the game\"><path class=\"area\" d=\"M0 {height}"
    );
    for (ply, standing) in review.positions.iter().enumerate() {
        let (x, y) = place(ply, count, standing);
        let _ = write!(page, "L{x:.1} {y:.1}");
    }
    let _ = write!(
        page,
        "L{width} {height}z\"/><path class=\"middle\" d=\"M0 {0}H{width}\"/>",
        height / 2.0
    );
    for (ply, judged) in review.moves.iter().enumerate() {
        if judged.judgement >= Judgement::Mistake {
            let (x, y) = place(ply + 1, count, &review.positions[ply + 1]);
            let _ = write!(
                page,
                "<circle class=\"{}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>",
                judged.judgement.name()
            );
        }
    }
    let _ = writeln!(
        page,
        "<line class=\"now\" x1=\"{width}\" x2=\"{width}\" y1=\"0\" y2=\"{height}\"/></svg>"
    );
}

fn sides(document: &Document, review: &Review, page: &mut String) {
    *page += "<table class=\"sides\">\n<thead><tr><th scope=\"col\">Side</th>\
              <th scope=\"col\">Accuracy</th><th scope=\"col\">?!</th><th scope=\"col\">?</th>\
              <th scope=\"col\">??</th></tr></thead>\n<tbody>\n";
    for (color, tag) in [(Color::White, "White"), (Color::Black, "Black")] {
        let side = &review.sides[color.index()];
        let player = document.tag(tag).filter(|name| !name.starts_with('?'));
        let SideSummary {
            inaccuracies,
            mistakes,
            blunders,
            ..
        } = *side;
        let _ = writeln!(
            page,
            "<tr><th scope=\"row\">{}</th><td>{:.0} %</td><td>{inaccuracies}</td>\
             <td>{mistakes}</td><td>{blunders}</td></tr>",
            escape(player.unwrap_or(tag)),
            side.accuracy
        );
    }
    *page += "</tbody>\n</table>\n";
}

/// The list of moves, each with all that the script shows when it is stepped to.
fn moves(game: usize, document: &Document, review: &Review, page: &mut String) {
    let standings = &review.positions;
    let x = |ply| place(ply, standings.len(), &standings[ply]).0;
    *page += "<ol class=\"moves\">\n";
    let start = &standings[0];
    let _ = writeln!(
        page,
        "<li><span></span><a href=\"#g{game}-0\" data-id=\"g{game}-0\" data-ply=\"0\" data-x=\"0\" \
         data-name=\"Start\"{}>Start</a></li>",
        carried(start, None, document)
    );
    for (ply, judged) in review.moves.iter().enumerate() {
        let (before, after) = (&standings[ply], &standings[ply + 1]);
        let number = before.board.fullmove_number();
        if judged.mover == Color::White || ply == 0 {
            let _ = write!(page, "<li><span>{number}.</span>");
            if judged.mover == Color::Black {
                *page += "<span>…</span>";
            }
        }
        let san = judged.played.map_or("--".into(), |m| before.board.san(m));
        let faulty = judged.judgement >= Judgement::Inaccuracy;
        let (word, sign) = (judged.judgement.name(), judged.judgement.symbol());
        let dots = if judged.mover == Color::White {
            "."
        } else {
            "…"
        };
        let _ = write!(
            page,
            "<a href=\"#g{game}-{0}\" data-id=\"g{game}-{0}\" class=\"{word}\" data-ply=\"{0}\" \
             data-x=\"{1:.1}\" data-name=\"{number}{dots} {san}{sign}\"{2}",
            ply + 1,
            x(ply + 1),
            carried(after, judged.played, document)
        );
        if faulty && !before.pv.is_empty() {
            let best = before.pv[0];
            let _ = write!(
                page,
                " data-best=\"{}{}\" data-said=\"Better: {}\"",
                best.from(),
                shown_target(best),
                line_text(&before.board, shortened(&before.pv))
            );
        }
        if review.key_moments.contains(&ply) {
            *page += " data-key";
        }
        let _ = write!(page, ">{san}{sign} <small>{}</small></a>", after.eval());
        if judged.mover == Color::Black || ply + 1 == review.moves.len() {
            *page += "</li>\n";
        }
    }
    *page += "</ol>\n";
}

fn shortened(line: &[Move]) -> &[Move] {
    &line[..line.len().min(LINE_LENGTH)]
}

/// Where an arrow for a move ends: castling is shown as the king's step.
fn shown_target(m: Move) -> Square {
    UciMove::new(m, false).to
}

/// The attributes that describe a position, and the move that led to it.
fn carried(standing: &ReviewedPosition, played: Option<Move>, document: &Document) -> String {
    let board = &standing.board;
    let wdl = standing.wdl();
    let mut text = format!(
        " data-fen=\"{}\" data-eval=\"{}\" data-wdl=\"{} {} {}\"",
        board.to_fen(),
        standing.eval(),
        wdl.win,
        wdl.draw,
        wdl.loss
    );
    if let Some(m) = played {
        let to = match document.chess960 {
            true => m.to(),
            false => shown_target(m),
        };
        let _ = write!(text, " data-last=\"{}{to}\"", m.from());
    }
    if board.in_check() {
        let _ = write!(text, " data-check=\"{}\"", board.us().king());
    }
    text
}

fn key_moments(game: usize, review: &Review, page: &mut String) {
    if review.key_moments.is_empty() {
        return;
    }
    *page += "<h3>Key moments</h3>\n<ul class=\"key\">\n";
    for ply in &review.key_moments {
        let judged = &review.moves[*ply];
        let (before, after) = (&review.positions[*ply], &review.positions[*ply + 1]);
        let Some(played) = judged.played else {
            continue;
        };
        let _ = write!(
            page,
            "<li class=\"{}\"><a href=\"#g{game}-{}\"><b>{}{}</b></a> ({} to {}). ",
            judged.judgement.name(),
            ply + 1,
            line_text(&before.board, &[played]),
            judged.judgement.symbol(),
            before.eval(),
            after.eval()
        );
        let _ = write!(
            page,
            "Better: {}.",
            line_text(&before.board, shortened(&before.pv))
        );
        if let Some(reply) = after.pv.first() {
            let _ = write!(page, " Now follows {}.", line_text(&after.board, &[*reply]));
        }
        *page += "</li>\n";
    }
    *page += "</ul>\n";
}

fn position<T>(
    document: &Document,
    answer: &AnalysisResult<T>,
    solution: Option<Solution>,
    page: &mut String,
) {
    let mut document = document.clone();
    for line in &answer.lines {
        let m = line.moves[0];
        let to = shown_target(m);
        let first = document.drawing.shapes.is_empty();
        let tint = if first {
            ShapeColor::Green
        } else {
            ShapeColor::Blue
        };
        document
            .drawing
            .shapes
            .push(Shape::arrow(m.from(), to, tint));
    }
    *page += "<section>\n";
    *page += &board_html(&document);
    if let Some(solution) = solution {
        let (class, word) = match solution.solved {
            true => ("solved", "Solved"),
            false => ("unsolved", "Not solved"),
        };
        let time = solution.time.map_or(String::new(), |time| {
            format!(" after {:.2} s", time.as_secs_f64())
        });
        let _ = writeln!(page, "<p class=\"{class}\">{word}{time}.</p>");
    }
    *page += "<ol class=\"lines\">\n";
    for line in &answer.lines {
        let eval = super::Eval::new(line.score, answer.board.turn());
        let _ = writeln!(
            page,
            "<li><b>{eval}</b> {} <small>(depth {})</small></li>",
            line_text(&answer.board, shortened(&line.moves)),
            line.depth
        );
    }
    *page += "</ol>\n</section>\n";
}
