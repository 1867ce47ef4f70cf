// The partner's page, which runs on another origin inside a frame of the room.
const room = new URLSearchParams(location.search).get("room") ?? "";
const $ = (id) => document.getElementById(id);

$("origin").textContent = location.origin;

async function lookIntoTheRoom() {
  const context = document.modelContext;
  if (!context) return "This browser has no WebMCP, so no tool of the room is seen here.";
  if (globalThis.Countersign.toolsPolicy() === "disallowed")
    return "The page around this frame did not allow it “tools”.";
  const tools = await context.getTools({ fromOrigins: [room] });
  const names = tools.filter(({ origin }) => origin === undefined || origin === room).map(({ name }) => name);
  const phase = tools.find(({ name }) => name === "current_phase");
  if (!phase) return "The room exposes no tool to this origin.";
  const args = context.executeTool.length > 1 ? "{}" : {};
  const { phase: now } = JSON.parse(await context.executeTool(phase, args));
  return `Of the room's tools this origin is shown ${names.join(", ")}, which says: ${now}.`;
}

const look = async () => {
  $("seen").textContent = await lookIntoTheRoom().catch((error) => `The room could not be asked: ${error.message}`);
};

if (parent === window || room === "") {
  $("seen").textContent = "This page belongs into a frame of the room. Open the room, and it is there.";
  $("send").disabled = true;
} else {
  parent.postMessage({ type: "room:partner" }, room);
  $("look").addEventListener("click", look);
  $("say").addEventListener("submit", (event) => {
    event.preventDefault();
    parent.postMessage({ type: "countersign:claim", claim: $("claim").value }, room);
    $("seen").textContent = "Sent. The room's record shows what arrived.";
  });
}
