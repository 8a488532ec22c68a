// The game as the page knows it: a start, the plies played, and what the server said of each
// position. No rules: every move and every position comes from the server.

const STANDARD = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const WORDS = { K: "king", Q: "queen", R: "rook", B: "bishop", N: "knight" };

export class Game {
  constructor() { this.load({ start: STANDARD, chess960: false, history: [] }); }

  /** Takes an answer of /api/v1/moves with its history. */
  load(answer) {
    this.start = answer.start;
    this.chess960 = answer.chess960;
    this.plies = answer.history;
    this.ply = this.plies.length;
    this.positions = new Map();
    this.evaluations = new Map();
    this.marks = new Map();
    if (answer.fen) this.positions.set(this.ply, answer);
  }

  get atEnd() { return this.ply === this.plies.length; }
  get fen() { return this.ply === 0 ? this.start : this.plies[this.ply - 1].fen; }
  get last() { return this.ply === 0 ? null : this.plies[this.ply - 1]; }
  get turn() { return this.fen.split(" ")[1]; }
  get standardStart() { return this.start === STANDARD; }
  /** What the server said of the position on the board, if it was asked. */
  get position() { return this.positions.get(this.ply); }

  /** The position on the board, as the server is asked about it. */
  question(ply = this.ply) {
    const moves = this.plies.slice(0, ply).map((played) => played.uci);
    return { start: this.start, moves, ...(this.chess960 && { chess960: true }) };
  }

  /** Adds the move of an answer of /api/v1/make after the position on the board. */
  push(answer) {
    for (let ply = this.ply + 1; ply <= this.plies.length; ply += 1) {
      this.positions.delete(ply);
      this.evaluations.delete(ply);
      this.marks.delete(ply);
    }
    this.plies = [...this.plies.slice(0, this.ply), { ...answer.move, fen: answer.fen }];
    this.ply = this.plies.length;
    this.positions.set(this.ply, answer);
  }

  takeBack(count) {
    const ply = Math.max(0, this.plies.length - count);
    for (let gone = ply + 1; gone <= this.plies.length; gone += 1) {
      this.positions.delete(gone);
      this.evaluations.delete(gone);
      this.marks.delete(gone);
    }
    this.plies = this.plies.slice(0, ply);
    this.ply = ply;
  }

  /** Keeps a score of a position, turned to White's view. */
  evaluate(ply, { score, wdl }) {
    if (!score) return;
    const fen = ply === 0 ? this.start : this.plies[ply - 1]?.fen;
    if (fen) this.evaluations.set(ply, whiteView(score, wdl, fen.split(" ")[1]));
  }

  /** Move number and side before a ply (1 is the first), as PGN counts them. */
  numberOf(ply) {
    const [, turn, , , , number] = this.start.split(" ");
    const half = (Number(number) - 1) * 2 + (turn === "b" ? 1 : 0) + ply - 1;
    return { number: Math.floor(half / 2) + 1, white: half % 2 === 0 };
  }

  /** The address that shows this game at this ply. */
  address(engine) {
    const query = new URLSearchParams();
    if (!this.standardStart) query.set("fen", this.start);
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
    if (!this.standardStart) tags.push(["SetUp", "1"], ["FEN", this.start]);
    const words = this.plies.flatMap((played, index) => {
      const { number, white } = this.numberOf(index + 1);
      if (white) return [`${number}.`, played.san];
      return index === 0 ? [`${number}...`, played.san] : [played.san];
    });
    const text = [...words, result].join(" ").replace(/(.{1,78})(\s|$)/g, "$1\n").trimEnd();
    return `${tags.map(([name, value]) => `[${name} "${value}"]`).join("\n")}\n\n${text}\n`;
  }
}

function whiteView(score, wdl, turn) {
  const sign = turn === "w" ? 1 : -1;
  const turned = score.mate !== undefined ? { mate: sign * score.mate } : { cp: sign * score.cp };
  // A mate of 0 has no sign: the side to move is the one mated.
  if (score.mate === 0) turned.loser = turn;
  const chances = wdl ?? (score.mate !== undefined ? (score.mate > 0 ? [1000, 0, 0] : [0, 0, 1000]) : null);
  return { score: turned, wdl: chances && (turn === "w" ? chances : [...chances].reverse()) };
}

/** White's expected share of the point, 0 to 1. */
export function expectation({ score, wdl }) {
  if (wdl) return (wdl[0] + wdl[1] / 2) / 1000;
  return 1 / (1 + Math.exp(-score.cp / 200));
}

/** A score in White's view as people write it. */
export function scoreText(score) {
  if (score.loser) return "#";
  if (score.mate !== undefined) return `${score.mate < 0 ? "−" : ""}M${Math.abs(score.mate)}`;
  const pawns = (Math.abs(score.cp) / 100).toFixed(Math.abs(score.cp) < 1000 ? 2 : 1);
  return `${score.cp < 0 ? "−" : "+"}${pawns}`;
}

/** Is the score in White's view in Black's favour? */
export function favoursBlack(score) {
  return score.loser ? score.loser === "w" : (score.mate ?? score.cp) < 0;
}

export function resultOf(position) {
  if (!position || position.status === "ongoing") return "*";
  if (position.status !== "checkmate") return "1/2-1/2";
  return position.fen.split(" ")[1] === "w" ? "0-1" : "1-0";
}

/** The state of a position in words. */
export function statusText(position) {
  const side = position.fen.split(" ")[1] === "w" ? "White" : "Black";
  const other = side === "White" ? "Black" : "White";
  return {
    checkmate: `Checkmate. ${other} wins`,
    stalemate: "Stalemate. A draw",
    insufficient_material: "Draw: nobody can mate",
    fifty_moves: "Draw by the fifty-move rule",
    threefold: "Draw by repetition",
  }[position.status] ?? (position.check ? `Check. ${side} to move` : `${side} to move`);
}

/** A move as it is said aloud. */
export function spoken(san) {
  const end = san.endsWith("#") ? ", checkmate" : san.endsWith("+") ? ", check" : "";
  const bare = san.replace(/[+#]$/, "");
  if (bare === "O-O") return `castles king side${end}`;
  if (bare === "O-O-O") return `castles queen side${end}`;
  const [move, promotion] = bare.split("=");
  const piece = WORDS[move[0]];
  const words = [...(piece ? move.slice(1) : move)].join(" ").replace("x", "takes").replace(/([a-h]) ([1-8])/g, "$1$2");
  return `${piece ?? "pawn"} ${words}${promotion ? `, promotes to ${WORDS[promotion]}` : ""}${end}`;
}
