// The page: the shown game, navigation, moves, and everything that is drawn for a position.

import { Analysis } from "./analysis.js";
import { drawBar } from "./bar.js";
import { Board } from "./board.js";
import { Changes } from "./changes.js";
import { setShapes, shapesOf } from "./comments.js";
import { drawGraph } from "./graph.js";
import { Messages } from "./messages.js";
import { MoveList } from "./movelist.js";
import { openingOf } from "./openings.js";
import { writeGames } from "./pgn.js";
import { capturedMen, pieceCode } from "./pieces.js";
import { Premove } from "./premove.js";
import { Session, typedMove } from "./session.js";
import { Shapes } from "./shapes.js";
import { playSound } from "./sound.js";
import { historyId, saveGame, saveGames } from "./storage.js";
import { factsOf, speech, statusText } from "./words.js";

// The statuses by which the engine refuses a position; others are failures of the service or the connection.
const REFUSALS = [400, 422];

/** The element with this identifier, of whichever kind. @returns {any} */
export const $ = (id) => document.getElementById(id);

/** The tabs of the page, of which one panel is shown. */
export class Tabs {
  /**
   * @param list       the element with the tabs: their identifiers are `tab-` and a name
   * @param onChange   called when the user or the page shows another tab
   * @param byPointer  whether the last press was by a pointer: the arrow keys then step through the game
   */
  constructor(list, { onChange, byPointer }) {
    Object.assign(this, { list, onChange, byPointer });
    list.addEventListener("click", ({ target }) => { if (target.id) this.show(target.id.slice(4)); });
    list.addEventListener("keydown", (event) => this.key(event));
  }

  /** The name of the shown tab. */
  get shown() { return this.list.querySelector("[aria-selected=true]").id.slice(4); }

  show(name) {
    if (name === this.shown || !$(`tab-${name}`)) return;
    for (const tab of this.list.children) {
      const selected = tab.id === `tab-${name}`;
      tab.setAttribute("aria-selected", String(selected));
      tab.tabIndex = selected ? 0 : -1;
      $(tab.getAttribute("aria-controls")).hidden = !selected;
    }
    this.onChange();
  }

  /** The arrow keys, Home and End choose a tab. */
  key(event) {
    const tabs = [...this.list.children];
    const at = tabs.indexOf(event.target);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined || this.byPointer() || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const tab = tabs[(to + tabs.length) % tabs.length];
    tab.click();
    tab.focus();
  }
}

export class Page {
  /** @param {typeof import("./api.js").api} api  the engine */
  constructor(api) {
    this.session = new Session(api);
    this.messages = new Messages($("toast"), $("spoken"));
    this.board = new Board($("frame"), {
      onMove: (uci) => this.move(uci),
      onCancel: () => this.premove.cancel(),
      onEdit: (from, to) => this.setup.edit(from, to),
      onShape: (shape) => this.drawShape(shape),
      onSketch: (shape) => this.shapes.set("sketch", shape && !this.isLocked ? [shape] : []),
      pencilOf: () => this.notes.pencil,
    });
    this.shapes = new Shapes($("arrows"), this.board);
    this.tabs = new Tabs($("tabs"), { onChange: () => this.changeTab(), byPointer: () => this.board.byPointer });
    this.moveList = new MoveList($("moves"), (node) => this.goTo(node));
    this.analysis = new Analysis(api, { lines: $("lines"), effort: $("effort") }, {
      onScore: (node, evaluation) => { node.evaluation = evaluation; this.drawEvaluation(); },
      onArrows: (arrows) => this.shapes.set("analysis", arrows),
      onMoves: (moves) => this.playLine(moves),
      onError: (error) => {
        $("analyse").checked = false;
        this.messages.error(error);
      },
    });
    /** Called after each drawing with the page: the other parts of the page draw themselves. */
    this.listeners = [];
    /** What other parts store with the game: functions that return an object. @type {(() => object)[]} */
    this.saved = [() => ({
      tab: this.tabs.shown,
      // An exercise turns the board, not the game.
      flipped: this.practice.active ? this.practice.before.flipped : this.board.flipped,
      setup: this.setup.active ? this.setup.fen() : undefined,
    })];
    this.premove = new Premove(this);
    /** The identifier of the shown game's place in the history of the browser; none before a game is shown. */
    this.place = null;
    /** Aborts what the user's last choice, a game or a move, has begun. */
    this.choice = new AbortController();
  }

