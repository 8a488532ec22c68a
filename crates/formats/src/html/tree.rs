//! The tree that the HTML parser builds: elements with their `data-` attributes, and text.

use super::super::{FormatError, HtmlError, Location, Result};
use html5ever::TokenizerResult;
use html5ever::buffer_queue::BufferQueue;
use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Token, TokenSink, TokenSinkResult, Tokenizer};
use html5ever::tree_builder::TreeBuilder as Parser;
use html5ever::{Attribute, LocalName, QualName, local_name, ns};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Maximum nesting depth of elements. The parser searches its stack of open elements at most tags.
const MAX_DEPTH: usize = 256;
/// Maximum number of attributes of a tag. The tokenizer compares each with all others.
const MAX_ATTRIBUTES: usize = 256;
/// Maximum number of nodes beyond one per two bytes of the page. Unclosed formatting elements are
/// reopened in each paragraph, so that a short page can have many more nodes than tags.
const MAX_EXTRA_NODES: usize = 1000;
/// Maximum number of steps of the parser per byte of the page: elements visited in searches.
/// Misnested elements make its stack of open elements deeper than the tree.
const MAX_STEPS_PER_BYTE: usize = 50;
/// Maximum number of steps beyond those.
const MAX_EXTRA_STEPS: usize = 1_000_000;
/// The attributes that are kept, without `data-`.
const KEPT_ATTRIBUTES: [&str; 11] = [
    "col", "row", "turn", "castling", "ep", "halfmove", "fullmove", "chess960", "flipped", "last",
    "shapes",
];

/// Index of a node.
pub(super) type NodeIndex = usize;

/// The root of the tree.
pub(super) const DOCUMENT: NodeIndex = 0;

/// A node of the tree.
pub(super) struct Node {
    pub(super) parent: Option<NodeIndex>,
    pub(super) children: Vec<NodeIndex>,
    pub(super) data: NodeData,
    /// Distance from the root when the node was inserted.
    depth: usize,
    /// The line where the node starts, from 1.
    pub(super) line: u64,
}

/// The content of a node.
pub(super) enum NodeData {
    Element {
        name: Rc<QualName>,
        /// Only those of [`KEPT_ATTRIBUTES`].
        attributes: Vec<(LocalName, String)>,
        /// The root of the contents if it is a template.
        template: NodeIndex,
    },
    Text(String),
    Other,
}

impl Node {
    /// The value of an attribute whose name starts with `data-`.
    pub(super) fn attribute(&self, wanted: &str) -> Option<&str> {
        let NodeData::Element { attributes, .. } = &self.data else {
            return None;
        };
        let found = attributes.iter().find(|(name, _)| **name == *wanted);
        found.map(|(_, value)| value.as_str())
    }
}

/// Parses a page as a browser does. Every text is a page.
///
/// # Errors
/// The page exceeds a limit.
pub(super) fn parse(text: &str) -> Result<Vec<Node>> {
    let builder = Parser::new(TreeBuilder::new(text.len()), Default::default());
    feed(text, Tokenizer::new(Sink::new(builder), Default::default()))
}

/// Parses the content of a table without the table element; a page parser would drop its cells.
///
/// # Errors
/// The text exceeds a limit.
pub(super) fn parse_in_table(text: &str) -> Result<Vec<Node>> {
    let tree = TreeBuilder::new(text.len());
    let table = QualName::new(None, ns!(html), local_name!("table"));
    let context = tree.create_element(table, Vec::new(), ElementFlags::default());
    let builder = Parser::new_for_fragment(tree, context, None, Default::default());
    feed(text, Tokenizer::new(Sink::new(builder), Default::default()))
}

/// Whether these two bytes begin a tag, a comment or the like.
fn begins_markup(bytes: &[u8]) -> bool {
    matches!(bytes, [b'<', b'a'..=b'z' | b'A'..=b'Z' | b'/' | b'!' | b'?'])
}

