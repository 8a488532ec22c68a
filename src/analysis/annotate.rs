//! A judged game as an annotated one.

use super::{Judgement, Review, line_text};
use crate::chess::Color;
use crate::formats::{Document, NodeId, Step};

/// How many plies of a better line are written.
const LINE_LENGTH: usize = 10;

/// A game with the evaluation of each move as `[%eval]`, marks for its mistakes, and what was better
/// as variations. Its own comments and variations stay.
#[must_use]
pub fn annotate(document: &Document, review: &Review) -> Document {
    let mut document = document.clone();
    for (number, judged) in review.moves.iter().enumerate() {
        let (before, after) = (&review.standings[number], &review.standings[number + 1]);
        let mut comment = match after.depth {
            0 => format!("[%eval {}]", after.eval()),
            depth => format!("[%eval {},{depth}]", after.eval()),
        };
        let faulty = judged.judgement >= Judgement::Inaccuracy;
        if let (true, Some(best)) = (faulty, before.line.first()) {
            comment += &format!(
                " {} ({} to {}): {} was better.",
                capitalized(judged.judgement.word()),
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
            // Someone else's judgement gives way, other glyphs stay.
            node.nags.retain(|old| !(1..=6).contains(old));
            node.nags.insert(0, nag);
        }
        if faulty {
            add_line(&mut document, judged.node, &before.line);
        }
    }
    document.set_tag("Annotator", concat!("Saavedra ", env!("CARGO_PKG_VERSION")));
    if !review.moves.is_empty() {
        let summary = summary(review);
        document.tree.node_mut(NodeId::ROOT).add_comment(&summary);
    }
    document
}

/// Adds a line beside a move, unless a variation begins with its first move already.
fn add_line(document: &mut Document, node: NodeId, line: &[crate::chess::Move]) {
    let tree = &mut document.tree;
    let Some(parent) = tree.parent(node) else {
        return;
    };
    let first = line.first().map(|m| Step::Move(*m));
    if tree
        .children(parent)
        .any(|child| tree.node(child).step() == first)
    {
        return;
    }
    let mut at = parent;
    for m in line.iter().take(LINE_LENGTH) {
        at = tree.add(at, Step::Move(*m));
    }
}

/// A comment without an evaluation that someone else wrote.
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

/// Both sides' play in a sentence each.
fn summary(review: &Review) -> String {
    let sentences = Color::ALL.map(|color| {
        let side = &review.sides[color.index()];
        let [inaccuracies, mistakes, blunders] = side.faults;
        let name = match color {
            Color::White => "White",
            Color::Black => "Black",
        };
        format!(
            "{name}: accuracy {:.0} %, inaccuracies {inaccuracies}, mistakes {mistakes}, blunders \
             {blunders}.",
            side.accuracy
        )
    });
    let key: Vec<String> = review
        .key_moments
        .iter()
        .filter_map(|number| {
            let played = review.moves[*number].played?;
            Some(line_text(&review.standings[*number].board, &[played]))
        })
        .collect();
    match key.is_empty() {
        true => sentences.join(" "),
        false => format!("{} Key moments: {}.", sentences.join(" "), key.join(", ")),
    }
}
