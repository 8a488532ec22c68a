"use strict";
// Steps through the games of the page. The attributes of each move hold its position, evaluation and the
// error that follows; the moves of the lines hold their positions.
const NAMES = { k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn" };
const SYMBOLS = { K: "♔", Q: "♕", R: "♖", B: "♗", N: "♘", P: "♙", k: "♚", q: "♛", r: "♜", b: "♝", n: "♞", p: "♟" };
const SVG = "http://www.w3.org/2000/svg";

function shape(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

/** A board of the page: draws positions and an arrow. */
function createBoard(figure) {
  const cells = [...figure.querySelectorAll("td")];
  const at = (cell) => cell.dataset.col + cell.dataset.row;

  function pieces(fen) {
    const found = {};
    fen.split(" ")[0].split("/").forEach((rank, index) => {
      let file = 0;
      for (const sign of rank) {
        if (sign >= "1" && sign <= "8") file += Number(sign);
        else found["abcdefgh"[file++] + (8 - index)] = sign;
      }
    });
    return found;
  }

  function piece(sign) {
    const color = sign === sign.toUpperCase() ? "white" : "black";
    const picture = shape("svg", { class: `piece ${color}`, "aria-hidden": "true" });
    picture.append(shape("use", { href: `#piece-${NAMES[sign.toLowerCase()]}` }));
    return picture;
  }

  function arrow(text) {
    figure.querySelector(":scope > svg")?.remove();
    if (!text) return;
    const centre = (name) => {
      const index = cells.findIndex((cell) => at(cell) === name);
      return [(index % 8) + 0.5, Math.floor(index / 8) + 0.5];
    };
    const [x, y] = centre(text.slice(0, 2));
    const [toX, toY] = centre(text.slice(2, 4));
    const length = Math.hypot(toX - x, toY - y);
    const [dx, dy] = [(toX - x) / length, (toY - y) / length];
    const corner = (along, aside) => `${x + along * dx - aside * dy} ${y + along * dy + aside * dx}`;
    const neck = length - 0.38;
    const corners = [[0.15, 0.08], [neck, 0.08], [neck, 0.22], [length, 0], [neck, -0.22], [neck, -0.08], [0.15, -0.08]];
    const picture = shape("svg", { viewBox: "0 0 8 8", "aria-hidden": "true" });
    picture.append(shape("path", { d: `M${corners.map(([a, b]) => corner(a, b)).join("L")}z` }));
    figure.append(picture);
  }

  /** Says what is drawn, for screen readers: in the paragraph of the caption that has only text. */
  function say(last, best) {
    const caption = figure.querySelector("figcaption");
    let words = [...caption.children].find((paragraph) => !paragraph.firstElementChild);
    if (!words) caption.lastElementChild.before(words = document.createElement("p"));
    const squares = (move) => `${move.slice(0, 2)}–${move.slice(2, 4)}`;
    words.textContent = [last && `Last move: ${squares(last)}.`, best && `Arrow: ${squares(best)}.`].filter(Boolean).join(" ");
  }

  let shown = null;
  function draw(position) {
    shown = position;
    const { fen, last, check, best } = position;
    const found = pieces(fen);
    for (const cell of cells) {
      const sign = found[at(cell)];
      cell.replaceChildren(...(sign ? [SYMBOLS[sign], piece(sign)] : []));
      const marks = [];
      if (last && (last.startsWith(at(cell)) || last.endsWith(at(cell)))) marks.push("last");
      if (check === at(cell)) marks.push("check");
      if (marks.length) cell.dataset.mark = marks.join(" ");
      else delete cell.dataset.mark;
    }
    const fields = fen.split(" ");
    Object.assign(figure.dataset, { fen, turn: fields[1] === "w" ? "white" : "black", castling: fields[2], ep: fields[3], halfmove: fields[4], fullmove: fields[5], last: last || "" });
    figure.querySelector("caption").textContent = (fields[1] === "w" ? "White to move" : "Black to move") + (check ? ", check" : "");
    figure.querySelector("figcaption code").textContent = fen;
    delete figure.dataset.shapes;
    say(last, best);
    arrow(best);
  }

  /** Reverses the names of the ranks or files that stand beside the board. */
  function reverseHeadings(scope) {
    const headings = [...figure.querySelectorAll(`th[scope=${scope}]`)];
    const names = headings.map((heading) => heading.textContent).reverse();
    headings.forEach((heading, index) => { heading.textContent = names[index]; });
  }

  function flip() {
    reverseHeadings("row");
    reverseHeadings("col");
    const names = cells.map(at).reverse();
    cells.forEach((cell, index) => {
      [cell.dataset.col, cell.dataset.row] = names[index];
    });
    figure.toggleAttribute("data-flipped");
    if (shown) draw(shown);
  }
  return { draw, flip };
}

/**
 * Draws the positions of the lines in an element when their moves are clicked. A second click on the same move and
 * Escape call `back`, if it is given.
 */
function openLines(root, draw, back) {
  function mark(link) {
    for (const other of root.querySelectorAll(".line a[aria-current]")) other.removeAttribute("aria-current");
    link?.setAttribute("aria-current", "true");
  }
  function leave() {
    mark(null);
    back();
  }
  root.addEventListener("click", (event) => {
    const link = event.target.closest(".line a");
    if (!link) return;
    event.preventDefault();
    if (back && link.hasAttribute("aria-current")) {
      leave();
    } else {
      mark(link);
      draw(link.dataset);
    }
  });
  root.addEventListener("keydown", (event) => {
    if (back && event.key === "Escape") leave();
    // The space bar presses them as it does buttons.
    const link = event.target.closest(".line a");
    if (!link || event.key !== " ") return;
    event.preventDefault();
    link.click();
  });
}

/** An analysed position: the moves of its lines are drawn on its board, which can go back to the position. */
function setUpPosition(section) {
  let figure = section.querySelector(".board");
  let board = createBoard(figure);
  // The figure as it was before the first move was drawn; null while it is shown.
  let original = null;
  function draw(position) {
    original ??= figure.cloneNode(true);
    board.draw(position);
  }
  function back() {
    if (!original) return;
    figure.replaceWith(original);
    figure = original;
    original = null;
    board = createBoard(figure);
  }
  openLines(section, draw, back);
}

function setUpGame(game) {
  const board = createBoard(game.querySelector(".board"));
  const moves = [...game.querySelectorAll("[data-ply]")];
  const bar = game.querySelector(".bar");
  const status = game.querySelector(".status");
  const marker = game.querySelector(".now-line");
  const graph = game.querySelector(".graph");
  const clocks = { white: game.querySelector(".player.white time"), black: game.querySelector(".player.black time") };
  let now = 0;

  function drawBar({ wdl, eval: evaluation }) {
    const chances = wdl.split(" ").map(Number);
    [...bar.children].slice(0, 3).forEach((part, index) => (part.style.flex = chances[2 - index]));
    const pawns = Math.abs(parseFloat(evaluation.replace(/^[+−]/, "")));
    bar.querySelector("output").textContent = Number.isNaN(pawns) ? evaluation : evaluation.replace(/[\d.]+/, pawns.toFixed(pawns < 10 ? 1 : 0));
    bar.classList.toggle("black-ahead", chances[2] > chances[0]);
    bar.setAttribute("aria-label", `White wins ${chances[0] / 10} %, draw ${chances[1] / 10} %, Black wins ${chances[2] / 10} %`);
  }

  function text(name, content, className) {
    const element = document.createElement(name);
    element.textContent = content;
    if (className) element.className = className;
    return element;
  }

  function drawStatus(move) {
    const { name, eval: evaluation, error, bestName } = move.dataset;
    const parts = [text("b", name), ` ${evaluation} `];
    const entry = game.querySelector(`.errors [data-for="${move.dataset.ply}"]`);
    if (entry) parts.push("Better: ", entry.querySelector(".line").cloneNode(true));
    if (error) parts.push(entry ? document.createElement("br") : "", `Next: ${error}. Better is ${bestName} (arrow).`);
    status.replaceChildren(...parts);
    for (const link of status.querySelectorAll("[aria-current]")) link.removeAttribute("aria-current");
  }

  function draw() {
    const move = moves[now];
    board.draw(move.dataset);
    drawBar(move.dataset);
    drawStatus(move);
    // Each clock shows the last time of its side.
    for (const [side, turn] of [["white", "b"], ["black", "w"]]) {
      const earlier = moves.slice(0, now + 1).reverse();
      const own = earlier.find(({ dataset }) => dataset.clock && dataset.fen.split(" ")[1] === turn);
      clocks[side].textContent = own ? own.dataset.clock : "";
    }
    marker.setAttribute("d", `M${move.dataset.x} 0V100`);
    for (const other of game.querySelectorAll("[aria-current]")) other.removeAttribute("aria-current");
    move.setAttribute("aria-current", "true");
  }

  function go(to) {
    now = Math.max(0, Math.min(moves.length - 1, to));
    draw();
    history.replaceState(null, "", "#" + moves[now].dataset.id);
  }

  function flip() {
    game.querySelector(".stage").classList.toggle("flipped");
    board.flip();
  }

  const actions = { first: () => go(0), previous: () => go(now - 1), next: () => go(now + 1), last: () => go(moves.length - 1), flip };
  for (const button of game.querySelectorAll(".controls button")) {
    button.addEventListener("click", actions[button.dataset.action]);
  }
  for (const link of game.querySelectorAll("a[href^='#g']")) {
    link.addEventListener("click", (event) => {
      const index = moves.findIndex((move) => "#" + move.dataset.id === link.getAttribute("href"));
      if (index < 0) return;
      event.preventDefault();
      go(index);
    });
  }
  graph.addEventListener("click", (event) => {
    const box = graph.getBoundingClientRect();
    go(Math.round(((event.clientX - box.left) / box.width) * (moves.length - 1)));
  });
  openLines(game, board.draw);
  // The positions before the errors: there the arrow shows the better move.
  const errors = moves.flatMap((move, index) => ("best" in move.dataset ? [index] : []));
  game.stepper = {
    ArrowLeft: () => go(now - 1),
    ArrowRight: () => go(now + 1),
    Home: () => go(0),
    End: () => go(moves.length - 1),
    ArrowUp: () => go(errors.findLast((index) => index < now) ?? 0),
    ArrowDown: () => go(errors.find((index) => index > now) ?? moves.length - 1),
    f: flip,
    F: flip,
  };
  const wanted = moves.findIndex((move) => "#" + move.dataset.id === location.hash);
  if (wanted >= 0) {
    go(wanted);
    if (game.previousElementSibling.matches(".game, .positions, .contents, .players")) game.scrollIntoView();
  } else draw();
}

/** The field of the table of contents: only games whose row has all its words are left. */
function setUpFilter(contents) {
  const rows = [...contents.querySelectorAll("tbody tr")].map((row) => {
    const target = row.querySelector("a").getAttribute("href");
    return { row, game: target.startsWith("#") && document.querySelector(target), text: row.textContent.toLowerCase() };
  });
  const input = contents.querySelector("input");
  input.closest(".filter").hidden = false;
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/);
    let count = 0;
    for (const { row, game, text } of rows) {
      const isHidden = !words.every((word) => text.includes(word));
      row.hidden = isHidden;
      if (game) game.hidden = isHidden;
      count += isHidden ? 0 : 1;
    }
    contents.querySelector("output").textContent = count < rows.length ? `${count} of ${rows.length} games` : "";
  });
}

for (const contents of document.querySelectorAll(".contents")) setUpFilter(contents);
for (const game of document.querySelectorAll(".game")) setUpGame(game);
for (const position of document.querySelectorAll(".position")) setUpPosition(position);

// The keyboard steps through the first game in view.
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, textarea")) return;
  const games = [...document.querySelectorAll(".game")];
  const inView = games.find((game) => game.getBoundingClientRect().bottom > innerHeight / 3) ?? games[0];
  const action = inView?.stepper[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});
document.body.dataset.ready = "true";
