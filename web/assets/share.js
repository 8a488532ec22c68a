// Links that carry a whole game: its PGN, compressed, in the fragment of the URL, which no server gets.

// Longer links are cut by programs that send messages.
const MAX_LENGTH = 8000;
// A short link can stand for a very long text: so many bytes of it are read.
const MAX_TEXT = 1 << 20;
// So many turns into variations and back are read of the place in a game.
const MAX_TURNS = 100;

/** The bytes that come out of a stream when these go in; rejects beyond a number of them. */
async function through(stream, bytes, limit) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    size += value.length;
    if (size > limit) {
      await reader.cancel();
      throw new RangeError("too long");
    }
    parts.push(value);
  }
}

/** The path of a node: how often the line goes straight on, then the number of the variation, and so on. */
function placeOf(node) {
  const place = [0];
  for (const index of node.indices()) {
    if (index) place.push(index, 0);
    else place[place.length - 1] += 1;
  }
  return place.join(".");
}

/** The path of indices of a place, see `GameTree.at`. */
function pathOf(place) {
  const counts = place.split(".", MAX_TURNS).map(Number).map((count) => (count >= 0 && count < MAX_LENGTH ? count : 0));
  return counts.flatMap((count, index) => (index % 2 ? [count] : Array(count).fill(0)));
}

/** The fragment of a link to a game, which is also given as a PGN. Rejects for a game that is too long. */
export async function fragmentOf(game, pgn, isFlipped) {
  if (typeof CompressionStream === "undefined") throw new Error("This browser cannot make a link to a whole game.");
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(pgn), MAX_LENGTH * 0.75).catch(() => null);
  const code = bytes && btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  const fragment = `#game=${code}&at=${placeOf(game.current)}${isFlipped ? "&side=b" : ""}`;
  if (code && fragment.length <= MAX_LENGTH) return fragment;
  throw new Error(`This game is too long for a link of ${MAX_LENGTH.toLocaleString("en")} characters. Save it as a PGN and send the file.`);
}

/** Whether a URL has a game in its fragment. */
export const isShared = ({ hash }) => hash.startsWith("#game=");

/** The game in a fragment: {pgn, path, isFlipped}. Rejects if there is none. */
export async function sharedGame({ hash }) {
  const fields = new URLSearchParams(hash.slice(1));
  try {
    const text = atob(fields.get("game").replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    const pgn = new TextDecoder("utf-8", { fatal: true }).decode(await through(new DecompressionStream("deflate-raw"), bytes, MAX_TEXT));
    return { pgn, path: pathOf(fields.get("at") ?? "0"), isFlipped: fields.get("side") === "b" };
  } catch {
    throw new Error("The game in this link cannot be read: the link is not whole.");
  }
}
