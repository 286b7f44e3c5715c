/** Tools from OpenAPI documents: arguments, schemas, references, and documents that mean harm. */
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../actors/schema.ts";
import { openApiTools, type OpenApiResult } from "../../src/sandbox/jobs/openapi.ts";

type Read = Extract<OpenApiResult, { readonly kind: "read" }>;

const run = (document: object | string, operations: readonly string[] = [], more: JsonObject = {}): OpenApiResult =>
  openApiTools(
    { operations: [...operations], prefix: "", serverUrl: null, documentUrl: null, headers: [], ...more },
    new TextEncoder().encode(typeof document === "string" ? document : JSON.stringify(document)),
  );
const doc = (paths: object, more: object = {}): object => ({
  openapi: "3.1.0",
  info: { title: "Shop" },
  servers: [{ url: "https://shop.test/{version}/", variables: { version: { default: "v1" } } }],
  paths,
  ...more,
});
/** The tool of the one operation of a path. */
function toolOf(verb: string, operation: object, more: object = {}, path = "/x/{id}") {
  const id = { name: "id", in: "path", schema: { type: "string" } };
  const item = { parameters: [id], [verb]: { operationId: "doIt", ...operation } };
  const read = run(doc({ [path]: item }, more), ["doIt"]) as Read;
  return { ...read, tool: read.tools[0]! };
}
const json = (schema: object, required = true) => ({ required, content: { "application/json": { schema } } });

