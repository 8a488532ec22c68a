//! The tree that the HTML parser builds: elements, the `data-` attributes among theirs, and text.

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::{Attribute, LocalName, ParseOpts, QualName, local_name, ns};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A node of the tree, by its number.
pub(super) type Id = usize;

/// The node that everything hangs from.
pub(super) const DOCUMENT: Id = 0;

/// A node.
pub(super) struct Node {
    pub(super) parent: Option<Id>,
    pub(super) children: Vec<Id>,
    pub(super) kind: Kind,
    /// The line where it begins, from 1.
    pub(super) line: u64,
}

/// What a node is.
pub(super) enum Kind {
    Element {
        name: Rc<QualName>,
        /// Only those that begin with `data-`.
        attributes: Vec<(LocalName, String)>,
        /// Where the contents are if it is a template.
        template: Id,
    },
    Text(String),
    Other,
}

impl Node {
    /// The value of an attribute that begins with `data-`.
    pub(super) fn attribute(&self, wanted: &str) -> Option<&str> {
        let Kind::Element { attributes, .. } = &self.kind else {
            return None;
        };
        let found = attributes.iter().find(|(name, _)| **name == *wanted);
        found.map(|(_, value)| value.as_str())
    }
}

/// Reads a page as a browser does, whatever it is.
pub(super) fn parse(text: &str) -> Vec<Node> {
    html5ever::parse_document(Sink::new(), ParseOpts::default()).one(text)
}

/// Reads a piece of a table without the table around it, whose cells a browser would not show.
pub(super) fn parse_in_table(text: &str) -> Vec<Node> {
    let table = QualName::new(None, ns!(html), local_name!("table"));
    let options = ParseOpts::default();
    html5ever::parse_fragment(Sink::new(), options, table, Vec::new(), false).one(text)
}

/// A node as the parser holds it: its number, and its name without a look into the tree.
#[derive(Clone)]
struct Handle(Id, Rc<QualName>);

struct Sink {
    nodes: RefCell<Vec<Node>>,
    line: Cell<u64>,
    no_name: Rc<QualName>,
}

impl Sink {
    fn new() -> Sink {
        let no_name = QualName::new(None, ns!(), local_name!(""));
        let sink = Sink {
            nodes: RefCell::default(),
            line: Cell::new(1),
            no_name: Rc::new(no_name),
        };
        sink.node(Kind::Other);
        sink
    }

    fn node(&self, kind: Kind) -> Id {
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(Node {
            parent: None,
            children: Vec::new(),
            kind,
            line: self.line.get(),
        });
        nodes.len() - 1
    }

    fn other(&self) -> Handle {
        Handle(self.node(Kind::Other), self.no_name.clone())
    }

    /// Where among its parent's children a node is; looked for from the end, where the parser adds.
    fn position(&self, id: Id) -> Option<(Id, usize)> {
        let nodes = self.nodes.borrow();
        let parent = nodes[id].parent?;
        let at = nodes[parent].children.iter().rposition(|c| *c == id)?;
        Some((parent, at))
    }

    fn detach(&self, id: Id) {
        if let Some((parent, at)) = self.position(id) {
            let mut nodes = self.nodes.borrow_mut();
            nodes[parent].children.remove(at);
            nodes[id].parent = None;
        }
    }

    /// Puts a node or text among the children of `parent`, before the one that is `at` there.
    fn insert(&self, parent: Id, at: usize, child: NodeOrText<Handle>) {
        let id = match child {
            NodeOrText::AppendNode(Handle(id, _)) => id,
            NodeOrText::AppendText(text) => {
                let mut nodes = self.nodes.borrow_mut();
                let before = at.checked_sub(1).map(|at| nodes[parent].children[at]);
                if let Some(Kind::Text(old)) = before.map(|id| &mut nodes[id].kind) {
                    old.push_str(&text);
                    return;
                }
                drop(nodes);
                self.node(Kind::Text(text.to_string()))
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

impl TreeSink for Sink {
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
            true => self.node(Kind::Other),
            false => DOCUMENT,
        };
        let name = Rc::new(name);
        let id = self.node(Kind::Element {
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
        match &self.nodes.borrow()[target.0].kind {
            Kind::Element { template, .. } => Handle(*template, self.no_name.clone()),
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
        if let Kind::Element { attributes, .. } = &mut self.nodes.borrow_mut()[target.0].kind {
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
