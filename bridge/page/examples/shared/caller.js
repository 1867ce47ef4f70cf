// The tools as the browser lists them now, and a way to call one by hand as an agent in the page would.
import { el } from "./dom.js";

const OFF = "WebMCP is off in this browser: agents see no tools here. Everything can still be done by hand.";

/** Shows the tools in an element. Answers what shows them anew. */
export function showTools(element) {
  const context = document.modelContext;
  if (!context) {
    element.append(el("p", { className: "quiet" }, OFF));
    return () => {};
  }
  const names = el("ul", { className: "tools", "aria-label": "Tools that exist now" });
  const choice = el("select", { id: "tool-choice" });
  const args = el("textarea", { id: "tool-arguments", rows: 3 });
  const answer = el("output", { className: "answer", htmlFor: "tool-choice tool-arguments" });
  const form = el(
    "form",
    {},
    el("label", { htmlFor: "tool-choice" }, "Tool"),
    choice,
    el("label", { htmlFor: "tool-arguments" }, "Arguments, as JSON"),
    args,
    el("button", { type: "submit" }, "Call it"),
    answer,
  );
  element.append(names, el("details", {}, el("summary", {}, "Call one by hand"), form));

  let listed = [];
  const show = async () => {
    listed = (await context.getTools()).toSorted((one, other) => (one.name < other.name ? -1 : 1));
    const chosen = choice.value;
    const shown = listed.filter(({ name }) => !name.endsWith(".preview"));
    names.replaceChildren(...shown.map(toolItem));
    choice.replaceChildren(...listed.map(({ name }) => el("option", {}, name)));
    if (listed.some(({ name }) => name === chosen)) choice.value = chosen;
    else fill();
  };
  const fill = () => {
    const tool = listed.find(({ name }) => name === choice.value);
    args.value = tool ? JSON.stringify(exampleOf(tool), null, 1) : "";
  };
  choice.addEventListener("change", fill);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    answer.textContent = "Waiting for the answer…";
    try {
      const tool = listed.find(({ name }) => name === choice.value);
      answer.textContent = readable(await execute(context, tool, JSON.parse(args.value || "{}")));
    } catch (error) {
      answer.textContent = `The call failed: ${error.message}`;
    }
    await show();
  });
  context.addEventListener?.("toolchange", () => void show());
  void show();
  return show;
}

// Chromium before 155 took the arguments as JSON text, and its function asked for two parameters.
const execute = (context, tool, args) =>
  context.executeTool(tool, context.executeTool.length > 1 ? JSON.stringify(args) : args);

function toolItem({ name, annotations }) {
  const read = annotations?.readOnlyHint === true;
  return el(
    "li",
    {},
    el("code", {}, name),
    el("span", { "data-kind": read ? "read" : "write" }, read ? "read" : "write"),
  );
}

/** Arguments to begin with: what the schema gives as examples. */
function exampleOf({ inputSchema }) {
  const { properties = {}, required = [] } = typeof inputSchema === "string" ? JSON.parse(inputSchema) : inputSchema;
  return Object.fromEntries(required.map((name) => [name, properties[name]?.examples?.[0] ?? ""]));
}

function readable(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return String(text);
  }
}
