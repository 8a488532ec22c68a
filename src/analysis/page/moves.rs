//! The list of moves of a game.

use super::super::players::clock;
use super::super::{JudgedMove, Judgement, Review, ReviewedPosition};
use super::{arrow, board_attributes, graph, signed};
use crate::chess::Color;
use crate::formats::Document;
use crate::formats::html::escape;
use std::fmt::Write as _;

/// The list of moves. The attributes of each hold everything that the script shows.
pub(super) fn moves(game: u64, document: &Document, review: &Review, page: &mut String) {
    let nodes = review.moves.iter().map(|judged| judged.node);
    let clocks: Vec<Option<&str>> =
        nodes.map(|node| clock(&document.tree.node(node).comment)).collect();
    let class = if clocks.iter().any(Option::is_some) { "moves clocks" } else { "moves" };
    let _ = writeln!(
        page,
        "<section class=\"card\">\n<h3>Moves</h3>\n<ol class=\"{class}\">\n<li><span></span>\
         <a href=\"#g{game}-0\" data-id=\"g{game}-0\" data-ply=\"0\" data-x=\"0\" \
         data-name=\"Start\"{}>Start</a></li>",
        attributes(review, 0, document)
    );
    for (ply, judged) in review.moves.iter().enumerate() {
        let before = &review.positions[ply].board;
        let number = before.fullmove_number();
        if judged.mover == Color::White || ply == 0 {
            let _ = write!(page, "<li><span>{number}.</span>");
            if judged.mover == Color::Black {
                *page += "<span>…</span>";
            }
        }
        let after = &review.positions[ply + 1];
        let name = name(judged, &review.positions[ply]);
        let _ = write!(
            page,
            "<a href=\"#g{game}-{0}\" data-id=\"g{game}-{0}\" class=\"{1}\" data-ply=\"{0}\" \
             data-x=\"{2:.1}\" data-name=\"{3}\"{4}",
            ply + 1,
            judged.judgement.name(),
            graph::point(review, ply + 1).0,
            numbered(&name, number, judged.mover),
            attributes(review, ply + 1, document)
        );
        if let Some(clock) = clocks[ply] {
            let _ = write!(page, " data-clock=\"{}\"", escape(clock));
        }
        let _ = write!(page, "><b>{name}</b> <small>{}</small>", signed(after.eval()));
        if let Some(clock) = clocks[ply] {
            let _ = write!(page, "<time>{}</time>", escape(clock));
        }
        *page += "</a>";
        if judged.mover == Color::Black || ply + 1 == review.moves.len() {
            *page += "</li>\n";
        }
    }
    *page += "</ol>\n</section>\n";
}

/// A move with the symbol of its judgement.
fn name(judged: &JudgedMove, before: &ReviewedPosition) -> String {
    let san = judged.played.map_or("--".into(), |m| before.board.san(m));
    format!("{san}{}", judged.judgement.symbol())
}

fn numbered(name: &str, number: u32, mover: Color) -> String {
    match mover {
        Color::White => format!("{number}. {name}"),
        Color::Black => format!("{number}… {name}"),
    }
}

/// The attributes of a position, and of the error that was played in it with the better move.
fn attributes(review: &Review, ply: usize, document: &Document) -> String {
    let position = &review.positions[ply];
    let played = ply.checked_sub(1).and_then(|ply| review.moves[ply].played);
    let wdl = position.wdl();
    let mut text = board_attributes(&position.board, played, document.chess960);
    let _ = write!(
        text,
        " data-eval=\"{}\" data-wdl=\"{} {} {}\"",
        signed(position.eval()),
        wdl.win,
        wdl.draw,
        wdl.loss
    );
    let next = review.moves.get(ply);
    if let Some(error) = next.filter(|next| next.judgement >= Judgement::Inaccuracy)
        && let Some(best) = position.pv.first()
    {
        let board = &position.board;
        let (number, mover) = (board.fullmove_number(), board.turn());
        let _ = write!(
            text,
            " data-best=\"{}\" data-best-name=\"{}\" data-error=\"{}\"",
            arrow(*best, document.chess960),
            numbered(&board.san(*best), number, mover),
            numbered(&name(error, position), number, mover)
        );
    }
    text
}
