// The evaluation graph: White's expected points after each move of the line. Where there is no
// evaluation, nothing is drawn.

import { expectedPoints, scoreText } from "./words.js";

const NAMESPACE = "http://www.w3.org/2000/svg";

function createShape(name, attributes) {
  const element = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

/** Consecutive plies with an evaluation, as lists of [ply, y]. */
export function runs(nodes) {
  const found = [];
  let run = null;
  for (const { ply, evaluation } of nodes) {
    if (!evaluation) { run = null; continue; }
    if (!run) found.push(run = []);
    run.push([ply, (100 * (1 - expectedPoints(evaluation))).toFixed(1)]);
  }
  return found;
}

/** Draws the graph of a line, root included; calls `onNode` with the clicked node. */
export function drawGraph(root, nodes, game, onNode) {
  const known = nodes.filter(({ evaluation }) => evaluation);
  if (known.length < 2) {
    root.replaceChildren();
    root.setAttribute("aria-label", "No evaluations yet");
    return;
  }
  const last = Math.max(nodes.length - 1, 1);
  const svg = createShape("svg", { viewBox: `0 0 ${last} 100`, preserveAspectRatio: "none", "aria-hidden": "true" });
  svg.append(createShape("rect", { class: "unknown", x: 0, y: 0, width: last, height: 100 }));
  for (const run of runs(nodes)) {
    // An evaluation alone between unknown ones is half a ply wide.
    const [from, to] = run.length > 1 ? [run[0][0], run.at(-1)[0]] : [run[0][0] - 0.25, run[0][0] + 0.25];
    const line = run.length > 1 ? run.map(([ply, y]) => `${ply} ${y}`).join(" L") : `${from} ${run[0][1]} L${to} ${run[0][1]}`;
    svg.append(createShape("path", { class: "lost", d: `M${from} 0 L${line} L${to} 0 Z` }));
    svg.append(createShape("path", { class: "area", d: `M${from} 100 L${line} L${to} 100 Z` }));
  }
  svg.append(createShape("path", { class: "midline", d: `M0 50 H${last}` }));
  svg.append(createShape("path", { class: "current", d: `M${game.current.ply} 0 V100` }));
  for (const { ply, evaluation, review } of nodes) {
    if (!evaluation || !review || !["?", "??"].includes(review.mark)) continue;
    svg.append(dot(ply, 100 * (1 - expectedPoints(evaluation))));
  }
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    onNode(nodes[Math.round(((event.clientX - box.left) / box.width) * last)]);
  });
  root.replaceChildren(svg);
  root.setAttribute("aria-label", describe(nodes, known, game));
}

/** A round dot in a scaled SVG: a line of zero length with a round cap, inside the frame. */
function dot(x, y) {
  return createShape("path", { class: "mark", d: `M${x} ${Math.min(Math.max(y, 5), 95).toFixed(1)} h0` });
}

function describe(nodes, known, game) {
  const { ply, evaluation } = known.at(-1);
  const { number, white } = game.moveNumber(Math.max(ply, 1));
  const unknown = nodes.length - known.length;
  return `Evaluation graph over ${nodes.length - 1} plies${unknown ? `, ${unknown} unknown` : ""}; `
    + `after move ${number}${white ? "" : " of Black"}: ${scoreText(evaluation.score)}`;
}
