import { bare, defineProperty, deleteProperty } from "./primordials";

// What is sent over these neither passes the browser's request hold nor can be kept in order in the page: streams can be handed
// from realm to realm, and what a peer connection sends begins before it is open.
const NAMES = ["WebTransport", "RTCPeerConnection", "webkitRTCPeerConnection", "WebSocketStream"];

/** Takes from a document what cannot be held. */
export const removeFromDocument = (): void => {
  for (let i = 0; i < NAMES.length; i++) deleteProperty(globalThis, NAMES[i] as string);
};

/** The same in a worker, which gets some of these only after it has begun: what stands in their place already stays. */
export const removeFromWorker = (): void => {
  removeFromDocument();
  defineProperty(globalThis, "WebTransport", bare({ value: undefined }));
};
