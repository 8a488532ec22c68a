// Exercises from the mistakes of a reviewed game.

import { $ } from "./page.js";
import { kindName } from "./pieces.js";
import { keepsChances, lineText, MARK_NAMES, numbered } from "./review.js";
import { count, finalEvaluation, scoreText, typeset, whiteView } from "./words.js";

// Limits of a search that judges a move: nodes, so that the same move gets the same answer; the time is a cap.
const JUDGE = { nodes: 100_000, movetime: 5000 };
const EXPLAIN = { nodes: 30_000 };

/** The mistakes of one side as exercises: the position before each one is shown, and a better move is asked for. */
export class Practice {
  constructor(page) {
    this.page = page;
    /** The exercises {node, tries, hints, outcome}; the outcome is null, "first", "later" or "shown". */
    this.exercises = [];
    this.at = 0;
    /** "off", "asked", "checking" or "answered". */
    this.phase = "off";
    /** What a screen reader speaks, the circles and arrows, and the position after an answer: {fen, last}. */
    Object.assign(this, { text: "", marks: [], after: null });
    /** The game, and what was shown before: {node, flipped}. */
    Object.assign(this, { game: null, before: null });
  }

  get running() { return this.phase !== "off"; }
  /** Whether an exercise is on the board: another tab pauses it. */
  get active() { return this.running && this.game === this.page.game && this.page.tabs.shown === "practise"; }
  get exercise() { return this.exercises[this.at]; }
  get best() { return this.exercise.node.review.best; }
  get side() { return $("practice-side").value; }

  /** What the board shows instead of the game's position; null while a move is asked for. */
  get shown() {
    if (!this.active || this.phase === "asked") return null;
    return this.after ?? { fen: this.page.game.fen, last: this.page.node.move };
  }

  /** The mistakes of a side for which a better move is known. */
  mistakesOf(side) {
    return this.page.review.nodes.filter((node) => node.review.best && this.sideOf(node) === side);
  }

  /** The side that made a move. */
  sideOf(node) { return this.page.game.moveNumber(node.ply).white ? "w" : "b"; }

  /** Begins with these mistakes. */
  async start(nodes) {
    const { page } = this;
    const { game } = page;
    if (nodes.length === 0) return;
    try {
      // A stored line has no positions until it is shown.
      await page.session.confirmLine(game, nodes.at(-1), {});
    } catch (error) {
      page.messages.error(error, $("practice-begin"));
      return;
    }
    if (page.game !== game || !nodes.every(({ move }) => move)) return;
    this.exercises = nodes.map((node) => ({ node, tries: 0, hints: 0, outcome: null }));
    this.before = { node: page.node, flipped: page.board.flipped };
    $("analyse").checked = false;
    page.toggleAnalysis();
    page.flip(this.sideOf(nodes[0]) === "b");
    this.ask(0);
  }

  /** What an exercise asks. */
  get question() {
    const { node } = this.exercise;
    return `Exercise ${this.at + 1} of ${this.exercises.length}: ${this.sideOf(node) === "w" ? "White" : "Black"} to move. `
      + `${numbered(this.page.game, node)} was ${MARK_NAMES[node.review.mark]}. Find a better move.`;
  }

  /** Shows an exercise. */
  ask(at) {
    const { page } = this;
    Object.assign(this, { at, phase: "asked", marks: [], after: null });
    page.messages.clear();
    this.text = this.question;
    page.game.current = this.exercise.node.parent;
    page.show();
    $("practice-text").focus({ preventScroll: true });
  }

  /** Shows what has changed. */
  set(change) {
    Object.assign(this, change);
    this.page.draw();
  }