/// Feeds a text to the tokenizer in pieces that begin with markup, and checks the limits at each.
fn feed(text: &str, tokenizer: Tokenizer<Sink>) -> Result<Vec<Node>> {
    let queue = BufferQueue::default();
    let mut pending = Pending::None;
    let mut rest = text;
    while !rest.is_empty() {
        let markup = rest.as_bytes().windows(2).skip(1).position(begins_markup);
        let length = markup.map_or(rest.len(), |at| at + 1);
        let (piece, next) = rest.split_at(length);
        rest = next;
        if matches!(pending, Pending::None) && !tokenizer.sink.is_raw.get() {
            pending = Pending::starting_with(piece);
        }
        let tokens = tokenizer.sink.tokens.get();
        if let Pending::Tag(tag) = &mut pending
            && tag.scan(piece) > MAX_ATTRIBUTES
        {
            let kind = HtmlError::TooManyAttributes(MAX_ATTRIBUTES);
            return Err(tokenizer.sink.builder.sink.error(kind));
        }
        queue.push_back(StrTendril::from(piece));
        while !matches!(tokenizer.feed(&queue), TokenizerResult::Done) {}
        if tokenizer.sink.tokens.get() > tokens {
            pending = Pending::None;
        }
        tokenizer.sink.builder.sink.check()?;
    }
    tokenizer.end();
    let tree = &tokenizer.sink.builder.sink;
    tree.check()?;
    Ok(tree.nodes.take())
}

/// The token that the tokenizer has not completed at the end of a piece.
enum Pending {
    None,
    Tag(TagScanner),
    /// A comment or the like.
    Other,
}

impl Pending {
    fn starting_with(piece: &str) -> Pending {
        let tag = piece.strip_prefix('<');
        let name = tag.map(|tag| tag.strip_prefix('/').unwrap_or(tag));
        if name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic())) {
            Pending::Tag(TagScanner::default())
        } else {
            Pending::Other
        }
    }
}

/// Counts the attributes of a tag.
#[derive(Default)]
struct TagScanner {
    attributes: usize,
    state: TagState,
}

/// Where in a tag the next character is, as in the tokenizer of the HTML standard.
#[derive(Clone, Copy, PartialEq, Default)]
enum TagState {
    #[default]
    Name,
    BeforeAttribute,
    Attribute,
    BeforeValue,
    Value,
    Quoted(char),
    End,
}

impl TagScanner {
    /// Scans a piece of the tag; the number of attributes up to its end.
    fn scan(&mut self, piece: &str) -> usize {
        for c in piece.chars() {
            self.state = match (self.state, c) {
                (TagState::End, _) => break,
                (TagState::Quoted(quote), c) if c != quote => TagState::Quoted(quote),
                (TagState::Quoted(_), _) => TagState::BeforeAttribute,
                (_, '>') => TagState::End,
                (TagState::BeforeValue, c) if c.is_ascii_whitespace() => TagState::BeforeValue,
                (TagState::BeforeValue, '"' | '\'') => TagState::Quoted(c),
                (TagState::BeforeValue, _) => TagState::Value,
                (TagState::Attribute, '=') => TagState::BeforeValue,
                (TagState::Value, '/') => TagState::Value,
                (_, c) if c.is_ascii_whitespace() || c == '/' => TagState::BeforeAttribute,
                (TagState::BeforeAttribute, '=') if self.attributes > 0 => TagState::BeforeValue,
                (TagState::BeforeAttribute, _) => {
                    self.attributes += 1;
                    TagState::Attribute
                }
                (state, _) => state,
            };
        }
        self.attributes
    }
}

/// Passes tokens on to the tree construction and records what [`feed`] needs.
struct Sink {
    builder: Parser<Handle, TreeBuilder>,
    /// Number of tokens, without errors.
    tokens: Cell<u64>,
    /// Whether the tokenizer is in the text of an element without markup, such as a script.
    is_raw: Cell<bool>,
}

