// The engine as an opponent: its replies, its strength, human-like timing, draws, and the dialog for a new game.

import { loadSetting, persistField } from "./storage.js";
import { wait } from "./wait.js";
import { whiteView } from "./words.js";

// The engine accepts a draw if it is not better by more than this, in centipawns, and not too early.
const DRAW_MARGIN = 15;
// The time in which it judges the offer, in milliseconds.
const DRAW_TIME = 300;
const MIN_DRAW_PLY = 20;
// Human thinking time in milliseconds: for an obvious move, and at most.
const [SHORT_THOUGHT, LONG_THOUGHT] = [600, 9000];

export class Opponent {
  /** @param fields  the fields of the dialog: `engine`, `movetime`, `strength`, `strengthText` and `human` */
  constructor(api, session, fields) {
    Object.assign(this, { api, session, ...fields });
    this.plays = "";
    this.strength.addEventListener("input", () => this.showStrength());
  }

  /** The side of the engine: `w`, `b` or empty. */
  get side() { return this.plays; }
  set side(side) { this.plays = this.engine.value = side; }

  /** Reads the limits of the engine: the longest search, its tablebases, the range of strengths. */
  async init() {
    const { engine, limits } = await this.api.health().catch(() => ({}));
    this.session.maxMovetime = limits?.movetime ?? Infinity;
    this.session.tablebasePieces = engine?.tablebase ?? 0;
    const slider = this.strength;
    if (!engine?.elo) { slider.closest("label").hidden = true; return; }
    const step = Number(slider.step);
    slider.min = String(Math.ceil(engine.elo.min / step) * step);
    // The maximum is full strength.
    slider.max = String(Math.floor(engine.elo.max / step) * step);
    slider.value = loadSetting("strength") ?? slider.max;
    persistField(slider);
    this.showStrength();
  }

  showStrength() {
    const full = this.strength.value === this.strength.max;
    this.strengthText.textContent = full ? "full" : `Elo ${this.strength.value}`;
    this.strength.setAttribute("aria-valuetext", full ? "full strength" : `Elo ${this.strength.value}`);
  }

  get elo() {
    const elo = Number(this.strength.value);
    return this.strength.max !== "0" && elo < Number(this.strength.max) ? elo : null;
  }

  /** Its name in a PGN. */
  get name() { return this.elo ? `Saavedra (Elo ${this.elo})` : "Saavedra"; }

  /** Who plays, as a sentence. */
  describe() {
    if (!this.side) return "You play both sides.";
    const time = this.movetime.selectedOptions[0].text;
    return `You play ${this.side === "w" ? "Black" : "White"} against ${this.name}, ${time} a move${this.human.checked ? ", human-like timing" : ""}.`;
  }

  /** Whether it has to move in a position. */
  isTurn(game, position) {
    const node = game.current;
    return !node.next && game.turn === this.side && position?.status === "ongoing" && !node.ending;
  }

  /** The best move of the current position, with its evaluation unless the strength is limited. */
  async think(options) {
    const { session, elo } = this;
    const [node, turn, start] = [session.node, session.game.turn, performance.now()];
    const limits = { movetime: session.movetime(Number(this.movetime.value)), ...(elo && { elo }) };
    const answer = await this.api.bestMove(session.fields(), limits, options);
    // Scores at limited strength are not shown.
    if (!elo && answer.score) node.evaluation = whiteView(answer, turn);
    if (this.human.checked) await wait(thinkingTime(node) - (performance.now() - start), options.signal);
    return { move: answer.bestmove, evaluation: elo ? null : node.evaluation };
  }

  /** Whether the engine accepts a draw in the current position, where the user is to move. */
  async acceptsDraw(options) {
    const { session } = this;
    if (session.node.ply < MIN_DRAW_PLY) return false;
    const { score } = await this.api.bestMove(session.fields(), { movetime: session.movetime(DRAW_TIME) }, options);
    return score.mate !== undefined ? score.mate > 0 : score.cp >= -DRAW_MARGIN;
  }
}

/** The dialog for a new game. What is changed in its fields counts once it is confirmed. */
export class GameDialog {
  /**
   * @param onStart  called with the engine's side of a new game
   * @param onApply  called with the engine's side for the rest of the shown game
   */
  constructor(dialog, settings, opponent, { onStart, onApply }) {
    Object.assign(this, { dialog, settings, opponent, onStart, onApply });
    const { engine } = opponent;
    engine.addEventListener("change", () => this.draw());
    dialog.addEventListener("close", () => this.close(engine.value));
  }

  open() {
    const { dialog, opponent } = this;
    const { engine, movetime, strength, human } = opponent;
    engine.value = opponent.side;
    this.before = /** @type {[any, string][]} */ ([[movetime, "value"], [strength, "value"], [human, "checked"]]).map(([field, key]) => [field, key, field[key]]);
    dialog.returnValue = "";
    this.draw();
    dialog.showModal();
  }

  /** Without an opponent there is nothing to set. */
  draw() { this.settings.hidden = this.opponent.engine.value === ""; }

  close(side) {
    const { dialog, opponent } = this;
    const act = { start: this.onStart, apply: this.onApply }[dialog.returnValue];
    if (act) { act(side); return; }
    opponent.engine.value = opponent.side;
    for (const [field, key, value] of this.before) {
      if (field[key] === value) continue;
      field[key] = value;
      field.dispatchEvent(new Event("change"));
    }
    opponent.showStrength();
  }
}

/** Human thinking time: little in the opening and for a recapture, more with many moves to choose from. */
export function thinkingTime(node, random = Math.random()) {
  const { position, ply, move } = node;
  const choices = position?.legal.length ?? 30;
  const recapture = position?.legal.some((legal) => legal.to === move?.to && legal.san.includes("x")) && move?.san.includes("x");
  if (choices === 1 || recapture) return SHORT_THOUGHT * (1 + random);
  const opening = Math.min(1, (ply + 2) / 16);
  return Math.min(LONG_THOUGHT, SHORT_THOUGHT + opening * (choices / 30) * (800 + 5000 * random * random));
}
