// Parts of what is too long for one answer. What was left out is always said.

/** How many characters of rows or of a text one answer holds. */
export const BUDGET = 1500;

/** Rows after a cursor: at most `limit`, fewer when they would not fit. */
export function rowsAfter(rows, { cursor = 0, limit = 5 }) {
  const rest = rows.filter(({ seq }) => seq > cursor);
  const shown = [];
  for (const row of rest.slice(0, limit).map(fitted)) {
    if (shown.length > 0 && JSON.stringify([...shown, row]).length > BUDGET) break;
    shown.push(row);
  }
  const left = rest.length - shown.length;
  const next = left > 0 ? shown.at(-1).seq : null;
  return {
    rows: shown,
    total: rows.length,
    left,
    next_cursor: next,
    truncated: left > 0,
    note: left > 0 ? `${left} more rows come after these: ask again with cursor ${next}.` : "These are the last rows.",
  };
}

/** A row that is too long by itself keeps its hash, and says how much of what it holds is missing. */
function fitted({ seq, at, kind, grade, seat, ref, data, hash }) {
  const row = { seq, at, kind, grade, seat, ...(ref && { ref }), data, hash };
  if (JSON.stringify(row).length <= BUDGET) return row;
  const whole = JSON.stringify(data);
  const shown = BUDGET / 2;
  return { ...row, data: { cut: whole.slice(0, shown), shown, of: whole.length } };
}

/** A part of a text. */
export function partOf(text, offset = 0) {
  const part = text.slice(offset, offset + BUDGET);
  const end = offset + part.length;
  const left = text.length - Math.min(end, text.length);
  return {
    text: part,
    characters: text.length,
    left,
    next_offset: left > 0 ? end : null,
    truncated: left > 0,
    note: left > 0 ? `${left} characters more: ask again with offset ${end}.` : "This is the end of the text.",
  };
}
