// Texts: scores, moves and the state of a game in words.

// The curve of the engine's win probability, in centipawns as they are shown: one half, and its spread.
const [EVEN, SPREAD] = [100, 31];
const PIECE_NAMES = { K: "king", Q: "queen", R: "rook", B: "bishop", N: "knight" };

/**
 * A score and WDL of the side to move, from White's view.
 * @param {{ score: { cp?: number, mate?: number }, wdl?: number[] }} evaluation
 * @param {string} turn
 */
export function whiteView({ score, wdl }, turn) {
  const sign = turn === "w" ? 1 : -1;
  const converted = score.mate !== undefined ? { mate: sign * score.mate } : { cp: sign * score.cp };
  // Mate 0 has no sign: the side to move is mated.
  if (score.mate === 0) converted.loser = turn;
  // A mate is certain, whatever the WDL model gives.
  const known = score.mate !== undefined ? certain(converted) : wdl && (turn === "w" ? wdl : [...wdl].reverse());
  return { score: converted, wdl: known ?? null };
}

function certain(score) { return favoursBlack(score) ? [0, 0, 1000] : [1000, 0, 0]; }

/** Win, draw and loss of an evaluation in thousandths; estimated from the score if only that is known. */
export function wdlOf({ score, wdl }) {
  if (wdl) return wdl;
  if (score.cp === undefined) return certain(score);
  const win = (cp) => Math.round(1000 / (1 + Math.exp((EVEN - cp) / SPREAD)));
  const [white, black] = [win(score.cp), win(-score.cp)];
  return [white, 1000 - white - black, black];
}

/** White's expected points, 0 to 1. */
export function expectedPoints(evaluation) {
  const [win, draw] = wdlOf(evaluation);
  return (win + draw / 2) / 1000;
}

/** The text of a score from White's view. */
export function scoreText(score) {
  if (score.loser) return "#";
  if (score.mate !== undefined) return `${score.mate < 0 ? "−" : "+"}M${Math.abs(score.mate)}`;
  const pawns = (Math.abs(score.cp) / 100).toFixed(Math.abs(score.cp) < 1000 ? 2 : 1);
  return `${score.cp < 0 ? "−" : "+"}${pawns}`;
}

/** Whether a score from White's view favours Black. */
export function favoursBlack(score) {
  return score.loser ? score.loser === "w" : (score.mate ?? score.cp) < 0;
}

const turnOf = (position) => position.fen.split(" ")[1];

/** The result of a position as in PGN; null while the game goes on. */
export function resultOf(position) {
  if (!position || position.status === "ongoing") return null;
  if (position.status !== "checkmate") return "1/2-1/2";
  return turnOf(position) === "w" ? "0-1" : "1-0";
}

/** The evaluation of a finished game; null while it goes on. */
export function finalEvaluation(position) {
  if (position.status === "ongoing") return null;
  if (position.status !== "checkmate") return { score: { cp: 0 }, wdl: [0, 1000, 0] };
  return whiteView({ score: { mate: 0 } }, turnOf(position));
}

const RESULTS = { "1-0": "White wins, 1-0", "0-1": "Black wins, 0-1", "1/2-1/2": "Draw, ½-½" };

/** How a game with this result has ended, for its last node; null for a game without one. */
export function endingOf(result, termination = "") {
  const text = RESULTS[result];
  const how = /^(\?|normal|unterminated|)$/i.test(termination.trim()) ? "" : ` (${termination.trim()})`;
  return text ? { result, text: text + how } : null;
}

/** The text of the status line. */
export function statusText(position) {
  const side = turnOf(position) === "w" ? "White" : "Black";
  const other = side === "White" ? "Black" : "White";
  return {
    checkmate: `Checkmate. ${other} wins`,
    stalemate: "Draw by stalemate",
    insufficient_material: "Draw by insufficient material",
    fifty_moves: "Draw by the fifty-move rule",
    threefold: "Draw by repetition",
  }[position.status] ?? (position.check ? `Check. ${side} to move` : `${side} to move`);
}

/** The event, site, date and round of a game as one text. A game that was played here has them if its user has named them. */
export function factsOf(game) {
  const known = ["Event", "Site", "Date", "Round"].map((name) => [name, game.tag(name)?.trim()]).filter(([, text]) => text && !/^[?.-]+$/.test(text));
  if (known.every(([name]) => game.own && name === "Date")) return "";
  return known.map(([name, text]) => (name === "Round" ? `round ${text}` : text)).join(", ");
}

/** A move as spoken by a screen reader. */
export function speech(san) {
  const end = san.endsWith("#") ? ", checkmate" : san.endsWith("+") ? ", check" : "";
  const bare = san.replace(/[+#]$/, "");
  if (bare === "O-O") return `castles king side${end}`;
  if (bare === "O-O-O") return `castles queen side${end}`;
  const [move, promotion] = bare.split("=");
  const piece = PIECE_NAMES[move[0]];
  const text = [...(piece ? move.slice(1) : move)].join(" ").replace("x", "takes").replace(/([a-h]) ([1-8])/g, "$1$2");
  return `${piece ?? "pawn"} ${text}${promotion ? `, promotes to ${PIECE_NAMES[promotion]}` : ""}${end}`;
}

const GLYPHS = {
  1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!", 7: "□", 10: "=", 13: "∞", 14: "⩲", 15: "⩱", 16: "±", 17: "∓",
  18: "+−", 19: "−+", 22: "⨀", 23: "⨀", 32: "⟳", 36: "↑", 40: "→", 132: "⇆", 138: "⊕", 140: "∆", 142: "⌓", 146: "N", 220: "D", 221: "D",
};

/** The sign of a NAG. */
export const glyph = (nag) => GLYPHS[nag] ?? `$${nag}`;

/** What is wrong, without the name of the field of the request that it is about. */
export const withoutField = (detail, field) => (field && detail?.startsWith(`${field}: `) ? detail.slice(field.length + 2) : detail);

/** A number with its noun. */
export const count = (number, singular, plural) => `${number} ${number === 1 ? singular : plural}`;

/** A text of the engine with ellipses and minus signs as one character. */
export const typeset = (text) => text.trim().replaceAll("... ", "… ").replace(/-(?=\d)/g, "−");
