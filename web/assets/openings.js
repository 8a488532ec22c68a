// The names of openings, found by position: openings.tsv has the ECO code, the family (empty: as in
// the line above), the variation, and the hashes of the positions.

let names = null;

/** Loads the names; without them no opening is named. */
export async function loadOpenings(url = new URL("openings.tsv", import.meta.url)) {
  const response = await fetch(url).catch(() => null);
  if (response?.ok) names = parseOpenings(await response.text());
}

export function parseOpenings(text) {
  const found = new Map();
  let family = "";
  for (const line of text.trimEnd().split("\n")) {
    const [eco, own, variation, hashes] = line.split("\t");
    family = own || family;
    const name = `${eco} ${family}${variation ? `: ${variation}` : ""}`;
    for (const hash of hashes.split(" ")) found.set(parseInt(hash, 16), name);
  }
  return found;
}

/** The 32-bit FNV-1a hash of the position in a FEN, without its counters. */
export function positionHash(fen) {
  let hash = 0x811c9dc5;
  for (const letter of fen.split(" ").slice(0, 4).join(" ")) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
  return hash >>> 0;
}

/** The name of the position with this hash; empty if it has none. */
export const nameOf = (hash) => names?.get(hash) ?? "";

/** The opening of a node: the name of the last named position on its path. */
export function openingOf(game, node) {
  if (!names || game.chess960) return "";
  for (let at = node; at.parent; at = at.parent) {
    const name = at.move && names.get(positionHash(at.move.fen));
    if (name) return name;
  }
  return "";
}