describe("an operation", () => {
  test("[RUN-14] becomes a tool with its parameters and the fields of its body as arguments", () => {
    const { tool, notes, title } = toolOf("put", {
      summary: "Does it.",
      description: "At once.",
      parameters: [
        {
          name: "filter[a]",
          in: "query",
          required: true,
          description: "Which",
          schema: { type: "array", items: { type: "string" } },
        },
        { name: "X-Trace", in: "header", schema: { type: "string" } },
        { name: "Authorization", in: "header", required: true, schema: { type: "string" } },
        { name: "sid", in: "cookie", schema: {} },
        { name: "deep", in: "query", style: "deepObject", schema: { type: "object" } },
      ],
      requestBody: json({
        type: "object",
        required: ["price", "seen"],
        properties: { price: { type: "number", example: 7 }, seen: { type: "string", readOnly: true } },
      }),
    });
    expect(tool).toEqual({
      kind: "http",
      name: "doIt",
      description: "Does it.\nAt once.",
      method: "PUT",
      url: "https://shop.test/v1/x/{id}",
      input_schema: {
        type: "object",
        properties: {
          id: { type: "string" },
          filter_a_: { type: "array", items: { type: "string" }, description: "Which" },
          "X-Trace": { type: "string" },
          price: { type: "number" },
        },
        required: ["id", "filter_a_", "price"],
      },
      arguments: [
        { name: "id", place: "path" },
        { name: "filter_a_", place: "query", as: "filter[a]" },
        { name: "X-Trace", place: "header" },
      ],
    });
    expect(title).toBe("Shop");
    expect(notes.map(({ message }) => message)).toEqual([
      "The parameter sid is left out: it is a cookie",
      "The parameter deep is left out: it has the style deepObject",
    ]);
  });

  test("[RUN-14] has its body as one argument where its fields cannot be arguments", () => {
    const whole = (schema: object, verb = "post") => {
      const { tool } = toolOf(verb, { requestBody: json(schema, false) });
      return [tool.arguments.at(-1), Object.keys(tool.input_schema["properties"] as object)];
    };
    const body = [{ name: "body", place: "body" }, ["id", "body"]];
    expect(whole({ type: "array", items: {} })).toEqual(body);
    expect(whole({ type: "object", properties: { id: {} } })).toEqual(body);
    expect(whole({ type: "object", properties: { "a b": {} } })).toEqual(body);
    expect(whole({ type: "object", properties: { a: {} }, oneOf: [{ required: ["a"] }] })).toEqual(body);
    expect(whole({ type: "object", properties: { a: {} } }, "delete")).toEqual(body);
    expect(whole({ type: "object", properties: { body: {} } })).toEqual([
      { name: "id", place: "path" },
      ["id", "body"],
    ]);
  });

  test("[RUN-14] has no argument for a field whose schema elsewhere is read-only", () => {
    const components = {
      schemas: { Stamp: { type: "string", readOnly: true }, Also: { $ref: "#/components/schemas/Stamp" } },
    };
    const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    const schema = {
      type: "object",
      properties: { at: ref("Stamp"), by: ref("Also"), price: {} },
      required: ["at", "price"],
    };
    const { input_schema: input } = toolOf("post", { requestBody: json(schema) }, { components }).tool;
    expect(Object.keys(input["properties"] as object)).toEqual(["id", "price"]);
    expect(input["required"]).toEqual(["id", "price"]);
  });

  test("[RUN-14] has no argument for a header that the tool sends anyway, or that an argument cannot set", () => {
    const header = (name: string, required = false) => ({ name, in: "header", required, schema: { type: "string" } });
    const made = (...parameters: object[]) => {
      const paths = { "/x": { post: { operationId: "doIt", parameters } } };
      const { tools, notes, errors } = run(doc(paths), ["doIt"], { headers: ["X-Tenant-Key"] }) as Read;
      const messages = [...notes, ...errors].map(({ message }) => message);
      return { arguments: tools[0]?.arguments.map(({ name }) => name), messages };
    };
    expect(made(header("Idempotency-Key", true), header("x-tenant-key", true), header("X-Trace"))).toEqual({
      arguments: ["X-Trace"],
      messages: [],
    });
    expect(made(header("X-Api-Key"), header("Accept-Encoding"))).toEqual({
      arguments: [],
      messages: [
        "The parameter X-Api-Key is left out: it is a header with credentials: give it in `headers`",
        "The parameter Accept-Encoding is left out: it is a header that an argument cannot set",
      ],
    });
    expect(made(header("X-Api-Key", true)).messages).toEqual([
      "Its parameter X-Api-Key is a header with credentials: give it in `headers`",
    ]);
  });

  test("[RUN-14] is refused with its reason where a tool cannot call it", () => {
    const wrong = (operation: object, verb = "post", more: object = {}): string =>
      toolOf(verb, operation, more).errors[0]?.message ?? "";
    const form = { required: true, content: { "multipart/form-data": {} } };
    expect(wrong({ requestBody: form })).toBe("Its body cannot be sent: it is not JSON");
    expect(wrong({ requestBody: json({}) }, "get")).toContain("a GET request has no body");
    expect(wrong({ parameters: [{ name: "a", in: "query", required: true, schema: { type: "object" } }] })).toContain(
      "is an object",
    );
    expect(wrong({ requestBody: json({ $ref: "#/components/schemas/Gone" }) })).toContain("points to nothing");
    expect(wrong({ requestBody: json({ $ref: "other.json#/A" }) })).toContain("outside the document");
    expect(wrong({}, "post", { servers: [{ url: "/v1" }] })).toContain("server_url");
    expect((run(doc({}), ["gone"]) as Read).errors).toEqual([{ at: 0, message: "The document has no operation gone" }]);
  });

  test("[RUN-14] is found by its id or by its method and path, and listed by default", () => {
    const paths = { "/a": { get: { summary: "A" } }, "/b": { post: { operationId: "make b!" }, head: {} } };
    const read = run(doc(paths), ["GET /a", "POST /b"], { prefix: "shop_", serverUrl: "https://other.test/" }) as Read;
    expect(read.operations.map(({ operation_id }) => operation_id)).toEqual(["GET /a", "make b!"]);
    expect(read.total).toBe(2);
    expect(read.tools.map(({ name, url }) => [name, url])).toEqual([
      ["shop_GET_a", "https://other.test/a"],
      ["shop_make_b", "https://other.test/b"],
    ]);
    const here = run(doc(paths, { servers: undefined }), ["GET /a"], {
      documentUrl: "https://docs.test/x/openapi.json",
    }) as Read;
    expect(here.tools[0]?.url).toBe("https://docs.test/a");
  });
});

