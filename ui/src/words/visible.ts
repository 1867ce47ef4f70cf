/** A run of ordinary text, or one character that would not show by itself. */
export type Piece = { text: string; mark?: undefined } | { text: string; mark: string };

// Named, and not drawn with U+2400…: few fonts have those pictures.
const controls = (
  "NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI " +
  "DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US"
).split(" ");

// Controls but for the line feed, bidi marks, fillers, joiners, variation selectors, lone surrogates, tags.
const ranges: [number, number][] = [
  [0x00, 0x09],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x2800, 0x2800],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff9, 0xfffb],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
];
const span = ([from, to]: [number, number]) => `\\u{${from.toString(16)}}-\\u{${to.toString(16)}}`;
const hidden = new RegExp(`[${ranges.map(span).join("")}]`, "u");
const pictograph = /\p{Extended_Pictographic}/u;

/** The name of a code point the way Unicode writes it, such as `U+202E`. */
export function codePoint(char: string): string {
  const point = char.codePointAt(0) ?? 0;
  return `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** What to draw for a character that would be invisible or would move its neighbours; nothing for any other. */
function glyph(char: string, before: string, after: string): string | undefined {
  if (!hidden.test(char)) return undefined;
  const point = char.codePointAt(0) ?? 0;
  const control = point === 0x7f ? "DEL" : controls[point];
  if (control !== undefined) return `[${control}]`;
  const joinsPictures = point === 0x200d && pictograph.test(after) && (pictograph.test(before) || before === "\ufe0f");
  const paintsPicture = point === 0xfe0f && pictograph.test(before);
  return joinsPictures || paintsPicture ? undefined : `[${codePoint(char)}]`;
}

/** Cuts a text so that every control, bidi mark and invisible character is a piece with a `mark` to draw. */
export function pieces(text: string): Piece[] {
  if (text === "") return [];
  if (!hidden.test(text)) return [{ text }];
  const chars = Array.from(text);
  const cut: Piece[] = [];
  let plain = "";
  chars.forEach((char, at) => {
    const mark = glyph(char, chars[at - 1] ?? "", chars[at + 1] ?? "");
    if (mark === undefined) {
      plain += char;
      return;
    }
    if (plain !== "") cut.push({ text: plain });
    cut.push({ text: char, mark });
    plain = "";
  });
  if (plain !== "") cut.push({ text: plain });
  return cut;
}

/** The same as one string, for places that take no markup: titles, labels for screen readers. */
export function visible(text: string): string {
  return pieces(text)
    .map((piece) => piece.mark ?? piece.text)
    .join("");
}

/** The first `cap` characters, and how many are left out. */
export function cut(text: string, cap: number | undefined): { text: string; more: number; words: string } {
  if (cap === undefined || text.length <= cap) return { text, more: 0, words: "" };
  const chars = Array.from(text);
  const more = chars.length - cap;
  if (more <= 0) return { text, more: 0, words: "" };
  return { text: chars.slice(0, cap).join(""), more, words: `… and ${more.toLocaleString("en-GB")} more characters` };
}

/** The same as one string without markup, and never long. */
export function label(text: string, cap = 80): string {
  const shown = cut(text, cap);
  return visible(shown.text) + shown.words;
}
