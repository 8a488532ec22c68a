// The kept exercises on the page: how many are due, which ones to practise, export, import, deletion.

import { exerciseFrom, exerciseOf, PHASES, treeOf } from "./exercises.js";
import { save } from "./files.js";
import { $ } from "./page.js";
import { readGames } from "./pgn.js";
import { count } from "./words.js";

// So often the number of exercises that are due is counted again, in milliseconds.
const COUNT_INTERVAL = 30_000;
// So many exercises are practised at once.
const MAX_ROUND = 20;
const MINUTE = 60 * 1000;
const DAY = 24 * 60 * MINUTE;

export class DeckPanel {
  constructor(page, deck) {
    Object.assign(this, { page, deck });
    deck.onChange = () => this.draw();
    $("deck-phase").append(...PHASES.map((phase) => new Option(phase, phase)));
    for (const id of ["deck-theme", "deck-phase"]) $(id).addEventListener("change", () => this.draw());
    const click = (id, action) => $(id).addEventListener("click", action);
    click("deck-start", () => page.practice.startKept(this.round));
    click("deck-export", () => this.export());
    click("deck-import", () => $("deck-file").click());
    click("deck-clear", () => this.clear());
    $("deck-file").addEventListener("change", () => { this.import($("deck-file").files[0]); $("deck-file").value = ""; });
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.deck.read(); });
    setInterval(() => this.draw(), COUNT_INTERVAL);
  }

  /** Keeps mistakes of the shown game. */
  keep(nodes) { return this.deck.add(nodes.map((node) => exerciseOf(this.page.game, node))); }

  get chosen() { return this.deck.chosen({ theme: $("deck-theme").value, phase: $("deck-phase").value }); }

  /** The exercises to practise now: those that are due, or the next ones. */
  get round() {
    const { chosen } = this;
    const due = this.deck.due(chosen);
    return (due.length ? due : chosen).slice(0, MAX_ROUND);
  }

  draw() {
    const { deck, chosen } = this;
    const due = deck.due().length;
    const badge = due ? `<span class="count">${due}</span><span class="visually-hidden"> due</span>` : "";
    if ($("due").innerHTML !== badge) $("due").innerHTML = badge;
    $("deck").hidden = this.page.practice.running;
    $("deck-text").textContent = this.text(due);
    $("deck-choice").hidden = $("deck-start").hidden = $("deck-export").hidden = $("deck-clear").hidden = deck.size === 0;
    this.listThemes();
    const here = deck.due(chosen).length;
    $("deck-start").textContent = here || chosen.length === 0 ? `Practise the ones due (${here})` : `Practise ahead (${chosen.length})`;
    $("deck-start").disabled = chosen.length === 0;
  }

  text(due) {
    const { deck } = this;
    const lasting = deck.isKept ? "" : " This browser does not keep them: they last until the page is closed.";
    if (deck.size === 0) return `The mistakes of reviewed games are kept here and come back when you are about to forget them.${lasting}`;
    const next = due ? "" : ` The next one is due ${fromNow(deck.chosen()[0].due - Date.now())}.`;
    return `${count(deck.size, "kept exercise", "kept exercises")}, ${due || "none"} due.${next}${lasting}`;
  }

  listThemes() {
    const options = [["", "all"], ...this.deck.themes.map(([name, number]) => [name, `${name} (${number})`])];
    const text = options.map(([, label]) => label).join();
    if (text === this.listed) return;
    this.listed = text;
    const chosen = $("deck-theme").value;
    $("deck-theme").replaceChildren(...options.map(([name, label]) => new Option(label, name, false, name === chosen)));
  }

  /** All of the chosen exercises as a PGN. */
  export() {
    const games = this.chosen.map(treeOf);
    return this.page.withPgn(games, $("deck-tools"), (text) => save("exercises.pgn", "application/x-chess-pgn", text));
  }

  async import(file) {
    const { messages, session } = this.page;
    if (!file) return;
    try {
      const games = await readGames(session.api, await file.text());
      const exercises = games.map(exerciseFrom).filter(Boolean);
      const added = await this.deck.add(exercises);
      const known = exercises.length - added;
      const refused = games.length - exercises.length;
      messages.note([
        `${count(added, "exercise", "exercises")} added.`, known && `${known} known already.`,
        refused && `${count(refused, "game is", "games are")} no exercise: it needs a position and a solution.`,
      ].filter(Boolean).join(" "), $("deck-tools"));
    } catch (error) {
      messages.error(error, $("deck-tools"));
    }
  }

  /** Deletes all exercises at the second press. */
  async clear() {
    const { deck } = this;
    const { messages } = this.page;
    const question = `Press Delete all again to delete ${count(deck.size, "exercise", "exercises")} for good.`;
    if (!messages.isConfirmed($("deck-clear"), question, $("deck-tools"))) return;
    await deck.clear();
    messages.say("Deleted");
  }
}

/** A time to come in words. */
function fromNow(milliseconds) {
  if (milliseconds < 90 * MINUTE) return `in ${count(Math.max(1, Math.round(milliseconds / MINUTE)), "minute", "minutes")}`;
  if (milliseconds < DAY * 1.5) return milliseconds < DAY / 2 ? `in ${Math.round(milliseconds / (60 * MINUTE))} hours` : "tomorrow";
  return `in ${Math.round(milliseconds / DAY)} days`;
}
