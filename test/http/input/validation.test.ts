/** What bodies are checked for, and what is said of those that are wrong. */
import { describe, expect, test } from "bun:test";

import { FreeObject, type JsonObject, Nullable, OneOf, Type } from "../../../actors/schema.ts";
import { type BodySchema, NOT_BLANK } from "../../../src/http/contract/body-schema.ts";
import { Body } from "../../../src/http/input/validation.ts";

const Step = Type.Object({
  name: Type.String({ pattern: NOT_BLANK, maxLength: 8 }),
  kind: Type.Optional(OneOf(["a", "b"] as const)),
});
const schema = Type.Object({
  title: Type.String({ pattern: NOT_BLANK, maxLength: 5 }),
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
  note: Type.Optional(Type.Union([Type.String({ maxLength: 3 }), Type.Null()])),
  steps: Type.Optional(Type.Array(Step, { maxItems: 2 })),
  options: Type.Optional(
    Type.Object({ deep: Type.Optional(Type.Object({ flag: Type.Boolean() })) }, { additionalProperties: false }),
  ),
  free: Type.Optional(FreeObject),
  tags: Type.Optional(Type.Array(Type.String(), { minItems: 1, uniqueItems: true })),
  place: Type.Optional(
    Nullable(Type.Object({ name: Type.String(), at: Type.Optional(Nullable(Type.Array(Type.Integer()))) })),
  ),
  code: Type.Optional(Type.String({ minLength: 4, pattern: "^[a-z]*$" })),
});
const body = new Body(schema, { isStrict: false });
const strict = new Body(schema, { isStrict: true });

function errorsOf(value: JsonObject, by: Pick<Body<BodySchema>, "parse"> = body): readonly string[] {
  const outcome = by.parse(value);
  if (outcome.ok) return [];
  return outcome.fault.kind === "invalid_request"
    ? outcome.fault.errors.map(({ path, message }) => `${path} ${message}`)
    : [outcome.fault.kind];
}

test("[GEN-7] an error within an object that may be null is reported at its own place", () => {
  expect(errorsOf({ title: "a", place: { at: [1, "x"] } })).toEqual([
    "/place/name Missing required field: place.name",
    "/place/at/1 Field place.at.1 must be an integer",
  ]);
  expect(errorsOf({ title: "a", place: "x" })).toEqual(["/place Field place must be an object"]);
  expect(body.parse({ title: "a", place: null })).toEqual({ ok: true, value: { title: "a", place: null } });
});

describe("what is taken", () => {
  test("[ERR-5] characters are code points, as JSON Schema counts them", () => {
    const given = { title: "🚀".repeat(5), note: "𝒳𝒳𝒳", steps: [{ name: "🚀".repeat(8) }] };
    expect(body.parse(given)).toEqual({ ok: true, value: given });
    expect(errorsOf({ title: "🚀".repeat(6), note: "𝒳𝒳𝒳x", steps: [{ name: "🚀".repeat(9) }] })).toEqual([
      "/title Field title must have at most 5 characters",
      "/note Field note must have at most 3 characters",
      "/steps/0/name Field steps.0.name must have at most 8 characters",
    ]);
    expect(errorsOf({ title: "🚀".repeat(5), count: 0 })).toEqual(["/count Field count must be at least 1"]);
  });

  test("[GEN-7] without strictness unknown keys are dropped at every level, null counts as absent, and free objects do not change", () => {
    const given = {
      title: "ok",
      count: null,
      x: 1,
      steps: [{ name: "n", kind: null, y: 2 }],
      free: { any: { thing: [null, 1] } },
      options: { deep: null },
    };
    expect(body.parse(given)).toEqual({
      ok: true,
      value: { title: "ok", steps: [{ name: "n" }], free: { any: { thing: [null, 1] } }, options: {} },
    });
  });

  test("[GEN-7] a strict surface refuses null where the schema does not allow it", () => {
    const given = { title: null, count: null, note: null, steps: null, options: { deep: null }, free: { any: null } };
    expect(errorsOf(given, strict)).toEqual([
      "/title Field title must not be null",
      "/count Field count must not be null",
      "/steps Field steps must not be null",
      "/options/deep Field options.deep must not be null",
    ]);
    expect(errorsOf({ title: "ok", steps: [null, { name: null }], free: null, tags: [null] }, strict)).toEqual([
      "/steps/0 Field steps.0 must not be null",
      "/steps/1/name Field steps.1.name must not be null",
      "/free Field free must not be null",
      "/tags/0 Field tags.0 must not be null",
    ]);
  });

  test("[GEN-7] null stays where the schema allows it; inherited names are not fields", () => {
    expect(body.parse({ title: "ok", note: null })).toEqual({ ok: true, value: { title: "ok", note: null } });
    expect(body.parse(JSON.parse('{"title":"ok","__proto__":{"count":3}}') as JsonObject)).toEqual({
      ok: true,
      value: { title: "ok" },
    });
  });
});