  /** Answers with a move, as UCI or SAN; false if it is none. After an answer an empty text goes on. */
  async answer(text, place) {
    const { exercise, page } = this;
    if (this.phase === "answered" && !text) this.next();
    if (this.phase !== "asked" || !text) return false;
    this.phase = "checking";
    const options = { signal: page.session.abort(), onBusy: page.busy };
    const isLeft = () => options.signal.aborted || this.phase !== "checking" || this.exercise !== exercise;
    try {
      const made = await page.session.api.make(page.session.fields(), text, options);
      if (isLeft()) return false;
      page.messages.clear();
      this.set({ text: `Checking ${made.move.san}…`, after: { fen: made.fen, last: made.move } });
      const reason = await this.judge(made, options);
      if (isLeft()) return false;
      exercise.tries += 1;
      if (reason) this.set({ phase: "asked", after: null, text: `${made.move.san} is not good enough. ${reason} Try again.` });
      else this.accept(made);
      return true;
    } catch (error) {
      if (isLeft()) return false;
      this.set({ phase: "asked", after: null });
      page.messages.error(error, place);
      return false;
    }
  }

  /** Why a move is wrong; null for one that keeps the winning chances. */
  async judge(made, options) {
    const { session, game } = this.page;
    const { node } = this.exercise;
    const { uci } = made.move;
    if (uci === this.best.uci) return null;
    const fields = session.fields();
    const known = node.parent.children.find(({ move }) => move?.uci === uci)?.evaluation;
    const before = node.parent.evaluation ?? await this.evaluate(fields, game.turn, options);
    const after = known ?? finalEvaluation(made)
      ?? await this.evaluate({ ...fields, moves: [...fields.moves, uci] }, made.fen.split(" ")[1], options);
    if (uci !== node.move.uci && keepsChances(before, after, game.turn)) return null;
    return await this.explain(uci, fields, options) ?? `The evaluation goes from ${scoreText(before.score)} to ${scoreText(after.score)}.`;
  }

  async evaluate(fields, turn, options) {
    const { session } = this.page;
    const limits = { ...JUDGE, movetime: session.movetime(JUDGE.movetime) };
    return whiteView(await session.api.bestMove(fields, limits, options), turn);
  }

  /** The review's sentence on the move, or the engine's; null without one that keeps the best move to itself. */
  async explain(uci, fields, options) {
    const { review, move } = this.exercise.node;
    const keeps = (text) => text && !text.includes(review.best.line[0]);
    if (uci === move.uci && keeps(review.why)) return `${typeset(review.why)}.`;
    const { api } = this.page.session;
    if (!api.explain) return null;
    const { text } = await api.explain(fields, uci, EXPLAIN, options);
    // The last sentence has the better move.
    const [reason] = text.split(/ ?Better is /);
    return /inaccuracy|mistake|blunder/.test(reason) && keeps(reason) ? typeset(reason) : null;
  }

  accept({ fen, move }) {
    const { exercise } = this;
    exercise.outcome = exercise.tries === 1 && exercise.hints === 0 ? "first" : "later";
    const isBest = move.uci === this.best.uci;
    const text = isBest ? `Right: ${this.lineOf()}` : `Right: ${move.san} keeps the winning chances. The best line was ${this.lineOf()}`;
    this.set({ phase: "answered", marks: [], after: { fen, last: move }, text });
    this.page.sound(move);
  }

  /** The best line, with the numbers of its moves. */
  lineOf() { return `${lineText(this.page.game, this.exercise.node.ply, this.best.line.slice(0, 8))}.`; }

  /** The first hint names the piece, the second one where it goes. */
  hint() {
    if (this.phase !== "asked") return;
    const { exercise, page } = this;
    exercise.hints += 1;
    const { uci } = this.best;
    const [from, to] = [uci.slice(0, 2), uci.slice(2, 4)];
    const piece = kindName(page.board.pieces.get(from)?.toLowerCase());
    const circles = (exercise.hints === 1 ? [from] : [from, to]).map((square) => ({ from: square, to: null, colour: "blue" }));
    const text = exercise.hints === 1 ? `Hint: look at the ${piece} on ${from}.` : `Hint: the ${piece} goes from ${from} to ${to}.`;
    this.set({ marks: circles, text });
  }