  get game() { return this.session.game; }
  get node() { return this.session.node; }
  get busy() { return (seconds) => this.messages.hold(`The server is busy; trying again in ${seconds} s.`); }

  /** The user has chosen a game or a move: aborts what the choice before has begun. Returns the signal of this one. */
  choose() {
    this.choice.abort();
    this.choice = new AbortController();
    return this.choice.signal;
  }

  /** Whether the game may not be changed or left now: a position is set up, or an exercise is on the board. */
  get isLocked() { return this.setup.active || this.practice.active; }

  changeTab() {
    // Before and after a kept exercise has the board.
    this.save();
    this.practice.changeTab();
    this.save();
  }

  /** Why the user may not move here; null otherwise. Without an opponent every position can be played on. */
  get refusal() {
    if (this.opponent.isTurn(this.game, this.session.position)) return "It is the engine's turn.";
    return this.opponent.side && this.match.agreed ? "The game is over." : null;
  }

  /** Shows the current position; the engine moves if it is its turn. */
  async show() {
    if (this.setup.active) this.setup.close();
    const signal = this.session.abort();
    // Lines of another position must not be played here.
    if (!this.session.position) this.analysis.stop();
    this.draw();
    try {
      const illegal = await this.session.show(this.node, { signal, onBusy: this.busy });
      this.messages.release();
      if (illegal) this.messages.put(illegal);
    } catch (error) {
      this.messages.error(error);
      return;
    }
    this.draw();
    if ($("analyse").checked) this.analysis.start(this.session, $("multipv").value);
    // What follows a move or a game does not wait for the engine.
    this.match.reply(signal);
  }

  /** Goes on with the shown game: what has failed had aborted its requests. */
  resume(signal) {
    if (signal.aborted || !this.place || this.setup.active) return;
    if (this.session.position) this.match.reply(signal);
    else this.show();
  }

  draw() {
    const { game, node, session } = this;
    const { position } = session;
    if (game.fen) {
      const { isOpen: premoving, move: premove } = this.premove;
      const legal = premoving ? this.premove.choices : position && !this.refusal ? position.legal : [];
      this.board.show(this.practice.shown ?? { fen: game.fen, legal, last: node.move, check: position?.check ?? false, premoving, premove });
    }
    if (position) $("status").textContent = statusText(position);
    $("facts").textContent = factsOf(game);
    $("opening").textContent = openingOf(game, node);
    for (const id of ["first", "prev"]) $(id).disabled = !node.parent;
    for (const id of ["next", "last"]) $(id).disabled = !node.next;
    $("takeback").disabled = this.match.stepsBack ? !node.parent : game.isEmpty;
    this.noteChanges();
    $("promote").hidden = !node.variationStart();
    $("delete").hidden = !node.parent;
    this.moveList.update(game);
    this.drawSides();
    this.drawEvaluation();
    this.shapes.set("drawn", shapesOf(node));
    for (const listener of this.listeners) listener();
    this.save();
  }

  /** Notes what has changed of the game, for undoing it. */
  noteChanges() {
    const { game } = this;
    game.changes ??= new Changes(game);
    game.changes.note();
    $("undo").disabled = game.changes.done.length === 0;
    $("redo").disabled = game.changes.undone.length === 0;
  }

  /** Undoes a change or does it again: `undo` or `redo`. Against the engine, up to the user's turn. */
  travel(direction) {
    const { game, opponent } = this;
    if (this.isLocked || !game.changes?.[direction]()) return;
    const isTurn = () => opponent.isTurn(game, this.node.position ?? { status: "ongoing" });
    while (isTurn() && game.changes[direction]()) { /* the engine's move */ }
    if (direction === "undo" && isTurn()) opponent.side = "";
    this.messages.clear();
    this.messages.say(direction === "undo" ? "Undone" : "Redone");
    this.review.stop();
    this.show();
  }

  /** The names of the players and the captured pieces, beside the board. */
  drawSides() {
    const { game } = this;
    const { lost, lead } = capturedMen(game.start, game.fen ?? game.start);
    for (const [id, side] of [["top", this.board.flipped ? "w" : "b"], ["bottom", this.board.flipped ? "b" : "w"]]) {
      const [name, other] = side === "w" ? ["White", "b"] : ["Black", "w"];
      const tag = game.tag(name);
      const elo = game.tag(`${name}Elo`);
      const known = tag && tag !== "?" ? `${tag}${/^\d+$/.test(elo) ? ` (${elo})` : ""}` : null;
      $(`${id}-name`).textContent = known ?? (this.opponent.side ? (this.opponent.side === side ? this.opponent.name : "You") : name);
      const ahead = side === "w" ? lead : -lead;
      $(`${id}-men`).replaceChildren(...[...lost[other]].map((piece) => {
        const man = document.createElement("span");
        man.dataset.piece = pieceCode(piece);
        return man;
      }));
      $(`${id}-lead`).textContent = ahead > 0 ? `+${ahead}` : "";
    }
  }

