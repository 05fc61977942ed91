// The glue in JavaScript (node 18 or later): the engine's rows, best first, become the order to show; what visitors do goes back.
// SPDX-License-Identifier: ISC
const API = process.env.API || "http://127.0.0.1:8080", said = {};

async function ask(path, body) { // undefined of what fails, which is said on standard error, each kind once a minute, and never thrown
  try {
    const sent = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
    const reply = await fetch(API + path, { ...sent, signal: AbortSignal.timeout(500) });
    const text = await reply.text();
    if (!reply.ok) throw Object.assign(new Error(`${reply.status} ${text.trim()}`), { kind: reply.status });
    if (text) return JSON.parse(text);
  } catch (error) {
    const what = error.cause?.code ?? error.message, kind = path + (error.kind ?? what);
    if (!(Date.now() - said[kind] < 60000)) said[kind] = Date.now(), console.error(`rankpipe: ${API + path}: ${what}`);
  }
}
async function ranked(query, rows, client, shown = 10) { // rows: [{id: ..., features: [...]}, ...]; client: the visitor's address, or id:NAME
  const documents = rows.map(row => ({ name: String(row.id), features: row.features }));
  const found = rows.length ? await ask("/rank", { query, documents, client, shown: Math.min(shown, rows.length) }) : null;
  const place = new Map(found?.ranking.map((name, at) => [name, at]));
  return [found?.request, [...rows].sort((a, b) => (place.get(String(a.id)) ?? 0) - (place.get(String(b.id)) ?? 0))]; // or the engine's own order
}
const event = (request, item, client, type = "click") => ask("/event", { request, item: String(item), type, client }); // or basket, order, back

module.exports = { ranked, event };
