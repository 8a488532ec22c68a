/** The side to move. */
export type Color = 'white' | 'black';

/** Whether the game is over, and how. */
export type Status =
  | 'ongoing'
  | 'checkmate'
  | 'stalemate'
  | 'insufficient_material'
  | 'fifty_moves';

/**
 * Loads the module, unless it is loaded. Rejects with the reason if that fails; the next call tries again. A browser
 * needs it before the first `Board`; `Engine.create` calls it, too. Node, Deno and Bun load the module themselves.
 */
export function init(): Promise<void>;

/** A text is not a legal move of the position. The message gives the reason. */
export class IllegalMove extends Error {}

/**
 * A chess position. It never changes: `make` returns a new one.
 *
 * Moves are texts, in UCI notation (`g1f3`) or standard algebraic notation (`Nf3`).
 */
export class Board {
  /**
   * The start position, the position of a FEN, or the position of another board or of its `structuredClone`. With
   * `chess960`, castling moves are written as king takes rook (`e1h1`). Throws a `RangeError` for a
   * position that cannot be, and an `Error` if a browser has not loaded the module (`init`).
   */
  constructor(from?: string | { readonly position: Board['position'] }, options?: { chess960?: boolean });
  /** What `structuredClone` and `postMessage` keep of the board. */
  readonly position: { readonly fen: string; readonly chess960: boolean };
  /** The side to move. */
  readonly turn: Color;
  /** Whether castling moves are written as king takes rook. */
  readonly chess960: boolean;
  /** The status of the position alone: repetitions are not known. */
  readonly status: Status;
  /** The FEN of the position. */
  fen(): string;
  /** The legal moves in UCI notation. */
  legalMoves(): string[];
  /** The standard algebraic notation of a legal move. Throws `IllegalMove`. */
  san(move: string): string;
  /** The UCI notation of a legal move. Throws `IllegalMove`. */
  uci(move: string): string;
  /** The position after a legal move. Throws `IllegalMove`. */
  make(move: string): Board;
  /** Whether the side to move is in check. */
  isCheck(): boolean;
  /** Whether the game is over by the position alone. */
  isOver(): boolean;
  /** The number of leaf nodes of the legal move tree at a depth. */
  perft(depth: number): number;
  /** The static evaluation in centipawns from the side to move's view, without a search. */
  evaluate(): number;
  /** The FEN of the position. */
  toString(): string;
  /** The FEN of the position. */
  toJSON(): string;
}

/**
 * When an analysis ends, and what it searches. Without a limit it goes on until it is cancelled or has reached the
 * maximum depth.
 */
export interface Limits {
  /** The maximum depth in plies. */
  depth?: number;
  /** The maximum number of nodes. */
  nodes?: number;
  /** The time in milliseconds. */
  movetime?: number;
  /** The number of lines; 1 by default. */
  multipv?: number;
  /** Moves that are played from the position first; repetitions of their positions count. */
  moves?: readonly string[];
  /** Ends the analysis when it is aborted; the last result follows. */
  signal?: AbortSignal;
}

/** A line of play with its score, from the side to move's view. */
export interface Line {
  /** The number of the line, from 1. */
  multipv: number;
  depth: number;
  /** The depth of the deepest line searched. */
  seldepth: number;
  /** The score in centipawns, or null if it is a mate. */
  scoreCp: number | null;
  /** The moves to mate, negative if the side to move is mated; null if the score is no mate. */
  mate: number | null;
  /** The probabilities of win, draw and loss, per mille. */
  wdl: [number, number, number];
  nodes: number;
  /** Nodes per second. */
  nps: number;
  /** The part of the hash table that this search has filled, per mille. */
  hashfull: number;
  /** Milliseconds since the search started. */
  time: number;
  /** The moves in UCI notation. */
  pv: string[];
  /** The moves in standard algebraic notation. */
  pvSan: string[];
}

/** The result of an iteration: its best line, and all lines. */
export interface Result extends Line {
  /** The best move in UCI notation; null if the game is over. */
  best: string | null;
  /** The expected reply. */
  ponder: string | null;
  /**
   * As many lines as `multipv` asks for, the best first. There are fewer if there are fewer moves, if a limited
   * strength overlooks moves, or if the search has ended in its first iteration.
   */
  lines: Line[];
  /** Whether the analysis has ended. */
  done: boolean;
}

/** A move in both notations. */
export interface NamedMove {
  uci: string;
  san: string;
}

/** A score in centipawns or moves to mate, from White's view. */
export type Evaluation = { cp: number } | { mate: number };