impl Sink {
    fn new(builder: Parser<Handle, TreeBuilder>) -> Sink {
        Sink { builder, tokens: Cell::new(0), is_raw: Cell::new(false) }
    }
}

impl TokenSink for Sink {
    type Handle = Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        if !matches!(token, Token::ParseError(_)) {
            self.tokens.set(self.tokens.get() + 1);
        }
        if matches!(token, Token::TagToken(_)) {
            self.is_raw.set(false);
        }
        let result = self.builder.process_token(token, line);
        if let TokenSinkResult::RawData(_) | TokenSinkResult::Plaintext = &result {
            self.is_raw.set(true);
        }
        result
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// A node as the parser holds it: its index and a copy of its name.
#[derive(Clone)]
struct Handle(NodeIndex, Rc<QualName>);

struct TreeBuilder {
    nodes: RefCell<Vec<Node>>,
    line: Cell<u64>,
    no_name: Rc<QualName>,
    max_nodes: usize,
    steps: Cell<usize>,
    max_steps: usize,
    /// Whether an element was inserted below the maximum depth.
    is_too_deep: Cell<bool>,
}

impl TreeBuilder {
    fn new(length: usize) -> TreeBuilder {
        let no_name = QualName::new(None, ns!(), local_name!(""));
        let sink = TreeBuilder {
            nodes: RefCell::default(),
            line: Cell::new(1),
            no_name: Rc::new(no_name),
            max_nodes: (length / 2).saturating_add(MAX_EXTRA_NODES),
            steps: Cell::new(0),
            max_steps: length.saturating_mul(MAX_STEPS_PER_BYTE).saturating_add(MAX_EXTRA_STEPS),
            is_too_deep: Cell::new(false),
        };
        sink.node(NodeData::Other);
        sink
    }

    fn node(&self, data: NodeData) -> NodeIndex {
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(Node {
            parent: None,
            children: Vec::new(),
            data,
            depth: 0,
            line: self.line.get(),
        });
        nodes.len() - 1
    }

    fn error(&self, kind: HtmlError) -> FormatError {
        FormatError::new(Location::line(self.line.get()), kind)
    }

    /// Counts elements visited in a search.
    fn count_steps(&self, steps: usize) {
        self.steps.set(self.steps.get().saturating_add(steps));
    }

    /// Checks the limits.
    fn check(&self) -> Result<()> {
        if self.is_too_deep.get() {
            return Err(self.error(HtmlError::TooDeep(MAX_DEPTH)));
        }
        if self.nodes.borrow().len() > self.max_nodes {
            return Err(self.error(HtmlError::TooManyNodes(self.max_nodes)));
        }
        if self.steps.get() > self.max_steps {
            return Err(self.error(HtmlError::TooManySteps(self.max_steps)));
        }
        Ok(())
    }

    fn other(&self) -> Handle {
        Handle(self.node(NodeData::Other), self.no_name.clone())
    }

    /// The parent of a node and its index among the children, searched from the end, where the
    /// parser adds nodes.
    fn position(&self, id: NodeIndex) -> Option<(NodeIndex, usize)> {
        let nodes = self.nodes.borrow();
        let parent = nodes[id].parent?;
        let children = &nodes[parent].children;
        let at = children.iter().rposition(|c| *c == id)?;
        self.count_steps(children.len() - at);
        Some((parent, at))
    }

    fn detach(&self, id: NodeIndex) {
        if let Some((parent, at)) = self.position(id) {
            let mut nodes = self.nodes.borrow_mut();
            nodes[parent].children.remove(at);
            nodes[id].parent = None;
        }
    }

