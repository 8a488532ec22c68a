// The exercises that the browser keeps, with their schedules.

import { schedule } from "./fsrs.js";
import { Store } from "./store.js";

export class Deck {
  constructor() {
    /** Called when the exercises have changed. */
    this.onChange = () => {};
    /** The exercises by their identifiers: no position is there twice. */
    this.exercises = new Map();
    this.kept = null;
  }

  /** Whether the exercises stay when the page is closed. */
  get isKept() { return this.kept !== null; }
  get size() { return this.exercises.size; }

  /** Opens the database. Without one, as in some private windows, the exercises last until the page is closed. */
  async open() {
    try {
      this.kept = await Store.open("saavedra", "exercises");
    } catch { /* told by `isKept` */ }
    await this.read();
  }

  /** Reads the exercises again: another tab may have changed them. */
  async read() {
    if (!this.kept) return;
    try {
      const all = await this.kept.all();
      this.exercises = new Map(all.map((exercise) => [exercise.id, exercise]));
    } catch {
      this.kept = null;
    }
    this.onChange();
  }

  /** Writes to the database; what it does not take lasts until the page is closed. */
  async write(act) {
    this.onChange();
    if (!this.kept) return;
    try {
      await this.kept.write(act);
    } catch {
      this.kept = null;
      this.onChange();
    }
  }

  /** Adds the exercises whose positions are new; returns their number. */
  async add(exercises) {
    const added = new Map();
    for (const one of exercises) if (!this.exercises.has(one.id) && !added.has(one.id)) added.set(one.id, one);
    for (const [id, one] of added) this.exercises.set(id, one);
    if (added.size) await this.write((store) => { for (const one of added.values()) store.put(one); });
    return added.size;
  }

  /** Notes an answer to an exercise, if it is kept. */
  async rate(id, grade, now = Date.now()) {
    const before = this.exercises.get(id);
    if (!before) return;
    const exercise = { ...before, ...schedule(before, grade, now) };
    this.exercises.set(id, exercise);
    await this.write((store) => store.put(exercise));
  }

  async remove(id) {
    this.exercises.delete(id);
    await this.write((store) => store.delete(id));
  }

  async clear() {
    this.exercises.clear();
    await this.write((store) => store.clear());
  }

  /** The exercises of a theme and a phase, the one due first in front; an empty name is every one. */
  chosen({ theme = "", phase = "" } = {}) {
    const isChosen = (one) => (!theme || one.themes.includes(theme)) && (!phase || one.phase === phase);
    return [...this.exercises.values()].filter(isChosen).sort((a, b) => a.due - b.due);
  }

  /** Those of a list that are due. */
  due(list = this.chosen(), now = Date.now()) { return list.filter(({ due }) => due <= now); }

  /** The names of all themes, with their numbers. */
  get themes() {
    const numbers = new Map();
    for (const { themes } of this.exercises.values()) for (const theme of themes) numbers.set(theme, (numbers.get(theme) ?? 0) + 1);
    return [...numbers].sort(([a], [b]) => a.localeCompare(b));
  }
}
