// Exercises: the mistakes of a reviewed game, or those that the browser keeps.

import { positionId, treeOf } from "./exercises.js";
import { AGAIN, GOOD, HARD } from "./fsrs.js";
import { $ } from "./page.js";
import { kindName } from "./pieces.js";
import { keepsChances, lineText, MARK_NAMES, numbered } from "./review.js";
import { count, finalEvaluation, scoreText, typeset, whiteView } from "./words.js";

// Limits of a search that judges a move: nodes, so that the same move gets the same answer; the time is a cap.
const JUDGE = { nodes: 100_000, movetime: 5000 };
const EXPLAIN = { nodes: 30_000 };

/** Asks for the best moves of positions, which mistakes led away from. */
export class Practice {
  /** @param {import("./page.js").Page} page */
  constructor(page) {
    this.page = page;
    /**
     * The exercises {id, game, at, best, played, mark, why, ready, tries, hints, outcome}: the node whose position is
     * shown, the best line, the node of the mistake, if there was one, and when the engine has confirmed the moves of a
     * kept one. The outcome is null, "first", "later" or "shown".
     */
    this.exercises = [];
    this.index = 0;
    /** "off", "asked", "checking" or "answered". */
    this.phase = "off";
    /** What a screen reader speaks, the circles and arrows, and the position after an answer: {fen, last}. */
    Object.assign(this, { text: "", marks: [], after: null });
    /** The user's game, and what was shown before: {node, flipped}. */
    Object.assign(this, { game: null, before: null });
    /** The user's games while kept exercises have the board: {games, index, place}; null otherwise. */
    this.lent = null;
    /** Whether a review has ended meanwhile, whose mistakes are to be kept. */
    this.isKeeping = false;
  }

  get running() { return this.phase !== "off"; }
  /** Whether an exercise is on the board: another tab pauses it. */
  get active() {
    const { page } = this;
    return this.running && page.tabs.shown === "practise" && page.game === (this.isKept ? this.exercise.game : this.game);
  }
  get exercise() { return this.exercises[this.index]; }
  /** Whether the exercises are kept ones, which have games of their own. */
  get isKept() { return this.running && this.exercise.game !== this.game; }
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

  /** Keeps the mistakes of the side that is chosen: at once, or when the user's game is on the board again. */
  keep() {
    const { page } = this;
    this.isKeeping = Boolean(this.lent);
    if (!this.isKeeping && page.game.summary) page.deckPanel.keep(this.mistakesOf(this.side));
  }

