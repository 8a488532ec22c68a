//! Writing games in the standard's export format.

use super::super::{Document, Node, NodeId, Step, Tree, result_text};
use crate::chess::{Board, Color};

/// The widest line, in characters.
const WIDTH: usize = 79;

/// The tags every game has, in their order, with the values for what is not known.
const ROSTER: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];

/// Tags that follow from the game itself.
const DERIVED: [&str; 4] = ["Result", "SetUp", "FEN", "Variant"];

/// A game as text.
pub fn write(document: &Document) -> String {
    let mut text = String::with_capacity(1024);
    tags(document, &mut text);
    text.push('\n');
    let mut movetext = Movetext::default();
    let drawn = document.drawing.to_comment();
    if !drawn.is_empty() {
        movetext.comment(&drawn);
    }
    movetext.tree(&document.tree);
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
    if document.chess960 {
        tag("Variant", "Chess960", text);
    }
    let start = document.tree.start();
    if *start != Board::startpos() {
        tag("SetUp", "1", text);
        tag("FEN", &start.to_fen(), text);
    }
    for (name, value) in &document.tags {
        let known = ROSTER.iter().any(|(known, _)| known == name);
        if !known
            && !DERIVED
                .iter()
                .any(|derived| derived.eq_ignore_ascii_case(name))
        {
            tag(name, value, text);
        }
    }
}

fn tag(name: &str, value: &str, text: &mut String) {
    let is_name = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
    text.push('[');
    text.extend(name.chars().filter(is_name));
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

/// Moves and comments in lines of limited width.
#[derive(Default)]
struct Movetext {
    text: String,
    /// How many characters the last line of the text has.
    column: usize,
    /// The last word, which may still grow.
    pending: String,
    /// Whether the next word goes on with the last.
    glued: bool,
}

impl Movetext {
    /// Adds a word, which goes to a new line if it does not fit.
    fn word(&mut self, word: &str) {
        if !std::mem::take(&mut self.glued) {
            self.place_pending();
        }
        self.pending.push_str(word);
    }

    /// Adds what belongs to the word before.
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

    /// The text with its last line ended.
    fn finish(mut self) -> String {
        self.place_pending();
        self.text.push('\n');
        self.text
    }

    fn comment(&mut self, comment: &str) {
        if comment.trim().is_empty() {
            return;
        }
        // Braces cannot be written within braces.
        let comment = comment.replace('{', "(").replace('}', ")");
        let mut in_command = false;
        for (number, word) in comment.split_whitespace().enumerate() {
            let like_a_tag = word.starts_with('[') && !word.starts_with("[%");
            match (number, in_command || like_a_tag || word.starts_with('%')) {
                (0, _) => self.word(&format!("{{{word}")),
                (_, false) => self.word(word),
                // A command such as `[%eval 0.31]` is not broken, a line that begins with a percent
                // sign would be passed over, and one that looks like a tag taken for the next game.
                (_, true) => self.attach(&format!(" {word}")),
            }
            in_command = (in_command || word.starts_with("[%")) && !word.contains(']');
        }
        self.attach("}");
    }

    fn tree(&mut self, tree: &Tree) {
        self.comment(&tree.node(NodeId::ROOT).comment);
        // What is still to be written, the next last.
        let mut todo = Vec::new();
        push_line(tree, NodeId::ROOT, *tree.start(), true, &mut todo);
        while let Some(next) = todo.pop() {
            match next {
                Next::Step(id, board, numbered) => self.node(tree.node(id), &board, numbered),
                Next::Line(id, board, numbered) => push_line(tree, id, board, numbered, &mut todo),
                Next::Variation(id, board) => {
                    self.word("(");
                    self.glued = true;
                    let node = tree.node(id);
                    let after = node.step().map_or(board, |step| step.make(&board));
                    todo.push(Next::Close);
                    todo.push(Next::Line(id, after, !node.comment.is_empty()));
                    todo.push(Next::Step(id, board, true));
                }
                Next::Close => self.attach(")"),
            }
        }
    }

    /// A step with what is said of it.
    fn node(&mut self, node: &Node, board: &Board, numbered: bool) {
        let Some(step) = node.step() else {
            return;
        };
        self.comment(&node.comment_before);
        self.step(board, step, numbered || !node.comment_before.is_empty());
        for nag in &node.nags {
            self.word(&format!("${nag}"));
        }
        self.comment(&node.comment);
    }

    /// A move with its number where one is due.
    fn step(&mut self, board: &Board, step: Step, numbered: bool) {
        let number = board.fullmove_number();
        match board.turn() {
            Color::White => self.word(&format!("{number}.")),
            Color::Black if numbered => self.word(&format!("{number}...")),
            Color::Black => {}
        }
        match step {
            Step::Move(m) => self.word(&board.san(m)),
            Step::Pass => self.word("--"),
        }
    }
}

/// A thing to be written.
enum Next {
    /// A step from a position, with its number even if it is Black's.
    Step(NodeId, Board, bool),
    /// What follows a step, from the position after it.
    Line(NodeId, Board, bool),
    /// A variation that begins with this step.
    Variation(NodeId, Board),
    /// The end of a variation.
    Close,
}

/// Adds what follows a node to what is to be written: the next step, its variations, the rest.
fn push_line(tree: &Tree, id: NodeId, board: Board, numbered: bool, todo: &mut Vec<Next>) {
    let children: Vec<NodeId> = tree.children(id).collect();
    let Some((main, variations)) = children.split_first() else {
        return;
    };
    let node = tree.node(*main);
    let after = node.step().map_or(board, |step| step.make(&board));
    let interrupted = !variations.is_empty() || !node.comment.is_empty();
    todo.push(Next::Line(*main, after, interrupted));
    let variations = variations.iter().rev();
    todo.extend(variations.map(|id| Next::Variation(*id, board)));
    todo.push(Next::Step(*main, board, numbered));
}
