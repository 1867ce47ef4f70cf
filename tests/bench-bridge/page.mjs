// A page with the widget, as far as the one who calls it can tell: it speaks the widget's protocol and answers each call at once. The
// same program is behind both bridges. `node page.mjs PORT ORIGIN`; says `ready` once its tools are listed.

import WebSocket from "ws";

const [port, origin] = process.argv.slice(2);
const socket = new WebSocket(`ws://127.0.0.1:${port}`, ["webmcp-discovery.v1", "webmcp.v1"], { origin });
const say = (message) => socket.send(JSON.stringify(message));
const answer = { content: [{ type: "text", text: "The answer, which takes no time." }] };
const tools = [
  {
    name: "look_up",
    description: "Looks something up.",
    inputSchema: { type: "object", properties: { number: { type: "integer" } } },
    annotations: { readOnlyHint: true },
  },
];

socket.on("message", (data) => {
  const message = JSON.parse(data);
  if (message.type === "invoke") say({ type: "result", callId: message.callId, result: answer });
  if (message.type === "ping") say({ type: "pong" });
  if (message.type !== "server-hello") return;
  say({ type: "hello", tabId: "bench", origin, url: `${origin}/`, title: "Bench" });
  say({ type: "tools/list", tools });
  console.log("ready");
});
socket.on("close", () => process.exit(0));
socket.on("error", (error) => {
  console.error(error.message);
  process.exit(1);
});
