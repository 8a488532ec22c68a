//! The moves of a game with their variations, comments and marks.

use crate::chess::{Board, Game, Move};

/// One step of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// A legal move.
    Move(Move),
    /// The side to move passes: no chess move, but annotators write it (`--`).
    Pass,
}

impl Step {
    /// The position after the step, which is possible in `board`.
    #[must_use]
    pub fn make(self, board: &Board) -> Board {
        match self {
            Step::Move(m) => board.make(m),
            Step::Pass => board.make_null(),
        }
    }
}

/// A place in a [`Tree`]: the position after a step, or the start.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(u32);

/// No node.
const NONE: NodeId = NodeId(u32::MAX);

impl NodeId {
    /// The start of every tree.
    pub const ROOT: NodeId = NodeId(0);

    fn some(self) -> Option<NodeId> {
        (self != NONE).then_some(self)
    }
}

/// A step and what is said of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    step: Option<Step>,
    parent: NodeId,
    first_child: NodeId,
    next_sibling: NodeId,
    /// Numeric annotation glyphs: 1 is `!`, 2 is `?` …
    pub nags: Vec<u8>,
    /// The comment before the step, where a variation begins.
    pub comment_before: String,
    /// The comment after the step; at the root: before the first.
    pub comment: String,
}

impl Node {
    fn new(step: Option<Step>, parent: NodeId) -> Node {
        Node {
            step,
            parent,
            first_child: NONE,
            next_sibling: NONE,
            nags: Vec::new(),
            comment_before: String::new(),
            comment: String::new(),
        }
    }

    /// The step; none at the root.
    pub fn step(&self) -> Option<Step> {
        self.step
    }

    /// Adds a comment to what is said after the step.
    pub fn add_comment(&mut self, text: &str) {
        if !self.comment.is_empty() && !text.is_empty() {
            self.comment.push(' ');
        }
        self.comment.push_str(text);
    }
}

/// A start position and a tree of moves. The first child of every node continues its line, the
/// others are variations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tree {
    start: Board,
    nodes: Vec<Node>,
}

impl Tree {
    /// A tree without moves.
    pub fn new(start: Board) -> Tree {
        Tree {
            start,
            nodes: vec![Node::new(None, NONE)],
        }
    }

    /// A tree with the moves of a game as its main line.
    pub fn from_game(game: &Game) -> Tree {
        let mut tree = Tree::new(*game.start_position());
        let mut at = NodeId::ROOT;
        for m in game.moves() {
            at = tree.add(at, Step::Move(*m));
        }
        tree
    }

    /// The position the game begins with.
    pub fn start(&self) -> &Board {
        &self.start
    }

    /// How many steps there are in all lines.
    pub fn len(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Whether there is no step.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// A node, to annotate it.
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.0 as usize]
    }

    /// Adds a step after a node: as its continuation if it has none, else as its last variation.
    /// The caller knows that the step is possible there.
    ///
    /// # Panics
    /// If there are four thousand million steps.
    pub fn add(&mut self, parent: NodeId, step: Step) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).expect("fewer steps"));
        self.nodes.push(Node::new(Some(step), parent));
        let mut last = self.node(parent).first_child;
        if last == NONE {
            self.node_mut(parent).first_child = id;
            return id;
        }
        while let Some(next) = self.node(last).next_sibling.some() {
            last = next;
        }
        self.node_mut(last).next_sibling = id;
        id
    }

    /// The node that a node follows; none at the root.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.node(id).parent.some()
    }

    /// The continuation of a line.
    pub fn next(&self, id: NodeId) -> Option<NodeId> {
        self.node(id).first_child.some()
    }

    /// What follows a node: its continuation and then the variations.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.next(id), |child| self.node(*child).next_sibling.some())
    }

    /// The nodes of the main line, without the root.
    pub fn main_line(&self) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.next(NodeId::ROOT), |id| self.next(*id))
    }

    /// The last node of the main line; the root if there is no move.
    pub fn end(&self) -> NodeId {
        self.main_line().last().unwrap_or(NodeId::ROOT)
    }

    /// The steps of the main line.
    pub fn main_steps(&self) -> impl Iterator<Item = Step> + '_ {
        self.main_line().filter_map(|id| self.node(id).step)
    }

    /// The position at the end of the main line.
    pub fn end_board(&self) -> Board {
        self.main_steps()
            .fold(self.start, |board, step| step.make(&board))
    }

    /// The main line as a game, for the rules of repetition. It begins after the last pass, since a
    /// pass is no move.
    pub fn game(&self) -> Game {
        let mut game = Game::new(self.start);
        for step in self.main_steps() {
            match step {
                Step::Move(m) => game.push(m),
                Step::Pass => game = Game::new(game.board().make_null()),
            }
        }
        game
    }

    /// How many variations there are.
    pub fn variations(&self) -> usize {
        self.nodes.iter().filter(|n| n.next_sibling != NONE).count()
    }
}
