// The evaluation graph: White's expected share of the point after each ply.

import { expectation, scoreText } from "./game.js";

const NAMESPACE = "http://www.w3.org/2000/svg";

function shape(name, attributes) {
  const element = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

/** Draws the graph; `onPly` is called with the ply under a click. */
export function drawGraph(root, game, onPly) {
  const known = [...game.evaluations].sort((a, b) => a[0] - b[0]);
  if (known.length < 2) {
    root.replaceChildren();
    root.setAttribute("aria-label", "No evaluations yet");
    return;
  }
  const last = Math.max(game.plies.length, 1);
  const svg = shape("svg", { viewBox: `0 0 ${last} 100`, preserveAspectRatio: "none" });
  const y = (evaluation) => (100 * (1 - expectation(evaluation))).toFixed(1);
  const points = known.map(([ply, evaluation]) => `${ply} ${y(evaluation)}`);
  const [from, to] = [known[0][0], known[known.length - 1][0]];
  svg.append(
    shape("path", { class: "area", d: `M${from} 100 L${points.join(" L")} L${to} 100 Z` }),
    shape("path", { class: "middle", d: `M0 50 H${last}` }),
    shape("path", { class: "now", d: `M${game.ply} 0 V100` }),
    ...[...game.marks].filter(([ply, mark]) => mark.startsWith("?") && mark !== "?!" && game.evaluations.has(ply))
      .map(([ply]) => dot(ply, y(game.evaluations.get(ply)))),
  );
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    onPly(Math.round(((event.clientX - box.left) / box.width) * last));
  });
  root.replaceChildren(svg);
  root.setAttribute("aria-label", describe(game, known));
}

/** A round dot in a stretched picture: a line of no length with a round cap. */
function dot(x, y) {
  return shape("path", { class: "mark", d: `M${x} ${y} h0`, "stroke-linecap": "round" });
}

function describe(game, known) {
  const [ply, evaluation] = known[known.length - 1];
  const { number, white } = game.numberOf(Math.max(ply, 1));
  return `Evaluation graph over ${game.plies.length} plies; after move ${number}${white ? "" : " of Black"}: ${scoreText(evaluation.score)}`;
}