  /** Begins with these mistakes of the shown game. */
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
    page.deckPanel.keep(nodes);
    this.begin(nodes.map((node) => {
      const { best, mark, why } = node.review;
      return { id: positionId(game.fenOf(node.parent)), game, at: node.parent, best, played: node, mark, why };
    }));
  }

  /** Begins with kept exercises. */
  startKept(kept) {
    const exercises = kept.map((one) => {
      const game = treeOf(one);
      const [first, played = null] = game.root.children;
      return { id: one.id, game, at: game.root, best: { line: one.line, first }, played, mark: one.mark, why: one.why };
    });
    if (exercises.length) this.begin(exercises);
  }

  begin(exercises) {
    const { page } = this;
    this.exercises = exercises.map((one) => ({ ...one, tries: 0, hints: 0, outcome: null }));
    this.before = { node: page.node, flipped: page.board.flipped };
    $("analyse").checked = false;
    page.toggleAnalysis();
    this.ask(0);
  }

  /** Puts the game of a kept exercise on the board. Nothing of it is stored. */
  lend() {
    const { page, exercise } = this;
    const { session } = page;
    this.lent ??= { games: session.games, index: session.index, place: page.place };
    Object.assign(session, { games: [exercise.game], index: 0 });
    page.place = null;
  }

  /** Puts the user's game back on the board. */
  giveBack() {
    const { lent, page } = this;
    if (!lent) return;
    Object.assign(page.session, { games: lent.games, index: lent.index });
    page.place = lent.place;
    this.lent = null;
    if (this.isKeeping) this.keep();
  }

  /** Has the engine confirm the moves of a kept exercise. */
  async confirm({ game, best, played }) {
    const { session } = this.page;
    const { signal } = session.requests;
    await session.prepare(game, { signal });
    for (const node of [best.first, played]) if (node) await session.confirmLine(game, node, { signal });
    if (!best.first.move) throw new Error(`The solution ${best.first.san} is not legal.`);
    best.uci = best.first.move.uci;
  }

  /** The side to move. */
  get turn() { return this.exercise.game.fenOf(this.exercise.at).split(" ")[1]; }

  /** What an exercise asks. */
  get question() {
    const { game, played, mark } = this.exercise;
    const players = ["White", "Black"].map((name) => game.tag(name));
    const source = this.isKept && players.every((name) => name && name !== "?") ? ` in ${players.join(" – ")}` : "";
    const begin = `Exercise ${this.index + 1} of ${this.exercises.length}: ${this.turn === "w" ? "White" : "Black"} to move${source}.`;
    if (!played) return `${begin} Find the best move.`;
    return `${begin} ${numbered(game, played)} was ${MARK_NAMES[mark] ?? "not the best move"}. Find a better move.`;
  }

  /** Shows an exercise. */
  async ask(index) {
    const { page } = this;
    Object.assign(this, { index, phase: "asked", marks: [], after: null });
    const { exercise } = this;
    page.messages.clear();
    this.text = this.question;
    if (this.isKept) this.lend();
    page.flip(this.turn === "b");
    page.game.current = exercise.at;
    const shown = page.show();
    $("practice-text").focus({ preventScroll: true });
    if (!this.isKept || exercise.best.uci) return;
    exercise.ready = shown.then(() => this.exercise === exercise && this.confirm(exercise))
      .catch((error) => page.messages.error(error, $("practice-tools")));
    await exercise.ready;
    this.draw();
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
    // The engine first confirms the moves of a kept exercise.
    await exercise?.ready;
    if (this.phase !== "asked" || this.exercise !== exercise || !text || !exercise.best.uci) return false;
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
    const { at, best, played } = this.exercise;
    const { uci } = made.move;
    if (uci === best.uci) return null;
    const fields = session.fields();
    const known = at.children.find(({ move }) => move?.uci === uci)?.evaluation;
    const before = at.evaluation ?? await this.evaluate(fields, game.turn, options);
    const after = known ?? finalEvaluation(made)
      ?? await this.evaluate({ ...fields, moves: [...fields.moves, uci] }, made.fen.split(" ")[1], options);
    if (uci !== played?.move?.uci && keepsChances(before, after, game.turn)) return null;
    return await this.explain(uci, fields, options) ?? `The evaluation goes from ${scoreText(before.score)} to ${scoreText(after.score)}.`;
  }

  async evaluate(fields, turn, options) {
    const { session } = this.page;
    const limits = { ...JUDGE, movetime: session.movetime(JUDGE.movetime) };
    return whiteView(await session.api.bestMove(fields, limits, options), turn);
  }

  /** The review's sentence on the move, or the engine's; null without one that keeps the best move to itself. */
  async explain(uci, fields, options) {
    const { best, played, why } = this.exercise;
    const keeps = (text) => text && !text.includes(best.line[0]);
    if (uci === played?.move?.uci && keeps(why)) return `${typeset(why).replace(/\.$/, "")}.`;
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
    this.page.deck.rate(exercise.id, exercise.outcome === "first" ? GOOD : HARD);
    const isBest = move.uci === exercise.best.uci;
    const text = isBest ? `Right: ${this.lineOf()}` : `Right: ${move.san} keeps the winning chances. The best line was ${this.lineOf()}`;
    this.set({ phase: "answered", marks: [], after: { fen, last: move }, text });
    this.page.sound(move);
  }

  /** The best line, with the numbers of its moves. */
  lineOf() { return `${lineText(this.exercise.game, this.exercise.at.ply + 1, this.exercise.best.line.slice(0, 8))}.`; }

  /** The first hint names the piece, the second one where it goes. */
  hint() {
    const { exercise, page } = this;
    if (this.phase !== "asked" || !exercise.best.uci) return;
    exercise.hints += 1;
    const { uci } = exercise.best;
    const [from, to] = [uci.slice(0, 2), uci.slice(2, 4)];
    const piece = kindName(page.board.pieces.get(from)?.toLowerCase());
    const circles = (exercise.hints === 1 ? [from] : [from, to]).map((square) => ({ from: square, to: null, colour: "blue" }));
    const text = exercise.hints === 1 ? `Hint: look at the ${piece} on ${from}.` : `Hint: the ${piece} goes from ${from} to ${to}.`;
    this.set({ marks: circles, text });
  }

  solution() {
    const { exercise } = this;
    if (this.phase !== "asked" || !exercise.best.uci) return;
    exercise.outcome = "shown";
    this.page.deck.rate(exercise.id, AGAIN);
    const { uci } = exercise.best;
    const arrow = { from: uci.slice(0, 2), to: uci.slice(2, 4), colour: "green" };
    this.set({ phase: "answered", marks: [arrow], text: `The solution: ${this.lineOf()}` });
  }

  /** The next exercise; after the last one the summary. */
  next() {
    if (!this.active) return;
    const { exercise } = this;
    // What was skipped without a try stays due.
    if (!exercise.outcome && exercise.tries) this.page.deck.rate(exercise.id, AGAIN);
    exercise.outcome ??= "shown";
    this.goOn();
  }

  goOn() {
    if (this.index + 1 < this.exercises.length) this.ask(this.index + 1);
    else this.end();
  }

  /** Deletes the shown exercise from those that are kept. */
  remove() {
    if (!this.active || !this.isKept) return;
    const { page, index } = this;
    page.deck.remove(this.exercise.id);
    page.messages.say("Deleted");
    if (this.exercises.length === 1) { this.end(); return; }
    this.exercises.splice(index, 1);
    if (index < this.exercises.length) this.ask(index);
    else { this.index = index - 1; this.end(); }
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
    this.giveBack();
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
    if (this.isKept) this.pause(page.tabs.shown !== "practise");
    // What was left before the engine had confirmed it is asked again.
    if (this.active && this.phase === "asked" && !this.exercise.best.uci) { this.ask(this.index); return; }
    if (this.active) page.game.current = this.exercise.at;
    page.show();
  }

  /** Gives the board back to the user's game, or takes it again for a kept exercise. */
  pause(isPaused) {
    const { page } = this;
    if (isPaused !== Boolean(this.lent)) return;
    if (!isPaused) this.before = { node: page.node, flipped: page.board.flipped };
    if (isPaused) this.giveBack();
    else this.lend();
    page.flip(isPaused ? this.before.flipped : this.turn === "b");
  }

  /** Another game, a new review or a deleted move ends the exercises. */
  settle() {
    const { page } = this;
    if (this.lent ? page.game !== this.exercise.game : page.game !== this.game) {
      Object.assign(this, { game: page.game, lent: null, phase: "off", text: "", marks: [], exercises: [] });
      const { opponent, board } = page;
      $("practice-side").value = (opponent.side ? opponent.side === "w" : board.flipped) ? "b" : "w";
    }
    const found = new Set(page.review.nodes);
    if (this.isKept || this.exercises.every(({ game, played }) => game !== this.game || found.has(played))) return;
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
    page.deckPanel.draw();
    $("practice-missed").hidden = this.missed.length === 0;
    $("practice-review").hidden = this.running || isReady || page.game.isEmpty;
    $("practice-review").textContent = $("review").textContent;
    const isReadyToAnswer = this.phase === "asked" && Boolean(this.exercise.best.uci);
    $("practice-hint").disabled = !isReadyToAnswer || this.exercise.hints > 1;
    $("practice-solution").disabled = !isReadyToAnswer;
    $("practice-delete").hidden = !this.isKept;
    const answered = this.phase === "answered";
    $("practice-next").classList.toggle("primary", answered);
    $("practice-next").textContent = answered ? (this.index + 1 < this.exercises.length ? "Next" : "Finish") : "Skip";
  }

  /** The mistakes of the game that were not solved at once. */
  get missed() {
    return this.exercises.filter(({ game, outcome }) => game === this.game && outcome !== "first").map(({ played }) => played);
  }
}
