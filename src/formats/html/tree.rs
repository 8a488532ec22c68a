//! The tree that the HTML parser builds: elements with their `data-` attributes, and text.

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::{Attribute, LocalName, ParseOpts, QualName, local_name, ns};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Index of a node.
pub(super) type NodeIndex = usize;

/// The root of the tree.
pub(super) const DOCUMENT: NodeIndex = 0;

/// A node of the tree.
pub(super) struct Node {
    pub(super) parent: Option<NodeIndex>,
    pub(super) children: Vec<NodeIndex>,
    pub(super) data: NodeData,
    /// The line where the node starts, from 1.
    pub(super) line: u64,
}

/// The content of a node.
pub(super) enum NodeData {
    Element {
        name: Rc<QualName>,
        /// Only those whose name starts with `data-`.
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
pub(super) fn parse(text: &str) -> Vec<Node> {
    html5ever::parse_document(TreeBuilder::new(), ParseOpts::default()).one(text)
}

/// Parses the content of a table without the table element; a page parser would drop its cells.
pub(super) fn parse_in_table(text: &str) -> Vec<Node> {
    let table = QualName::new(None, ns!(html), local_name!("table"));
    let options = ParseOpts::default();
    html5ever::parse_fragment(TreeBuilder::new(), options, table, Vec::new(), false).one(text)
}

/// A node as the parser holds it: its index and a copy of its name.
#[derive(Clone)]
struct Handle(NodeIndex, Rc<QualName>);

struct TreeBuilder {
    nodes: RefCell<Vec<Node>>,
    line: Cell<u64>,
    no_name: Rc<QualName>,
}

impl TreeBuilder {
    fn new() -> TreeBuilder {
        let no_name = QualName::new(None, ns!(), local_name!(""));
        let sink = TreeBuilder {
            nodes: RefCell::default(),
            line: Cell::new(1),
            no_name: Rc::new(no_name),
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
            line: self.line.get(),
        });
        nodes.len() - 1
    }

    fn other(&self) -> Handle {
        Handle(self.node(NodeData::Other), self.no_name.clone())
    }

    /// The parent of a node and its index among the children, searched from the end, where the
    /// parser adds nodes.
    fn position(&self, id: NodeIndex) -> Option<(NodeIndex, usize)> {
        let nodes = self.nodes.borrow();
        let parent = nodes[id].parent?;
        let at = nodes[parent].children.iter().rposition(|c| *c == id)?;
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
        nodes[id].parent = Some(parent);
        nodes[parent].children.insert(at, id);
    }
}

fn data_attributes(attributes: Vec<Attribute>) -> Vec<(LocalName, String)> {
    let is_data = |attribute: &Attribute| attribute.name.local.starts_with("data-");
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
        &target.1
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<Attribute>,
        flags: ElementFlags,
    ) -> Handle {
        let template = match flags.template {
            true => self.node(NodeData::Other),
            false => DOCUMENT,
        };
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
        for child in &children {
            nodes[*child].parent = Some(new_parent.0);
        }
        nodes[new_parent.0].children.extend(children);
    }

    fn set_current_line(&self, line: u64) {
        self.line.set(line);
    }
}
