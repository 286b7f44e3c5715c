/** One text for equal JSON values, wherever they were read. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { inSchemaOrder, inStoredOrder } from "../../actors/canonical-json.ts";
import { parseExact } from "../../actors/exact-json.ts";
import type { Json, JsonObject } from "../../actors/schema.ts";

/** The same value with the fields of each object the other way round. */
function reversed<T extends Json>(value: T): T {
  if (typeof value !== "object" || value === null || "rawJSON" in value) return value;
  if (Array.isArray(value)) return value.map(reversed) as unknown as T;
  const fields = Object.entries(value).map(([name, field]) => [name, reversed(field as Json)] as const);
  return Object.fromEntries(fields.toReversed()) as T;
}
const text = (value: unknown): string => JSON.stringify(value);

test("[RUN-34] equal values have one text, which is the value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (given) => {
      const value = JSON.parse(text(given)) as Json;
      expect(text(inStoredOrder(reversed(value)))).toBe(text(inStoredOrder(value)));
      expect(inStoredOrder(value)).toEqual(value);
      expect(text(inSchemaOrder({ of: reversed(value) }))).toBe(text(inSchemaOrder({ of: value })));
      expect(inSchemaOrder({ of: value })).toEqual({ of: value });
    }),
  );
});

test("[RUN-34] the order is that of PostgreSQL's jsonb, and a value that has it is not copied", () => {
  const value = { bb: [{ z: 1, a: 2 }], é: 1, a: null, aaa: parseExact("9007199254740993") as Json };
  const ordered = inStoredOrder(value);
  expect(text(ordered)).toBe('{"a":null,"bb":[{"a":2,"z":1}],"é":1,"aaa":9007199254740993}');
  expect(inStoredOrder(ordered)).toBe(ordered);
});

test("[RUN-34] properties of a schema are in the order of its required ones, as its author wrote them", () => {
  const inner = { type: "object", required: ["y", "b"], properties: { b: {}, y: {} } };
  const schema: JsonObject = {
    required: ["path", "old_text", "new_text"],
    properties: { new_text: inner, old_text: {}, all: { default: { z: 1, a: 1 } }, path: {}, required: {} },
    type: "object",
  };
  const properties = inSchemaOrder(schema)["properties"] as JsonObject;
  expect(Object.keys(properties)).toEqual(["path", "old_text", "new_text", "all", "required"]);
  expect(Object.keys((properties["new_text"] as JsonObject)["properties"] as JsonObject)).toEqual(["y", "b"]);
  expect(text(inSchemaOrder(reversed(schema)))).toBe(text(inSchemaOrder(schema)));
});
