//! Games as JSON, read from PGN and written as PGN.

#[cfg(feature = "openapi")]
use crate::schema;
use saavedra::chess::{Board, GameResult};
use saavedra::formats::pgn::{Reader, parse_ply, write};
use saavedra::formats::{
    Document, ErrorKind, FormatError, Node, NodeId, Ply, Tree, parse_result, result_text,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;

/// A text in PGN.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Pgn))]
pub struct PgnText {
    /// Any number of games.
    pub pgn: String,
}

/// Games.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Games {
    /// The games in their order.
    pub games: Vec<GameRecord>,
}

/// The positions of the main lines of games.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MainLines {
    /// For each game the FEN of its start position and of the position after each move, up to the first move that is
    /// illegal or null.
    games: Vec<Vec<String>>,
}

/// A game with its variations and annotations.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Game))]
pub struct GameRecord {
    /// The tag pairs: names and values. The tag `FEN` sets the start position.
    #[cfg_attr(feature = "openapi", schema(schema_with = schema::tags))]
    tags: Vec<(String, String)>,
    /// The result; overrides the tag `Result`.
    #[serde(serialize_with = "write_result", deserialize_with = "read_result")]
    #[cfg_attr(feature = "openapi", schema(schema_with = schema::result))]
    result: Option<GameResult>,
    /// Whether the game is Chess960; implied by the tag `Variant` or the start position.
    #[serde(default)]
    chess960: bool,
    /// The start position, then the moves, each one after the move before it. The first move after a
    /// position continues the line, the others begin variations.
    #[cfg_attr(feature = "openapi", schema(min_items = 1))]
    nodes: Vec<NodeRecord>,
    /// What could not be read: it is in the comments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// A move and its annotations, or the annotations of the start position.
#[derive(Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = GameNode))]
struct NodeRecord {
    /// The index of the node before the move; the previous node if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    parent: Option<usize>,
    /// The move as SAN, `--` for a null move; a request may use UCI. Absent at the start position.
    #[serde(skip_serializing_if = "String::is_empty")]
    san: String,
    /// Annotations before the first move of a variation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    before: Vec<Annotation>,
    /// Annotations after the move.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    after: Vec<Annotation>,
}

/// An annotation.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
enum Annotation {
    /// A numeric annotation glyph: 1 is `!`, 2 is `?` …
    Nag(u8),
    /// A comment.
    Comment(String),
}

/// Reads all games of a PGN. What is wrong in a game is a comment of it and a warning.
pub fn read_games(pgn: &str) -> Vec<GameRecord> {
    let games = Reader::new(pgn.as_bytes()).keep_everything();
    let record = |game: Result<Document, FormatError>| match game {
        Ok(document) => GameRecord::new(&document),
        Err(error) => GameRecord {
            warnings: vec![warning(&error)],
            ..GameRecord::new(&Document::new(Board::startpos()))
        },
    };
    games.map(record).collect()
}

/// Writes games as PGN. An illegal move and what follows it is a comment.
///
/// # Errors
/// The parent of a node is not before it; names the field.
pub fn write_games(games: &[GameRecord]) -> Result<String, (String, &'static str)> {
    let mut pgn = String::new();
    for document in documents(games) {
        if !pgn.is_empty() {
            pgn.push('\n');
        }
        pgn += &write(&document?);
    }
    Ok(pgn)
}

/// The positions of the main lines of games.
///
/// # Errors
/// The parent of a node is not before it; names the field.
pub fn main_lines(games: &[GameRecord]) -> Result<MainLines, (String, &'static str)> {
    let positions = |document: Document| {
        let game = document.tree.game_before_null_move();
        game.boards().iter().map(Board::to_fen).collect()
    };
    let games: Result<_, _> = documents(games).map(|document| document.map(positions)).collect();
    Ok(MainLines { games: games? })
}

/// The games; an error names the field of a node whose parent is not before it.
fn documents(
    games: &[GameRecord],
) -> impl Iterator<Item = Result<Document, (String, &'static str)>> {
    games.iter().enumerate().map(|(number, game)| {
        game.document().map_err(|node| {
            (format!("games[{number}].nodes[{node}].parent"), "must be an earlier node")
        })
    })
}

impl GameRecord {
    fn new(document: &Document) -> GameRecord {
        let tree = &document.tree;
        let mut nodes = Vec::with_capacity(tree.len() + 1);
        // The nodes left, each with the record of its parent and the position before its move.
        let mut left = vec![(NodeId::ROOT, 0, *tree.start())];
        while let Some((id, parent, board)) = left.pop() {
            let (index, node) = (nodes.len(), tree.node(id));
            nodes.push(NodeRecord::new(node, &board, (parent + 1 < index).then_some(parent)));
            let after = node.ply().map_or(board, |ply| ply.make(&board));
            let first = left.len();
            left.extend(tree.children(id).map(|child| (child, index, after)));
            left[first..].reverse();
        }
        GameRecord {
            tags: document.tags.clone(),
            result: document.result,
            chess960: document.chess960,
            nodes,
            warnings: document.errors.iter().map(warning).collect(),
        }
    }

