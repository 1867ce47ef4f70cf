// Elements. Text goes in as text only.

/** Makes an element with attributes (a function is a listener) and children; what is `undefined` or `false` is left out. */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== undefined && value !== false) element.setAttribute(key, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== false));
  return element;
}

/** Digits in groups of three, for the eye; the text itself stays exact. */
export const grouped = (text) =>
  String(text).replace(/(?<![\w.…])\d{4,}(?!\w)/g, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, "\u202f"));
