/** The contract is made of the operations and is what is committed. */
import { expect, test } from "bun:test";
import { documentText, openApiDocument, OPERATIONS } from "../../src/contract/document.ts";
import { policyBreaches } from "../../src/http/contract/deprecation.ts";

const COMMITTED = new URL("../../docs/openapi.json", import.meta.url);

test("[DOC-1] docs/openapi.json is the document of the operations: `bun run contract` writes it", async () => {
  expect(await Bun.file(COMMITTED).text()).toBe(documentText());
});

test("[DOC-1] each operation has an id of its own, and its parameters are those of its path", () => {
  expect(new Set(OPERATIONS.map(({ id }) => id)).size).toBe(OPERATIONS.length);
  for (const { id, operation } of OPERATIONS) {
    const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
    expect({ id, params: Object.keys(operation.params ?? {}) }).toEqual({ id, params: inPath });
  }
});

test("[DOC-1] on the current surface a mutation says what it emits, and on v1 none emits anything", () => {
  for (const { id, surface, operation } of OPERATIONS) {
    const isMutation = operation.method !== "GET" && operation.isRead !== true;
    const says = operation.emits !== undefined;
    expect({ id, says }).toEqual({ id, says: isMutation && surface === "current" });
  }
});

test("[VER-3] no deprecation in the tables breaks the policy", () => {
  for (const { id, operation } of OPERATIONS) {
    const breaches = operation.deprecation === undefined ? [] : policyBreaches(operation.deprecation);
    expect({ id, breaches }).toEqual({ id, breaches: [] });
  }
});

test("[DOC-1] every reference of the document leads to a component, and every component is used", () => {
  const text = JSON.stringify(openApiDocument());
  const { components } = openApiDocument() as { components: Record<string, Record<string, unknown>> };
  const used = new Set([...text.matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(([, place]) => place ?? ""));
  const there = ["schemas", "responses", "parameters", "headers"].flatMap((kind) =>
    Object.keys(components[kind] ?? {}).map((name) => `${kind}/${name}`),
  );
  expect([...used].filter((place) => !there.includes(place))).toEqual([]);
  expect(there.filter((place) => !used.has(place))).toEqual([]);
});

type Responses = Record<string, { readonly content?: Record<string, { schema: Json; "x-itemSchema": Json }> }>;
type Json = Readonly<Record<string, unknown>>;

test("[DOC-1] an event stream is described as a text, with the schema of its events beside it", () => {
  const { paths } = openApiDocument() as { paths: Record<string, Record<string, { responses: object }>> };
  const streams = Object.values(paths).flatMap((item) =>
    Object.values(item).flatMap(({ responses }) =>
      Object.values(responses as Responses).flatMap(({ content }) => content?.["text/event-stream"] ?? []),
    ),
  );
  expect(streams.length).toBe(4);
  for (const { schema, "x-itemSchema": items } of streams) {
    expect(items).toEqual({ $ref: expect.stringMatching(/StreamEvent|ExecutionEvent/) as string });
    expect(schema).toMatchObject({ type: "string", contentSchema: { type: "array", items } });
  }
});

test("[DOC-1] no example of a good answer says that it failed", () => {
  const { paths } = openApiDocument() as { paths: Record<string, Record<string, { responses: object }>> };
  for (const [path, item] of Object.entries(paths)) {
    for (const [verb, { responses }] of Object.entries(item)) {
      const good = Object.entries(responses).filter(([status]) => status.startsWith("2"));
      expect({ path, verb, text: JSON.stringify(good) }).not.toMatchObject({
        text: expect.stringContaining('"success":false') as string,
      });
    }
  }
  const deleted = paths["/api/v1/agents/{id}"]?.["delete"];
  expect(JSON.stringify(deleted)).toContain("Agent deleted successfully");
});
