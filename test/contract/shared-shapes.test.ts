/** What the contract has twice has a name, so that the SDKs and the generators of others have one type of it. */
import { expect, test } from "bun:test";
import { openApiDocument } from "../../src/contract/document.ts";
import { SHARED_ENUMS } from "../../src/contract/shared-enums.ts";

type Node = Readonly<Record<string, unknown>>;

/** Says nothing about which values fit. */
const REMARKS: ReadonlySet<string> = new Set(["title", "description", "default", "examples", "example"]);
/** A choice of fewer words is clear where it stands. */
const FEW_WORDS = 3;

/** A schema without remarks, with its keywords in order: two of one shape are the same text. */
function shapeOf(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(shapeOf);
  if (typeof schema !== "object" || schema === null) return schema;
  const keywords = Object.entries(schema).filter(([key, value]) => !REMARKS.has(key) || typeof value === "object");
  return Object.fromEntries(
    keywords.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => [key, shapeOf(value)]),
  );
}

/** Whether a schema is worth a name: an object with fields, or a choice of some words. */
const isShape = (node: Node): boolean =>
  Object.keys((node["properties"] as Node | undefined) ?? {}).length > 0 ||
  ((node["enum"] as readonly unknown[] | undefined)?.length ?? 0) >= FEW_WORDS;

/** The places of all shapes below a node. What narrows a noun (`allOf`) is not one. */
function* shapes(node: unknown, place: string): Generator<{ readonly place: string; readonly shape: string }> {
  if (typeof node !== "object" || node === null) return;
  if (!Array.isArray(node) && isShape(node as Node)) yield { place, shape: JSON.stringify(shapeOf(node)) };
  for (const [key, value] of Object.entries(node))
    if (!["allOf", "example", "examples"].includes(key)) yield* shapes(value, `${place}/${key}`);
}

/** The shapes of a document that are there twice, and once without a name. */
function namelessShared(document: object): readonly (readonly string[])[] {
  const found = [...shapes(document, "")];
  const places = Map.groupBy(found, ({ shape }) => shape).values();
  const isNamed = (place: string): boolean => /^\/components\/schemas\/\w+$/.test(place);
  return [...places]
    .map((uses) => uses.map(({ place }) => place))
    .filter((uses) => uses.length > 1 && !uses.every(isNamed));
}

test("[DOC-11] a shape that the contract has twice has a name", () => {
  expect(namelessShared(openApiDocument())).toEqual([]);
});

test("[DOC-11] a shape without a name is found if it occurs twice, or has a name elsewhere", () => {
  const point = (description: string) => ({ type: "object", properties: { x: { type: "number", description } } });
  const words = { type: "string", enum: ["a", "b", "c"] };
  const of = (schemas: object) => namelessShared({ components: { schemas } });
  const line = { type: "object", properties: { from: point("Its start"), to: point("Its end"), kind: words } };
  expect(of({ Line: line })).toEqual([
    ["/components/schemas/Line/properties/from", "/components/schemas/Line/properties/to"],
  ]);
  const both = of({
    Line: { type: "object", properties: { from: point(""), kind: words } },
    Point: point(""),
    Kind: words,
  });
  expect(both.map(([place]) => place)).toEqual([
    "/components/schemas/Line/properties/from",
    "/components/schemas/Line/properties/kind",
  ]);
});

test("[DOC-11] each event of a stream has a name, and each shared enum is used", () => {
  const { components } = openApiDocument() as {
    readonly components: { readonly schemas: Readonly<Record<string, Node>> };
  };
  const { schemas } = components;
  for (const stream of ["ChatStreamEvent", "JobStreamEvent", "V1ExecutionEvent"])
    for (const variant of schemas[stream]!["oneOf"] as readonly Node[])
      expect(variant).toEqual({ $ref: expect.stringMatching(/\/\w+Event$/) as string });
  expect(Object.keys(SHARED_ENUMS).filter((name) => schemas[name] === undefined)).toEqual([]);
});
