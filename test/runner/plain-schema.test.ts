/** What `fitsPlainSchema` accepts must fit by the validator of the sandbox, which decides about everything else. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseExact } from "../../actors/exact-json.ts";
import type { JsonObject } from "../../actors/schema.ts";
import { fitsPlainSchema } from "../../src/runner/tools/plain-schema.ts";
import { compileSchema, dialectOf, metaErrors } from "../../src/sandbox/jobs/json-schema.ts";
import draft7 from "../support/schema-suite/draft7.json" with { type: "text" };
import draft2020 from "../support/schema-suite/draft2020-12.json" with { type: "text" };

interface SuiteGroup {
  readonly description: string;
  readonly schema: JsonObject | boolean;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

test("[RUN-12] no case of the official test suite that does not fit is accepted, and most that fit a plain schema are", () => {
  const accepted: string[] = [];
  const wrong: string[] = [];
  for (const text of [draft7, draft2020] as unknown as string[]) {
    const files = parseExact(text) as Record<string, readonly SuiteGroup[]>;
    for (const [file, groups] of Object.entries(files))
      for (const { description, schema, tests } of groups)
        for (const { description: what, data, valid } of tests) {
          if (typeof schema === "boolean" || !fitsPlainSchema(schema, data)) continue;
          (valid ? accepted : wrong).push(`${file}: ${description}: ${what}`);
        }
  }
  expect(wrong).toEqual([]);
  for (const keyword of ["type", "enum", "required", "properties", "items", "additionalProperties", "maxLength"])
    expect(accepted.filter((name) => name.startsWith(`${keyword}: `)).length, keyword).toBeGreaterThan(3);
});

const word = fc.constantFrom("a", "b", "__proto__", "toString", "😀");
const plainValue = fc.oneof(word, fc.integer({ min: -2, max: 2 }), fc.double(), fc.boolean(), fc.constant(null));
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    plainValue,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(word, tie("value"), { maxKeys: 3 }),
  ),
}));
const count = fc.integer({ min: 0, max: 3 });
const bound = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.double({ noNaN: true, noDefaultInfinity: true }));
const type = fc.constantFrom("string", "number", "integer", "boolean", "null", "array", "object");
const { schema: anySchema } = fc.letrec<{ schema: JsonObject }>((tie) => {
  const keywords: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 2 })),
    enum: fc.array(plainValue, { minLength: 1, maxLength: 3 }),
    const: plainValue,
    minimum: bound,
    exclusiveMaximum: bound,
    minLength: count,
    maxLength: count,
    minItems: count,
    maxItems: count,
    items: tie("schema"),
    required: fc.uniqueArray(word, { maxLength: 2 }),
    properties: fc.dictionary(word, tie("schema"), { maxKeys: 3 }),
    additionalProperties: fc.oneof({ depthSize: "small" }, fc.boolean(), tie("schema")),
    pattern: fc.constant("^a$"),
  };
  const rules = Object.entries(keywords).map(([name, rule]) => rule.map((value) => [name, value] as const));
  return {
    schema: fc
      .array(fc.oneof({ depthSize: "small" }, ...rules), { maxLength: 3 })
      .map((made) => Object.fromEntries(made) as JsonObject),
  };
});
/** As it arrives: numbers that JSON cannot hold are null. */
const arrived = (value: unknown): unknown => parseExact(JSON.stringify(value));

test("[RUN-12] whatever plain schemas accept fits by the validator of the sandbox", async () => {
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(anySchema, fc.array(anyValue, { minLength: 40, maxLength: 40 }), async (given, values) => {
      const schema = arrived(given) as JsonObject;
      const fitting = values.map(arrived).filter((value) => fitsPlainSchema(schema, value));
      const dialect = dialectOf(schema);
      // Under a schema that is no schema everything fits.
      if (fitting.length === 0 || metaErrors(schema, dialect).length > 0) return;
      const check = await compileSchema(schema, dialect);
      for (const value of fitting) expect(check(value)).toEqual([]);
      accepted += fitting.length;
    }),
    { numRuns: 60 },
  );
  expect(accepted).toBeGreaterThan(200);
});

test("[RUN-12] a check ends after a number of values, and leaves deep and large ones to the sandbox", () => {
  const items = { type: "array", items: { type: "integer" } };
  expect(
    fitsPlainSchema(
      items,
      Array.from({ length: 1_000 }, (_, at) => at),
    ),
  ).toBe(true);
  expect(
    fitsPlainSchema(
      items,
      Array.from({ length: 6_000 }, (_, at) => at),
    ),
  ).toBe(false);
  expect(fitsPlainSchema({ type: "integer" }, parseExact("9007199254740993"))).toBe(false);
  expect(fitsPlainSchema({ type: "string", pattern: "^(a+)+$" }, "a")).toBe(false);
});
