// Elements without markup: what anybody typed goes in as text only.

/** An element with properties (`aria-…` and `data-…` become attributes) and children; texts become text nodes. */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (/^(aria|data)-/.test(name) || !(name in element)) element.setAttribute(name, value === true ? "" : value);
    else element[name] = value;
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== false));
  return element;
}

export const $ = (id) => document.getElementById(id);

/** The first characters of a hash, with all of it for whoever points at it. */
export const short = (hash) => el("code", { className: "hash", title: hash }, hash.slice(0, 10));

/** A time of the day, as the person writes it. */
export const clock = (time) =>
  new Date(time).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** A value in one line: a text as it is, everything else as JSON. */
export const inOneLine = (value) => (typeof value === "string" ? value : JSON.stringify(value));
