// The words of the explorer.

import { count } from "./words.js";

const OUTCOMES = {
  win: "wins", cursed_win: "would win without the fifty-move rule", draw: "draws",
  blessed_loss: "would lose without the fifty-move rule", loss: "loses",
};
const games = (number) => count(number, "game", "games");

/** How many games an explorer has, and why it has not counted others. */
export function stateText({ index, waiting, isCounting, error, left, kept }) {
  const number = index.games.length;
  if (number + waiting.length + left === 0) {
    return "Open a PGN file (tab Files) or drop one on the page. What was played in its games is counted here, by position.";
  }
  return [
    `${games(number)} counted.`,
    isCounting && waiting.length > 0 && `Counting ${waiting.length} more…`,
    error && waiting.length > 0 && `${waiting.length} more cannot be counted now: ${error.message}`,
    left > 0 && `There is no room for ${left} more.`,
    !kept && "This browser does not keep them: they last until the page is closed.",
  ].filter(Boolean).join(" ");
}

/** How many games have a position, with a player, of one colour or both, or all; and whose the score is. */
export function captionText(number, player, colour = "") {
  const side = { w: " as White", b: " as Black" }[colour] ?? "";
  const some = `${number ? games(number) : "No game"}${player && ` with “${player}”${side}`} ${number > 1 ? "have" : "has"} this position.`;
  return number ? `${some} The score is ${player ? "the player’s" : "White’s"}.` : some;
}

/** The outcome of a move by the tablebases, with its DTZ. */
export const outcomeText = ({ wdl, dtz }) => `${OUTCOMES[wdl]}${dtz ? ` (${Math.abs(dtz)})` : ""}`;

/** The outcome of a position by the tablebases in a sentence; empty if they do not have it. */
export function tablesText({ wdl, dtz }, turn) {
  if (!wdl) return "";
  const plies = dtz ? ` Next capture, pawn move or mate: within ${count(Math.abs(dtz), "ply", "plies")}.` : "";
  return `Tablebase: ${turn === "w" ? "White" : "Black"} to move ${OUTCOMES[wdl]}.${plies}`;
}
