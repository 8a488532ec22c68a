// Reads PGN: every game of a text, without loss. Comments, NAGs, tags and variations keep their
// places; what is not known is kept as it is. Nothing is checked against the rules of chess.

import { GameTree, Node } from "./tree.js";

const RESULT = /1-0|0-1|1\/2-1\/2|1\/2|½-½|\*/y;
const NUMBER = /(\d+)[ \t]*(\.[. ]*\.|\.|…)?/y;
const CASTLING = /[0Oo]-[0Oo](?:-[0Oo])?[+#]*/y;
// `e8(Q)`, `Ng1-f3`, `e7e8=Q+`; a sign such as `+-` after a move is not part of it.
const WORD = /[A-Za-z@♔-♟](?:[A-Za-z0-9@:♔-♟]|[-=](?=[A-Za-z0-9@♔-♟]))*(?:\([QRBNqrbn]\))?(?:[+#](?![-/=]))*/y;
const EN_PASSANT = /\.p\.?|e\.p\.?|ep(?!\w)/y;
const NULL_MOVE = /--|Z0|0000/y;
const SUFFIX = /[!?]+/y;
const SUFFIX_NAGS = { "!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6 };
const NAG = /\$(\d+)/y;
const TAG = /\[\s*([A-Za-z0-9][\w+#=:.-]*)\s+"((?:[^"\\\n]|\\.|"(?!\s*\]))*?)"\s*\]/y;
// A tag without quotes, or one that is not closed.
const LOOSE_TAG = /\[\s*([A-Za-z0-9][\w+#=:.-]*)\s*([^\n]*)/y;
// Signs of annotators that are no NAGs in the text: kept as they are.
const SIGN = /[^\s{}()[\];$\w]+/y;
// A comment that contains the tags of the next game is not closed: the tag Event, or any tag after an empty line.
const COMMENT_END = /\}|\n(?=\[Event ")|(?<=\n)\n(?=\[[A-Za-z0-9]+ ")/g;

/** All games of a text. */
export function readPgn(text) { return [...readGames(text)]; }

/** The games of a text, one after the other. */
export function* readGames(text) {
  const reader = new Reader(text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n"));
  for (let game = reader.next(); game; game = reader.next()) yield game;
}

class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  /** Matches a sticky expression at the current place and moves behind it. */
  match(expression) {
    expression.lastIndex = this.at;
    const found = expression.exec(this.text);
    if (found) this.at = expression.lastIndex;
    return found;
  }

  /** Skips blanks and lines that start with `%`; returns the number of line ends. */
  skipBlanks() {
    let lines = 0;
    for (; this.at < this.text.length; this.at += 1) {
      const letter = this.text[this.at];
      if (letter === "\n") lines += 1;
      else if (letter === "%" && (this.at === 0 || this.text[this.at - 1] === "\n")) this.at = this.lineEnd() - 1;
      else if (letter.trim() !== "" && letter !== "\ufeff") break;
    }
    return lines;
  }

  lineEnd() {
    const end = this.text.indexOf("\n", this.at);
    return end < 0 ? this.text.length : end;
  }

  /** The next game; null at the end. */
  next() {
    const { tags, remarks } = this.readTags();
    this.skipBlanks();
    if (this.at >= this.text.length && tags.length === 0 && remarks.length === 0) return null;
    this.game = new GameTree(tags);
    this.game.root.after.push(...remarks);
    this.node = this.game.root;
    // The nodes to return to at the end of each open variation.
    this.open = [];
    // The annotations at the start of a variation; null after its first move.
    this.starting = null;
    while (this.readToken());
    return this.game;
  }

  /** The tag pairs before a game, and comments among them. */
  readTags() {
    const [tags, remarks] = [[], []];
    for (;;) {
      const place = this.at;
      const lines = this.skipBlanks();
      const letter = this.text[this.at];
      if (letter === "[" && this.atTag()) {
        const before = this.at;
        const tag = this.readTag();
        // A repeated tag after an empty line belongs to the next game; this game has no moves.
        if (lines > 1 && tags.some(([name]) => name === tag[0])) {
          this.at = before;
          return { tags, remarks };
        }
        tags.push(tag);
      } else if ((letter === "{" || letter === ";") && tags.length === 0) {
        remarks.push(this.readComment(letter));
      } else {
        this.at = place;
        return { tags, remarks };
      }
    }
  }

  atTag() { return /[A-Za-z0-9]/.test(this.text[this.at + 1] ?? ""); }

  readTag() {
    const strict = this.match(TAG);
    if (strict) return [strict[1], strict[2]];
    const [, name, rest] = this.match(LOOSE_TAG);
    return [name, rest.trim().replace(/\]$/, "").trim().replace(/^"|"$/g, "")];
  }

  /** Reads a token of the movetext; false at the end of the game. */
  readToken() {
    const lines = this.skipBlanks();
    const letter = this.text[this.at];
    if (letter === undefined) return false;
    const ended = this.game.result !== null && this.open.length === 0;
    if (letter === "[" && (this.at === 0 || this.text[this.at - 1] === "\n") && this.atTag()) return false;
    if (ended && this.startsGame(letter, lines)) return false;
    if (letter === "{" || letter === ";") this.annotate(this.readComment(letter));
    else if (letter === "(") this.startVariation();
    else if (letter === ")") this.endVariation();
    else if (letter === "$") this.readNag();
    else return this.readWord(lines);
    return true;
  }

  readNag() {
    const found = this.match(NAG);
    if (found) this.annotate({ nag: Number(found[1]) });
    else this.at += 1;
  }

  /** Whether a token after a result belongs to the next game. */
  startsGame(letter, lines) {
    return lines > 1 || (lines > 0 && /[A-Za-z0-9]/.test(letter));
  }

  readWord(lines) {
    const place = this.at;
    if (this.match(CASTLING) || this.match(NULL_MOVE)) {
      this.addMove(this.text.slice(place, this.at).replace(/[0o]-/g, "O-").replace(/-[0o]/g, "-O"));
    } else if (this.match(RESULT)) {
      this.endGame(this.text.slice(place, this.at));
    } else if (this.matchNumber(lines, place)) {
      return this.at !== place;
    } else if (this.match(EN_PASSANT)) {
      // Says nothing that the move does not.
    } else if (this.match(WORD)) {
      const word = this.text.slice(place, this.at).replace(/\(([QRBN])\)/i, "=$1").replace(/[♔-♟]/g, pieceLetter);
      // Moves have a target square or are null moves; other words are kept.
      if (/[a-h][1-8]|^@@@@/.test(word)) this.addMove(word.replace(/([1-8])(?:e|ep)$/, "$1"));
      else this.annotate({ raw: word });
    } else if (this.match(SUFFIX)) {
      const sign = this.text.slice(place, this.at);
      const nag = SUFFIX_NAGS[sign] ?? SUFFIX_NAGS[sign.slice(0, 2)];
      if (nag) this.annotate({ nag });
    } else if (this.match(SIGN)) {
      const sign = this.text.slice(place, this.at);
      if (!/^[.,…]+$/.test(sign)) this.annotate({ raw: sign });
    } else {
      this.at += 1;
    }
    return true;
  }

  /** Skips a move number. Number 1 after an empty line starts a game without tags: nothing is skipped. */
  matchNumber(lines, place) {
    const found = this.match(NUMBER);
    if (!found) return false;
    const fresh = found[1] === "1" && (found[2] ?? ".") === "." && lines > 1;
    if (fresh && this.open.length === 0 && this.game.root.next) this.at = place;
    return true;
  }

  /** Reads a comment in braces or to the end of the line. A brace that is not closed ends before the next game. */
  readComment(letter) {
    this.at += 1;
    const place = this.at;
    if (letter === ";") {
      this.at = this.lineEnd();
      return { line: this.text.slice(place, this.at) };
    }
    COMMENT_END.lastIndex = place;
    const found = COMMENT_END.exec(this.text);
    let end = found?.index ?? this.text.length;
    if (found?.[0] === "\n") while (end > place && this.text[end - 1] === "\n") end -= 1;
    this.at = found?.[0] === "}" ? end + 1 : end;
    return { comment: this.text.slice(place, end) };
  }

  annotate(annotation) { (this.starting ?? this.node.after).push(annotation); }

  addMove(san) {
    const node = new Node(this.node, san);
    if (this.starting) node.before = this.starting;
    this.starting = null;
    this.node.children.push(node);
    this.node = node;
  }

  /** A variation is an alternative to the last move; without a move it is part of the line. */
  startVariation() {
    this.at += 1;
    if (!this.node.parent || this.starting) return;
    this.open.push(this.node);
    this.node = this.node.parent;
    this.starting = [];
  }

  endVariation() {
    this.at += 1;
    if (this.open.length === 0) return;
    const lost = this.starting ?? [];
    this.starting = null;
    this.node = this.open.pop();
    // A variation without moves: its annotations belong to the move.
    this.node.after.push(...lost);
  }

  /** A result ends the game, but in a variation it is only a remark. */
  endGame(text) {
    const result = { "1/2": "1/2-1/2", "½-½": "1/2-1/2" }[text] ?? text;
    if (this.open.length) this.annotate({ raw: result });
    else this.game.result = result;
  }
}

function pieceLetter(symbol) { return "KQRBN KQRBN "["♔♕♖♗♘♙♚♛♜♝♞♟".indexOf(symbol)]?.trim() ?? ""; }