  drawEvaluation() {
    drawBar($("bar"), this.node.evaluation, this.board.flipped);
    drawGraph($("graph"), [this.game.root, ...this.node.line()], this.game, (node) => this.goTo(node));
  }

  /** Stores the page and puts the line into its URL, unless the place in the history has another game. */
  save() {
    const { session } = this;
    const id = historyId();
    if (id !== this.place) return;
    saveGame(id, session, Object.assign({}, ...this.saved.map((more) => more())));
    // Browsers limit how often the URL may change.
    try { history.replaceState({ id }, "", this.url(this.opponent.side)); } catch { /* the next change will do */ }
  }

  /** The URL of the current line. */
  url(engine = "") {
    const { game, node } = this;
    const line = node.line().filter((at) => at.move);
    const query = new URLSearchParams();
    if (!game.isStandardStart) query.set("fen", game.start);
    if (line.length) query.set("moves", line.map((at) => at.move.uci).join(","));
    if (node.ply < line.length) query.set("ply", String(node.ply));
    if (game.chess960) query.set("chess960", "true");
    // Without a position the page would let the engine play Black.
    if (engine || !(query.has("fen") || query.has("moves"))) query.set("engine", engine);
    const text = query.toString().replaceAll("%2C", ",").replaceAll("%2F", "/");
    return text ? `${location.pathname}?${text}` : location.pathname;
  }

  /**
   * Opens games and shows one, at its `current` node. Adds the current games to the history of the browser
   * unless `fromHistory` is set; `flipped` turns the board, `about` is a note on the games. The shown games stay
   * until the engine has confirmed the new one: returns "opened", "refused" if its start position is, "failed"
   * after another error, or "left" if the user has gone elsewhere meanwhile.
   * @param {import("./tree.js").GameTree[]} games
   * @param {{ index?: number, engine?: string, flipped?: boolean, fromHistory?: boolean, place?: HTMLElement, about?: string }} options
   */
  async open(games, { index = 0, engine = "", flipped, fromHistory = false, place, about = "" } = {}) {
    const { session } = this;
    const game = games[index];
    const options = { signal: session.abort(), onBusy: this.busy };
    this.choose();
    let repairs = null;
    try {
      repairs = await session.prepare(game, options);
      for (const node of [game.root, game.current]) await session.confirmLine(game, node, options);
    } catch (error) {
      this.messages.error(error, place);
      if (error.name === "AbortError") return "left";
      this.resume(options.signal);
      return !repairs && REFUSALS.includes(error.status) ? "refused" : "failed";
    }
    this.messages.clear();
    // The page that is left must not be stored with a review that `clear` removes.
    if (!fromHistory) this.review.stop();
    this.setup.close();
    this.save();
    if (!fromHistory && !session.isUnused) history.pushState(null, "", location.href);
    this.review.clear();
    session.open(games, index);
    this.opponent.side = engine;
    this.place = historyId();
    if (flipped !== undefined) this.flip(flipped);
    const isKept = saveGames(this.place, games);
    const illegal = game.root.line().find((at) => at.error);
    const remarks = [
      illegal && `Move ${game.moveNumber(illegal.ply).number}: ${illegal.error}. The game is shown up to it.`,
      game.warnings.length > 0 && `${game.warnings.slice(0, 3).join("; ")}. What could not be read is in the comments.`,
      repairs.length > 0 && `Repaired: ${repairs.join("; ")}.`,
      !isKept && !fromHistory && "The other games of this file are not kept when the page is reloaded.",
    ].filter(Boolean);
    // What is wrong stays until it is read; a note goes by itself.
    if (remarks.length) this.messages.put([about, ...remarks].filter(Boolean).join(" "), place);
    else if (about) this.messages.note(about, place);
    await this.show();
    return this.game === game ? "opened" : "left";
  }

  /** Does something with games as a PGN; a failure to write it is shown. */
  async withPgn(games, place, act) {
    try {
      await act(await writeGames(this.session.api, games));
    } catch (error) {
      this.messages.error(error, place);
    }
  }

