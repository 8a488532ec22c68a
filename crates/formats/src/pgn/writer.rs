//! Writes games in the export format of the standard.

use super::super::{Document, Node, NodeId, Ply, Tree, result_text};
use super::tag::is_in_name;
use super::tree_builder::is_chess960;
use saavedra_chess::{Board, Color, Setup};

/// Maximum length of a line in characters.
const WIDTH: usize = 79;

/// The seven tag roster in its order, with the values for unknown data.
const ROSTER: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];

/// Tags whose values follow from other fields of the document.
const DERIVED: [&str; 4] = ["Result", "SetUp", "FEN", "Variant"];

/// A game as text.
pub fn write(document: &Document) -> String {
    let mut text = String::with_capacity(1024);
    tags(document, &mut text);
    text.push('\n');
    let mut movetext = Movetext::default();
    match document.drawing.to_comment() {
        drawn if drawn.is_empty() => movetext.tree(&document.tree),
        // It is drawn on the last position.
        drawn => {
            let mut tree = document.tree.clone();
            tree.node_mut(tree.end()).add_comment(&drawn);
            movetext.tree(&tree);
        }
    }
    movetext.word(result_text(document.result));
    text + &movetext.finish()
}

fn tags(document: &Document, text: &mut String) {
    for (name, unknown) in ROSTER {
        let value = match name {
            "Result" => result_text(document.result),
            _ => document.tag(name).unwrap_or(unknown),
        };
        tag(name, value, text);
    }
    start_position(document, text);
    for (name, value) in &document.tags {
        let known = ROSTER.iter().any(|(known, _)| known == name);
        if !known && !DERIVED.iter().any(|derived| derived.eq_ignore_ascii_case(name)) {
            tag(name, value, text);
        }
    }
}

/// The tags of the start position, in the spelling of the document's tags where they agree with it.
fn start_position(document: &Document, text: &mut String) {
    let own = |name: &str| {
        let mut tags = document.tags.iter();
        let found = tags.find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    };
    // A game that a tag refuses has no moves, so that the tag may stay.
    let same_rules =
        |variant: &&str| is_chess960(variant).is_none_or(|chess960| chess960 == document.chess960);
    match own("Variant").filter(same_rules) {
        Some(variant) => tag("Variant", variant, text),
        None if document.chess960 => tag("Variant", "Chess960", text),
        None => {}
    }
    let start = document.tree.start();
    let same_position = |fen: &&str| {
        let board = Setup::from_fen(fen).ok().and_then(|setup| setup.to_board().ok());
        // Other programs read neither `startpos` nor a semicolon.
        fen.contains('/') && !fen.contains(';') && board.is_none_or(|(board, _)| board == *start)
    };
    let fen = match own("FEN").filter(same_position) {
        Some(fen) => fen.to_owned(),
        None if *start != Board::startpos() => start.to_fen(),
        None => return,
    };
    let set_up = own("SetUp").filter(|_| *start == Board::startpos());
    tag("SetUp", set_up.unwrap_or("1"), text);
    tag("FEN", &fen, text);
}

fn tag(name: &str, value: &str, text: &mut String) {
    text.push('[');
    text.extend(name.chars().filter(|c| is_in_name(*c)));
    text.push_str(" \"");
    for c in value.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            c if c.is_control() => text.push(' '),
            c => text.push(c),
        }
    }
    text.push_str("\"]\n");
}

/// Movetext in lines of limited length.
#[derive(Default)]
struct Movetext {
    text: String,
    /// Length of the last line in characters.
    column: usize,
    /// The last word, not yet in `text`.
    pending: String,
    /// Whether the next word is appended to the last without a space.
    glued: bool,
}

impl Movetext {
    /// Adds a word, on a new line if it does not fit.
    fn word(&mut self, word: &str) {
        if !std::mem::take(&mut self.glued) {
            self.place_pending();
        }
        self.pending.push_str(word);
    }

    /// Appends text to the last word.
    fn attach(&mut self, sign: &str) {
        self.pending.push_str(sign);
    }

    fn place_pending(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let length = self.pending.chars().count();
        if self.column == 0 {
            self.column = length;
        } else if self.column + 1 + length > WIDTH {
            self.text.push('\n');
            self.column = length;
        } else {
            self.text.push(' ');
            self.column += 1 + length;
        }
        self.text.push_str(&self.pending);
        self.pending.clear();
    }

