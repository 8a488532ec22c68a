// Premoves: the move that the user chooses while the engine thinks. It is played once the engine has moved, if it is legal then.

import { parsePlacement } from "./pieces.js";
import { typedMove } from "./session.js";
import { speech } from "./words.js";

/** Whether a piece that is alone on the board goes so many files and ranks. */
const GOES = {
  n: (files, ranks) => files * ranks === 2,
  b: (files, ranks) => files === ranks,
  r: (files, ranks) => files === 0 || ranks === 0,
  q: (files, ranks) => GOES.b(files, ranks) || GOES.r(files, ranks),
  k: (files, ranks) => Math.max(files, ranks) === 1,
};

const FILES = [..."abcdefgh"];
const SQUARES = [..."12345678"].flatMap((rank) => FILES.map((file) => file + rank));

/** A pawn goes forward, or captures what may come. */
function pawnGoes(from, to, side) {
  const files = Math.abs(FILES.indexOf(to[0]) - FILES.indexOf(from[0]));
  const ranks = (to[1] - from[1]) * (side === "w" ? 1 : -1);
  return ranks === 1 ? files <= 1 : ranks === 2 && files === 0 && from[1] === (side === "w" ? "2" : "7");
}

/** The moves of a piece, with the fields of legal ones. */
function movesOf(piece, from, to) {
  const kind = piece.toUpperCase();
  if (kind !== "P") return [{ uci: from + to, san: kind + to, from, to }];
  const san = from[0] === to[0] ? to : `${from[0]}x${to}`;
  if (!"18".includes(to[1])) return [{ uci: from + to, san, from, to }];
  return [..."qrbn"].map((promotion) => ({ uci: from + to + promotion, san: `${san}=${promotion.toUpperCase()}`, from, to, promotion }));
}

/** Castling with the rights of a FEN: `KQkq` for the outermost rooks, or the files of the rooks. */
function castling(pieces, rights, side, chess960) {
  const [king, rook] = side === "w" ? ["K", "R"] : ["k", "r"];
  const from = SQUARES.find((square) => pieces.get(square) === king);
  const rooks = SQUARES.filter((square) => pieces.get(square) === rook && square[1] === from[1]);
  const own = [...rights].filter((right) => /[A-Z]/.test(right) === (side === "w")).map((right) => right.toLowerCase());
  return own.map((right) => ({ k: rooks.at(-1), q: rooks[0] })[right] ?? rooks.find((square) => square[0] === right)).filter(Boolean).map((square) => {
    const [file, san] = square > from ? ["g", "O-O"] : ["c", "O-O-O"];
    const to = file + from[1];
    return { uci: from + (chess960 ? square : to), san, from, to, rook: square };
  });
}

/** The moves of a side that may become legal after a move of the other one: nothing stands in a piece's way. */
export function premovesOf(fen, side, chess960 = false) {
  const [placement, , rights] = fen.split(" ");
  const pieces = parsePlacement(placement);
  const own = [...pieces].filter(([, piece]) => /[A-Z]/.test(piece) === (side === "w"));
  const goes = (piece, from, to) => {
    const kind = piece.toLowerCase();
    if (kind === "p") return pawnGoes(from, to, side);
    return GOES[kind](Math.abs(FILES.indexOf(from[0]) - FILES.indexOf(to[0])), Math.abs(from[1] - to[1]));
  };
  const castles = castling(pieces, rights, side, chess960);
  const moves = own.flatMap(([from, piece]) => SQUARES.filter((to) => to !== from && goes(piece, from, to)).flatMap((to) => movesOf(piece, from, to)));
  // A king that takes its rook's square, in Chess960, is written like castling with that rook.
  return [...castles, ...moves.filter(({ uci }) => !castles.some((castle) => castle.uci === uci))];
}

export class Premove {
  /** @param {import("./page.js").Page} page */
  constructor(page) {
    this.page = page;
    /** The chosen move and the node at which it was chosen; null without one. */
    this.chosen = null;
    page.listeners.push(() => { if (!this.move) this.chosen = null; });
  }

  /** Whether the user waits for the engine to move. */
  get isOpen() {
    const { game, isLocked, opponent, session } = this.page;
    return !isLocked && Boolean(game.fen) && opponent.isTurn(game, session.position);
  }

  /** The moves that can be chosen. */
  get choices() {
    const { game } = this.page;
    return this.isOpen ? premovesOf(game.fen, game.turn === "w" ? "b" : "w", game.chess960) : [];
  }

  /** The chosen move in the shown position; null without one. */
  get move() { return this.isOpen && this.chosen?.node === this.page.node ? this.chosen.move : null; }

  /** Chooses a move, as UCI or as the user has typed it; false if there is none. */
  choose(text) {
    const { choices, page } = this;
    const uci = typedMove(text, choices);
    if (!uci) return false;
    const move = choices.find((choice) => choice.uci === uci);
    this.chosen = { move, node: page.node };
    page.messages.release();
    page.messages.say(`Premove: ${speech(move.san)}`);
    page.draw();
    return true;
  }

  /** Takes the choice back; false if there was none. */
  cancel() {
    const { move, page } = this;
    if (!move) return false;
    this.chosen = null;
    page.messages.say("Premove cancelled");
    page.draw();
    return true;
  }

  /** The chosen move, which is then no longer chosen; null without one. */
  take() {
    const { move } = this;
    this.chosen = null;
    return move;
  }

  /** Plays a chosen move in the position after the engine's move, or tells that it is not legal there. */
  async play({ san, uci }) {
    const { page } = this;
    if (page.session.position.legal.some((legal) => legal.uci === uci)) await page.play(uci);
    else page.messages.note(`The premove ${san} is not legal now.`);
  }
}