test.each([
  [{}, ["/title Missing required field: title"]],
  [{ count: "1" }, ["/title Missing required field: title", "/count Field count must be an integer"]],
  [{ title: "toolong" }, ["/title Field title must have at most 5 characters"]],
  [{ title: "ok", count: 1.5 }, ["/count Field count must be an integer"]],
  [{ title: "ok", count: 0 }, ["/count Field count must be at least 1"]],
  [{ title: "ok", count: 10 }, ["/count Field count must be at most 9"]],
  [{ title: "ok", note: 1 }, ["/note Field note must be a string"]],
  [{ title: "ok", note: "four" }, ["/note Field note must have at most 3 characters"]],
  [{ title: "ok", steps: {} }, ["/steps Field steps must be an array"]],
  [
    { title: "ok", steps: [{ name: "a" }, { name: "b" }, { name: "c" }] },
    ["/steps Field steps must have at most 2 items"],
  ],
  [
    { title: "ok", steps: [{ name: "a" }, { kind: "c" }] },
    ["/steps/1/name Missing required field: steps.1.name", "/steps/1/kind Field steps.1.kind must be one of: a, b"],
  ],
  [{ title: "ok", steps: ["a"] }, ["/steps/0 Field steps.0 must be an object"]],
  [{ title: "ok", options: { deep: {} } }, ["/options/deep/flag Missing required field: options.deep.flag"]],
  [
    { title: "ok", options: { deep: { flag: "yes" } } },
    ["/options/deep/flag Field options.deep.flag must be a boolean"],
  ],
  [{ title: "ok", options: { "a/b~c": 1 } }, ["/options/a~1b~0c Unknown field `a/b~c`"]],
  [{ title: "ok", options: [] }, ["/options Field options must be an object"]],
  [{ title: "ok", free: [] }, ["/free Field free must be an object"]],
  [{ title: "ok", free: "x" }, ["/free Field free must be an object"]],
  [{ title: "ok", tags: [] }, ["/tags Field tags must have at least 1 item"]],
  [{ title: "ok", code: "abc" }, ["/code Field code must have at least 4 characters"]],
  [{ title: "ok", code: "ABCD" }, ["/code Field code must match `^[a-z]*$`"]],
  [{ title: "ok", tags: ["a", "b", "a"] }, ["/tags Field tags must not have the same item twice"]],
] as [JsonObject, string[]][])("[GEN-7] %j is refused with its places", (value, errors) => {
  expect(errorsOf(value)).toEqual(errors);
});

test("[GEN-7] a misspelled value of an enum is answered with the nearest one", () => {
  const word = Type.Object({ kind: OneOf(["queue", "steer", "interrupt"] as const) });
  expect(errorsOf({ kind: "stere" }, new Body(word, { isStrict: true }))).toEqual([
    "/kind Field kind must be one of: queue, steer, interrupt; did you mean `steer`?",
  ]);
});

test("[GEN-7] two swapped letters count as one mistake: the name with the same letters is the nearest", () => {
  const agent = Type.Object({ role: Type.Optional(Type.String()), model: Type.Optional(Type.String()) });
  expect(errorsOf({ modle: "x" }, new Body(agent, { isStrict: true }))).toEqual([
    "/modle Unknown field `modle`; did you mean `model`?",
  ]);
});

test("[GEN-7] of very many errors only the first ones are reported", () => {
  const options = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`k${i}`, i]));
  expect(errorsOf({ title: "ok", options }).length).toBe(20);
});

test.each([
  [{ title: "ok", titel: "x" }, ["/titel Unknown field `titel`; did you mean `title`?"]],
  [{ title: "ok", steps: [{ name: "n", nome: 1 }] }, ["/steps/0/nome Unknown field `nome`; did you mean `name`?"]],
  [{ title: "ok", options: { x: 1 } }, ["/options/x Unknown field `x`"]],
  [
    { count: 0, zzz: 1 },
    ["/title Missing required field: title", "/zzz Unknown field `zzz`", "/count Field count must be at least 1"],
  ],
  [{ title: "ok", free: { anything: { goes: 1 } } }, []],
] as [JsonObject, string[]][])("[GEN-7] on a strict surface, %j names the unknown fields", (value, errors) => {
  expect(errorsOf(value, strict).toSorted()).toEqual(errors.toSorted());
});
