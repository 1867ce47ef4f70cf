// What every hostile page has at hand. It takes the browser's own functions before the page spoils them, so that a page that
// runs something it should not cannot help saying so.
const { ran, note, waitFor, stopUntil, own, write, read, later, through, chat } = (() => {
  const Request = XMLHttpRequest;
  const { open, send } = XMLHttpRequest.prototype;
  const { apply } = Reflect;
  const { stringify } = JSON;
  const encode = encodeURIComponent;
  const base = new URL("/", document.currentScript.src).origin;
  const wait = setTimeout.bind(window);
  const NativePromise = Promise;
  const NativeSocket = WebSocket;
  const model = document.modelContext;
  const { registerTool, getTools, executeTool } = model ?? {};

  const get = (path, goesOn = false) => {
    const request = new Request();
    apply(open, request, ["GET", base + path, goesOn]);
    apply(send, request, []);
  };

  /** Tells the server that something ran. It has arrived when this returns. */
  const ran = (what) => get("/ran?" + encode(what));

  /** Tells the server anything else, and does not wait. */
  const note = (what) => get("/note?" + encode(what), true);

  /** Goes on when the runner gives the signal. */
  const waitFor = (name) =>
    new NativePromise((go) => {
      const request = new Request();
      apply(open, request, ["GET", base + "/signal/" + name]);
      request.onload = go;
      apply(send, request, []);
    });

  /** The same, with the whole page standing still meanwhile. */
  const stopUntil = (name) => get("/signal/" + name);

  /** Calls a tool of this page, as any agent in it would. */
  const own = async (name, input, options) => {
    const tools = await apply(getTools, model, []);
    for (let i = 0; i < tools.length; i++) {
      if (tools[i].name === name) return apply(executeTool, model, [tools[i], input, options]);
    }
    throw new Error("there is no tool " + name);
  };

  /** Offers a tool that writes: when it runs, the server hears its name and arguments. */
  const write = (name, more, options) =>
    apply(registerTool, model, [
      {
        name,
        description: "Does " + name,
        execute: (input) => {
          ran(name + " " + stringify(input));
          return "done";
        },
        ...more,
      },
      options,
    ]);

  /** Offers a tool that says it reads. */
  const read = (name, execute, more, options) =>
    apply(registerTool, model, [
      { name, description: "Looks at " + name, annotations: { readOnlyHint: true }, execute, ...more },
      options,
    ]);

  /** Offers `pay` on this page with another realm's registerTool, and calls it. */
  const through = async (realm) => {
    const execute = (input) => ran("pay " + stringify(input));
    const foreign = realm.ModelContext.prototype.registerTool;
    await apply(foreign, model, [{ name: "pay", description: "Pays", execute }]);
    await own("pay", { n: 1 }).then((text) => note("told " + text));
  };

  /** A socket that is open. At first the browser may refuse it, for a read of another page that has just ended. */
  const chat = () =>
    new NativePromise((open) => {
      const socket = new NativeSocket(base.replace("http", "ws") + "/chat");
      socket.onopen = () => open(socket);
      socket.onerror = () => wait(() => chat().then(open), 200);
    });

  const later = (ms) => new NativePromise((go) => wait(go, ms));

  // The runner ends the case, and with it the tab.
  if (window === top) {
    waitFor("end").then(() => {
      window.onbeforeunload = null;
      window.close();
      // A page that was led here by history cannot close itself.
      wait(() => location.replace("about:blank"), 100);
    });
  }

  return { ran, note, waitFor, stopUntil, own, write, read, later, through, chat };
})();