  solution() {
    if (this.phase !== "asked") return;
    this.exercise.outcome = "shown";
    const { uci } = this.best;
    const arrow = { from: uci.slice(0, 2), to: uci.slice(2, 4), colour: "green" };
    this.set({ phase: "answered", marks: [arrow], text: `The solution: ${this.lineOf()}` });
  }

  /** The next exercise; after the last one the summary. */
  next() {
    if (!this.active) return;
    this.exercise.outcome ??= "shown";
    if (this.at + 1 < this.exercises.length) this.ask(this.at + 1);
    else this.end();
  }

  /** Ends with a summary, and shows what was shown before. */
  end() {
    if (!this.running) return;
    const { page } = this;
    for (const exercise of this.exercises) exercise.outcome ??= "shown";
    const number = (outcome) => this.exercises.filter((one) => one.outcome === outcome).length;
    this.text = `${count(this.exercises.length, "exercise", "exercises")}: ${number("first")} solved at once, `
      + `${number("later")} with a hint or a second try, ${number("shown")} not solved.`;
    Object.assign(this, { phase: "off", marks: [], after: null });
    page.game.current = this.before.node;
    page.flip(this.before.flipped);
    page.show();
    $("practice-text").focus({ preventScroll: true });
  }

  /** Another tab pauses the exercise; back in its own it goes on. */
  changeTab() {
    const { page } = this;
    if (!this.running) return;
    if (this.phase === "checking") Object.assign(this, { phase: "asked", after: null, text: this.question });
    if (this.active) page.game.current = this.exercise.node.parent;
    page.show();
  }

  /** Another game, a new review or a deleted move ends the exercises. */
  settle() {
    const { page } = this;
    if (this.game !== page.game) {
      Object.assign(this, { game: page.game, phase: "off", text: "", marks: [], exercises: [] });
      const { opponent, board } = page;
      $("practice-side").value = (opponent.side ? opponent.side === "w" : board.flipped) ? "b" : "w";
    }
    const found = new Set(page.review.nodes);
    if (this.exercises.every(({ node }) => found.has(node))) return;
    Object.assign(this, { phase: "off", text: "", marks: [], exercises: [] });
  }

  /** What there is to practise. */
  get introduction() {
    const { game, review } = this.page;
    if (game.isEmpty) return "Play or load a game first: its mistakes become exercises.";
    if (review.job.running) return "Reviewing the game…";
    if (!review.isReviewed) return "Review the game first: its mistakes become exercises.";
    return `Mistakes to practise: ${this.mistakesOf("w").length} by White, ${this.mistakesOf("b").length} by Black.`;
  }

  draw() {
    const { page } = this;
    const { review } = page;
    this.settle();
    document.body.classList.toggle("practising", this.active);
    page.shapes.set("practice", this.active ? this.marks : []);
    const text = this.text || this.introduction;
    if ($("practice-text").textContent !== text) $("practice-text").textContent = text;
    const isReady = review.isReviewed && !review.job.running;
    $("practice-tools").hidden = !this.running;
    $("practice-begin").hidden = this.running || !isReady;
    $("practice-start").disabled = this.mistakesOf(this.side).length === 0;
    $("practice-missed").hidden = this.missed.length === 0;
    $("practice-review").hidden = this.running || isReady || page.game.isEmpty;
    $("practice-review").textContent = $("review").textContent;
    $("practice-hint").disabled = this.phase !== "asked" || this.exercise.hints > 1;
    $("practice-solution").disabled = this.phase !== "asked";
    const answered = this.phase === "answered";
    $("practice-next").classList.toggle("primary", answered);
    $("practice-next").textContent = answered ? (this.at + 1 < this.exercises.length ? "Next" : "Finish") : "Skip";
  }

  /** The mistakes that were not solved at once. */
  get missed() { return this.exercises.filter(({ outcome }) => outcome !== "first").map(({ node }) => node); }
}
