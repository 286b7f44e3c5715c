/** The contract is made of the operations and is what is committed. */
import { expect, test } from "bun:test";
import { documentText, openApiDocument, OPERATIONS } from "../../src/contract/document.ts";
import { codesOf } from "../../src/contract/refusals.ts";
import { pageQuery } from "../../src/current/paging.ts";
import { TaskId } from "../../src/current/path-ids.ts";
import { policyBreaches } from "../support/deprecation-policy.ts";
import { IF_MATCH } from "../../src/http/contract/request-headers.ts";

const COMMITTED = new URL("../../docs/openapi.json", import.meta.url);

test("[DOC-1] docs/openapi.json is the document of the operations: `bun run contract` writes it", async () => {
  expect(await Bun.file(COMMITTED).text()).toBe(documentText());
});

test("[DOC-2] no optional parameter is sent by the reference unless somebody turns it on", () => {
  const document = openApiDocument() as unknown as {
    readonly paths: object;
    readonly components: {
      readonly parameters: Readonly<Record<string, Parameter>>;
      readonly schemas: Readonly<Record<string, object>>;
    };
  };
  const { schemas } = document.components;
  const shared = document.components.parameters;
  const all = Object.values(document.paths).flatMap((item) =>
    Object.values(item as Record<string, { parameters?: readonly (Parameter | { $ref: string })[] }>).flatMap(
      ({ parameters = [] }) => parameters.map((one) => ("$ref" in one ? shared[one.$ref.split("/").at(-1)!]! : one)),
    ),
  );
  const optional = all.filter(({ required }) => !required);
  expect(optional.length).toBeGreaterThan(100);
  for (const { name, schema, examples } of optional) {
    const isPreset = ["examples", "default", "enum"].some(
      (keyword) => keyword in schema || keyword in (schemas[schema.$ref?.split("/").at(-1) ?? ""] ?? {}),
    );
    expect([name, examples?.default?.["x-disabled"]]).toEqual([name, isPreset ? true : undefined]);
  }
});

interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly schema: { readonly $ref?: string };
  readonly examples?: { readonly default?: { readonly "x-disabled"?: boolean } };
}

test("[DOC-1] each operation has its own id, and its parameters are those of its path", () => {
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

test("[DOC-1] every operation with a field may answer the field's refusals", () => {
  const codes = codesOf("current", {
    method: "PATCH",
    path: "/api/x/{id}",
    scope: "tasks:write",
    summary: "X",
    params: { id: TaskId },
    query: pageQuery("xs"),
    headers: IF_MATCH,
    answers: { 200: null },
  });
  expect(codes).toEqual(expect.arrayContaining(["not_found", "invalid_cursor", "version_conflict"]));
});

test("[DOC-1] an operation names no refusal that follows from its form", () => {
  for (const { id, surface, operation } of OPERATIONS) {
    const { errors = [], ...form } = operation;
    const following: readonly string[] = codesOf(surface, form);
    expect({ id, named: errors.filter((kind) => following.includes(kind)) }).toEqual({ id, named: [] });
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
  expect(streams.length).toBe(6);
  for (const { schema, "x-itemSchema": items } of streams) {
    expect(items).toEqual({ $ref: expect.stringMatching(/StreamEvent|ExecutionEvent|McpMessage/) as string });
    expect(schema).toMatchObject({ type: "string", contentSchema: { type: "array", items } });
  }
});

test("[DOC-1] no example of a successful answer shows a failure", () => {
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

/** The operations that the interface names, with their parameters left out. */
const INTERFACE = `
GET POST /api/v1/agents
GET PATCH DELETE /api/v1/agents/{}
POST /api/v1/agents/{}/execute
GET POST /api/v1/tasks
GET /api/openapi.json /api/reference /api/sdk-examples /api/sdk/manifest /api/sdk/typescript /api/sdk/python
GET /api/agent-readiness /api/deprecation-policy /api/rate-limits /api/version
GET /.well-known/teamday-agent-api /.well-known/oauth-authorization-server
GET POST /api/agents
PATCH DELETE /api/agents/{}
PATCH /api/agents/{}/install-state
GET POST /api/chats
GET POST /api/chats/{}/messages
GET /api/chats/{}/events
PATCH /api/chats/{}/options
DELETE /api/chats/{}
GET /api/jobs /api/jobs/{} /api/jobs/{}/events /api/jobs/{}/lineage /api/jobs/{}/transcript-events
POST /api/jobs/{}/approve /api/jobs/{}/cancel /api/jobs/{}/resume /api/jobs/{}/iterate
GET /mcp-app/jobs/{}/events
GET POST /api/missions
GET PATCH /api/missions/{}
POST /api/missions/{}/tasks
PATCH /api/missions/{}/tasks/{}
POST /api/missions/{}/tasks/{}/start-work
POST /api/workspaces /api/workspaces/{}/select /api/workspaces/{}/repos /api/workspaces/{}/repos/clone
POST /api/workspaces/{}/apps /api/workspaces/{}/files/preview /api/workspaces/{}/files/share
POST /api/workspaces/{}/files/directory /api/workspaces/{}/files/move /api/workspaces/{}/data-blocks/query
GET POST DELETE /mcp
GET PUT /api/messaging-integration
GET /api/messaging-integration/deliveries
POST /api/messaging-integration/deliveries/{}/redeliver /api/messaging-integration/signing-secret/rotate
POST /api/messaging-integration/test
`;

test("[DOC-1] every operation of the interface is in the document", () => {
  const { paths } = openApiDocument() as { paths: Record<string, object> };
  const there = new Set(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((verb) => `${verb.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, "{}")}`),
    ),
  );
  const named = INTERFACE.trim()
    .split("\n")
    .flatMap((line) => {
      const words = line.split(" ");
      const verbs = words.filter((word) => !word.startsWith("/"));
      return words.flatMap((path) => (path.startsWith("/") ? verbs.map((verb) => `${verb} ${path}`) : []));
    });
  expect(named.length).toBe(68);
  expect(named.filter((operation) => !there.has(operation))).toEqual([]);
});
