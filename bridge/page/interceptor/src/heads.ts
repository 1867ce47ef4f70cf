// Answers a page that asks whether Countersign is there, and has the head of the page's own chain recorded.
import type { Head } from "./gen/page";
import { apply, bare, create, customDetail, listen, NativePromise } from "./primordials";
import { tell } from "./tell";

const ASKED = "countersign:page";

type Told = (row: Head | undefined) => void;

const told = create(null) as { [number: number]: Told };
let numbers = 0;

/** Hears pages that ask. Doing it again changes nothing. */
export const answerPages = (): void => listen(document, ASKED, onAsked);

const onAsked = (event: Event): void => {
  let asking: { heard?: unknown } | null | undefined;
  try {
    asking = customDetail(event as CustomEvent) as typeof asking;
  } catch {
    return; // Some other event of that name.
  }
  const heard = asking?.heard;
  if (typeof heard === "function") apply(heard, undefined, [bare({ version: 1, tell: record })]);
};

/** What a page is given: records its head, and answers with the row that it stands in; nothing, when it was not recorded. */
const record = (head: Partial<Head> | null | undefined): Promise<Head | undefined> =>
  new NativePromise((resolve) => {
    const { seq, hash } = head ?? {};
    if (typeof seq !== "number" || seq < 0 || seq % 1 !== 0 || typeof hash !== "string") return resolve(undefined);
    const number = ++numbers;
    told[number] = resolve;
    tell({ type: "head", number, head: bare({ seq, hash }) });
  });

/** Passes on where a head was recorded. */
export const headTold = (number: number, row: Head | undefined): void => {
  const resolve = told[number];
  delete told[number];
  resolve?.(row);
};
