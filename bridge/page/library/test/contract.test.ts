import { expectTypeOf, test } from "vitest";
import type { PreviewAnswer as Read } from "../../interceptor/src/gen/page";
import type { Grade, Ingress } from "../src/chain";
import type { PreviewAnswer } from "../src/preview";
import type * as Contract from "../../../../ui/src/gen/contract";

type Values<Type> = { [Name in keyof Type]-?: Exclude<Type[Name], undefined> };

test("what a preview answers is what the desk reads", () => {
  expectTypeOf<keyof Values<PreviewAnswer>>().toEqualTypeOf<keyof Values<Read>>();
  expectTypeOf<keyof NonNullable<PreviewAnswer["cost"]>>().toEqualTypeOf<keyof NonNullable<Read["cost"]>>();
  type Item<Answer extends { cost?: { items: unknown[] } | undefined }> = NonNullable<Answer["cost"]>["items"][number];
  expectTypeOf<keyof Item<PreviewAnswer>>().toEqualTypeOf<keyof Item<Read>>();
  expectTypeOf<keyof PreviewAnswer["risks"][number]>().toEqualTypeOf<keyof Read["risks"][number]>();
});

test("the ways in and the grades are those of the contract", () => {
  expectTypeOf<Ingress>().toEqualTypeOf<Contract.Ingress>();
  expectTypeOf<Grade>().toEqualTypeOf<Contract.Grade>();
});
