// The game: start position, moves, and the server's data on each position. The rules of chess are
// not implemented here: all moves and positions come from the server.

const START_FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const PIECE_NAMES = { K: "king", Q: "queen", R: "rook", B: "bishop", N: "knight" };

export class Game {
  constructor() { this.load({ start: START_FEN, chess960: false, history: [] }); }

  /** Loads a response of /api/v1/moves with history. */
  load(response) {
    this.start = response.start;
    this.chess960 = response.chess960;
    this.plies = response.history;
    this.ply = this.plies.length;
    this.positions = new Map();
    this.evaluations = new Map();
    this.marks = new Map();
    if (response.fen) this.positions.set(this.ply, response);
  }

  get atEnd() { return this.ply === this.plies.length; }
  get fen() { return this.ply === 0 ? this.start : this.plies[this.ply - 1].fen; }
  get last() { return this.ply === 0 ? null : this.plies[this.ply - 1]; }
  get turn() { return this.fen.split(" ")[1]; }
  get isStandardStart() { return this.start === START_FEN; }
  /** The server's description of the current position, once it is loaded. */
  get position() { return this.positions.get(this.ply); }

  /** The request fields for the position at a ply. */
  requestFields(ply = this.ply) {
    const moves = this.plies.slice(0, ply).map((played) => played.uci);
    return { start: this.start, moves, ...(this.chess960 && { chess960: true }) };
  }

  /** Adds the move of a response of /api/v1/make after the current position. */
  push(response) {
    for (let ply = this.ply + 1; ply <= this.plies.length; ply += 1) {
      this.positions.delete(ply);
      this.evaluations.delete(ply);
      this.marks.delete(ply);
    }
    this.plies = [...this.plies.slice(0, this.ply), { ...response.move, fen: response.fen }];
    this.ply = this.plies.length;
    this.positions.set(this.ply, response);
  }

  takeBack(count) {
    const ply = Math.max(0, this.plies.length - count);
    for (let removed = ply + 1; removed <= this.plies.length; removed += 1) {
      this.positions.delete(removed);
      this.evaluations.delete(removed);
      this.marks.delete(removed);
    }
    this.plies = this.plies.slice(0, ply);
    this.ply = ply;
  }

  /** Stores the score of a position, converted to White's view. */
  setEvaluation(ply, { score, wdl }) {
    if (!score) return;
    const fen = ply === 0 ? this.start : this.plies[ply - 1]?.fen;
    if (fen) this.evaluations.set(ply, whiteView(score, wdl, fen.split(" ")[1]));
  }

  /** Move number and side of a ply, counted from 1, as in PGN. */
  moveNumber(ply) {
    const [, turn, , , , number] = this.start.split(" ");
    const half = (Number(number) - 1) * 2 + (turn === "b" ? 1 : 0) + ply - 1;
    return { number: Math.floor(half / 2) + 1, white: half % 2 === 0 };
  }

  /** The URL of this game at the current ply. */
  url(engine) {
    const query = new URLSearchParams();
    if (!this.isStandardStart) query.set("fen", this.start);
    if (this.plies.length) query.set("moves", this.plies.map((played) => played.uci).join(","));
    if (!this.atEnd) query.set("ply", this.ply);
    if (this.chess960) query.set("chess960", "true");
    if (engine) query.set("engine", engine);
    const text = query.toString().replaceAll("%2C", ",").replaceAll("%2F", "/");
    return text ? `/?${text}` : "/";
  }

  pgn() {
    const result = resultOf(this.positions.get(this.plies.length));
    const day = new Date().toISOString().slice(0, 10).replaceAll("-", ".");
    const tags = [["Event", "?"], ["Site", "?"], ["Date", day], ["Round", "?"], ["White", "?"], ["Black", "?"], ["Result", result]];
    if (this.chess960) tags.push(["Variant", "Chess960"]);
    if (!this.isStandardStart) tags.push(["SetUp", "1"], ["FEN", this.start]);
    const tokens = this.plies.flatMap((played, index) => {
      const { number, white } = this.moveNumber(index + 1);
      if (white) return [`${number}.`, played.san];
      return index === 0 ? [`${number}...`, played.san] : [played.san];
    });
    const text = [...tokens, result].join(" ").replace(/(.{1,78})(\s|$)/g, "$1\n").trimEnd();
    return `${tags.map(([name, value]) => `[${name} "${value}"]`).join("\n")}\n\n${text}\n`;
  }
}

function whiteView(score, wdl, turn) {
  const sign = turn === "w" ? 1 : -1;
  const converted = score.mate !== undefined ? { mate: sign * score.mate } : { cp: sign * score.cp };
  // Mate 0 has no sign: the side to move is mated.
  if (score.mate === 0) converted.loser = turn;
  const probabilities = wdl ?? (score.mate !== undefined ? (score.mate > 0 ? [1000, 0, 0] : [0, 0, 1000]) : null);
  return { score: converted, wdl: probabilities && (turn === "w" ? probabilities : [...probabilities].reverse()) };
}

/** White's expected points, 0 to 1. */
export function expectedPoints({ score, wdl }) {
  if (wdl) return (wdl[0] + wdl[1] / 2) / 1000;
  return 1 / (1 + Math.exp(-score.cp / 200));
}

/** The text of a score from White's view. */
export function scoreText(score) {
  if (score.loser) return "#";
  if (score.mate !== undefined) return `${score.mate < 0 ? "−" : ""}M${Math.abs(score.mate)}`;
  const pawns = (Math.abs(score.cp) / 100).toFixed(Math.abs(score.cp) < 1000 ? 2 : 1);
  return `${score.cp < 0 ? "−" : "+"}${pawns}`;
}

/** Whether a score from White's view favours Black. */
export function favoursBlack(score) {
  return score.loser ? score.loser === "w" : (score.mate ?? score.cp) < 0;
}

export function resultOf(position) {
  if (!position || position.status === "ongoing") return "*";
  if (position.status !== "checkmate") return "1/2-1/2";
  return position.fen.split(" ")[1] === "w" ? "0-1" : "1-0";
}

/** The text of the status line. */
export function statusText(position) {
  const side = position.fen.split(" ")[1] === "w" ? "White" : "Black";
  const other = side === "White" ? "Black" : "White";
  return {
    checkmate: `Checkmate. ${other} wins`,
    stalemate: "Draw by stalemate",
    insufficient_material: "Draw by insufficient material",
    fifty_moves: "Draw by the fifty-move rule",
    threefold: "Draw by repetition",
  }[position.status] ?? (position.check ? `Check. ${side} to move` : `${side} to move`);
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
