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

test("[RUN-12] every value of the official test suite that does not fit is refused, and most that fit a plain schema are accepted", () => {
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

test("[RUN-12] a check makes a bounded number of comparisons, and leaves the rest to the sandbox", () => {
  const items = { type: "array", items: { type: "integer" } };
  const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
  expect(fitsPlainSchema(items, numbers(1_000))).toBe(true);
  expect(fitsPlainSchema(items, numbers(6_000))).toBe(false);
  const words = numbers(1_000).map((at) => `w${at}`);
  expect(fitsPlainSchema({ items: { enum: words } }, ["w1"])).toBe(true);
  expect(
    fitsPlainSchema(
      { items: { enum: words } },
      numbers(10).map(() => "w1"),
    ),
  ).toBe(false);
  const many = { required: words, properties: {} };
  expect(
    fitsPlainSchema(
      { items: many },
      numbers(10).map(() => Object.fromEntries(words.map((word) => [word, 1]))),
    ),
  ).toBe(false);
  // Properties that a value lacks cost nothing.
  const properties = Object.fromEntries(words.map((word) => [word, { type: "string" }]));
  expect(
    fitsPlainSchema(
      { items: { properties } },
      numbers(500).map(() => ({})),
    ),
  ).toBe(true);
});

test("[RUN-12] what the plain check cannot tell for certain goes to the sandbox", () => {
  expect(fitsPlainSchema({ type: "integer" }, parseExact("9007199254740993"))).toBe(false);
  expect(fitsPlainSchema({ type: "string", pattern: "^(a+)+$" }, "a")).toBe(false);
  expect(fitsPlainSchema({ minLength: 2 }, "ab")).toBe(false);
  expect(fitsPlainSchema({ minLength: 1, maxLength: 2 }, "a")).toBe(true);
});
