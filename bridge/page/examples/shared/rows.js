// A record as a person reads it, and the button that checks it.
import { clock, el, inOneLine, short } from "./dom.js";

const GRADES = {
  "client-asserted": "Code in this page said so.",
  inherited: "Carried from another origin. It is that origin's word.",
};

/** Shows rows in an ordered list, the newest first; rows that are there already stay as they are. */
export function showRows(list, rows, words) {
  if (list.childElementCount > rows.length) list.replaceChildren();
  for (const row of rows.slice(list.childElementCount)) list.prepend(itemOf(row, words));
}

function itemOf(row, words) {
  const { door, ...data } = row.data;
  const said = Object.entries(data).map(([name, value]) =>
    el("div", {}, el("dt", {}, name), el("dd", { dir: "auto" }, inOneLine(value))),
  );
  return el(
    "li",
    { "data-seq": row.seq, "data-kind": row.kind },
    el(
      "p",
      { className: "act" },
      el("span", { className: "seq" }, `${row.seq}`),
      el("strong", {}, words[row.kind] ?? row.kind),
      el("span", { className: "grade", "data-grade": row.grade, title: GRADES[row.grade] }, row.grade),
    ),
    said.length > 0 && el("dl", { className: "facts" }, said),
    el(
      "p",
      { className: "quiet small" },
      `${clock(row.at)}, ${row.seat}, by the ${door}${row.ref ? `, ${row.ref}` : ""}, `,
      short(row.hash),
    ),
  );
}

/** Lets a button check rows with the library, and say what it found. */
export function checkOnPress(button, output, rows) {
  button.addEventListener("click", async () => {
    const { rows: right, head, fault } = await globalThis.Countersign.verify(rows());
    output.dataset.fault = fault ? "yes" : "no";
    output.textContent = fault
      ? `Row ${fault.line} is not right. ${fault.message}`
      : right === 0
        ? "There is no row to check."
        : `Rows 1 to ${right} follow from one another. The last one's hash begins with ${head.slice(0, 10)}. Rows cut from the end would not show.`;
  });
}
