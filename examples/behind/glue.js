// The glue in JavaScript (node 18 or later): the engine's rows, best first, become the order to show; clicks go back.
// SPDX-License-Identifier: ISC
const API = process.env.API || "http://127.0.0.1:8080";

const ask = (path, said) => fetch(API + path, { method: "POST", headers: { "Content-Type": "application/json" },
  body: JSON.stringify(said), signal: AbortSignal.timeout(500) });
async function ranked(query, rows) { // rows: [{id: ..., features: [...]}, ...]
  try {
    const found = await (await ask("/rank", { query, documents: rows.map(r => ({ name: String(r.id), features: r.features })) })).json();
    const place = new Map(found.ranking.map((name, at) => [name, at]));
    return [found.request, [...rows].sort((a, b) => place.get(String(a.id)) - place.get(String(b.id)))];
  } catch { return [null, rows]; } // the engine's own order
}
const clicked = (request, places, shown) => ask("/answer", { request, clicks: places, shown });

module.exports = { ranked, clicked };
