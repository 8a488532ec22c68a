// Reads a PGN from standard input and writes it with the modules of the page.
import { readFileSync, writeSync } from "node:fs";
import { readPgn } from "../../assets/pgn-read.js";
import { writeGames } from "../../assets/pgn-write.js";

const text = Buffer.from(writeGames(readPgn(readFileSync(0, "utf8"))));
for (let at = 0; at < text.length;) at += writeSync(1, text, at);