    /// The game; an error is the index of a node whose parent is not before it.
    fn document(&self) -> Result<Document, usize> {
        let mut document = Document::new(Board::startpos());
        let mut is_refused = false;
        for (name, value) in &self.tags {
            is_refused |= document.add_tag(name, value.clone()).is_err();
        }
        document.chess960 |= self.chess960;
        document.result = self.result;
        let mut boards = vec![*document.tree.start()];
        // The node of each record and the index of its position; none after an illegal move, whose
        // node is the one before it.
        let mut places = Vec::with_capacity(self.nodes.len());
        for (index, record) in self.nodes.iter().enumerate() {
            let Some(previous) = index.checked_sub(1) else {
                let root = document.tree.node_mut(NodeId::ROOT);
                (root.nags, root.comment) = split(&record.after);
                places.push((NodeId::ROOT, (!is_refused).then_some(0)));
                continue;
            };
            let parent = record.parent.unwrap_or(previous);
            let (before, position) = *places.get(parent).ok_or(index)?;
            let board = position.and_then(|at: usize| boards.get(at).copied());
            places.push(match record.add(&mut document.tree, before, board) {
                Some((node, board)) => {
                    boards.push(board);
                    (node, Some(boards.len() - 1))
                }
                None => (before, None),
            });
        }
        Ok(document)
    }
}

impl NodeRecord {
    fn new(node: &Node, board: &Board, parent: Option<usize>) -> NodeRecord {
        let annotations = |nags: &[u8], comment: &str| {
            let comment = (!comment.is_empty()).then(|| Annotation::Comment(comment.to_owned()));
            nags.iter().map(|nag| Annotation::Nag(*nag)).chain(comment).collect()
        };
        NodeRecord {
            parent,
            san: node.ply().map_or_else(String::new, |ply| match ply {
                Ply::Move(m) => board.san(m),
                Ply::Null => "--".to_owned(),
            }),
            before: annotations(&node.starting_nags, &node.starting_comment),
            after: annotations(&node.nags, &node.comment),
        }
    }

    /// Adds the move after a node, or as a comment of it if it is not legal in this position.
    fn add(
        &self,
        tree: &mut Tree,
        before: NodeId,
        board: Option<Board>,
    ) -> Option<(NodeId, Board)> {
        let ply = board.and_then(|board| Some((board, parse_ply(&board, &self.san).ok()?)));
        let Some((board, ply)) = ply else {
            let san = Annotation::Comment(self.san.clone());
            for annotation in self.before.iter().chain([&san]).chain(&self.after) {
                tree.node_mut(before).add_comment(&annotation.to_string());
            }
            return None;
        };
        let id = tree.add(before, ply);
        let node = tree.node_mut(id);
        (node.starting_nags, node.starting_comment) = split(&self.before);
        (node.nags, node.comment) = split(&self.after);
        Some((id, ply.make(&board)))
    }
}

/// The NAGs and the joined comments.
fn split(annotations: &[Annotation]) -> (Vec<u8>, String) {
    let (mut nags, mut comments) = (Vec::new(), Vec::new());
    for annotation in annotations {
        match annotation {
            Annotation::Nag(nag) => nags.push(*nag),
            Annotation::Comment(text) => comments.push(text.trim()),
        }
    }
    (nags, comments.join(" "))
}

impl fmt::Display for Annotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Annotation::Nag(nag) => write!(f, "${nag}"),
            Annotation::Comment(text) => f.write_str(text),
        }
    }
}

/// The message of an error, without the position of an illegal move.
fn warning(error: &FormatError) -> String {
    match &error.kind {
        ErrorKind::San(san, _) => format!("illegal move: {san}"),
        kind => kind.to_string(),
    }
}

fn write_result<S: Serializer>(result: &Option<GameResult>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(result_text(*result))
}

fn read_result<'de, D: Deserializer<'de>>(from: D) -> Result<Option<GameResult>, D::Error> {
    let text = String::deserialize(from)?;
    parse_result(&text).ok_or_else(|| de::Error::custom("must be 1-0, 0-1, 1/2-1/2 or *"))
}
