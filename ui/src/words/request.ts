import type { NetworkRequest } from "../gen/contract";

/** What was held, in a few words. A WebSocket has no methods: `SEND` and `CLOSE` stand for what page code called on it. */
export function heldIs(request: NetworkRequest): string {
  if (request.method === "SEND") return "The message, stopped before its connection";
  if (request.method === "CLOSE") return "The close of a connection, stopped before it";
  return "The request, stopped in the browser";
}

/** What was tried, up to the address it goes to. */
export function triedTo(request: NetworkRequest): string {
  if (request.method === "SEND") return "send a message on its open connection to";
  if (request.method === "CLOSE") return "close, with words of its own, its connection to";
  return `send a ${request.method} to`;
}

/** Where it goes, and how, in one line. */
export function requestName(request: NetworkRequest): string {
  if (request.method === "SEND") return `message to ${request.url}`;
  if (request.method === "CLOSE") return `close of ${request.url}`;
  return `${request.method} ${request.url}`;
}

/** What stands where there is no text to show. */
export function bodyless(request: NetworkRequest): string {
  if (request.bodyBytes > 0) return "It is not text and cannot be shown.";
  return request.method === "SEND" ? "The message is empty." : "It has no body.";
}