/** A motif of a line, or what is lasting in a position. */
export interface Motif {
  /** As `fork` or `passed-pawn`. */
  name: string;
  side: Color;
  squares: string[];
  /** The index of its move in the line. */
  ply: number;
}

/** The explanation of a move or a position. */
export interface Explanation {
  /** At most five sentences. */
  text: string;
  fen: string;
  best: NamedMove | null;
  line: NamedMove[];
  eval: Evaluation;
  /** The explained move. */
  asked: (NamedMove & { eval: Evaluation; worse_cp: number | null }) | null;
  /** The answer to the explained move. */
  refutation: { eval: Evaluation; effect: string; line: NamedMove[] } | null;
  threat: { effect: string; line: NamedMove[] } | null;
  motifs: Motif[];
  lasting: Motif[];
}

/** An exercise: a position of a game in which one move alone is good. */
export interface Puzzle {
  /** The same for the same position. */
  id: string;
  /** The position; the solver is to move. */
  fen: string;
  /** The moves in UCI notation; the solver has the first and the last one. */
  solution: string[];
  /** As `mate-in-2`, `fork`, `defence` or `endgame`. */
  themes: string[];
  /** An Elo-like number. */
  difficulty: number;
  /** The nodes after which a search found the first move. */
  nodes: number;
  /** The game: its tags, and the plies before the exercise. */
  game: { white: string | null; black: string | null; ply: number };
}

/** Which exercises to find. */
export interface PuzzleOptions {
  /** The maximum number of nodes of the proof of each move; 120,000 by default. */
  nodes?: number;
  /** The side that solves; both by default. */
  side?: Color | 'both';
  /** Only positions in which this player is to move; a part of the name is enough. */
  player?: string;
  /** Ends the search for exercises when it is aborted. */
  signal?: AbortSignal;
  /** Is called after each game with its exercises, also if it has none. */
  onGame?: (puzzles: Puzzle[]) => void;
}

/**
 * A chess engine in a worker of its own. It does one thing at a time; `close` ends the worker. An idle engine does not
 * keep Node running.
 */
export class Engine {
  /**
   * Starts an engine with these UCI options, as `await Engine.create({ Hash: 32, 'Skill Level': 5 })`. Rejects with
   * the reason if the module or the worker cannot be loaded or an option is refused. An analysis sets
   * the option `MultiPV` by its limit `multipv`; `UCI_Chess960` and `UCI_ShowWDL` have no effect.
   */
  static create(options?: Record<string, string | number | boolean>): Promise<Engine>;
  /** The same at once; the next call rejects with the reason if the engine cannot be started. */
  constructor(options?: Record<string, string | number | boolean>);
  /**
   * Searches a position. Yields the newest result whenever an iteration has ended, and last the final one,
   * which is `done`. Leaving the loop ends the search; so does a later call of another method of the same engine.
   */
  analyse(board: Board, limits?: Limits): AsyncGenerator<Result, void, void>;
  /**
   * Explains a move in at most five sentences (`text`), or the best move without one. The fields are those of
   * `saavedra explain --json`. `moves` are played from the position first; `nodes` limits each of some five searches
   * (30,000 by default). The running analysis ends. Throws `IllegalMove`.
   */
  explain(board: Board, options?: { move?: string; moves?: readonly string[]; nodes?: number }): Promise<Explanation>;
  /**
   * Makes exercises from the games of a PGN, the same ones with the same fields as `saavedra puzzles --format json`.
   * Each has one solution, and a position occurs once. Rejects with a `RangeError` if a game cannot be read, before
   * anything is searched. If `signal`, `stop` or a later call of the same engine ends it, it rejects with an
   * `AbortError`; `onGame` has had the exercises of the games that were done.
   */
  puzzles(pgn: string, options?: PuzzleOptions): Promise<Puzzle[]>;
  /** The final result of an analysis that has a limit. */
  search(board: Board, limits: Limits): Promise<Result>;
  /** Ends the running analysis as soon as possible; its final result follows. Ends `puzzles`, too. */
  stop(): void;
  /** Sets a UCI option. The running analysis ends. */
  setOption(name: string, value: string | number | boolean): Promise<void>;
  /** Forgets the game before. The running analysis ends. */
  newGame(): Promise<void>;
  /** Ends the worker. */
  close(): void;
}

/** `Engine.analyse` with an engine of its own, which is closed at the end. */
export function analyse(board: Board, limits?: Limits): AsyncGenerator<Result, void, void>;
