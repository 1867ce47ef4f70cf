// What a page of these tests writes down about itself: lines of text, in order, and nothing that differs from run to run.
// The built-ins are taken first, so that a page may replace them.
"use strict";

const Transcript = (() => {
  const lines = [];
  const load = fetch.bind(window);
  const encode = encodeURIComponent;
  const later = setTimeout.bind(window);
  const text = JSON.stringify.bind(JSON);
  const PART = 4000;

  /** A value in words that tell its kind. */
  const show = (value, depth = 0) => {
    if (typeof value === "string") return text(value);
    if (typeof value === "bigint") return `${value}n`;
    if (typeof value === "symbol") return String(value);
    if (typeof value === "function") return `function ${value.name}/${value.length}`;
    if (typeof value !== "object" || value === null) return Object.is(value, -0) ? "-0" : String(value);
    if (value === window) return "window";
    if (value instanceof Node) return `<${value.nodeName.toLowerCase()}${value.id ? "#" + value.id : ""}>`;
    if (value instanceof Error || value instanceof DOMException)
      return `${value.constructor.name} ${value.name}: ${value.message}`;
    if (depth > 3) return "…";
    if (Array.isArray(value)) return `[${value.map((item) => show(item, depth + 1)).join(", ")}]`;
    const kind = Object.prototype.toString.call(value).slice(8, -1);
    const keys = Reflect.ownKeys(value).map((key) => `${String(key)}: ${show(value[key], depth + 1)}`);
    return `${kind === "Object" ? "" : kind + " "}{${keys.join(", ")}}`;
  };

  const say = (label, ...values) => {
    lines.push([label, ...values.map((value) => show(value))].join(" "));
  };

  /** Says what comes of something: its value, or what it throws. */
  const attempt = async (label, act) => {
    try {
      say(label, "->", await act());
    } catch (reason) {
      say(label, "!", reason);
    }
  };

  const pause = (ms = 0) => new Promise((resolve) => later(resolve, ms));

  /** Has a tool called from outside of the page, as an agent does, and gives what the caller was told. */
  const outside = async (tool, input = {}) => {
    const answer = await load(`/call?tool=${encode(tool)}&input=${encode(text(input))}`);
    return answer.text();
  };

  const send = async () => {
    const whole = lines.join("\n");
    let part = 0;
    do {
      const end = whole.length <= PART * (part + 1);
      await load(`/part?end=${end}&text=${encode(whole.slice(PART * part, PART * ++part).toWellFormed())}`);
    } while (whole.length > PART * part);
    location.replace("/next");
  };

  /** Runs a page and hands its transcript in. */
  const page = (act) => {
    addEventListener("load", async () => {
      await pause();
      try {
        await act();
      } catch (reason) {
        say("the page failed", reason, reason?.stack);
      }
      await send();
    });
  };

  return { say, attempt, pause, outside, page, show };
})();

const { say, attempt, pause, outside, page, show } = Transcript;
const tools = document.modelContext;
const named = async (name, options) => (await tools.getTools(options)).find((tool) => tool.name === name);
const own = async (name, input, options) => tools.executeTool(await named(name), input, options);
/** A function's own properties, as far as they can be seen. */
const describe = (label, owner, key) => {
  const descriptor = owner && Object.getOwnPropertyDescriptor(owner, key);
  if (!descriptor) return say(label, "absent");
  const { value, get, set, ...flags } = descriptor;
  say(label, flags);
  for (const [kind, member] of Object.entries({ value, get, set })) {
    if (typeof member !== "function") {
      if (kind === "value" && member !== undefined) say(`${label} ${kind}`, member);
      continue;
    }
    say(`${label} ${kind}`, member.name, member.length, Function.prototype.toString.call(member), `${member}`);
    say(`${label} ${kind} own`, Reflect.ownKeys(member), Object.hasOwn(member, "prototype"));
    say(`${label} ${kind} kind`, Object.getPrototypeOf(member) === Function.prototype, typeof member);
    try {
      new member();
    } catch (reason) {
      say(`${label} ${kind} new`, reason);
    }
  }
};
/** Listens to these events of a target and writes down what every one is. */
const listening = (label, target, ...types) => {
  for (const type of types) {
    target.addEventListener(type, (event) => {
      say(
        `${label} ${event.type}`,
        event.isTrusted,
        event.bubbles,
        event.cancelable,
        event.constructor.name,
        event.eventPhase,
      );
    });
  }
};
