// The game model: tag pairs, a tree of moves with annotations, a result, and the current position.
// The rules of chess are not here: a node has the text of its move and, once the engine has
// confirmed it, the engine's description of the move and of the position after it.

export const START_FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/** The position after a move, or the start position. */
export class Node {
  /**
   * @param {Node | null} parent
   * @param {string} san
   */
  constructor(parent, san) {
    this.parent = parent;
    /** The move as text; as the engine writes it once it is confirmed. */
    this.san = san;
    /** The number of moves from the start. @type {number} */
    this.ply = parent ? parent.ply + 1 : 0;
    /** The continuations: the first one continues the line, the others start variations. @type {Node[]} */
    this.children = [];
    /** Annotations before the first move of a variation, and after the move: {nag} or {comment}. */
    this.before = [];
    this.after = [];
    /** The engine's description: uci, san, from, to, rook, promotion, fen. */
    this.move = null;
    /** The engine's answer for the position: legal moves, status, check. */
    this.position = null;
    /** Why the move cannot be shown, if so. */
    this.error = null;
    /** The evaluation {score, wdl} from White's view. */
    this.evaluation = null;
    /** The result of a review: {mark, accuracy, best}. */
    this.review = null;
    /** How the game ended here by resignation or agreement: {result, text}; null if it did not. */
    this.ending = null;
    /** The shapes that the node had before the user drew others; null if none were drawn. */
    this.fileShapes = null;
  }

  get isContinuation() { return this.parent?.children[0] === this; }
  get next() { return this.children[0] ?? null; }

  /** The nodes from the first move to this one. @returns {Node[]} */
  path() {
    const nodes = [];
    for (let node = /** @type {Node} */ (this); node.parent; node = node.parent) nodes.push(node);
    return nodes.reverse();
  }

  /** The path as indices of continuations, see `GameTree.at`. */
  indices() { return this.path().map((node) => node.parent.children.indexOf(node)); }

  /** The path and its continuation to the end of the line. */
  line() {
    const nodes = this.path();
    for (let node = this.next; node; node = node.next) nodes.push(node);
    return nodes;
  }

  end() {
    let node = /** @type {Node} */ (this);
    while (node.next) node = node.next;
    return node;
  }

  isInside(ancestor) {
    let node = /** @type {Node} */ (this);
    while (node && node !== ancestor) node = node.parent;
    return node === ancestor;
  }

  /** The first node of the variation that this one is in; null in the main line. */
  variationStart() {
    let node = /** @type {Node} */ (this);
    while (node.parent && node.isContinuation) node = node.parent;
    return node.parent ? node : null;
  }

  get nags() { return this.after.filter(({ nag }) => nag !== undefined).map(({ nag }) => nag); }
}

/** A game. */
export class GameTree {
  constructor(tags = []) {
    /** Pairs of names and values. */
    this.tags = tags;
    this.root = new Node(null, "");
    this.current = this.root;
    this.result = null;
    /** The summary of a review of the game; null without one. */
    this.summary = null;
    /** Whether the game was set up here; the tags and the result of a file stay as they are. */
    this.own = false;
    /** Changes with every change of the moves. */
    this.version = 0;
    /** The start position as the engine writes it. */
    this.confirmedStart = null;
    this.chess960 = false;
    /** What could not be read of the game: it is in the comments. */
    this.warnings = [];
    /** The result that the game came with; null before the game is shown. */
    this.fileResult = null;
    /** What can be undone and redone; null before the game is shown. */
    this.changes = null;
  }

  /** The game of a record of the API. */
  static of({ tags, result, chess960, nodes, warnings = [] }) {
    const game = Object.assign(new GameTree(tags), { result, chess960, warnings });
    const made = [game.root];
    nodes.forEach(({ parent, san, before = [], after = [] }, index) => {
      if (index > 0) {
        const node = new Node(made[parent ?? index - 1], san);
        node.parent.children.push(node);
        made.push(node);
      }
      Object.assign(made[index], { before, after });
    });
    return game;
  }

  /** The record of the game for the API, with all that a PGN has. */
  record() {
    const nodes = [this.root, ...this.nodes()];
    const places = new Map(nodes.map((node, index) => [node, index]));
    const filled = (list) => (list.length ? list : undefined);
    return {
      tags: this.tags,
      result: this.result ?? "*",
      chess960: this.chess960,
      nodes: nodes.map(({ parent, san, before, after }, index) => ({
        parent: parent === (nodes[index - 1] ?? null) ? undefined : places.get(parent),
        san: san || undefined,
        before: filled(before),
        after: filled(after),
      })),
    };
  }

