// A review to keep: the game with its judgements, and as a separate HTML page.

import { addComment } from "./comments.js";
import { runs } from "./graph.js";
import { parsePlacement, pieceCode } from "./pieces.js";
import { lineText, MARK_NAGS, mistakes, numbered, summaryLines, assessment } from "./review.js";
import { GameTree } from "./tree.js";
import { favoursBlack, scoreText } from "./words.js";

const escape = (text) => String(text).replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;" })[sign]);

/** The game with evaluations, marks, and the best lines as variations. */
export function annotated(game) {
  const copy = GameTree.of(structuredClone(game.record()));
  const pairs = [...zip(game.nodes(), copy.nodes())];
  for (const [node, target] of pairs) {
    const { review, evaluation } = node;
    if (!review) continue;
    const nag = MARK_NAGS[review.mark];
    if (nag && !target.nags.some((other) => other >= 1 && other <= 6)) target.after.unshift({ nag });
    const score = evaluation && pgnScore(evaluation.score);
    if (score && !target.after.some(({ comment }) => comment?.includes("[%eval"))) addComment(target, `[%eval ${score}]`);
    if (!review.mark || !review.best) continue;
    const why = review.why ? `${review.why}. ` : "";
    addComment(target, `${why}Best was ${review.best.line[0]}.`);
    copy.addLine(target.parent, review.best.line);
  }
  return copy;
}

function* zip(first, second) {
  for (const item of first) yield [item, second.next().value];
}

function pgnScore(score) {
  if (score.loser) return null;
  return score.mate !== undefined ? `#${score.mate}` : (score.cp / 100).toFixed(2);
}

/** The review as a page that needs nothing else. `pieces` is the text of pieces.svg. */
export function reviewHtml(game, nodes, summary, opening, pieces) {
  const names = ["White", "Black"].map((side) => (game.tag(side) ?? "?").replace(/^\?$/, side));
  const title = `${names[0]} – ${names[1]}`;
  const facts = [game.tag("Event"), game.tag("Date"), opening, game.result].filter((fact) => fact && !/^[?.]+$/.test(fact));
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}: review</title>
<style>${STYLE}</style>
<svg width="0" height="0" aria-hidden="true">${pieceSymbols(pieces)}</svg>
<main>
<h1>${escape(title)}</h1>
<p>${escape(facts.join(" · "))}</p>
${summary ? `<p>${summaryLines(summary).map(escape).join("<br>")}</p>` : ""}
${graph([nodes[0]?.parent, ...nodes].filter(Boolean))}
<h2>Mistakes</h2>
${mistakes(nodes).map((node) => mistake(game, node)).join("\n") || "<p>None.</p>"}
<h2>Moves</h2>
<ol class="moves">
${nodes.map((node) => move(game, node)).join("\n")}
</ol>
<p class="note">Reviewed by Saavedra. Scores are from White's view.</p>
</main>
</html>
`;
}

function mistake(game, node) {
  return `<section>${diagram(game.fenOf(node.parent), node)}
