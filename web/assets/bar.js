// The evaluation bar: win, draw and loss.

import { favoursBlack, scoreText, wdlOf } from "./words.js";

/** Draws the bar. An unknown evaluation looks unknown. */
export function drawBar(bar, evaluation, flipped) {
  const parts = [".white", ".draw", ".black"].map((part) => bar.querySelector(part));
  bar.classList.toggle("flipped", flipped);
  bar.classList.toggle("unknown", !evaluation);
  const wdl = evaluation ? wdlOf(evaluation) : [0, 0, 0];
  const horizontal = getComputedStyle(bar).flexDirection.startsWith("row");
  parts.forEach((part, index) => {
    part.style[horizontal ? "width" : "height"] = `${wdl[index] / 10}%`;
    part.style[horizontal ? "height" : "width"] = "100%";
  });
  bar.classList.toggle("black-ahead", Boolean(evaluation) && favoursBlack(evaluation.score));
  bar.querySelector("output").textContent = evaluation ? shortScore(evaluation.score) : "?";
  bar.setAttribute("aria-label", evaluation ? barText(evaluation, wdl) : "No evaluation yet");
}

/** The score in few characters: with one decimal, from ten pawns without. */
function shortScore(score) {
  if (score.cp === undefined) return scoreText(score);
  const pawns = Math.abs(score.cp) / 100;
  return `${score.cp < 0 ? "−" : "+"}${pawns.toFixed(pawns < 9.95 ? 1 : 0)}`;
}

function barText({ score, wdl }, [white, draw, black]) {
  const percent = (permille) => `${Math.round(permille / 10)} %`;
  return `Evaluation ${scoreText(score)}${wdl || score.cp === undefined ? "" : ", estimated"}: White wins ${percent(white)}, draw ${percent(draw)}, Black wins ${percent(black)}`;
}
