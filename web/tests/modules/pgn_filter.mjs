// Reads a PGN from standard input and writes it with the modules of the page and the npm package (`make wasm`).
import { readFileSync, writeSync } from "node:fs";
import { readGames, writeGames } from "../../assets/pgn.js";
import { request } from "../../../target/npm/index.js";

const answer = async (name, fields) => {
  const { ok, error } = request(name, fields);
  if (error) throw new Error(error.message);
  return ok;
};
const api = { readGames: (pgn) => answer("readGames", { pgn }), writeGames: (games) => answer("writeGames", { games }) };
const text = Buffer.from(await writeGames(api, await readGames(api, readFileSync(0, "utf8"))));
for (let at = 0; at < text.length;) at += writeSync(1, text, at);
