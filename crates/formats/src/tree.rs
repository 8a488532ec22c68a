//! The tree of moves of a game: main line, variations, comments, NAGs.

use saavedra_chess::{Board, Game, Move};

/// A move or null move of a game tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ply {
    /// A legal move.
    Move(Move),
    /// A null move, as annotators write it (`--`).
    Null,
}

impl Ply {
    /// The position after the ply, which must be possible in `board`.
    #[must_use]
    pub fn make(self, board: &Board) -> Board {
        match self {
            Ply::Move(m) => board.make(m),
            Ply::Null => board.make_null(),
        }
    }
}

/// A node of a [`Tree`]: the position after a ply, or the start position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(u32);

/// No node.
const NONE: NodeId = NodeId(u32::MAX);

impl NodeId {
    /// The start position.
    pub const ROOT: NodeId = NodeId(0);

    fn some(self) -> Option<NodeId> {
        (self != NONE).then_some(self)
    }
}

/// A ply and its annotations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    ply: Option<Ply>,
    parent: NodeId,
    first_child: NodeId,
    last_child: NodeId,
    next_sibling: NodeId,
    /// Numeric annotation glyphs: 1 is `!`, 2 is `?` … At the root those before the first ply.
    pub nags: Vec<u8>,
    /// The comment before the first ply of a variation.
    pub starting_comment: String,
    /// The NAGs before the first ply of a variation, such as `$142` (better is).
    pub starting_nags: Vec<u8>,
    /// The comment after the ply; at the root, before the first ply.
    pub comment: String,
}

impl Node {
    fn new(ply: Option<Ply>, parent: NodeId) -> Node {
        Node {
            ply,
            parent,
            first_child: NONE,
            last_child: NONE,
            next_sibling: NONE,
            nags: Vec::new(),
            starting_comment: String::new(),
            starting_nags: Vec::new(),
            comment: String::new(),
        }
    }

    /// The ply; `None` at the root.
    pub fn ply(&self) -> Option<Ply> {
        self.ply
    }

    /// Appends text to the comment.
    pub fn add_comment(&mut self, text: &str) {
        if !self.comment.is_empty() && !text.is_empty() {
            self.comment.push(' ');
        }
        self.comment.push_str(text);
    }
}

/// A start position and a tree of plies. The first child of a node continues the line, the others
/// start variations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tree {
    start: Board,
    nodes: Vec<Node>,
}

impl Tree {
    /// A tree without moves.
    pub fn new(start: Board) -> Tree {
        Tree { start, nodes: vec![Node::new(None, NONE)] }
    }

    /// A tree with the moves of a game as its main line.
    pub fn from_game(game: &Game) -> Tree {
        let mut tree = Tree::new(*game.start_position());
        let mut at = NodeId::ROOT;
        for m in game.moves() {
            at = tree.add(at, Ply::Move(*m));
        }
        tree
    }

    /// The start position.
    pub fn start(&self) -> &Board {
        &self.start
    }

    /// Number of plies in the main line and all variations.
    pub fn len(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Whether there is no ply.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// A node, for annotations.
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.0 as usize]
    }

    /// Adds a ply after a node: as its continuation if it has none, else as its last variation. The
    /// ply must be possible there.
    ///
    /// # Panics
    /// If the tree has 2³² − 1 nodes.
    pub fn add(&mut self, parent: NodeId, ply: Ply) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).expect("fewer plies"));
        self.nodes.push(Node::new(Some(ply), parent));
        let last = std::mem::replace(&mut self.node_mut(parent).last_child, id);
        match last.some() {
            None => self.node_mut(parent).first_child = id,
            Some(last) => self.node_mut(last).next_sibling = id,
        }
        id
    }

    /// The parent of a node; `None` at the root.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.node(id).parent.some()
    }

    /// The continuation of a line.
    pub fn next(&self, id: NodeId) -> Option<NodeId> {
        self.node(id).first_child.some()
    }

    /// The children of a node: its continuation, then the variations.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.next(id), |child| self.node(*child).next_sibling.some())
    }

    /// The nodes of the main line, without the root.
    pub fn mainline_nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.next(NodeId::ROOT), |id| self.next(*id))
    }

    /// The last node of the main line; the root if there is no ply.
    pub fn end(&self) -> NodeId {
        self.mainline_nodes().last().unwrap_or(NodeId::ROOT)
    }

    /// The plies of the main line.
    pub fn mainline(&self) -> impl Iterator<Item = Ply> + '_ {
        self.mainline_nodes().filter_map(|id| self.node(id).ply)
    }

    /// The position at the end of the main line.
    pub fn end_board(&self) -> Board {
        self.mainline().fold(self.start, |board, ply| ply.make(&board))
    }

    /// The main line as a game, for the repetition rules. It starts after the last null move.
    pub fn game(&self) -> Game {
        let mut game = Game::new(self.start);
        for ply in self.mainline() {
            match ply {
                Ply::Move(m) => game.push(m),
                Ply::Null => game = Game::new(game.board().make_null()),
            }
        }
        game
    }

    /// The main line up to its first null move as a game.
    pub fn game_before_null_move(&self) -> Game {
        let mut game = Game::new(self.start);
        for ply in self.mainline() {
            let Ply::Move(m) = ply else { break };
            game.push(m);
        }
        game
    }
}