  goTo(node) {
    if (this.isLocked || !node || node === this.node) return;
    if (node.error) {
      this.messages.put(`${node.san}: ${node.error}`);
      return;
    }
    this.messages.clear();
    this.game.current = node;
    if (node.parent) {
      this.messages.say(speech(node.san));
      this.sound(node);
    }
    this.show();
  }

  /**
   * Plays a move (UCI or SAN) in the current position; `evaluation` is the evaluation after it.
   * `isReply` is set for a move of the engine.
   * @param {string} text
   * @param {{ place?: HTMLElement, evaluation?: object, isReply?: boolean }} options
   */
  async play(text, { place, evaluation = null, isReply = false } = {}) {
    if (!isReply) this.choose();
    const options = { signal: this.session.abort(), onBusy: this.busy };
    try {
      const side = this.game.turn === "w" ? "White" : "Black";
      const node = await this.session.play(text, options);
      node.evaluation ??= evaluation;
      // A reply of the engine does not settle what the user was told about.
      if (isReply) this.messages.release();
      else this.messages.clear();
      this.messages.say(`${side}: ${speech(node.san)}.`);
      this.sound(node);
      await this.show();
      return true;
    } catch (error) {
      this.draw();
      this.messages.error(error, place);
      // A reply that failed would only fail again.
      if (!isReply) this.resume(options.signal);
      return false;
    }
  }

  /** A move that the user has made on the board: an answer in an exercise, a premove, or a move. */
  move(uci) {
    if (this.practice.active) this.practice.answer(uci);
    else if (this.premove.isOpen) this.premove.choose(uci);
    else this.play(uci);
  }

  /** Plays a move that the user has typed. */
  async playTyped(text, place) {
    if (this.premove.choose(text)) return true;
    const move = typedMove(text, this.session.position?.legal ?? []) ?? text;
    if (this.practice.active) return this.practice.answer(move, place);
    if (!this.refusal) return this.play(move, { place });
    this.messages.hold(this.premove.isOpen ? `${this.refusal} None of your pieces can play ${text} next.` : this.refusal, place);
    return false;
  }

  /** Plays a line of the analysis; the engine does not answer it. */
  async playLine(moves) {
    this.opponent.side = "";
    for (const move of moves) if (!await this.play(move)) return;
  }

  /** Makes the current variation the main line. */
  promote() {
    const { game, node } = this;
    if (!node.variationStart()) return;
    game.promote(node);
    this.messages.say("Promoted to the main line");
    this.draw();
  }

  /** Deletes the current move and what follows it. */
  remove() {
    const { game, node } = this;
    if (!node.parent) return;
    game.remove(node);
    this.messages.say("Deleted");
    this.show();
  }

  sound(node) {
    if ($("sound").getAttribute("aria-pressed") === "true") playSound(node.san, node.san.endsWith("#"));
  }

  flip(flipped) {
    this.board.flip(flipped);
    this.shapes.draw();
    this.drawSides();
    this.drawEvaluation();
    this.save();
  }

  toggleAnalysis() {
    if ($("analyse").checked && !this.setup.active) {
      this.messages.clear();
      this.analysis.start(this.session, $("multipv").value);
    } else this.analysis.stop();
  }

  /** Draws a shape, or removes it if it is there. Shapes are part of the game's comments. */
  drawShape({ from, to, colour }) {
    if (this.isLocked) return;
    const { node } = this;
    const shapes = shapesOf(node);
    const rest = shapes.filter((shape) => shape.from !== from || shape.to !== to);
    const again = rest.length < shapes.length && shapes.some((shape) => shape.from === from && shape.to === to && shape.colour === colour);
    node.fileShapes ??= shapes;
    this.messages.say(`${to ? `Arrow from ${from} to ${to}` : `Circle on ${from}`}${again ? " removed" : ""}`);
    setShapes(node, again ? rest : [...rest, { from, to, colour }]);
    this.shapes.set("drawn", shapesOf(node));
    this.noteChanges();
    this.save();
  }

  /** Removes what was drawn here, but not the shapes of a file. */
  clearDrawn() {
    const { node } = this;
    if (this.isLocked || !node.fileShapes) return;
    setShapes(node, node.fileShapes);
    node.fileShapes = null;
    this.shapes.set("drawn", shapesOf(node));
    this.noteChanges();
    this.save();
  }
}
