//! Self-contained HTML pages of reviews and analysed positions, without external files.

use super::{
    AnalysisResult, Judgement, Opening, Review, ReviewedPosition, SideSummary, Solution, line_text,
};
use crate::chess::{Color, Move, Square, UciMove};
use crate::eval::wdl::expected_points;
use crate::formats::html::{STYLE, board as board_html, escape};
use crate::formats::{Document, Shape, ShapeColor, result_text};
use std::fmt::Write as _;

const PAGE_STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Width and height of the evaluation graph in SVG units.
const GRAPH: (f64, f64) = (600.0, 110.0);

/// Maximum number of plies shown of a line.
const MAX_PLIES: usize = 12;

/// A game or a position of a report.
pub struct Entry {
    /// The players; `None` for a position.
    name: Option<String>,
    /// The element of [`game`] or [`position`].
    html: String,
}

impl Entry {
    /// A game and its element.
    pub fn game(document: &Document, html: String) -> Entry {
        let name = Some(name(document));
        Entry { name, html }
    }

    /// The element of a position.
    pub fn position(html: String) -> Entry {
        Entry { name: None, html }
    }
}

/// A page of games and positions; of a test suite with the number of solved and of all test positions.
pub fn page(entries: &[Entry], (solved, tested): (u64, u64)) -> String {
    let games = entries.iter().filter(|entry| entry.name.is_some()).count();
    let title = match entries {
        [
            Entry {
                name: Some(name), ..
            },
        ] => name.clone(),
        [_] => "Position".to_owned(),
        _ if games == entries.len() => format!("{games} games"),
        _ if games == 0 => format!("{} positions", entries.len()),
        _ => format!("{games} games, {} positions", entries.len() - games),
    };
    let mut page = head(&title);
    if tested > 0 {
        let _ = writeln!(page, "<p>Solved {solved} of {tested}.</p>");
    }
    for same_kind in entries.chunk_by(|a, b| a.name.is_some() == b.name.is_some()) {
        let is_games = same_kind[0].name.is_some();
        page += if is_games {
            ""
        } else {
            "<div class=\"positions\">\n"
        };
        page.extend(same_kind.iter().map(|entry| entry.html.as_str()));
        page += if is_games { "" } else { "</div>\n" };
    }
    page + "<script>\n" + SCRIPT + "</script>\n</main>\n</body>\n</html>\n"
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

/// The names of the players.
fn name(document: &Document) -> String {
    let player = |tag| document.tag(tag).filter(|name| !name.starts_with('?'));
    format!(
        "{} – {}",
        player("White").unwrap_or("White"),
        player("Black").unwrap_or("Black")
    )
}

/// The title of a game and its tags.
pub fn heading(document: &Document) -> String {
    let known = |tag| document.tag(tag).filter(|value| !value.starts_with('?'));
    let tags = ["Event", "Site", "Date", "Round"]
        .into_iter()
        .filter_map(known);
    let tags: Vec<String> = std::iter::once(result_text(document.result))
        .chain(tags)
        .map(escape)
        .collect();
    format!(
        "<h2>{}</h2>\n<p class=\"tags\">{}</p>\n",
        escape(&name(document)),
        tags.join(" · ")
    )
}

/// The element of a reviewed game.
pub fn game(number: u64, document: &Document, review: &Review, opening: Option<Opening>) -> String {
    let mut page = String::new();
    let _ = opening;
    let number = number as usize;
    let _ = writeln!(
        page,
        "<article class=\"game\" id=\"g{number}\">\n{}<div class=\"study\">\n<div>",
        heading(document)
    );
    bar(&mut page);
    page += &board_html(document);
    page += CONTROLS;
    page += "</div>\n<div>\n";
    graph(review, &mut page);
    sides(document, review, &mut page);
    page += "<h3>Moves</h3>\n";
    moves(number, document, review, &mut page);
    key_moments(number, review, &mut page);
    page + "</div>\n</div>\n</article>\n"
}

const CONTROLS: &str = "<div class=\"controls\">\
    <button type=\"button\" data-action=\"first\" aria-label=\"First position\">⇤</button>\
    <button type=\"button\" data-action=\"previous\" aria-label=\"Previous move\">←</button>\
    <button type=\"button\" data-action=\"next\" aria-label=\"Next move\">→</button>\
    <button type=\"button\" data-action=\"last\" aria-label=\"Last position\">⇥</button>\
    <button type=\"button\" data-action=\"flip\" aria-label=\"Flip the board\">⇅</button></div>\n\
    <p class=\"status\" aria-live=\"polite\">Arrow keys: left and right for moves, up and down for key \
    moments. f flips the board.</p>\n";

/// The bar of win, draw and loss probabilities; the script sets its values.
fn bar(page: &mut String) {
    *page += "<div class=\"wdl\" role=\"img\"><span class=\"white\"></span>\
              <span class=\"draw\"></span><span class=\"black\"></span></div>\n";
}

/// The coordinates of a position in a graph of this number of positions.
fn graph_point(ply: usize, positions: usize, position: &ReviewedPosition) -> (f64, f64) {
    let white = match position.board.turn() {
        Color::White => expected_points(position.score),
        Color::Black => 1.0 - expected_points(position.score),
    };
    let x = ply as f64 * GRAPH.0 / (positions.max(2) - 1) as f64;
    (x, GRAPH.1 * (1.0 - white))
}

/// The graph of White's expected points over the game.
fn graph(review: &Review, page: &mut String) {
    let (width, height) = GRAPH;
    let count = review.positions.len();
    let _ = write!(
        page,
        "<svg class=\"graph\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-label=\"White's chances over the game\"><path class=\"area\" d=\"M0 {height}"
    );
    for (ply, position) in review.positions.iter().enumerate() {
        let (x, y) = graph_point(ply, count, position);
        let _ = write!(page, "L{x:.1} {y:.1}");
    }
    let _ = write!(
        page,
        "L{width} {height}z\"/><path class=\"middle\" d=\"M0 {0}H{width}\"/>",
        height / 2.0
    );
    for (ply, judged) in review.moves.iter().enumerate() {
        if judged.judgement >= Judgement::Mistake {
            let (x, y) = graph_point(ply + 1, count, &review.positions[ply + 1]);
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

/// The list of moves. The attributes of each hold everything that the script shows.
fn moves(game: usize, document: &Document, review: &Review, page: &mut String) {
    let positions = &review.positions;
    let x = |ply| graph_point(ply, positions.len(), &positions[ply]).0;
    *page += "<ol class=\"moves\">\n";
    let start = &positions[0];
    let _ = writeln!(
        page,
        "<li><span></span><a href=\"#g{game}-0\" data-id=\"g{game}-0\" data-ply=\"0\" data-x=\"0\" \
         data-name=\"Start\"{}>Start</a></li>",
        position_attributes(start, None, document)
    );
    for (ply, judged) in review.moves.iter().enumerate() {
        let (before, after) = (&positions[ply], &positions[ply + 1]);
        let number = before.board.fullmove_number();
        if judged.mover == Color::White || ply == 0 {
            let _ = write!(page, "<li><span>{number}.</span>");
            if judged.mover == Color::Black {
                *page += "<span>…</span>";
            }
        }
        let san = judged.played.map_or("--".into(), |m| before.board.san(m));
        let is_bad = judged.judgement >= Judgement::Inaccuracy;
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
            position_attributes(after, judged.played, document)
        );
        if is_bad && !before.pv.is_empty() {
            let best = before.pv[0];
            let _ = write!(
                page,
                " data-best=\"{}{}\" data-better=\"Better: {}\"",
                best.from(),
                arrow_head(best, document.chess960),
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
    &line[..line.len().min(MAX_PLIES)]
}

/// The head of the arrow for a move: for castling in standard chess the king's target square.
fn arrow_head(m: Move, chess960: bool) -> Square {
    UciMove::new(m, chess960).to
}

/// The attributes of a position and of the move that led to it.
fn position_attributes(
    position: &ReviewedPosition,
    played: Option<Move>,
    document: &Document,
) -> String {
    let board = &position.board;
    let wdl = position.wdl();
    let mut text = format!(
        " data-fen=\"{}\" data-eval=\"{}\" data-wdl=\"{} {} {}\"",
        board.to_fen(),
        position.eval(),
        wdl.win,
        wdl.draw,
        wdl.loss
    );
    if let Some(m) = played {
        let to = arrow_head(m, document.chess960);
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

/// The element of an analysed position; with the solution of a test position.
pub fn position<T>(
    document: &Document,
    result: &AnalysisResult<T>,
    solution: Option<Solution>,
) -> String {
    let mut page = String::new();
    let mut document = document.clone();
    for line in &result.lines {
        let m = line.moves[0];
        let to = arrow_head(m, document.chess960);
        let first = document.drawing.shapes.is_empty();
        let color = if first {
            ShapeColor::Green
        } else {
            ShapeColor::Blue
        };
        document
            .drawing
            .shapes
            .push(Shape::arrow(m.from(), to, color));
    }
    page += "<section>\n";
    page += &board_html(&document);
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
    page += "<ol class=\"lines\">\n";
    for line in &result.lines {
        let eval = super::Eval::new(line.score, result.board.turn());
        let _ = writeln!(
            page,
            "<li><b>{eval}</b> {} <small>(depth {})</small></li>",
            line_text(&result.board, shortened(&line.moves)),
            line.needed_depth()
        );
    }
    page + "</ol>\n</section>\n"
}
