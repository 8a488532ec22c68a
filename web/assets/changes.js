// Undo and redo.

// So many changes can be undone.
const MAX_CHANGES = 500;

/**
 * The changes of a game, to undo and redo. A change is the difference between two states of its nodes and tags, so
 * that nothing can change a game unnoticed.
 */
export class Changes {
  constructor(game) {
    Object.assign(this, { game, undone: [], done: [] });
    this.look();
  }

  /** Reads the states of all nodes, and where the user is. */
  look() {
    const { game } = this;
    /** @type {Map<object, { children: object[], notes: string }>} */
    this.states = new Map([game.root, ...game.nodes()].map((node) => [node, stateOf(node)]));
    this.states.set(game, tagsOf(game));
    this.place = this.game.current;
  }

  /** Notes what has changed since the last call. */
  note() {
    const { states, place } = this;
    this.look();
    const nodes = [...this.states].filter(([node, state]) => states.has(node) && !isSame(state, states.get(node)));
    if (nodes.length === 0) return;
    const change = { to: this.place, from: place, states: nodes.map(([node, state]) => ({ node, old: states.get(node), new: state })) };
    this.done = [...this.done.slice(1 - MAX_CHANGES), change];
    this.undone = [];
  }

  /** Undoes the last change; false if there is none. */
  undo() {
    const change = this.done.pop();
    return change ? this.apply(this.undone, change, "old", change.from) : false;
  }

  /** Does again what was undone last; false if there is nothing. */
  redo() {
    const change = this.undone.pop();
    return change ? this.apply(this.done, change, "new", change.to) : false;
  }

  apply(list, change, which, place) {
    list.push(change);
    for (const { node, [which]: { children, notes } } of change.states) {
      if (node === this.game) node.tags = [...JSON.parse(notes), ...node.tags.filter(isResult)];
      else Object.assign(node, { children: [...children] }, JSON.parse(notes));
    }
    this.game.current = place;
    this.game.version += 1;
    this.look();
    return true;
  }
}

/** What a user can change of a node. */
function stateOf({ children, before, after, ending, fileShapes }) {
  return { children: [...children], notes: JSON.stringify({ before, after, ending, fileShapes }) };
}

/** The tags of a game without the result, which follows from its end. */
function tagsOf({ tags }) {
  return { children: [], notes: JSON.stringify(tags.filter((tag) => !isResult(tag))) };
}

const isResult = ([name]) => name === "Result";

function isSame(one, other) {
  return one.notes === other.notes && one.children.length === other.children.length
    && one.children.every((child, index) => child === other.children[index]);
}
