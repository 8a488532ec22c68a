"use strict";
// Steps through the games of the page. Each move element holds its position, evaluation and better
// line as data attributes.
for (const game of document.querySelectorAll(".game")) {
  const board = game.querySelector(".board");
  const cells = [...board.querySelectorAll("td")];
  const labels = [...board.querySelectorAll("th")].filter((label) => label.textContent);
  const moves = [...game.querySelectorAll("[data-ply]")];
  const bar = game.querySelector(".wdl");
  const status = game.querySelector(".status");
  const marker = game.querySelector(".now");
  const graph = game.querySelector(".graph");
  let now = 0;
  // The caption describes only the last position.
  for (const paragraph of board.querySelectorAll("figcaption p:not(:has(code))")) paragraph.remove();

  const symbols = { K: "♔", Q: "♕", R: "♖", B: "♗", N: "♘", P: "♙", k: "♚", q: "♛", r: "♜", b: "♝", n: "♞", p: "♟" };
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

  function arrow(text) {
    const old = board.querySelector("svg");
    if (old) old.remove();
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
    const corners = [[0, 0.08], [neck, 0.08], [neck, 0.22], [length, 0], [neck, -0.22], [neck, -0.08], [0, -0.08]];
    const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    picture.setAttribute("viewBox", "0 0 8 8");
    picture.setAttribute("aria-hidden", "true");
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", "M" + corners.map(([a, b]) => corner(a, b)).join("L") + "z");
    path.setAttribute("fill", "#15781b");
    picture.append(path);
    board.append(picture);
  }

  function draw() {
    const move = moves[now];
    const { fen, last, check, best, eval: evaluation, wdl, better } = move.dataset;
    const found = pieces(fen);
    for (const cell of cells) {
      const sign = found[at(cell)];
      cell.textContent = sign ? symbols[sign] : "";
      if (sign && sign === sign.toUpperCase()) cell.dataset.fill = symbols[sign.toLowerCase()];
      else delete cell.dataset.fill;
      const marks = [];
      if (last && (last.startsWith(at(cell)) || last.endsWith(at(cell)))) marks.push("last");
      if (check === at(cell)) marks.push("check");
      if (marks.length) cell.dataset.mark = marks.join(" ");
      else delete cell.dataset.mark;
    }
    const fields = fen.split(" ");
    Object.assign(board.dataset, { fen, turn: fields[1] === "w" ? "white" : "black", castling: fields[2], ep: fields[3], halfmove: fields[4], fullmove: fields[5], last: last || "" });
    const state = evaluation === "#0" ? ", checkmate" : check ? ", check" : "";
    board.querySelector("caption").textContent = (fields[1] === "w" ? "White to move" : "Black to move") + state;
    board.querySelector("figcaption code").textContent = fen;
    arrow(best);
    const chances = wdl.split(" ").map(Number);
    [...bar.children].forEach((part, index) => {
      part.style.flex = chances[index];
      part.textContent = chances[index] >= 120 ? Math.round(chances[index] / 10) + " %" : "";
    });
    bar.setAttribute("aria-label", `White wins ${chances[0] / 10} %, draw ${chances[1] / 10} %, Black wins ${chances[2] / 10} %`);
    const name = move.dataset.name;
    status.textContent = `${name} ${evaluation}. ${better || ""}`;
    const x = Number(move.dataset.x);
    marker.setAttribute("x1", x);
    marker.setAttribute("x2", x);
    for (const other of moves) other.removeAttribute("aria-current");
    move.setAttribute("aria-current", "true");
  }

  function go(to) {
    now = Math.max(0, Math.min(moves.length - 1, to));
    draw();
    history.replaceState(null, "", "#" + moves[now].dataset.id);
  }

  function flip() {
    const names = cells.map(at).reverse();
    cells.forEach((cell, index) => {
      [cell.dataset.col, cell.dataset.row] = names[index];
    });
    const ranks = labels.filter((label) => label.scope === "row");
    const files = labels.filter((label) => label.scope === "col");
    for (const group of [ranks, files]) {
      const texts = group.map((label) => label.textContent).reverse();
      group.forEach((label, index) => (label.textContent = texts[index]));
    }
    board.toggleAttribute("data-flipped");
    draw();
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
  const keys = moves.map((move, index) => ("key" in move.dataset ? index : -1)).filter((index) => index >= 0);
  game.stepper = {
    ArrowLeft: () => go(now - 1),
    ArrowRight: () => go(now + 1),
    Home: () => go(0),
    End: () => go(moves.length - 1),
    ArrowUp: () => go([...keys].reverse().find((index) => index < now) ?? 0),
    ArrowDown: () => go(keys.find((index) => index > now) ?? moves.length - 1),
    f: flip,
  };
  const wanted = moves.findIndex((move) => "#" + move.dataset.id === location.hash);
  if (wanted >= 0) {
    go(wanted);
    game.scrollIntoView();
  } else draw();
}

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
