// Games in and out: the box for a FEN or a PGN, files, the clipboard, the list of the games of a file.

import { gameFromMoves } from "./session.js";
import { $ } from "./page.js";
import { readGames } from "./pgn.js";
import { fragmentOf } from "./share.js";
import { count } from "./words.js";

// So many games with a refused start position are passed over.
const MAX_REFUSED = 50;
const MAX_FILE = 64 * 1024 * 1024;

/** Saves a text as a file of the user. */
export function save(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Whether a text begins with a board: eight ranks, or more, which is refused as a FEN and not as a PGN. */
const hasBoard = (text) => text.split(/\s/, 1)[0].split("/", 8).length === 8;

/** Whether a text is a FEN rather than a PGN: a board and at most six more words. */
export function isFen(text) {
  const trimmed = text.trim();
  return trimmed === "startpos" || (hasBoard(trimmed) && trimmed.split(/\s+/, 8).length < 8);
}

/** The games of a text whose lines are all FEN or EPD records, one a line; null for another text. */
export function positionsOf(text) {
  // A large PGN is not split into lines.
  const start = text.trimStart();
  if (!start.startsWith("#") && !hasBoard(start)) return null;
  const lines = text.split(/[\r\n]+/).map((line) => line.trim()).filter((line) => line && !line.startsWith("#"));
  if (!lines.every(hasBoard) || (lines.length < 2 && !text.includes(";"))) return null;
  return lines.map((line) => {
    const words = line.split(/\s+/);
    const hasCounters = words.length >= 6 && words.slice(4, 6).every((word) => /^\d+$/.test(word));
    const game = gameFromMoves({ start: words.slice(0, hasCounters ? 6 : 4).join(" ") });
    const id = /\bid "([^"]*)"/.exec(line)?.[1];
    if (id) game.setTag("Event", id);
    return game;
  });
}

export class Files {
  /** @param {import("./page.js").Page} page */
  constructor(page) {
    this.page = page;
    page.listeners.push(() => this.draw());
    $("games").addEventListener("change", () => this.choose(Number($("games").value)));
    $("file").addEventListener("change", () => { this.openFile($("file").files[0]); $("file").value = ""; });
    // Text that is dragged into a field is the browser's.
    const hasFiles = ({ dataTransfer }) => dataTransfer.types.includes("Files");
    document.addEventListener("dragover", (event) => { if (hasFiles(event)) event.preventDefault(); });
    document.addEventListener("drop", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      this.openFile(event.dataTransfer.files[0]);
    });
  }

  /** Opens the text of the box: a FEN, FEN or EPD records one a line, or a PGN with any number of games. */
  async load(text = $("pgn").value, signal = this.page.choose()) {
    const { page } = this;
    const place = $("load-row");
    if (text.trim() === "") {
      page.messages.error(new Error("Paste a FEN or a PGN first."), place);
      return;
    }
    const positions = positionsOf(text);
    if (!positions && (isFen(text) || !/[\s\]]/.test(text.trim()))) {
      await page.open([gameFromMoves({ start: text.trim() })], { place });
      return;
    }
    const games = positions ?? await readGames(page.session.api, text, signal).catch((error) => page.messages.error(error, place));
    // The user has chosen another game or a move meanwhile.
    if (signal.aborted || !games) return;
    if (games.length === 0 || games.every((game) => game.isEmpty && game.tags.length === 0)) {
      page.messages.error(new Error("There is neither a FEN nor a game in this text."), place);
      return;
    }
    // A game whose start position is refused does not keep the others out.
    let refused = "";
    for (let index = 0; index < Math.min(games.length, MAX_REFUSED); index += 1) {
      const about = games.length > 1 ? [`${games.length} games.`, refused, unread(games, index)].filter(Boolean).join(" ") : "";
      const opened = await page.open(games, { index, place, about });
      if (opened === "opened" && !positions) page.explorer.add(games);
      if (opened !== "refused") return;
      refused ||= `Game ${index + 1} is refused: ${page.messages.text}.`;
    }
  }

  async openFile(file) {
    const { page } = this;
    if (!file) return;
    if (file.size > MAX_FILE) {
      page.messages.error(new Error(`The file is larger than ${MAX_FILE >> 20} MiB.`), $("load-row"));
      return;
    }
    const signal = page.choose();
    // A folder, for one, cannot be read.
    const bytes = await file.arrayBuffer().catch(() => null);
    if (signal.aborted) return;
    if (bytes) await this.load(decode(bytes), signal);
    else page.messages.error(new Error("The file cannot be read."), $("load-row"));
  }

  /** Shows another game of the file. */
  async choose(index) {
    const { page } = this;
    const opened = await page.open(page.session.games, { index, fromHistory: true, place: $("games-row") });
    // The list names the game that is still shown.
    if (["refused", "failed"].includes(opened)) this.draw();
  }

  draw() {
    const { games, index } = this.page.session;
    $("games-row").hidden = games.length < 2;
    // The list is built once for each set of games.
    if (this.listed !== games) {
      this.listed = games;
      $("games").replaceChildren(...(games.length < 2 ? [] : games.map((game, number) => new Option(title(game, number), String(number)))));
    }
    if (games.length > 1) {
      $("games").value = index;
      $("games").options[index].textContent = title(games[index], index);
    }
    const fen = this.page.game.fen;
    if (fen) $("fen").value = fen;
  }

  /** The current game. */
  copyPgn() { return this.page.withPgn([this.page.game], $("save-row"), (text) => this.copy(text, "Game copied.")); }

  copyFen() { return this.copy(this.page.game.fen ?? "", "FEN copied."); }

  /** A link to the shown line; to the whole game, if it has more than that. */
  async copyLink() {
    const { page } = this;
    const link = (address) => this.copy(new URL(address, location.href).href, "Link copied.");
    if (!page.game.hasMore) { await link(page.url()); return; }
    await page.withPgn([page.game], $("save-row"), async (pgn) => {
      await link(location.pathname + await fragmentOf(page.game, pgn, page.board.flipped));
    });
  }

  /** All games of the file. */
  savePgn() {
    return this.page.withPgn(this.page.session.games, $("save-row"), (text) => save("games.pgn", "application/x-chess-pgn", text));
  }

  async copy(text, message) {
    const { messages } = this.page;
    try {
      await navigator.clipboard.writeText(text);
      messages.note(message, $("save-row"));
    } catch {
      // There is no clipboard without HTTPS: show the text to be copied by hand.
      $("pgn").value = text;
      $("pgn").select();
      messages.note("Copy the text from the box.", $("save-row"));
    }
  }
}

/** How many games besides the shown one have something that could not be read. */
function unread(games, index) {
  const others = games.filter(({ warnings }, other) => other !== index && warnings.length).length;
  return others ? `What could not be read of ${count(others, "other game", "other games")} is in the comments.` : "";
}

function title(game, number) {
  const of = (name) => (game.tag(name) ?? "?");
  const more = [game.tag("Event"), game.tag("Date"), game.result].filter((text) => text && !/^[?.*]+$/.test(text));
  return `${number + 1}. ${of("White")} – ${of("Black")}${more.length ? ` (${more.join(", ")})` : ""}`;
}

/** UTF-8, or Latin-1 if the bytes are not UTF-8. */
function decode(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("latin1").decode(bytes);
  }
}
