import { deleteProperty } from "./primordials";

// What is sent over these neither passes the browser's request hold nor can be kept in order in the page: streams can be handed
// from realm to realm, and a data channel starts in the other browser. Pages have long had to do without any one of them.
const NAMES = ["WebTransport", "RTCPeerConnection", "webkitRTCPeerConnection", "WebSocketStream"];

/** Takes from this realm what cannot be held. */
export const removeWhatCannotBeHeld = (): void => {
  for (let i = 0; i < NAMES.length; i++) deleteProperty(globalThis, NAMES[i] as string);
};
