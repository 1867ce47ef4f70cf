// The shop's own server. The state lives there; this page only shows it.

/** What the server refused, and why. Nothing has changed. */
export class Refused extends Error {
  /** @param {{error: string, message: string}} answer */
  constructor({ error, message }) {
    super(message);
    this.code = error;
  }
}

async function ask(path, init) {
  const response = await fetch(path, { cache: "no-store", ...init });
  const text = await response.text();
  if (response.ok) return JSON.parse(text);
  try {
    throw new Refused(JSON.parse(text));
  } catch (error) {
    if (error instanceof Refused) throw error;
    throw new Refused({ error: "not-understood", message: `The shop did not take the request (${response.status}).` });
  }
}

/** The state now, or, given a revision, as soon as there is a newer one. */
export const state = (after) => ask(after === undefined ? "/api/state" : `/api/state?after=${after}`);

/** What an order would cost; changes nothing. */
export const quote = (product, quantity) =>
  ask(`/api/quote?${new URLSearchParams({ product, quantity: String(quantity) })}`);

/** Changes something; answers `{done, state}`. */
export const send = (path, params = {}) =>
  ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(params) });
