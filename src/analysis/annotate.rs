//! Annotates a reviewed game.

use super::{Judgement, Opening, Review, line_text, needed_depth};
use crate::chess::{Color, Move};
use crate::engine::NAME;
use crate::formats::{Document, NodeId, Ply};
use crate::search::PvLine;

/// The tags of the opening: its code and its name.
pub const OPENING_TAGS: [&str; 2] = ["ECO", "Opening"];

/// The tags of the accuracies in percent.
pub const ACCURACY_TAGS: [&str; 2] = ["WhiteAccuracy", "BlackAccuracy"];

/// Maximum length of an added variation in plies.
const MAX_VARIATION_PLIES: usize = 10;

/// Adds to a game the evaluation of each move as `[%eval]`, glyphs for bad moves, and the better
/// lines as variations. Existing comments and variations are kept, except what an earlier analysis
/// by this function has written into comments.
#[must_use]
pub fn annotate(document: &Document, review: &Review) -> Document {
    let mut document = document.clone();
    for (ply, judged) in review.moves.iter().enumerate() {
        let (before, after) = (&review.positions[ply], &review.positions[ply + 1]);
        let mut comment = match after.depth {
            // No program reads an evaluation of checkmate, and the move itself has the sign.
            _ if after.eval().mate() == Some(0) => String::new(),
            0 => format!("[%eval {}]", after.eval()),
            depth => format!("[%eval {},{depth}]", after.eval()),
        };
        let is_bad = judged.judgement >= Judgement::Inaccuracy;
        if let (true, Some(best)) = (is_bad, before.pv.first()) {
            // `added_sentence_length` finds the end of it.
            let reason = judged.reason.as_ref();
            comment += &format!(
                " {} ({} to {}){} {} was better.",
                capitalized(judged.judgement.name()),
                before.eval(),
                after.eval(),
                reason.map_or(":".to_owned(), |reason| format!(". {reason}.")),
                before.board.san(*best)
            );
        }
        let node = document.tree.node_mut(judged.node);
        let earlier = without_eval(&node.comment);
        let kept = without_earlier_analysis(&earlier);
        let was_judged = kept != earlier;
        node.comment = comment;
        node.add_comment(&kept);
        let nag = judged.judgement.nag();
        if nag.is_some() || was_judged {
            // Replaces glyphs that judge the move ($1 to $6); other glyphs are kept.
            node.nags.retain(|old| !(1..=6).contains(old));
            node.nags.splice(0..0, nag);
        }
        if is_bad {
            add_variation(&mut document, judged.node, &before.pv);
        }
    }
    let mut document = with_annotator(document);
    if !review.moves.is_empty() {
        let root = document.tree.node_mut(NodeId::ROOT);
        root.comment = without_earlier_analysis(&root.comment);
        root.add_comment(&summary(review));
    }
    document
}

/// Adds to a game without moves the evaluation of its position and the lines, as a comment. A game
/// has only the moves that were played.
pub fn annotate_position(document: &mut Document, lines: &[PvLine]) {
    let board = *document.tree.start();
    let root = document.tree.node_mut(NodeId::ROOT);
    let kept = without_earlier_analysis(&without_eval(&root.comment));
    root.comment = String::new();
    let eval = |line: &PvLine| line.score.white_view(board.turn());
    if let Some(best) = lines.first() {
        root.add_comment(&format!("[%eval {},{}]", eval(best), needed_depth(best)));
    }
    root.add_comment(&kept);
    let texts = lines.iter().map(|line| {
        let moves = line_text(&board, &line.pv);
        format!("{moves} ({})", eval(line))
    });
    let texts: Vec<String> = texts.collect();
    if !texts.is_empty() {
        root.add_comment(&format!("Lines: {}.", texts.join("; ")));
    }
}

/// The document with the tag that names this program.
#[must_use]
pub fn with_annotator(mut document: Document) -> Document {
    document.set_tag("Annotator", NAME);
    document
}

/// Sets the tags of a reviewed game: the opening, unless the game names it, and the accuracies.
pub fn set_review_tags(document: &mut Document, review: &Review, opening: Option<Opening>) {
    if let Some(Opening { eco, name }) = opening {
        for (tag, value) in OPENING_TAGS.into_iter().zip([eco, name]) {
            if document.tag(tag).is_none() {
                document.set_tag(tag, value);
            }
        }
    }
    for (tag, side) in ACCURACY_TAGS.into_iter().zip(review.sides) {
        if let Some(accuracy) = side.accuracy {
            document.set_tag(tag, &format!("{accuracy:.0}"));
        }
    }
}

/// Adds a variation to a move, unless one with the same first move exists.
fn add_variation(document: &mut Document, node: NodeId, moves: &[Move]) {
    let tree = &mut document.tree;
    let Some(parent) = tree.parent(node) else {
        return;
    };
    let first = moves.first().map(|m| Ply::Move(*m));
    if tree.children(parent).any(|child| tree.node(child).ply() == first) {
        return;
    }
    let mut at = parent;
    for m in moves.iter().take(MAX_VARIATION_PLIES) {
        at = tree.add(at, Ply::Move(*m));
    }
}

/// Removes each `[%eval]` from a comment.
fn without_eval(comment: &str) -> String {
    let (mut kept, mut rest) = (Vec::new(), comment);
    while let Some((before, command)) = rest.split_once("[%eval ")
        && let Some((_, after)) = command.split_once(']')
    {
        kept.push(before.trim());
        rest = after;
    }
    if kept.is_empty() {
        comment.to_owned()
    } else {
        kept.push(rest.trim());
        kept.retain(|part| !part.is_empty());
        kept.join(" ")
    }
}

