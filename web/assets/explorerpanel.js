// The explorer on the page: what was played in the shown position, in the games of the opened files, and what the
// tablebases have on it.

import { captionText, outcomeText, stateText, tablesText } from "./explorertext.js";
import { bareSan } from "./gameindex.js";
import { nameOf } from "./openings.js";
import { $ } from "./page.js";
import { loadSetting, persistField, saveSetting } from "./storage.js";
import { count } from "./words.js";

// So many names are offered for the one to type.
const MAX_NAMES = 500;
/** What the tablebases have on other positions. */
const UNKNOWN = { wdl: null, dtz: null, moves: [] };

export class ExplorerPanel {
  constructor(page, explorer) {
    Object.assign(this, { page, explorer });
    /** What the tablebases have on the positions of nodes. */
    this.outcomes = new WeakMap();
    const box = $("explorer");
    box.open = loadSetting("explorer") === "true";
    box.addEventListener("toggle", () => { saveSetting("explorer", String(box.open)); this.draw(); });
    persistField($("explorer-player"));
    persistField($("explorer-colour"));
    $("explorer-player").addEventListener("input", () => this.draw());
    $("explorer-colour").addEventListener("change", () => this.draw());
    $("explorer-forget").addEventListener("click", () => this.forget());
    $("explorer-moves").addEventListener("click", ({ target }) => {
      if (target.closest("button")) page.playTyped(target.textContent, box);
    });
    explorer.onChange = () => this.draw();
    page.listeners.push(() => { explorer.retry(); this.draw(); });
  }

  draw() {
    const { explorer, page } = this;
    const { game, node } = page;
    if (!$("explorer").open || !game.fen) return;
    explorer.open();
    const { index } = explorer;
    const player = $("explorer-player").value.trim();
    const outcome = this.outcomeOf(node);
    const played = index.movesAt(game.fen, { player, colour: $("explorer-colour").value });
    $("explorer-text").textContent = stateText(explorer);
    $("explorer-tables").textContent = tablesText(outcome, game.turn);
    $("explorer-filter").hidden = $("explorer-forget").hidden = index.games.length === 0;
    $("explorer-colour").disabled = !player;
    if (!explorer.isCounting) this.listNames();
    $("explorer-moves").caption.textContent = index.games.length ? captionText(played.games, player, $("explorer-colour").value) : "";
    this.fill(rowsOf(played.moves, outcome.moves, node.position?.legal ?? []), game);
  }

  /** Forgets all games, and the player whose games were counted, at the second press. */
  forget() {
    const { explorer, page: { messages } } = this;
    const question = `Press Forget all games again to forget ${count(explorer.index.games.length, "game", "games")}.`;
    if (!messages.isConfirmed($("explorer-forget"), question, $("explorer-forget"))) return;
    $("explorer-player").value = "";
    $("explorer-player").dispatchEvent(new Event("change"));
    explorer.clear();
    $("explorer").firstElementChild.focus();
  }

  /** Fills the table. Its rows stay, so that a pressed button keeps the focus. */
  fill(rows, game) {
    const { tHead, tBodies: [body] } = $("explorer-moves");
    const hadFocus = body.contains(document.activeElement);
    while (body.rows.length > rows.length) body.lastElementChild.remove();
    while (body.rows.length < rows.length) body.append($("explorer-row").content.firstElementChild.cloneNode(true));
    rows.forEach((row, at) => fillRow(body.rows[at], row, game));
    tHead.hidden = rows.length === 0;
    if (hadFocus && !body.contains(document.activeElement)) $("explorer").firstElementChild.focus();
  }

  /** Offers the names of the players. */
  listNames() {
    const { index } = this.explorer;
    if (index.games.length === this.listed) return;
    this.listed = index.games.length;
    $("explorer-names").replaceChildren(...index.players().slice(0, MAX_NAMES).map((name) => new Option(name)));
  }

  /** What the tablebases have on the position of a node; they are asked once. */
  outcomeOf(node) {
    const { session } = this.page;
    const pieces = session.game.fen.split(" ")[0].replace(/[^a-z]/gi, "").length;
    if (pieces <= session.tablebasePieces && node.position && !this.outcomes.has(node)) {
      this.outcomes.set(node, UNKNOWN);
      session.api.tablebase(session.fields(node)).then((outcome) => {
        this.outcomes.set(node, outcome);
        this.draw();
      }).catch(() => this.outcomes.delete(node));
    }
    return this.outcomes.get(node) ?? UNKNOWN;
  }
}

/** The legal moves that were played, the most frequent first, then the others that the tablebases have. */
function rowsOf(played, outcomes, legal) {
  const texts = new Map(legal.map(({ san }) => [bareSan(san), san]));
  const rows = new Map(played.filter(({ san }) => texts.has(san)).map((row) => [row.san, { ...row, san: texts.get(row.san) }]));
  for (const outcome of outcomes) {
    const san = bareSan(outcome.san);
    rows.set(san, { san: outcome.san, games: 0, ...rows.get(san), outcome });
  }
  return [...rows.values()];
}

function fillRow(element, { san, games, white = 0, draws = 0, black = 0, score = null, after, outcome }, game) {
  const [move, number, results, share] = element.cells;
  const [button, remark] = move.children;
  button.textContent = san;
  // No opening ends in the tablebases.
  remark.textContent = outcome ? outcomeText(outcome) : game.chess960 ? "" : nameOf(after);
  number.textContent = games || "";
  [white, draws, black].forEach((some, at) => {
    const part = results.firstElementChild.children[at];
    part.hidden = some === 0;
    part.style.flexGrow = some;
    part.firstElementChild.textContent = some;
  });
  share.textContent = score === null ? "" : `${Math.round(100 * score)} %`;
}
