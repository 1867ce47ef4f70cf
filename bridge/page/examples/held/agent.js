// The page's tools as any agent in this document reaches them.

/** Whether this browser, or something loaded before, offers WebMCP. */
export const hasWebmcp = () => Boolean(document.modelContext?.getTools && document.modelContext.executeTool);

/** Calls one of this page's own tools and answers its text. */
export async function callTool(name, args) {
  const context = document.modelContext;
  const tool = (await context.getTools()).find((one) => one.name === name);
  if (!tool) throw new Error(`The browser does not list ${name}.`);
  // Chromium before 155, and the polyfill, take the arguments as JSON text.
  const answer = await context.executeTool(tool, context.executeTool.length > 1 ? JSON.stringify(args) : args);
  return typeof answer === "string" ? answer : JSON.stringify(answer);
}

/** What a write's caller was told, as a sentence for the person who looks on. */
export function inWords(answer) {
  try {
    const { status, proposal, faults, note } = JSON.parse(answer);
    if (status === "held") return `Held as ${proposal}. Nothing has changed yet.`;
    if (faults) return faults.map(({ path, message }) => `${path.slice(1) || "The input"} ${message}.`).join(" ");
    return note ?? answer;
  } catch {
    return answer;
  }
}

/** The line that says who can use this page, and who decides. */
export function showStatus(element, page) {
  element.classList.toggle("on", hasWebmcp());
  if (!hasWebmcp()) {
    element.textContent =
      "WebMCP is off in this browser. You can look around; agents see no tools here, so nothing can be proposed.";
  } else if (page.desk) {
    element.textContent = "Countersign is here: it holds every change, and its own window decides.";
  } else {
    element.textContent = "WebMCP is on: agents may read at once. Every change waits on this page for your decision.";
  }
}