    /// Inserts a node or text among the children of `parent` before index `at`.
    fn insert(&self, parent: NodeIndex, at: usize, child: NodeOrText<Handle>) {
        let id = match child {
            NodeOrText::AppendNode(Handle(id, _)) => id,
            NodeOrText::AppendText(text) => {
                let mut nodes = self.nodes.borrow_mut();
                let before = at.checked_sub(1).map(|at| nodes[parent].children[at]);
                if let Some(NodeData::Text(old)) = before.map(|id| &mut nodes[id].data) {
                    old.push_str(&text);
                    return;
                }
                drop(nodes);
                self.node(NodeData::Text(text.to_string()))
            }
        };
        let mut nodes = self.nodes.borrow_mut();
        let depth = nodes[parent].depth + 1;
        if depth > MAX_DEPTH {
            self.is_too_deep.set(true);
        }
        nodes[id].parent = Some(parent);
        nodes[id].depth = depth;
        // The contents of a template are a tree of their own.
        if let NodeData::Element { template, .. } = nodes[id].data
            && template != DOCUMENT
        {
            nodes[template].depth = depth;
        }
        self.count_steps(nodes[parent].children.len() - at + 1);
        nodes[parent].children.insert(at, id);
    }
}

fn data_attributes(attributes: Vec<Attribute>) -> Vec<(LocalName, String)> {
    let is_data = |attribute: &Attribute| {
        let name = attribute.name.local.strip_prefix("data-");
        name.is_some_and(|name| KEPT_ATTRIBUTES.contains(&name))
    };
    let of = |attribute: Attribute| (attribute.name.local, attribute.value.to_string());
    attributes.into_iter().filter(is_data).map(of).collect()
}

impl TreeSink for TreeBuilder {
    type Handle = Handle;
    type Output = Vec<Node>;
    type ElemName<'a> = &'a QualName;

    fn finish(self) -> Vec<Node> {
        self.nodes.into_inner()
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        Handle(DOCUMENT, self.no_name.clone())
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> &'a QualName {
        self.count_steps(1);
        &target.1
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<Attribute>,
        flags: ElementFlags,
    ) -> Handle {
        let template = if flags.template { self.node(NodeData::Other) } else { DOCUMENT };
        let name = Rc::new(name);
        let id = self.node(NodeData::Element {
            name: name.clone(),
            attributes: data_attributes(attributes),
            template,
        });
        Handle(id, name)
    }

    fn create_comment(&self, _: StrTendril) -> Handle {
        self.other()
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Handle {
        self.other()
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        let end = self.nodes.borrow()[parent.0].children.len();
        self.insert(parent.0, end, child);
    }

    fn append_based_on_parent_node(
        &self,
        element: &Handle,
        previous: &Handle,
        child: NodeOrText<Handle>,
    ) {
        match self.position(element.0) {
            Some((parent, at)) => self.insert(parent, at, child),
            None => self.append(previous, child),
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &Handle) -> Handle {
        match &self.nodes.borrow()[target.0].data {
            NodeData::Element { template, .. } => Handle(*template, self.no_name.clone()),
            _ => target.clone(),
        }
    }

    fn same_node(&self, one: &Handle, other: &Handle) -> bool {
        self.count_steps(1);
        one.0 == other.0
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        if let NodeOrText::AppendNode(node) = &child {
            self.detach(node.0);
        }
        if let Some((parent, at)) = self.position(sibling.0) {
            self.insert(parent, at, child);
        }
    }

    fn add_attrs_if_missing(&self, target: &Handle, more: Vec<Attribute>) {
        if let NodeData::Element { attributes, .. } = &mut self.nodes.borrow_mut()[target.0].data {
            for (name, value) in data_attributes(more) {
                if attributes.iter().all(|(known, _)| *known != name) {
                    attributes.push((name, value));
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &Handle) {
        self.detach(target.0);
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        let mut nodes = self.nodes.borrow_mut();
        let children = std::mem::take(&mut nodes[node.0].children);
        self.count_steps(children.len());
        for child in &children {
            nodes[*child].parent = Some(new_parent.0);
        }
        nodes[new_parent.0].children.extend(children);
    }

    fn set_current_line(&self, line: u64) {
        self.line.set(line);
    }
}
