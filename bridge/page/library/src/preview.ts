// What a write would do and cost, in the form the desk reads.
import { canonical } from "./canonical";
import { frozen } from "./chain";
import { compile, type Fault } from "./schema";

/** One line of a cost. Money is one unit among others: 7 of 52 repositories are a cost, too. */
export interface CostItem {
  label: string;
  /** Decimal text such as `"12.50"`. Left out it counts as *not measured*, never as zero. */
  amount?: string | undefined;
  /** Such as `EUR` or `repositories`. */
  unit: string;
  /** Of how many, as decimal text. */
  of?: string | undefined;
}

/** What a write would cost. */
export interface Cost {
  items: CostItem[];
  /** When it was priced, RFC 3339; the time of the answer when left out. */
  asOf?: string | undefined;
  /** How far each amount may move until the release, as a fraction in decimal text: `"0.01"` is one per cent. None when left out. */
  tolerance?: string | undefined;
}

/** What a person should know before deciding. */
export interface Risk {
  level: "note" | "caution" | "critical";
  text: string;
}

/** What a preview answers: what would change, or why the write would fail. */
export type PreviewDraft =
  | {
      /** One line. */
      summary?: string | undefined;
      /** The state that would change, as it is; `null` for what is not there yet. */
      before: unknown;
      /** The same, as it would be. */
      after: unknown;
      cost?: Cost | undefined;
      risks?: Risk[] | undefined;
      /** What makes the desk's card readable: a descriptor of this tool, without `origin` and `tool`. */
      descriptor?: object | undefined;
    }
  | {
      /** Why the write would be refused. */
      fails: string;
    };

/** The answer of the tool `<name>.preview`. */
export interface PreviewAnswer {
  summary?: string;
  fails?: string;
  before: unknown;
  after: unknown;
  cost?: Cost;
  risks: Risk[];
  descriptor?: object;
}

/** What is known about what a proposal would do. */
export type Preview =
  | { readonly state: "pending" }
  | { readonly state: "unavailable"; readonly why: string }
  | { readonly state: "would-fail"; readonly message: string }
  | ({ readonly state: "no-change" | "changes" } & Readonly<PreviewAnswer>);

const text = { type: "string" };
const decimal = { type: "string", pattern: "^-?\\d{1,18}(\\.\\d{1,12})?$" };
const object = (properties: object, required: string[] = []) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

const check = compile(
  object({
    summary: text,
    fails: { type: "string", minLength: 1 },
    before: true,
    after: true,
    // The desk reads it strictly, and names on the card what is wrong with it.
    descriptor: { type: "object" },
    cost: object(
      {
        items: {
          type: "array",
          items: object({ label: text, amount: decimal, unit: text, of: decimal }, ["label", "unit"]),
        },
        asOf: text,
        tolerance: { type: "string", pattern: "^(0(\\.\\d{1,12})?|1(\\.0{1,12})?)$" },
      },
      ["items"],
    ),
    risks: {
      type: "array",
      items: object({ level: { enum: ["note", "caution", "critical"] }, text }, ["level", "text"]),
    },
  }),
);

/**
 * A preview as the desk reads it.
 *
 * @throws Error naming every place where the page's own preview is not in the agreed form.
 */
export const answered = (draft: PreviewDraft, at: string): PreviewAnswer => {
  // As JSON has it: members that are `undefined` are not there.
  const said = JSON.parse(JSON.stringify(draft) ?? "null") as Partial<PreviewAnswer>;
  const faults = check(said);
  if (faults.length > 0) throw new Error(`The preview is not in the agreed form: ${listed(faults)}.`);
  // What has no canonical form could not be compared at the release.
  canonical(said);
  const { before = null, after = null, risks = [], cost, ...rest } = said;
  return { ...rest, before, after, ...(cost && { cost: { asOf: at, ...cost } }), risks };
};

/** Faults in one line. */
export const listed = (faults: readonly Fault[]): string =>
  faults.map(({ path, message }) => `${path || "it"} ${message}`).join("; ");

/** The state an answer is shown in. */
export const shown = (answer: PreviewAnswer): Preview => {
  if (answer.fails !== undefined) return frozen({ state: "would-fail", message: answer.fails });
  const same = JSON.stringify(answer.before) === JSON.stringify(answer.after);
  const silent = same && answer.before !== null && answer.risks.length === 0;
  return frozen({ state: silent ? "no-change" : "changes", ...answer });
};