<div><h3>${escape(numbered(game, node))} ${escape(node.review.mark)}</h3><p>${escape(assessment(game, node))}</p></div></section>`;
}

function move(game, node) {
  const { evaluation, review } = node;
  const best = review?.mark && review.best ? ` <span>best: ${escape(lineText(game, node.ply, review.best.line.slice(0, 6)))}</span>` : "";
  const score = evaluation ? scoreText(evaluation.score) : "?";
  const side = evaluation && favoursBlack(evaluation.score) ? " class=\"black\"" : "";
  return `<li><b>${escape(numbered(game, node))} ${escape(review?.mark ?? "")}</b> <i${side}>${escape(score)}</i>${best}</li>`;
}

/** The symbols of all pieces, from the drawing of the page. */
function pieceSymbols(pieces) {
  const defs = /<defs>[\s\S]*<\/defs>/.exec(pieces)?.[0] ?? "";
  const groups = [...pieces.split("</defs>").pop().matchAll(/<g ([^>]*)>/g)].map(([, attributes]) => attributes.replace(/transform="[^"]*"/, ""));
  const symbols = ["w", "b"].flatMap((side, index) => ["king", "queen", "rook", "bishop", "knight", "pawn"].map((name) => (
    `<symbol id="${side}${name === "knight" ? "n" : name[0]}" viewBox="0 0 100 100"><g ${groups[index]}><use href="#${name}"/></g></symbol>`)));
  return defs + symbols.join("");
}

/** The position before a move, with the move in red and the better one in green. */
function diagram(fen, node) {
  const at = (square) => ["abcdefgh".indexOf(square[0]), 8 - Number(square[1])];
  const squares = [];
  for (let y = 0; y < 8; y += 1) {
    for (let x = 0; x < 8; x += 1) squares.push(`<rect x="${x}" y="${y}" width="1" height="1" fill="${(x + y) % 2 ? "#b58d66" : "#efe3cd"}"/>`);
  }
  const pieces = [...parsePlacement(fen)].map(([square, piece]) => {
    const [x, y] = at(square);
    return `<use href="#${pieceCode(piece)}" x="${x}" y="${y}" width="1" height="1"/>`;
  });
  const arrow = (from, to, colour) => {
    const [[x1, y1], [x2, y2]] = [at(from), at(to)];
    return `<path d="M${x1 + 0.5} ${y1 + 0.5} L${x2 + 0.5} ${y2 + 0.5}" stroke="${colour}" stroke-width=".14" opacity=".8" marker-end="url(#head)"/>`;
  };
  const { best } = node.review;
  const arrows = [arrow(node.move.from, node.move.to, "#b3261e"), ...(best ? [arrow(best.uci.slice(0, 2), best.uci.slice(2, 4), "#1f7a3d")] : [])];
  const head = '<defs><marker id="head" viewBox="0 0 4 4" refX="2" refY="2" markerWidth="3" markerHeight="3" orient="auto">'
    + '<path d="M0 0 L4 2 L0 4 Z" fill="context-stroke"/></marker></defs>';
  return `<svg class="board" viewBox="0 0 8 8" role="img" aria-label="${escape(fen)}">${head}${squares.join("")}${pieces.join("")}${arrows.join("")}</svg>`;
}

function graph(nodes) {
  const last = Math.max(nodes.length - 1, 1);
  const areas = runs(nodes).filter((run) => run.length > 1).map((run) => {
    const line = run.map(([ply, y]) => `${ply} ${y}`).join(" L");
    return `<path fill="#35302a" d="M${run[0][0]} 0 L${line} L${run.at(-1)[0]} 0 Z"/><path fill="#fbf8f1" d="M${run[0][0]} 100 L${line} L${run.at(-1)[0]} 100 Z"/>`;
  });
  return `<svg class="graph" viewBox="0 0 ${last} 100" preserveAspectRatio="none" role="img" aria-label="Evaluation graph">${areas.join("")}`
    + `<path d="M0 50 H${last}" stroke="#a9a196" vector-effect="non-scaling-stroke"/></svg>`;
}

const STYLE = `body{margin:0;background:#f4f1eb;color:#25211c;font:16px/1.45 system-ui,sans-serif}
main{max-width:50rem;margin:0 auto;padding:1rem 1.2rem}h1{font-size:1.5rem}h2{font-size:1.15rem}h3{margin:0;font-size:1rem}
.graph{width:100%;height:8rem;background:#a9a196;border-radius:.4rem}section{display:flex;gap:1rem;margin:1rem 0;break-inside:avoid}
.board{width:15rem;flex:none;border-radius:.3rem}.moves{list-style:none;padding:0;columns:2;column-gap:2rem}.moves li{break-inside:avoid;padding:.1rem 0}
.moves i{font-style:normal;border:1px solid #cfc6b8;border-radius:.25rem;padding:0 .25rem;background:#fbf8f1}.moves i.black{background:#35302a;color:#f4efe6}
.moves span,.note{color:#5f574e;font-size:.9rem}@media(max-width:36rem){section{display:block}.board{width:100%}.moves{columns:1}}`;
