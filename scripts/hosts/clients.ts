// Plays a whole game for four by types that openapi-typescript has made of the OpenAPI: see clients.py.
import createClient from "openapi-fetch";
import type { paths, components } from "./zim.js";

const [url, token, kind, seed, most] = process.argv.slice(2) as [string, string, string, string, string];
const fetchPatiently: typeof fetch = async (input, init) => {
  for (;;) {
    const answer = await fetch(input instanceof Request ? input.clone() : input, init);
    if (answer.status !== 429 && answer.status !== 503) return answer;
    await new Promise((done) => setTimeout(done, 1000 * Number(answer.headers.get("Retry-After") ?? 1)));
  }
};
const client = (of: string) =>
  createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${of}` }, fetch: fetchPatiently });

let keys = 0;
const key = () => ({ "Idempotency-Key": `a-key-of-the-clients-${keys++}` });
let state = Number(seed);
const below = (most: number) => (state = (state * 48271) % 2147483647) % most;

function answered<T>(sent: { data?: T; error?: unknown }): T {
  if (sent.data === undefined) throw new Error(JSON.stringify(sent.error));
  return sent.data;
}

const host = client(token);
const begun = answered(
  await host.POST("/v1/games", { params: { header: key() }, body: { kind, name: "g", options: { players: "4" } } }),
);
const game = { game: "g" };
const seats = new Map<string, ReturnType<typeof client>>();
for (const { seat } of answered(await host.GET("/v1/games/{game}/seats", { params: { path: game } })).seats) {
  const link = answered(
    await host.POST("/v1/games/{game}/tokens", { params: { path: game, header: key() }, body: { role: "seat", seat } }),
  );
  const redeemed = answered(
    await host.POST("/v1/tokens", { params: { header: key() }, body: { link: link.token, by: `player of ${seat}` } }),
  );
  seats.set(seat, client(redeemed.token));
}

let position: components["schemas"]["PositionDocument"] = begun.position;
let moves = 0;
const path = { game: "g", line: "main" };
for (; !position.over && moves < Number(most); moves++) {
  const mover = seats.get(position.to_move[0]!)!;
  const sent = await mover.GET("/v1/games/{game}/lines/{line}/legal", { params: { path } });
  const { legal } = answered(sent);
  const header = { ...key(), "If-Match": sent.response.headers.get("ETag")! };
  const body = { move: legal![below(legal!.length)]! };
  position = answered(await mover.POST("/v1/games/{game}/lines/{line}/moves", { params: { path, header }, body })).position;
}
console.log(JSON.stringify({ moves, status: position.status, over: position.over }));