describe("schemas", () => {
  const schemas = {
    Kind: { type: "string", enum: ["a", "b"] },
    Node: {
      type: "object",
      properties: { kind: { $ref: "#/components/schemas/Kind" }, next: { $ref: "#/components/schemas/Node" } },
    },
  };

  test("[RUN-14] keep what they refer to under $defs, also where it refers to itself", () => {
    const { tool } = toolOf(
      "post",
      { requestBody: json({ $ref: "#/components/schemas/Node" }) },
      { components: { schemas } },
    );
    expect(tool.input_schema).toEqual({
      type: "object",
      properties: {
        id: { type: "string" },
        kind: { type: "string", enum: ["a", "b"] },
        next: { $ref: "#/$defs/Node" },
      },
      required: ["id"],
      $defs: {
        Node: {
          type: "object",
          properties: { kind: { type: "string", enum: ["a", "b"] }, next: { $ref: "#/$defs/Node" } },
        },
      },
    });
  });

  test("[RUN-14] of 3.0 are read by the rules of 3.0", () => {
    const properties = {
      a: { type: "string", nullable: true, enum: ["x"] },
      b: { type: "integer", minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
      c: { nullable: true, allOf: [{ $ref: "#/components/schemas/Kind", description: "not here" }] },
      d: { type: "string", pattern: "(" },
    };
    const { tool } = toolOf(
      "post",
      { requestBody: json({ type: "object", properties }) },
      { openapi: "3.0.3", components: { schemas } },
    );
    const { id: _, ...read } = tool.input_schema["properties"] as JsonObject;
    expect(read).toEqual({
      a: { type: ["string", "null"], enum: ["x", null] },
      b: { type: "integer", exclusiveMinimum: 1, maximum: 9 },
      c: { anyOf: [{ allOf: [{ type: "string", enum: ["a", "b"] }] }, { type: "null" }] },
      d: { type: "string" },
    });
  });
});

describe("a document", () => {
  test("[RUN-14] may be YAML, and is refused if it is not OpenAPI 3", () => {
    const yaml = "openapi: 3.1.0\nservers: [{ url: https://a.test }]\npaths:\n  /a:\n    get: { operationId: a }\n";
    expect((run(yaml, ["a"]) as Read).tools[0]?.url).toBe("https://a.test/a");
    const words = (document: object | string): string => (run(document) as { message: string }).message;
    expect(words({ swagger: "2.0" })).toContain("Swagger 2");
    expect(words({ openapi: "4.0.0" })).toContain("version 3");
    expect(words("[1]")).toContain("must be an object");
    expect(words("a: [")).toContain("neither JSON nor YAML");
    expect(words({ openapi: "3.1.0" })).toContain("no paths");
  });

  test("[RUN-14] that is hostile costs a limited number of steps", () => {
    const error = (schema: object, more: object = {}): string =>
      toolOf("post", { requestBody: json({ type: "object", properties: { a: schema } }) }, more).errors[0]?.message ??
      "";
    let deep: object = {};
    for (let i = 0; i < 60; i++) deep = { type: "array", items: deep };
    expect(error(deep)).toContain("nested deeper");
    const wide = { allOf: Array.from({ length: 5_000 }, () => ({ type: "string" })) };
    expect(error(wide)).toContain("more than 2000");
    const loop = { components: { schemas: { A: { $ref: "#/components/schemas/A" } } } };
    expect(error({ $ref: "#/components/schemas/A" }, loop)).not.toBe("");
    expect(toolOf("post", { requestBody: { $ref: "#/components/schemas/A" } }, loop).errors[0]?.message).toContain(
      "too many",
    );
    // A laughing document: each line is ten of the former.
    const laughing = [
      "openapi: 3.1.0",
      "paths: {}",
      "a0: &a0 {type: string}",
      ...Array.from({ length: 6 }, (_, i) => `a${i + 1}: &a${i + 1} {allOf: [${Array(10).fill(`*a${i}`).join(", ")}]}`),
    ];
    const text = `${laughing.join("\n")}\nservers: [{ url: https://a.test }]\n`.replace(
      "paths: {}",
      "paths: {/a: {post: {operationId: a, requestBody: {content: {application/json: {schema: {$ref: '#/a6'}}}}}}}",
    );
    expect((run(text, ["a"]) as Read).errors[0]?.message).toContain("more than 2000");
    const odd = run(doc({ "/a": { get: { operationId: 7, parameters: "x", requestBody: [] } }, "/b": null, c: {} }), [
      "GET /a",
    ]) as Read;
    expect([odd.total, odd.tools.length]).toEqual([1, 1]);
    const proto = toolOf("post", {
      requestBody: json(JSON.parse('{"type":"object","properties":{"__proto__":{},"a":{}}}') as object),
    });
    expect(proto.tool.arguments.at(-1)).toEqual({ name: "body", place: "body" });
  });
});
