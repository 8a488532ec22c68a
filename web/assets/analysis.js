// The analysis card: the stream of search information, the lines, the bar and the arrows.

import { stream } from "./api.js";
import { expectation, favoursBlack, scoreText } from "./game.js";

const SETTLE = 120;

export class Analysis {
  /**
   * @param parts     { lines, effort, bar }: the elements to fill
   * @param board     gets the arrows
   * @param onScore   called with (ply, {score, wdl}) as the search goes on
   * @param onMoves   called with the UCI moves of a line a person clicked
   */
  constructor(parts, board, { onScore, onMoves, onProblem }) {
    Object.assign(this, { ...parts, board, onScore, onMoves, onProblem });
    this.running = null;
    this.drawing = 0;
    this.shown = [];
    this.lines.addEventListener("click", (event) => this.click(event));
  }

  /** Stops what runs and looks at the game's position; closing the stream ends the search. */
  look(game, multipv) {
    this.stop();
    const running = new AbortController();
    this.running = running;
    this.found = new Map();
    this.effort.textContent = "Starting…";
    setTimeout(() => {
      if (!running.signal.aborted) this.follow(game, multipv, running.signal);
    }, SETTLE);
  }

  async follow(game, multipv, signal) {
    const { ply, turn } = game;
    const { start, moves, chess960 } = game.question();
    const query = new URLSearchParams({ start, moves: moves.join(" "), multipv });
    if (chess960) query.set("chess960", "true");
    const take = (name, data) => {
      if (signal.aborted) return;
      if (name === "info") this.take(data, ply, turn);
      else if (name === "queued") this.effort.textContent = "Waiting for a free engine…";
      else if (name === "bestmove") this.finish(data);
      else if (name === "problem") this.onProblem(new Error(data.detail));
    };
    const busy = (seconds) => { this.effort.textContent = `The server is busy; trying again in ${seconds} s…`; };
    try {
      await stream(`/api/v1/analysis?${query}`, signal, take, busy);
    } catch (error) {
      if (signal.aborted) return;
      this.effort.textContent = "Stopped";
      this.onProblem(error);
    }
  }

  take(info, ply, turn) {
    const place = info.multipv ?? 1;
    this.found.set(place, info);
    if (place === 1) this.onScore(ply, info);
    this.effort.textContent = effortText(info);
    this.effort.dataset.depth = info.depth;
    // The search tells more in a moment than an eye can follow: draw once for each picture.
    if (this.drawing) return;
    this.drawing = requestAnimationFrame(() => {
      this.drawing = 0;
      if (this.running) this.drawLines(turn);
    });
  }

  drawLines(turn) {
    const infos = [...this.found].sort((a, b) => a[0] - b[0]).map(([, info]) => info);
    this.shown = infos;
    fit(this.lines, infos.length, newLine);
    infos.forEach((info, index) => fillLine(this.lines.children[index], info, turn));
    const arrows = infos.filter((info) => info.pv.length).map((info, index) => {
      const [from, to] = [info.pv[0].slice(0, 2), info.pv[0].slice(2, 4)];
      return { from, to, weight: 1 - index / infos.length };
    });
    this.board.drawArrows(arrows.reverse());
  }

  /** A click on a move of a line plays the line up to it. */
  click(event) {
    const button = event.target.closest("button");
    const item = event.target.closest("li");
    if (!button) return;
    const info = this.shown[[...this.lines.children].indexOf(item)];
    const index = [...button.parentElement.children].indexOf(button);
    if (info) this.onMoves(info.pv.slice(0, index + 1));
  }

  finish(data) {
    if (!data.bestmove) this.effort.textContent = "No move to look for";
    else this.effort.textContent += " · done";
  }

  stop() {
    this.running?.abort();
    this.running = null;
    this.lines.replaceChildren();
    this.board.drawArrows([]);
    this.effort.textContent = "Off";
    delete this.effort.dataset.depth;
  }
}

/** Gives a parent so many children. Those that stay are the same, so that a click meets its target. */
function fit(parent, count, make) {
  while (parent.children.length > count) parent.lastElementChild.remove();
  while (parent.children.length < count) parent.append(make());
}

function newLine() {
  const item = document.createElement("li");
  item.append(document.createElement("b"), document.createElement("div"));
  return item;
}

function newMove() {
  const button = document.createElement("button");
  button.type = "button";
  return button;
}

function fillLine(item, info, turn) {
  const [score, moves] = item.children;
  const white = whiteScore(info.score, turn);
  score.textContent = scoreText(white);
  score.classList.toggle("behind", favoursBlack(white));
  fit(moves, info.pv_san.length, newMove);
  info.pv_san.forEach((san, index) => {
    const button = moves.children[index];
    if (button.textContent !== san) button.textContent = san;
    button.tabIndex = index === 0 ? 0 : -1;
  });
}

function whiteScore(score, turn) {
  const sign = turn === "w" ? 1 : -1;
  return score.mate !== undefined ? { mate: sign * score.mate } : { cp: sign * score.cp };
}

function effortText({ depth, seldepth, nodes, nps, time }) {
  const words = [`Depth ${depth}${seldepth ? `/${seldepth}` : ""}`, `${short(nodes)} nodes`];
  if (nps) words.push(`${short(nps)}/s`);
  if (time !== undefined) words.push(`${(time / 1000).toFixed(1)} s`);
  return words.join(" · ");
}

function short(number) {
  if (number >= 1e9) return `${(number / 1e9).toFixed(2)} G`;
  if (number >= 1e6) return `${(number / 1e6).toFixed(1)} M`;
  if (number >= 1e4) return `${(number / 1e3).toFixed(0)} k`;
  return String(number);
}

/** The win/draw/loss bar: white's share at the foot, black's at the head. */
export function drawBar(bar, evaluation, flipped) {
  const parts = [".white", ".draw", ".black"].map((part) => bar.querySelector(part));
  bar.classList.toggle("flipped", flipped);
  bar.classList.toggle("unknown", !evaluation);
  const share = evaluation?.wdl ?? sharesOf(evaluation);
  const across = getComputedStyle(bar).flexDirection.startsWith("row");
  parts.forEach((part, index) => {
    part.style[across ? "width" : "height"] = `${share[index] / 10}%`;
    part.style[across ? "height" : "width"] = "100%";
  });
  bar.classList.toggle("behind", Boolean(evaluation) && favoursBlack(evaluation.score));
  bar.querySelector("output").textContent = evaluation ? shortScore(evaluation.score) : "";
  bar.setAttribute("aria-label", evaluation ? barText(evaluation, share) : "No evaluation yet");
}

/** The score without its sign, which the bar itself shows, and with one decimal. */
function shortScore(score) {
  const text = scoreText(score).replace(/^[+−]/, "");
  return score.cp === undefined ? text : (Math.abs(score.cp) / 100).toFixed(1);
}

function sharesOf(evaluation) {
  if (!evaluation) return [333, 334, 333];
  const white = Math.round(expectation(evaluation) * 1000);
  return [white, 0, 1000 - white];
}

function barText({ score }, [white, draw, black]) {
  const percent = (share) => `${Math.round(share / 10)} %`;
  return `Evaluation ${scoreText(score)}: White wins ${percent(white)}, draw ${percent(draw)}, Black wins ${percent(black)}`;
}