  /** The text of a tag; undefined if there is none. */
  tag(name) { return this.tags.find(([known]) => known === name)?.[1]; }

  setTag(name, value) {
    const known = this.tags.find(([other]) => other === name);
    if (known) known[1] = value;
    else this.tags.push([name, value]);
  }

  /** Changes a tag of the user; an empty text removes it. */
  changeTag(name, value) {
    if (value) this.setTag(name, value);
    else this.tags = this.tags.filter(([other]) => other !== name);
  }

  /** The FEN of the start position. */
  get start() { return this.confirmedStart ?? (this.tag("FEN")?.trim() || START_FEN); }
  get isStandardStart() { return this.start === START_FEN; }
  get isEmpty() { return this.root.children.length === 0; }

  /** Whether there is more than a line of moves: variations, notes, or the tags of a file. */
  get hasMore() {
    const hasNotes = ({ before, after, children }) => before.length + after.length > 0 || children.length > 1;
    return !this.own || hasNotes(this.root) || [...this.nodes()].some(hasNotes);
  }

  /** The FEN of a node; null if the engine has not confirmed its move yet. */
  fenOf(node) { return node.parent ? node.move?.fen ?? null : this.start; }
  get fen() { return this.fenOf(this.current); }
  get turn() { return (this.fen ?? START_FEN).split(" ")[1]; }

  /** Move number and side of a ply, counted from 1, as in PGN. */
  moveNumber(ply) {
    const [, turn, , , , number] = this.start.split(/\s+/);
    const half = ((Number(number) || 1) - 1) * 2 + (turn === "b" ? 1 : 0) + ply - 1;
    return { number: Math.floor(half / 2) + 1, white: half % 2 === 0 };
  }

  /** Adds the move of an answer of the engine, or finds it among the continuations. */
  play(move) {
    const same = (child) => (child.move ? child.move.uci === move.uci : plain(child.san) === plain(move.san));
    let node = this.current.children.find(same);
    if (!node) {
      node = new Node(this.current, move.san);
      this.current.children.push(node);
    }
    confirm(node, move);
    this.current = node;
    this.version += 1;
    return node;
  }

  /** Adds moves as text after a node, as far as they are not there; returns the node of the first one. */
  addLine(parent, sans) {
    let at = parent;
    for (const san of sans) {
      let node = at.children.find((child) => plain(child.san) === plain(san));
      if (!node) at.children.push(node = new Node(at, san));
      at = node;
    }
    this.version += 1;
    return at.path()[parent.ply];
  }

  /** Makes the variation of a node the main line, at every branch above it. */
  promote(node) {
    this.version += 1;
    for (let at = node; at.parent; at = at.parent) {
      const { children } = at.parent;
      if (children[0] === at) continue;
      children.splice(children.indexOf(at), 1);
      children.unshift(at);
      settle(at);
    }
  }

  /** Deletes a node and what follows it. */
  remove(node) {
    const { parent } = node;
    if (!parent) return;
    this.version += 1;
    if (this.current.isInside(node)) this.current = parent;
    parent.children.splice(parent.children.indexOf(node), 1);
    if (parent.children[0]) settle(parent.children[0]);
  }

  /** The next (1) or previous (-1) alternative at the branch nearest above the current node. */
  alternative(step) {
    for (let node = this.current, depth = 0; node.parent; node = node.parent, depth += 1) {
      const { children } = node.parent;
      if (children.length === 1) continue;
      const index = children.indexOf(node) + step;
      return children[index] ?? null;
    }
    return null;
  }

  /** The node of a path of indices, or the last one of it that there is. */
  at(indices) {
    let node = this.root;
    for (const index of indices) node = node.children[index] ?? node;
    return node;
  }

  /** All nodes, each before its continuations, without the root. */
  * nodes() {
    const waiting = [...this.root.children].reverse();
    while (waiting.length) {
      const node = waiting.pop();
      yield node;
      for (let i = node.children.length - 1; i >= 0; i -= 1) waiting.push(node.children[i]);
    }
  }
}

/** What stood before the first move of a variation stands after it once it is no variation. */
function settle(node) {
  node.after.unshift(...node.before);
  node.before = [];
}

/** Notes the engine's description of a move. */
export function confirm(node, move) {
  node.move = move;
  node.san = move.san;
  node.error = null;
}

/** A move text without check signs, for comparison. */
const plain = (san) => san.replace(/[+#]/g, "").replace(/0/g, "O");