/// Removes the sentences that an earlier analysis has added to a comment.
fn without_earlier_analysis(comment: &str) -> String {
    let words: Vec<&str> = comment.split_whitespace().collect();
    let (mut kept, mut rest) = (Vec::new(), &words[..]);
    while let [word, after @ ..] = rest {
        match added_sentence_length(rest) {
            0 => {
                kept.push(*word);
                rest = after;
            }
            length => rest = &rest[length..],
        }
    }
    if kept.len() == words.len() { comment.to_owned() } else { kept.join(" ") }
}

/// The number of words of the sentence at the start of a text, if [`annotate`] has added it; else
/// 0.
fn added_sentence_length(words: &[&str]) -> usize {
    match words {
        ["Inaccuracy" | "Mistake" | "Blunder", from, "to", to, _, "was", "better.", ..]
            if from.starts_with('(') && to.ends_with("):") =>
        {
            7
        }
        ["Inaccuracy" | "Mistake" | "Blunder", from, "to", to, reason @ ..]
            if from.starts_with('(') && to.ends_with(").") =>
        {
            let end = reason.windows(2).position(|pair| pair == ["was", "better."]);
            end.map_or(0, |place| place + 6)
        }
        ["White:" | "Black:", "accuracy", "–,", counts @ ..] if are_error_counts(counts) => 9,
        ["White:" | "Black:", "accuracy", _, "%,", counts @ ..] if are_error_counts(counts) => 10,
        ["Lines:", lines @ ..] => {
            let last = lines.iter().position(|word| word.ends_with(")."));
            last.map_or(0, |place| place + 2)
        }
        // Pairs of a move number and a move.
        ["Key", "moments:", moves @ ..] => {
            let pairs = moves.chunks_exact(2);
            let numbered = pairs.take_while(|pair| {
                let number = pair[0].trim_end_matches('.');
                number.len() < pair[0].len() && number.parse::<u32>().is_ok()
            });
            let last = numbered.enumerate().find(|(_, pair)| pair[1].ends_with('.'));
            last.map_or(0, |(place, _)| 2 + 2 * (place + 1))
        }
        _ => 0,
    }
}

/// Whether a text begins with `inaccuracies 1, mistakes 0, blunders 2.`
fn are_error_counts(words: &[&str]) -> bool {
    let is_count = |word: &str, end: char| {
        let digits = word.strip_suffix(end);
        digits.is_some_and(|digits| digits.parse::<usize>().is_ok())
    };
    match words {
        ["inaccuracies", first, "mistakes", second, "blunders", third, ..] => {
            is_count(first, ',') && is_count(second, ',') && is_count(third, '.')
        }
        _ => false,
    }
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
        let name = match color {
            Color::White => "White",
            Color::Black => "Black",
        };
        format!("{name}: {}.", review.sides[color.index()].text())
    });
    let key: Vec<String> = review
        .key_moments
        .iter()
        .filter_map(|ply| {
            let played = review.moves[*ply].played?;
            Some(line_text(&review.positions[*ply].board, &[played]))
        })
        .collect();
    if key.is_empty() {
        sentences.join(" ")
    } else {
        format!("{} Key moments: {}.", sentences.join(" "), key.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evaluations_are_removed_from_comments() {
        let cases = [
            ("[%eval 0.3]", ""),
            ("[%eval 0.3,20] good", "good"),
            ("good [%eval #-3]", "good"),
            ("a [%eval 1] [%clk 0:10:00] [%eval 2] b", "a [%clk 0:10:00] b"),
            ("[%eval 1][%eval 2]", ""),
            // What is not closed is text.
            ("good [%eval 0.3 and better", "good [%eval 0.3 and better"),
            ("[%eval 1] good [%eval 0.3", "good [%eval 0.3"),
            ("  no  evaluation ", "  no  evaluation "),
        ];
        for (comment, kept) in cases {
            assert_eq!(without_eval(comment), kept, "{comment}");
        }
    }

    #[test]
    fn sentences_of_an_earlier_analysis_are_removed_from_comments() {
        let error = "Blunder (0.31 to #-3): Nf3 was better.";
        let with_reason =
            "Mistake (0.31 to -3.00). Black wins a knight: 3... e4 4. Qe2 Qe7. d3 was better.";
        let sides = "White: accuracy 93 %, inaccuracies 1, mistakes 0, blunders 2. \
                     Black: accuracy –, inaccuracies 0, mistakes 0, blunders 0.";
        let key = "Key moments: 3... Nf6, 12. O-O-O+.";
        let cases = [
            (error.to_owned(), ""),
            (format!("{error} I was tired."), "I was tired."),
            (format!("{with_reason} I was tired."), "I was tired."),
            (sides.to_owned(), ""),
            (format!("A  game. {sides}"), "A game."),
            (format!("A game. {sides} {key} Played by night."), "A game. Played by night."),
        ];
        for (comment, kept) in cases {
            assert_eq!(without_earlier_analysis(&comment), kept, "{comment}");
        }
        let others = [
            "",
            "A blunder:  Nf3 was better.",
            "Blunder. Nf3 was best.",
            "Blunder (0.31 to #-3): Nf3",
            "Blunder (0.31 to #-3). Nf3 was bad.",
            "White: accuracy counts",
            "White: accuracy matters, blunders happen.",
            "White: accuracy 93 %, inaccuracies many, mistakes none, blunders few.",
            "Key moments: all of them",
            "Key moments: Bxh7 wins.",
            "Key moments: 3 pawns for a knight is fine. Thanks.",
            "Key moments:",
        ];
        for comment in others {
            assert_eq!(without_earlier_analysis(comment), comment);
        }
    }
}
