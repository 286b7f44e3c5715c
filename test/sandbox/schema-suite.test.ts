/** The required cases of the official test suite of JSON Schema, as the validator of the sandbox judges them. */
import { describe, expect, test } from "bun:test";
import { parseExact } from "../../actors/exact-json.ts";
import type { JsonObject } from "../../actors/schema.ts";
import { compileSchema, dialectOf, metaErrors } from "../../src/sandbox/jobs/json-schema.ts";
import draft7 from "../support/schema-suite/draft7.json" with { type: "text" };
import draft2020 from "../support/schema-suite/draft2020-12.json" with { type: "text" };

interface Group {
  readonly description: string;
  readonly schema: JsonObject | boolean;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

const DIALECTS = {
  "draft 7": {
    text: draft7 as unknown as string,
    dialect: dialectOf({ $schema: "http://json-schema.org/draft-07/schema#" }),
  },
  "2020-12": { text: draft2020 as unknown as string, dialect: dialectOf({}) },
};

const REMOTE = "It refers to another document, and nothing is fetched for a schema of a stranger";
/** Files and groups that are left out, each with the reason. Each must still fail: see the last test. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  "draft 7 refRemote": REMOTE,
  "2020-12 refRemote": REMOTE,
  "2020-12 dynamicRef: strict-tree schema, guards against misspelled properties": REMOTE,
  "2020-12 dynamicRef: tests for implementation dynamic anchor and reference link": REMOTE,
  "2020-12 dynamicRef: $ref and $dynamicAnchor are independent of order - $defs first": REMOTE,
  "2020-12 dynamicRef: $ref and $dynamicAnchor are independent of order - $ref first": REMOTE,
  "2020-12 dynamicRef: $ref to $dynamicRef finds detached $dynamicAnchor": REMOTE,
  "2020-12 vocabulary": "Its meta-schemas are other documents, and a schema cannot define a dialect here",
  "draft 7 ref: $ref prevents a sibling $id from changing the base uri":
    "The library lets a `$id` beside a `$ref` count; schemas of callers have no `$id` (RUN-12)",
};

async function wrongOf({ description, schema, tests }: Group, dialect: string): Promise<unknown[]> {
  const rules = typeof schema === "boolean" ? { allOf: [schema] } : schema;
  try {
    const flaws = metaErrors(rules, dialect);
    const check = await compileSchema(rules, dialect);
    return tests.flatMap((each) => {
      const errors = check(each.data);
      const isRight = (errors.length === 0) === each.valid && flaws.length === 0;
      return isRight ? [] : [[description, each.description, errors, flaws]];
    });
  } catch (error) {
    return [[description, String(error)]];
  }
}

describe.each(Object.entries(DIALECTS))("%s", (name, { text, dialect }) => {
  const files = Object.entries(parseExact(text) as Record<string, readonly Group[]>);

  test.each(files)(`[RUN-12] the suite of ${name}: %s`, async (file, groups) => {
    const taken = groups.filter(
      ({ description }) => !(`${name} ${file}` in LEFT_OUT || `${name} ${file}: ${description}` in LEFT_OUT),
    );
    expect((await Promise.all(taken.map((group) => wrongOf(group, dialect)))).flat()).toEqual([]);
  });

  test("[RUN-12] the cases omitted from the suite still fail", async () => {
    const names = Object.keys(LEFT_OUT).filter((each) => each.startsWith(name));
    expect(names.length).toBeGreaterThan(0);
    for (const each of names) {
      const [file = "", ...rest] = each.slice(name.length + 1).split(": ");
      const groups = files.find(([known]) => known === file)![1];
      const left = groups.filter(({ description }) => rest.length === 0 || description === rest.join(": "));
      const wrong = (await Promise.all(left.map((group) => wrongOf(group, dialect)))).flat();
      expect([each, wrong.length > 0]).toEqual([each, true]);
    }
  });
});

test("[RUN-12] numbers are judged by their digits, in values and in schemas", async () => {
  const fits = async (schema: string, given: string): Promise<boolean> =>
    (await compileSchema(parseExact(schema) as JsonObject, dialectOf({})))(parseExact(given)).length === 0;
  const big = "9007199254740993";
  expect(await fits(`{"maximum":9007199254740992}`, big)).toBe(false);
  expect(await fits(`{"maximum":${big}}`, big)).toBe(true);
  expect(await fits(`{"exclusiveMinimum":9007199254740992}`, big)).toBe(true);
  expect(await fits(`{"exclusiveMinimum":${big}}`, big)).toBe(false);
  expect(await fits(`{"minimum":${big}}`, "9007199254740992")).toBe(false);
  expect(await fits(`{"const":${big}}`, big)).toBe(true);
  expect(await fits(`{"const":${big}}`, `"${big}"`)).toBe(false);
  expect(await fits(`{"enum":[1,[{"a":${big}}]]}`, `[{"a":${big}.0}]`)).toBe(true);
  expect(await fits(`{"enum":[1,[{"a":${big}}]]}`, `[{"a":9007199254740992}]`)).toBe(false);
  expect(await fits(`{"uniqueItems":true}`, `[9007199254740992,${big}]`)).toBe(true);
  expect(await fits(`{"uniqueItems":true}`, `[${big},${big}]`)).toBe(false);
  expect(await fits(`{"const":1e23}`, "100000000000000000000000")).toBe(true);
  for (const type of ["integer", "number"]) expect(await fits(`{"type":"${type}"}`, big)).toBe(true);
  for (const type of ["string", "object"]) expect(await fits(`{"type":"${type}"}`, big)).toBe(false);
  expect(await fits(`{"type":"integer"}`, "0.1000000000000000055511151231257827")).toBe(false);
  // Of no type that these judge.
  expect(await fits(`{"minLength":50,"required":["a"],"minProperties":3,"pattern":"x"}`, big)).toBe(true);
  expect(await fits(`{"multipleOf":0.01}`, "19.99")).toBe(true);
  expect(await fits(`{"multipleOf":0.01}`, "0.0075")).toBe(false);
  expect(await fits(`{"multipleOf":0.01}`, "123456789012345678.91")).toBe(true);
  expect(await fits(`{"multipleOf":2}`, big)).toBe(false);
});

test("[RUN-12] a field with the name of a JavaScript property is an ordinary field", async () => {
  const fits = async (schema: JsonObject, given: string): Promise<boolean> =>
    (await compileSchema(schema, dialectOf({})))(JSON.parse(given)).length === 0;
  for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
    const properties = Object.fromEntries([[name, { type: "number" }]]);
    expect(await fits({ type: "object", properties }, "{}")).toBe(true);
    expect(await fits({ type: "object", properties, additionalProperties: false }, `{"${name}":1}`)).toBe(true);
    expect(await fits({ type: "object", properties }, `{"${name}":"x"}`)).toBe(false);
    expect(await fits({ type: "object", required: [name] }, "{}")).toBe(false);
    expect(await fits({ type: "object", required: [name] }, `{"${name}":1}`)).toBe(true);
    expect(await fits({ type: "object", properties: { a: {} }, additionalProperties: false }, `{"${name}":1}`)).toBe(
      false,
    );
    expect(await fits({ dependentRequired: Object.fromEntries([[name, ["a"]]]) }, "{}")).toBe(true);
  }
});
