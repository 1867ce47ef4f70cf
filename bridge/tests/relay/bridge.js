// The page's half of Take Five's bridge, by its protocol: the tools are pushed first, the stream is opened when they were taken,
// and every call goes through the browser's own registry.
(async () => {
  const query = new URLSearchParams(location.search);
  const relay = query.get("bridge");
  const token = query.get("token");
  const page = crypto.randomUUID().replaceAll("-", "");
  const context = document.modelContext;
  const tell = (what) => fetch("/said", { method: "POST", body: JSON.stringify(what) });
  if (!/^http:\/\/(127\.0\.0\.1|localhost)(:\d+)?$/.test(relay) || !token) return tell({ bridge: "not asked for" });
  if (!context?.getTools || !context.executeTool) return tell({ bridge: "no registry" });

  const post = (path, body) =>
    fetch(relay + path, {
      method: "POST",
      headers: { "content-type": "application/json", "x-bridge-token": token, "x-bridge-page": page },
      body: JSON.stringify(body),
    });
  // Only the tools for this page's own reader carry annotations, as a page of ours would send them for all.
  const annotated = ["read_ledger"];
  const push = async () => {
    const tools = await context.getTools();
    return post("/tools", {
      tools: tools.map(({ name, description, inputSchema, annotations }) => ({
        name,
        description,
        inputSchema,
        ...(annotated.includes(name) && { annotations: { readOnlyHint: annotations?.readOnlyHint === true } }),
      })),
    });
  };
  const run = async ({ id, name, args }) => {
    const answer = { id, ok: false, text: "", error: null };
    try {
      const tool = (await context.getTools()).find((tool) => tool.name === name);
      if (!tool) throw new Error(`there is no ${name}`);
      // Older browsers take the arguments as text, newer ones as they are.
      const input = context.executeTool.length > 1 ? JSON.stringify(args) : args;
      const result = await context.executeTool(tool, input);
      answer.text = result == null ? "" : String(result);
      answer.ok = true;
    } catch (error) {
      answer.error = error.message;
    }
    await post("/result", answer);
  };

  const pushed = await push().catch(() => null);
  if (!pushed) return tell({ bridge: "not reachable" });
  if (pushed.status !== 204) return tell({ bridge: "refused", status: pushed.status });
  const stream = new EventSource(`${relay}/events?token=${encodeURIComponent(token)}&page=${page}`);
  let opened = false;
  stream.onopen = async () => {
    await push();
    if (!opened) tell({ bridge: "open" });
    opened = true;
  };
  stream.onmessage = ({ data }) => {
    const message = JSON.parse(data);
    if (message.id && message.name) run(message);
  };
  context.addEventListener("toolchange", push);
})();
