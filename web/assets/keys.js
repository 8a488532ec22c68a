// Keyboard shortcuts.

import { $ } from "./page.js";

/**
 * Connects the keys with the page. The arrow keys step wherever they mean nothing else; letters can be switched off.
 * @param {import("./page.js").Page} page
 */
export function addShortcuts(page) {
  document.addEventListener("keydown", (event) => {
    const direction = travelOf(event);
    if (direction && !document.querySelector("dialog[open]") && !(isTyping(event) && /** @type {any} */ (event.target).value)) {
      event.preventDefault();
      page.travel(direction);
    }
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") || event.defaultPrevented) return;
    if (event.key === "Escape" && page.premove.cancel()) return;
    const actionOf = page.setup.active ? setupAction : page.practice.active ? practiceAction : gameAction;
    const action = actionOf(page, event.key);
    if (!action || isTyping(event) || (event.key.length === 1 && !$("letter-keys").checked)) return;
    event.preventDefault();
    action();
  });
}

/** Ctrl+Z undoes; Ctrl+Shift+Z and Ctrl+Y do again. */
function travelOf({ key, ctrlKey, metaKey, altKey, shiftKey }) {
  if (!(ctrlKey || metaKey) || altKey) return null;
  return { z: shiftKey ? "redo" : "undo", y: "redo" }[key.toLowerCase()] ?? null;
}

/** Whether the focused field uses the key itself. Selects keep ↑ and ↓ but not ← and →. */
function isTyping({ target, key }) {
  if (!target.closest) return false;
  if (target.closest("textarea, input:not([type=checkbox], [type=file])")) return true;
  if (target.closest("select")) return key !== "ArrowLeft" && key !== "ArrowRight";
  return false;
}

/** @param {import("./page.js").Page} page */
function gameAction(page, key) {
  const { node, game } = page;
  const to = (target) => () => page.goTo(target);
  return {
    ArrowLeft: to(node.parent), ArrowRight: to(node.next), Home: to(game.root), End: to(node.end()),
    ArrowUp: to(game.alternative(-1)), ArrowDown: to(game.alternative(1)),
    u: () => page.match.takeBack(), n: () => page.gameDialog.open(), m: () => $("move").focus(),
    p: () => page.promote(), x: () => page.clearDrawn(), c: () => page.notes.open(), b: () => page.review.step(1), B: () => page.review.step(-1),
    a: () => { $("analyse").checked = !$("analyse").checked; page.tabs.show("analyse"); page.toggleAnalysis(); },
    ...tabKeys(), ...everywhere(page),
  }[key];
}

/**
 * While a position is set up, nothing may disturb it.
 * @param {import("./page.js").Page} page
 */
function setupAction(page, key) {
  return { Escape: () => $("setup-cancel").click(), ...everywhere(page) }[key];
}

/**
 * During an exercise the keys tell nothing of the game.
 * @param {import("./page.js").Page} page
 */
function practiceAction(page, key) {
  const { practice } = page;
  return {
    h: () => practice.hint(), s: () => practice.solution(), Escape: () => practice.end(),
    ArrowRight: practice.phase === "answered" ? () => practice.next() : undefined,
    m: () => $("move").focus(), ...tabKeys(), ...everywhere(page),
  }[key];
}

/** A number shows a tab. */
const tabKeys = () => Object.fromEntries([...$("tabs").children].map((tab, index) => [index + 1, () => tab.click()]));

/** @param {import("./page.js").Page} page */
function everywhere(page) {
  return { f: () => page.flip(!page.board.flipped), "?": () => $("keys").showModal() };
}
