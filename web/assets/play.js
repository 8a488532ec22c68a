// Games against the engine: its replies, taking back, draws, resignation, the end and the rematch.

import { gameFromMoves } from "./session.js";
import { $ } from "./page.js";
import { resultOf, statusText } from "./words.js";

const SEARCHING = "Saavedra is searching…";

export class Match {
  /** @param {import("./page.js").Page} page */
  constructor(page) {
    this.page = page;
    /** The signal that ends the engine's search for its move; null before the first one. */
    this.thinking = null;
    page.listeners.push(() => this.draw());
  }

  /** Lets the engine move if it is its turn. */
  async reply(signal) {
    const { page } = this;
    const { session, opponent } = page;
    const { position } = session;
    if (!opponent.isTurn(session.game, position)) return;
    this.thinking = signal;
    $("status").textContent = SEARCHING;
    try {
      const { move, evaluation } = await opponent.think({ signal, onBusy: page.busy });
      const premove = page.premove.take();
      // The best move keeps the evaluation.
      if (move && await page.play(move, { evaluation, isReply: true }) && premove) await page.premove.play(premove);
    } catch (error) {
      if (signal.aborted) return;
      this.thinking = null;
      $("status").textContent = statusText(position);
      page.messages.hold(error.message);
    }
  }

  /** Whether to take back is to step back: in a loaded game, and where moves follow, nothing is deleted. */
  get stepsBack() {
    const { game, node, opponent } = this.page;
    return !game.own || Boolean(node.next && !opponent.side);
  }

  /** Against the engine, the user's last move and the reply are taken back. */
  takeBack() {
    const { page } = this;
    const { game, opponent } = page;
    if (game.isEmpty || page.setup.active) return;
    if (this.stepsBack) { this.stepBack(); return; }
    let last = page.node.end();
    const turn = last.move?.fen.split(" ")[1];
    if (opponent.side && turn !== opponent.side && last.parent.parent) last = last.parent;
    game.current = last;
    game.remove(last);
    // The game goes on from here.
    game.current.ending = null;
    if (opponent.side && !game.current.parent && game.turn === opponent.side) opponent.side = "";
    page.messages.clear();
    page.messages.say("Taken back");
    page.review.stop();
    page.show();
  }

  /** Goes back to where the user was to move. */
  stepBack() {
    const { node, game, opponent } = this.page;
    const { parent } = node;
    const isReply = opponent.side && parent && game.fenOf(parent)?.split(" ")[1] === opponent.side;
    this.page.goTo(isReply ? parent.parent ?? parent : parent);
  }

  async start(side) {
    const { page } = this;
    const names = { w: { white: page.opponent.name }, b: { black: page.opponent.name } }[side] ?? {};
    await page.open([gameFromMoves(names)], { engine: side, flipped: side === "w" });
  }

  /** Goes on with the shown game; the engine plays this side, or none. */
  playOn(side) {
    const { page } = this;
    page.opponent.side = side;
    page.flip(side === "w");
    if (!page.node.next) page.node.ending = null;
    page.show();
  }

  /** The next game with the other colour. */
  rematch() { return this.start(this.page.opponent.side === "w" ? "b" : "w"); }

  resign() {
    const winner = this.page.opponent.side;
    this.finish(winner === "w" ? "1-0" : "0-1", `You resigned. ${winner === "w" ? "White" : "Black"} wins`);
  }

  async offerDraw() {
    const { page } = this;
    const { node } = page;
    try {
      const accepted = await page.opponent.acceptsDraw({ signal: page.session.requests.signal, onBusy: page.busy });
      if (page.node !== node) return;
      if (accepted) this.finish("1/2-1/2", "Draw by agreement");
      else page.messages.note("Saavedra declines the draw.", $("offers"));
    } catch (error) {
      page.messages.error(error);
    }
  }

  finish(result, text) {
    const { page } = this;
    const last = page.node.end();
    page.game.current = last;
    last.ending = { result, text };
    page.messages.clear();
    page.messages.say(text);
    page.show();
  }

  /** How the game has ended here, by resignation or agreement; null if it has not. */
  get agreed() {
    const { node } = this.page;
    return node.next ? null : node.ending;
  }

  /** Notes the result: of a game that was played here by its end, of a file as it is there unless the user has set another one. */
  settle() {
    const { game } = this.page;
    const end = game.root.end();
    const agreed = end.ending?.result;
    game.fileResult ??= game.result ?? "*";
    // A stored game comes with its result; the position at its end is known once it is shown.
    game.settledAt ??= end;
    if (!agreed && !end.position && game.settledAt === end) return;
    game.settledAt = end;
    const result = agreed ?? (game.own ? resultOf(end.position) ?? "*" : game.fileResult);
    if (result === game.result) return;
    game.result = result;
    game.setTag("Result", result);
  }

  /** Shows the offers during a game and the banner at its end. */
  draw() {
    const { agreed, page } = this;
    const { game, node, opponent, session } = page;
    this.settle();
    const over = agreed || (session.position && resultOf(session.position));
    const playing = Boolean(opponent.side) && !node.next;
    const { move: premove } = page.premove;
    if (this.thinking?.aborted === false && opponent.isTurn(game, session.position)) {
      $("status").textContent = premove ? `${SEARCHING} Premove: ${premove.san}` : SEARCHING;
    }
    $("opponent").textContent = opponent.describe();
    if (agreed && !(session.position && resultOf(session.position))) $("status").textContent = agreed.text;
    $("offers").hidden = !playing || Boolean(over) || game.isEmpty;
    // The engine judges an offer by the value of the position for the user, who has to be to move.
    $("draw").disabled = opponent.isTurn(game, session.position);
    const show = playing && Boolean(over);
    const text = show ? agreed?.text ?? statusText(session.position) : "";
    if ($("banner-text").textContent !== text) $("banner-text").textContent = text;
    $("banner").hidden = !show || this.dismissed === node;
  }

  dismiss() {
    this.dismissed = this.page.node;
    this.draw();
  }
}
