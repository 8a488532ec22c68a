// The evaluation graph: White's expected points after each ply.

import { expectedPoints, scoreText } from "./game.js";

const NAMESPACE = "http://www.w3.org/2000/svg";

function createShape(name, attributes) {
  const element = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

/** Draws the graph; calls `onPly` with the clicked ply. */
export function drawGraph(root, game, onPly) {
  const evaluations = [...game.evaluations].sort((a, b) => a[0] - b[0]);
  if (evaluations.length < 2) {
    root.replaceChildren();
    root.setAttribute("aria-label", "No evaluations yet");
    return;
  }
  const last = Math.max(game.plies.length, 1);
  const svg = createShape("svg", { viewBox: `0 0 ${last} 100`, preserveAspectRatio: "none" });
  const y = (evaluation) => (100 * (1 - expectedPoints(evaluation))).toFixed(1);
  const points = evaluations.map(([ply, evaluation]) => `${ply} ${y(evaluation)}`);
  const [from, to] = [evaluations[0][0], evaluations[evaluations.length - 1][0]];
  svg.append(
    createShape("path", { class: "area", d: `M${from} 100 L${points.join(" L")} L${to} 100 Z` }),
    createShape("path", { class: "midline", d: `M0 50 H${last}` }),
    createShape("path", { class: "current", d: `M${game.ply} 0 V100` }),
    ...[...game.marks].filter(([ply, mark]) => mark.startsWith("?") && mark !== "?!" && game.evaluations.has(ply))
      .map(([ply]) => dot(ply, y(game.evaluations.get(ply)))),
  );
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    onPly(Math.round(((event.clientX - box.left) / box.width) * last));
  });
  root.replaceChildren(svg);
  root.setAttribute("aria-label", describe(game, evaluations));
}

/** A round dot in a scaled SVG: a line of zero length with a round cap. */
function dot(x, y) {
  return createShape("path", { class: "mark", d: `M${x} ${y} h0`, "stroke-linecap": "round" });
}

function describe(game, evaluations) {
  const [ply, evaluation] = evaluations[evaluations.length - 1];
  const { number, white } = game.moveNumber(Math.max(ply, 1));
  return `Evaluation graph over ${game.plies.length} plies; after move ${number}${white ? "" : " of Black"}: ${scoreText(evaluation.score)}`;
}
