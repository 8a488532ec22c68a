//! Annotates a reviewed game.

use super::{Judgement, Review, SideSummary, line_text};
use crate::chess::{Color, Move};
use crate::formats::{Document, NodeId, Ply};

/// Maximum length of an added variation in plies.
const MAX_VARIATION_PLIES: usize = 10;

/// Adds to a game the evaluation of each move as `[%eval]`, glyphs for bad moves, and the better lines
/// as variations. Existing comments and variations are kept.
#[must_use]
pub fn annotate(document: &Document, review: &Review) -> Document {
    let mut document = document.clone();
    for (ply, judged) in review.moves.iter().enumerate() {
        let (before, after) = (&review.positions[ply], &review.positions[ply + 1]);
        let mut comment = match after.depth {
            0 => format!("[%eval {}]", after.eval()),
            depth => format!("[%eval {},{depth}]", after.eval()),
        };
        let is_bad = judged.judgement >= Judgement::Inaccuracy;
        if let (true, Some(best)) = (is_bad, before.pv.first()) {
            comment += &format!(
                " {} ({} to {}): {} was better.",
                capitalized(judged.judgement.name()),
                before.eval(),
                after.eval(),
                before.board.san(*best)
            );
        }
        let node = document.tree.node_mut(judged.node);
        let own = without_eval(&node.comment);
        node.comment.clear();
        node.add_comment(&comment);
        node.add_comment(&own);
        if let Some(nag) = judged.judgement.nag() {
            // Replaces glyphs that judge the move ($1 to $6); other glyphs are kept.
            node.nags.retain(|old| !(1..=6).contains(old));
            node.nags.insert(0, nag);
        }
        if is_bad {
            add_variation(&mut document, judged.node, &before.pv);
        }
    }
    let mut document = with_annotator(document);
    if !review.moves.is_empty() {
        let summary = summary(review);
        document.tree.node_mut(NodeId::ROOT).add_comment(&summary);
    }
    document
}

/// The document with the tag that names this program.
#[must_use]
pub fn with_annotator(mut document: Document) -> Document {
    document.set_tag("Annotator", concat!("Saavedra ", env!("CARGO_PKG_VERSION")));
    document
}

/// Adds a variation to a move, unless one with the same first move exists.
fn add_variation(document: &mut Document, node: NodeId, moves: &[Move]) {
    let tree = &mut document.tree;
    let Some(parent) = tree.parent(node) else {
        return;
    };
    let first = moves.first().map(|m| Ply::Move(*m));
    if tree
        .children(parent)
        .any(|child| tree.node(child).ply() == first)
    {
        return;
    }
    let mut at = parent;
    for m in moves.iter().take(MAX_VARIATION_PLIES) {
        at = tree.add(at, Ply::Move(*m));
    }
}

/// Removes an existing `[%eval]` from a comment.
fn without_eval(comment: &str) -> String {
    let Some((before, rest)) = comment.split_once("[%eval ") else {
        return comment.to_owned();
    };
    let after = rest.split_once(']').map_or("", |(_, after)| after);
    format!("{} {}", before.trim_end(), after.trim_start())
        .trim()
        .to_owned()
}

fn capitalized(word: &str) -> String {
    let mut characters = word.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => String::new(),
    }
}

/// One sentence per side, and the key moments.
fn summary(review: &Review) -> String {
    let sentences = Color::ALL.map(|color| {
        let side = &review.sides[color.index()];
        let SideSummary {
            inaccuracies,
            mistakes,
            blunders,
            ..
        } = side;
        let name = match color {
            Color::White => "White",
            Color::Black => "Black",
        };
        format!(
            "{name}: accuracy {}, inaccuracies {inaccuracies}, mistakes {mistakes}, blunders {blunders}.",
            side.accuracy_text()
        )
    });
    let key: Vec<String> = review
        .key_moments
        .iter()
        .filter_map(|ply| {
            let played = review.moves[*ply].played?;
            Some(line_text(&review.positions[*ply].board, &[played]))
        })
        .collect();
    match key.is_empty() {
        true => sentences.join(" "),
        false => format!("{} Key moments: {}.", sentences.join(" "), key.join(", ")),
    }
}
