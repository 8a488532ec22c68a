// The review on the page: progress, summary, mistakes to step through, saving.

import { save } from "./files.js";
import { openingOf } from "./openings.js";
import { $ } from "./page.js";
import { mistakes, numbered, Review, summaryLines, assessment } from "./review.js";
import { annotated, reviewHtml } from "./report.js";

/**
 * The options of a review: a message stands while the engine is busy or out of reach.
 * @param {import("./page.js").Page} page
 */
const messagesOf = (page) => ({
  onBusy: page.busy,
  onLost: () => page.messages.hold("The server cannot be reached. The review goes on when it answers again.", $("progress")),
  onAnswer: () => page.messages.release(),
});

export class ReviewPanel {
  /**
   * @param {import("./page.js").Page} page
   * @param {typeof import("./api.js").api} api  the engine
   */
  constructor(page, api) {
    this.page = page;
    this.job = new Review(api, {
      onProgress: (part, hasResults) => this.progress(part, hasResults),
      onEnd: (error) => this.end(error),
    });
    page.listeners.push(() => this.draw());
    page.saved.push(() => ({ review: this.job.running, reviewed: this.job.nodes.at(-1)?.indices() }));
    $("mistakes").addEventListener("click", (event) => {
      const item = event.target.closest("li");
      if (item) this.page.goTo(this.nodes[[...$("mistakes").children].indexOf(item)]?.parent);
    });
  }

  /** The mistakes of the reviewed line. */
  get nodes() { return mistakes(this.line()); }

  /** The reviewed line, whichever variation is shown; without a review the shown line. */
  line() {
    const line = [];
    const reviewed = (node) => node.children.find(({ review }) => review);
    for (let at = reviewed(this.page.game.root); at; at = reviewed(at)) line.push(at);
    return line.length ? line : this.page.node.line().filter((at) => at.move);
  }

  get isReviewed() { return this.line().some(({ review }) => review); }

  clear() { this.job.clear(); }

  stop() { this.job.stop(); }

  async toggle() {
    const { page, job } = this;
    page.messages.clear();
    if (job.running) { job.stop(); return; }
    const review = job.start(page.session, page.node, messagesOf(page));
    this.draw();
    await review;
  }

  /** Goes on with a review that was running when the game was stored, with the path of its line. */
  async restore({ review: wasRunning, reviewed }) {
    const { job, page } = this;
    if (!wasRunning) return;
    const review = job.start(page.session, page.game.at(reviewed ?? []), messagesOf(page));
    this.draw();
    await review;
  }

  progress(part, hasResults) {
    $("progress").hidden = false;
    $("progress").value = part;
    if (hasResults) {
      this.page.moveList.draw(this.page.game);
      this.page.drawEvaluation();
      this.draw();
    }
    this.page.save();
  }

  end(error) {
    if (error) this.page.messages.error(error, $("progress"));
    else this.page.practice.keep();
    this.draw();
    this.page.save();
  }

  /** The summary, the mistakes of the line, what was best here, and the arrows of both moves. */
  draw() {
    const { page } = this;
    const { game, node } = page;
    const found = this.nodes;
    const reviewed = this.isReviewed;
    $("summary").textContent = game.summary ? summaryLines(game.summary).join("\n") : "";
    $("review").disabled = game.isEmpty;
    $("review").textContent = this.job.running ? "Stop the review" : "Review the game";
    if (!this.job.running) $("progress").hidden = true;
    $("review-tools").hidden = $("review-here").hidden = !reviewed;
    $("review").classList.toggle("primary", !reviewed);
    this.list(found);
    for (const id of ["mistake-prev", "mistake-next"]) $(id).disabled = found.length === 0;
    // At the position before a mistake both moves are shown.
    const here = [node.next, node].find((at) => at?.review?.mark && at.move);
    $("assessment").textContent = here ? assessment(game, here) : reviewed && found.length === 0 ? "No mistakes." : "";
    $("add-best").hidden = !here?.review.best;
    const arrows = here && here === node.next
      ? [{ from: here.move.from, to: here.move.to, colour: "red" },
        ...(here.review.best ? [{ from: here.review.best.uci.slice(0, 2), to: here.review.best.uci.slice(2, 4), colour: "green" }] : [])]
      : [];
    page.shapes.set("review", arrows.filter(({ from }) => from));
    // The exercises change with the review.
    page.practice.draw();
  }

  /** Lists the mistakes. The same list stays, so that a pressed button keeps the focus. */
  list(found) {
    const items = found.map((at) => this.item(at));
    const text = items.map(({ textContent }) => textContent).join("");
    if ($("mistakes").textContent !== text) $("mistakes").replaceChildren(...items);
  }

  item(node) {
    const { game } = this.page;
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = `${numbered(game, node)} ${node.review.mark}`;
    const best = document.createElement("span");
    best.textContent = node.review.best ? `best ${node.review.best.line[0]}` : "";
    item.append(button, best);
    return item;
  }

  /** Goes to the position before the next (1) or previous (-1) mistake. */
  step(direction) {
    const { page } = this;
    page.tabs.show("review");
    const places = this.nodes.map((at) => at.parent);
    const here = page.node.ply;
    const target = direction > 0 ? places.find(({ ply }) => ply > here) ?? places[0] : places.findLast(({ ply }) => ply < here) ?? places.at(-1);
    page.goTo(target);
  }

  /** Adds the best line as a variation and shows its first move. */
  async addBest() {
    const { page } = this;
    const node = [page.node.next, page.node].find((at) => at?.review?.best);
    if (!node) return;
    page.opponent.side = "";
    page.game.current = page.game.addLine(node.parent, node.review.best.line);
    await page.show();
  }

  savePgn() {
    return this.page.withPgn([annotated(this.page.game)], $("mistakes"), (text) => save("review.pgn", "application/x-chess-pgn", text));
  }

  async saveHtml() {
    const { game, messages, session } = this.page;
    const line = this.line();
    try {
      // A stored line has no positions until it is shown.
      await session.confirmLine(game, line.at(-1), {});
    } catch (error) {
      messages.error(error, $("mistakes"));
      return;
    }
    const response = await fetch(new URL("pieces.svg", import.meta.url)).catch(() => null);
    const pieces = response?.ok ? await response.text() : "";
    save("review.html", "text/html", reviewHtml(game, line, game.summary, openingOf(game, line.at(-1)), pieces));
  }
}
