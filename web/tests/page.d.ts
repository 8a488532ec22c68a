// The fields of the page's classes that `tsc` does not see: those that a constructor sets by `Object.assign`, and
// the parts of the page, which app.js adds to it.

import type { Board } from "../assets/board.js";
import type { Deck } from "../assets/deck.js";
import type { DeckPanel } from "../assets/deckpanel.js";
import type { Explorer } from "../assets/explorer.js";
import type { ExplorerPanel } from "../assets/explorerpanel.js";
import type { Notes } from "../assets/notes.js";
import type { GameDialog, Opponent } from "../assets/opponent.js";
import type { Page } from "../assets/page.js";
import type { Match } from "../assets/play.js";
import type { Practice } from "../assets/practice.js";
import type { ReviewPanel } from "../assets/reviewpanel.js";
import type { Session } from "../assets/session.js";
import type { Setup } from "../assets/setup.js";
import type { GameTree, Node } from "../assets/tree.js";

/** What asks the engine: api.js of the page, or of the page without a server. */
export type Api = typeof import("../assets/api.js").api;
/** A score from White's view, in centipawns or moves to mate; `loser` is the mated side. */
export type Score = { cp?: number; mate?: number; loser?: string };
export type Evaluation = { score: Score; wdl: number[] | null };
/** A move with the names of its squares. A null move has none. */
export type Move = { uci: string; san: string; from: string; to: string; rook?: string; promotion?: string; fen?: string };
/** An arrow, or a circle without `to`. */
export type Shape = { from: string; to: string | null; weight?: number; colour?: string };

/** An element whose children are HTML elements. */
export type Group = { children: HTMLCollectionOf<HTMLElement> } & HTMLElement;

declare module "../assets/analysis.js" {
  interface Analysis {
    api: Api;
    lines: HTMLElement;
    effort: HTMLElement;
    onScore(node: Node, evaluation: Evaluation): void;
    onArrows(arrows: Shape[]): void;
    onMoves(moves: string[]): void;
    onError(error: Error): void;
  }
}

declare module "../assets/board.js" {
  interface Board {
    frame: HTMLElement;
    fen: string | null;
    legal: Move[];
    premoving: boolean;
    premove: Move | null;
    onMove(uci: string): void;
    onCancel(): void;
    onEdit(from: string | null, to: string | null): void;
    onShape(shape: Shape): void;
    onSketch(shape: Shape | null): void;
    pencilOf(): string | null;
  }
}

declare module "../assets/changes.js" {
  interface Changes {
    game: GameTree;
    done: any[];
    undone: any[];
  }
}

declare module "../assets/deckpanel.js" {
  interface DeckPanel {
    page: Page;
    deck: Deck;
  }
}

declare module "../assets/explorerpanel.js" {
  interface ExplorerPanel {
    page: Page;
    explorer: Explorer;
  }
}

declare module "../assets/messages.js" {
  interface Messages {
    element: HTMLElement;
    spoken: HTMLElement;
  }
}

declare module "../assets/opponent.js" {
  interface Opponent {
    api: Api;
    session: Session;
    engine: HTMLSelectElement;
    movetime: HTMLSelectElement;
    strength: HTMLInputElement;
    strengthText: HTMLElement;
    human: HTMLInputElement;
  }
  interface GameDialog {
    dialog: HTMLDialogElement;
    settings: HTMLElement;
    opponent: Opponent;
    onStart(side: string): void;
    onApply(side: string): void;
  }
}

declare module "../assets/page.js" {
  interface Page {
    opponent: Opponent;
    setup: Setup;
    match: Match;
    review: ReviewPanel;
    practice: Practice;
    notes: Notes;
    deck: Deck;
    deckPanel: DeckPanel;
    explorer: Explorer;
    explorerPanel: ExplorerPanel;
    gameDialog: GameDialog;
  }
  interface Tabs {
    list: Group;
    onChange(): void;
    byPointer(): boolean;
  }
}

declare module "../assets/practice.js" {
  interface Practice {
    game: GameTree | null;
    before: { node: Node; flipped: boolean } | null;
    text: string;
    marks: Shape[];
    after: { fen: string; last: Move } | null;
  }
}

declare module "../assets/review.js" {
  interface Review {
    api: Api;
    onProgress(part: number, hasResults: boolean): void;
    onEnd(error?: Error): void;
  }
}

declare module "../assets/setup.js" {
  interface Setup {
    board: Board;
    palette: Group;
    fields: HTMLElement;
    begin: HTMLElement;
    clear: HTMLElement;
    standard: HTMLElement;
    done: HTMLElement;
    cancel: HTMLElement;
    turn: HTMLSelectElement;
    castling: HTMLInputElement;
    ep: HTMLInputElement;
    onChange(): void;
  }
}

declare module "../assets/shapes.js" {
  interface Shapes {
    svg: SVGElement;
    board: Board;
  }
}

declare module "../assets/store.js" {
  interface Store {
    database: IDBDatabase;
    name: string;
  }
}

declare module "../assets/tree.js" {
  interface GameTree {
    /** The last node of the main line when the result was settled. */
    settledAt?: Node;
  }
}
