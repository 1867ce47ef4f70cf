// Nothing here runs: it does not compile when the library and the desk's contract part ways.
import type { PreviewAnswer as Read } from "../../interceptor/src/gen/page";
import type * as Contract from "../../../../ui/src/gen/contract";
import type { Grade, Ingress } from "../src/chain";
import type { PreviewAnswer } from "../src/preview";

type Same<One, Other> = [One, Other] extends [Other, One] ? true : false;
type SameNames<One, Other> = Same<keyof One, keyof Other>;
type Cost<Answer extends { cost?: unknown }> = NonNullable<Answer["cost"]>;
type Item<Answer extends { cost?: { items: unknown[] } }> = Cost<Answer>["items"][number];

export const PREVIEW: [
  SameNames<PreviewAnswer, Read>,
  SameNames<Cost<PreviewAnswer>, Cost<Read>>,
  SameNames<Item<PreviewAnswer>, Item<Read>>,
  SameNames<PreviewAnswer["risks"][number], Read["risks"][number]>,
] = [true, true, true, true];

export const GRADES: [Same<Ingress, Contract.Ingress>, Same<Grade, Contract.Grade>] = [true, true];