    /// The text with the end of its last line.
    fn finish(mut self) -> String {
        self.place_pending();
        self.text.push('\n');
        self.text
    }

    fn comment(&mut self, comment: &str) {
        if comment.trim().is_empty() {
            return;
        }
        // The first closing brace ends a comment.
        let comment = comment.replace('}', ")");
        let mut in_command = false;
        for (number, word) in comment.split_whitespace().enumerate() {
            let like_a_tag = word.starts_with('[') && !word.starts_with("[%");
            match (number, in_command || like_a_tag || word.starts_with('%')) {
                (0, _) => self.word(&format!("{{{word}")),
                (_, false) => self.word(word),
                // A line break inside a command such as `[%eval 0.31]` would change it; a line that
                // starts with `%` would be skipped, and one that starts with `[` read as a tag.
                (_, true) => self.attach(&format!(" {word}")),
            }
            in_command = (in_command || word.starts_with("[%")) && !word.contains(']');
        }
        self.attach("}");
    }

    fn tree(&mut self, tree: &Tree) {
        self.nags(&tree.node(NodeId::ROOT).nags);
        self.comment(&tree.node(NodeId::ROOT).comment);
        // A stack of what is left to write.
        let mut todo = Vec::new();
        push_line(tree, NodeId::ROOT, *tree.start(), true, &mut todo);
        while let Some(next) = todo.pop() {
            match next {
                Next::Ply(id, board, numbered) => self.node(tree.node(id), &board, numbered),
                Next::Line(id, board, numbered) => push_line(tree, id, board, numbered, &mut todo),
                Next::VariationStart(id, board) => {
                    self.word("(");
                    self.glued = true;
                    let node = tree.node(id);
                    let after = node.ply().map_or(board, |ply| ply.make(&board));
                    todo.push(Next::VariationEnd);
                    todo.push(Next::Line(id, after, !node.comment.is_empty()));
                    todo.push(Next::Ply(id, board, true));
                }
                Next::VariationEnd => self.attach(")"),
            }
        }
    }

    /// A ply with its annotations.
    fn node(&mut self, node: &Node, board: &Board, numbered: bool) {
        let Some(ply) = node.ply() else {
            return;
        };
        self.nags(&node.starting_nags);
        self.comment(&node.starting_comment);
        self.ply(board, ply, numbered || !node.starting_comment.is_empty());
        self.nags(&node.nags);
        self.comment(&node.comment);
    }

    fn nags(&mut self, nags: &[u8]) {
        for nag in nags {
            self.word(&format!("${nag}"));
        }
    }

    /// A move, with the move number if White moves or `numbered` is set.
    fn ply(&mut self, board: &Board, ply: Ply, numbered: bool) {
        let number = board.fullmove_number();
        match board.turn() {
            Color::White => self.word(&format!("{number}.")),
            Color::Black if numbered => self.word(&format!("{number}...")),
            Color::Black => {}
        }
        match ply {
            Ply::Move(m) => self.word(&board.san(m)),
            Ply::Null => self.word("--"),
        }
    }
}

/// An element of the movetext that is left to write.
enum Next {
    /// A ply from this position; the flag asks for a move number even if Black moves.
    Ply(NodeId, Board, bool),
    /// The continuation of a ply, from the position after it.
    Line(NodeId, Board, bool),
    /// A variation that starts with this ply.
    VariationStart(NodeId, Board),
    /// The end of a variation.
    VariationEnd,
}

/// Pushes what follows a node: the next ply, its variations, then the rest of the line.
fn push_line(tree: &Tree, id: NodeId, board: Board, numbered: bool, todo: &mut Vec<Next>) {
    let children: Vec<NodeId> = tree.children(id).collect();
    let Some((main, variations)) = children.split_first() else {
        return;
    };
    let node = tree.node(*main);
    let after = node.ply().map_or(board, |ply| ply.make(&board));
    let interrupted = !variations.is_empty() || !node.comment.is_empty();
    todo.push(Next::Line(*main, after, interrupted));
    let variations = variations.iter().rev();
    todo.extend(variations.map(|id| Next::VariationStart(*id, board)));
    todo.push(Next::Ply(*main, board, numbered));
}
