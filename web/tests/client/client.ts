// Calls every route of the service with a client generated from /openapi.json: `schema.d.ts` by
// openapi-typescript, and openapi-fetch. The types are checked before it runs.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

declare const process: { argv: string[] };

const baseUrl = process.argv[2];
const routes = new Set<string>();
const client = createClient<paths>({ baseUrl });
client.use({
  onRequest: ({ request, schemaPath }) => { routes.add(`${request.method.toLowerCase()} ${schemaPath}`); },
});

function check(condition: unknown, text: string): asserts condition {
  if (!condition) throw new Error(text);
}

/** The data of an answer, which must be a success. */
function data<T>({ data, error }: { data?: T; error?: unknown }, name: string): T {
  check(data !== undefined, `${name}: ${JSON.stringify(error)}`);
  return data;
}

/** The objects of an answer in lines. */
const lines = <T>(text: string): T[] => text.trim().split("\n").map((line) => JSON.parse(line));

const game = { moves: ["f2f3", "e7e5", "g2g4", "d8h4"] };

const health = data(await client.GET("/health"), "health");
check(health.status === "ok", "health");
check(data(await client.GET("/ready"), "ready").status === "ready", "ready");
check(data(await client.GET("/metrics", { parseAs: "text" }), "metrics").includes("saavedra_nodes_total"), "metrics");
const document = data(await client.GET("/openapi.json"), "openapi") as unknown as typeof import("./openapi.json");

const best = data(await client.POST("/api/v1/bestmove", {
  body: { fen: "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1" },
  params: { query: { movetime: 100 } },
}), "bestmove");
const [win, draw, loss] = best.wdl;
// The generated type has three numbers.
const isTuple: number[] extends components["schemas"]["BestMove"]["wdl"] ? false : true = true;
check(isTuple, "wdl");
check(best.san === "Ra8#" && win + draw + loss === 1000, "bestmove");

const position = data(await client.POST("/api/v1/moves", { body: { fen: "startpos", history: true } }), "moves");
check(position.legal.length === 20, "moves");
check(data(await client.POST("/api/v1/make", { body: { fen: "startpos", move: "e4" } }), "make").turn === "black", "make");
check(data(await client.POST("/api/v1/explain", { body: { ...game, moves: ["e4"], nodes: 1000 } }), "explain").text, "explain");

// The position is in plain parameters of the query.
const events = data(await client.GET("/api/v1/analysis", {
  params: { query: { fen: "startpos", moves: "e2e4 e7e5", depth: 3, multipv: 2 } },
  parseAs: "text",
}), "analysis");
check(events.includes("event: bestmove"), "analysis");
type AnalysisEvent = components["schemas"]["AnalysisEvent"];
const analysed: unknown = data(await client.POST("/api/v1/analysis", { body: { fen: "startpos", depth: 3 }, parseAs: "text" }), "analyse");
const last = lines<AnalysisEvent>(analysed as string).at(-1);
check(last?.event === "bestmove" && last.bestmove, "analyse");

const { games } = data(await client.POST("/api/v1/pgn/read", { body: { pgn: "1. e4 e5 *" } }), "read");
check(games[0].nodes.length === 3, "read");
check(data(await client.POST("/api/v1/pgn/write", { body: { games } }), "write").pgn.includes("1. e4 e5"), "write");
check(data(await client.POST("/api/v1/pgn/main-lines", { body: { games } }), "main lines").games[0].length === 3, "main lines");

const tables = data(await client.POST("/api/v1/tablebase", { body: { fen: "startpos" } }), "tablebase");
check(tables.wdl === null && tables.moves.length === 0 && health.engine.tablebase === 0, "tablebase");

const found: unknown = data(await client.POST("/api/v1/review/search", { body: { ...game, nodes: 1000 }, parseAs: "text" }), "search");
const searched = lines<components["schemas"]["Searched"]>(found as string);
const judged = data(await client.POST("/api/v1/review/judge", { body: { ...game, searched } }), "judge");
check(judged.status === "done" && judged.positions[3].judgement === "blunder", "judge");

const { id } = data(await client.POST("/api/v1/reviews", { body: { ...game, nodes: 1000 } }), "review");
check(id, "review");
const params = { path: { id } };
check(data(await client.GET("/api/v1/reviews/{id}", { params }), "state").progress.total === 5, "state");
check(data(await client.GET("/api/v1/reviews"), "reviews").most > 0, "reviews");
check((await client.DELETE("/api/v1/reviews/{id}", { params })).response.status === 204, "delete");

// Errors have a code for programs.
const { error } = await client.POST("/api/v1/make", { body: { fen: "startpos", move: "e5" } });
check(error?.code === "illegal_move" && error.field === "move", "an error");

for (const [path, item] of Object.entries(document.paths)) {
  for (const method of ["get", "post", "delete"]) {
    check(!(method in item) || routes.has(`${method} ${path}`), `${method} ${path} is not called`);
  }
}
