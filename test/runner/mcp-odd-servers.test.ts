/** Lists of tools that are too long, odd or in another order, and servers that refuse in odd ways (RUN-6, RUN-34). */
import { afterEach, expect, test } from "bun:test";
import { dialectOf, metaErrors } from "../../src/sandbox/jobs/json-schema.ts";
import { MAX_SCHEMA } from "../../src/sandbox/jobs/mcp-reduction.ts";
import { MAX_SERVER_TOOLS, mcpToolName } from "../../src/runner/mcp/mcp-tools.ts";
import { type McpTool, textResult } from "../support/mcp-server.ts";
import { endMcpServers, TOOLS, crm, open, serve } from "../support/mcp-scene.ts";

afterEach(endMcpServers);

test("[RUN-6] the number of tools and the size of a schema are limited, and omissions are reported to the model", async () => {
  const many = Array.from({ length: MAX_SERVER_TOOLS }, (_, i) => ({ name: `t${i}`, run: () => textResult("") }));
  expect((await open([crm(serve(many).url)])).box).toMatchObject({ notes: [], tools: { length: MAX_SERVER_TOOLS } });
  const large: McpTool = {
    name: "large",
    inputSchema: { type: "object", properties: { a: { description: "x".repeat(MAX_SCHEMA) } } },
    run: () => textResult(""),
  };
  const over = await open([crm(serve([large, ...many, many[0]!]).url)]);
  expect(over.box.tools.some(({ name }) => name === "crm__large")).toBe(false);
  expect(over.box.notes).toEqual([
    "2 of the tools of the MCP server crm are left out: there are too many, or they cannot be offered.",
  ]);
});

/** A tool whose one member is odd, and its schema for the model; null where it is left out. */
const ODD_TOOLS: readonly (readonly [object, object | null])[] = [
  [{ inputSchema: { type: "object", properties: null } }, { type: "object", properties: {} }],
  [{ inputSchema: { type: "object", properties: [] } }, { type: "object", properties: {} }],
  [{ inputSchema: { type: "object", properties: "a" } }, { type: "object", properties: {} }],
  [
    { inputSchema: { properties: { a: null, b: { type: "string" } } } },
    { properties: { a: {}, b: { type: "string" } } },
  ],
  [{ inputSchema: { properties: { a: "string", b: 5, c: [] } } }, { properties: { a: {}, b: {}, c: {} } }],
  [{ inputSchema: { properties: { a: { type: "strng", enum: null } } } }, { properties: { a: {} } }],
  [
    { inputSchema: { properties: { a: { properties: { b: null } } } } },
    { properties: { a: { properties: { b: {} } } } },
  ],
  [{ inputSchema: { properties: { a: { minLength: -1, pattern: 3 } } } }, { properties: { a: {} } }],
  [{ inputSchema: { properties: { a: { items: [{ type: "string" }] } } } }, { properties: { a: {} } }],
  [{ inputSchema: { properties: { a: {} }, required: null } }, { properties: { a: {} } }],
  [{ inputSchema: { properties: { a: {} }, required: "a" } }, { properties: { a: {} } }],
  [{ inputSchema: { properties: { a: {} }, required: [1, "a", null] } }, { properties: { a: {} }, required: ["a"] }],
  [{ inputSchema: { additionalProperties: "no" } }, { properties: {} }],
  [{ inputSchema: { properties: { a: { $ref: "#/$defs/b" } } } }, { properties: { a: {} } }],
  [{ inputSchema: { properties: { a: { $ref: "https://x.test/s" } } } }, { properties: { a: {} } }],
  [{ inputSchema: { anyOf: [] } }, { properties: {} }],
  [{ inputSchema: { $schema: 7 } }, { properties: {} }],
  [{ inputSchema: { type: ["object", "null"] } }, { type: "object" }],
  [{ inputSchema: { type: "array" } }, { type: "object" }],
  [{ inputSchema: null }, { type: "object", properties: {} }],
  [{ inputSchema: [] }, { type: "object", properties: {} }],
  [{ inputSchema: "object" }, { type: "object", properties: {} }],
  [{ inputSchema: true }, { type: "object", properties: {} }],
  [{ inputSchema: undefined }, { type: "object", properties: {} }],
  [{ description: null }, { type: "object" }],
  [{ title: 5, annotations: null, outputSchema: [], _meta: null, icons: "x" }, { type: "object" }],
  [{ annotations: { readOnlyHint: "yes" } }, { type: "object" }],
  [{ name: null }, null],
  [{ name: "" }, null],
  [{ name: "a".repeat(300) }, null],
  [{ name: "good" }, null],
];

for (const [odd, schema] of ODD_TOOLS) {
  test(`[RUN-6] an odd tool is repaired or left out alone: ${JSON.stringify(odd).slice(0, 80)}`, async () => {
    const good: McpTool = { name: "good", run: () => textResult("done") };
    const { url } = serve([good, { name: "odd", ...odd, run: good.run } as McpTool]);
    const { box, call } = await open([crm(url)]);
    expect(box.tools.map(({ name }) => name)).toEqual(schema === null ? ["crm__good"] : ["crm__good", "crm__odd"]);
    expect((await call("crm__good")).content).toBe("done");
    if (schema === null) {
      const note = "1 of the tools of the MCP server crm are left out: there are too many, or they cannot be offered.";
      expect([box.notes, box.missing]).toEqual([[note], { required: [], optional: [note] }]);
      return;
    }
    expect(box.tools[1]?.inputSchema).toMatchObject(schema);
    expect(Object.keys({ properties: {}, ...schema }).toSorted()).toEqual(
      Object.keys(box.tools[1]?.inputSchema ?? {})
        .filter((key) => key !== "type" || "type" in schema)
        .toSorted(),
    );
    const schemas = box.tools.map(({ inputSchema }) => metaErrors(inputSchema, dialectOf(inputSchema)));
    expect(schemas).toEqual([[], []]);
    expect((await call("crm__odd")).content).toBe("done");
    // People are told of a tool whose schema was replaced.
    const isRepaired = "inputSchema" in odd && odd.inputSchema !== undefined;
    expect(box.missing.optional).toEqual(
      isRepaired ? [expect.stringContaining("describes the arguments of odd with an invalid schema")] : [],
    );
  });
}

test("[RUN-6] odd members of a list and of the handshake cost no tool", async () => {
  const { url } = serve([{ name: "good", run: () => textResult("done") }], {
    rewrite: (result) => ({
      ...result,
      ...("tools" in result
        ? { nextCursor: null, ttlMs: "long", resultType: 5, tools: [null, 3, ...(result["tools"] as [])] }
        : {}),
      ...("serverInfo" in result
        ? { serverInfo: null, instructions: null, capabilities: { tools: true, logging: null } }
        : {}),
    }),
    json: true,
  });
  const { box, call } = await open([crm(url)]);
  expect([box.tools.map(({ name }) => name), box.notes.length]).toEqual([["crm__good"], 1]);
  expect((await call("crm__good")).content).toBe("done");
  const none = serve([], { rewrite: (result) => ("tools" in result ? { tools: null } : result), json: true });
  expect((await open([crm(none.url)])).box.notes).toEqual([
    "The MCP server crm cannot be used: its answer has no list of tools. None of its tools are available in this run.",
  ]);
});

for (const [status, body] of [
  [400, { jsonrpc: "2.0", error: { code: -32_000, message: "Bad Request: No valid session ID provided" }, id: null }],
  [400, { jsonrpc: "2.0", error: { code: -32_000, message: "Bad Request: Server not initialized" }, id: null }],
  [400, "Invalid session id"],
  [410, "session expired"],
  [404, "Not Found"],
] as const) {
  test(`[RUN-6] a session is opened again if the server refuses it with ${status}: ${JSON.stringify(body)}`, async () => {
    const ended = new Set<string>();
    const server = serve(TOOLS, {
      refuse: ({ headers }) =>
        ended.has(headers.get("mcp-session-id") ?? "")
          ? typeof body === "string"
            ? new Response(body, { status })
            : Response.json(body, { status })
          : null,
    });
    const { call } = await open([crm(server.url)]);
    for (const id of server.sessions.keys()) ended.add(id);
    expect(await call("crm__echo", { a: 1 })).toEqual({ content: '{"a":1}', isError: false });
    expect(server.sessions.size).toBe(2);
  });
}

test("[RUN-6] a refusal of the request itself is reported as it is, and the session stays", async () => {
  let isRefusing = false;
  const error = { jsonrpc: "2.0", error: { code: -32_602, message: "argument x is wrong" }, id: null };
  const server = serve(TOOLS, { refuse: () => (isRefusing ? Response.json(error, { status: 400 }) : null) });
  const { call } = await open([crm(server.url)]);
  isRefusing = true;
  expect((await call("crm__echo")).content).toBe("The call to the MCP server failed: it refused: argument x is wrong.");
  isRefusing = false;
  expect((await call("crm__echo", { a: 1 })).isError).toBe(false);
  expect(server.sessions.size).toBe(1);
});

for (const status of [202, 204, 205]) {
  test(`[RUN-6] an answer without content is recognized at once (${status})`, async () => {
    let isEmpty = false;
    const server = serve(TOOLS, { refuse: () => (isEmpty ? new Response(null, { status }) : null) });
    const { call } = await open([crm(server.url)]);
    isEmpty = true;
    expect(await call("crm__echo")).toEqual({
      content: `The call to the MCP server failed: it answered a request with HTTP status ${status}, which has no content.`,
      isError: true,
    });
    const { box } = await open([crm(server.url)]);
    expect(box.notes).toEqual([expect.stringContaining(`HTTP status ${status}`)]);
  });
}

test("[RUN-6] providers accept every name, and two tools never share one", () => {
  const long = "a".repeat(80);
  const names = ["read", "read.all", "read/all", "größe", long, `${long}b`].map((tool) => mcpToolName("crm", tool));
  expect(names[0]).toBe("crm__read");
  for (const name of names) expect(name).toMatch(/^crm__[A-Za-z0-9_-]{1,59}$/);
  expect(new Set(names).size).toBe(names.length);
});

test("[RUN-34] tools are offered the same byte for byte, in whatever order a server lists them and their fields", async () => {
  const schemas = [
    {
      type: "object" as const,
      required: ["to", "at"],
      properties: { at: { type: "string", title: "A" }, to: {}, a: {} },
    },
    {
      properties: { a: {}, to: {}, at: { title: "A", type: "string" } },
      required: ["to", "at"],
      type: "object" as const,
    },
  ];
  const [first, second] = schemas.map((inputSchema) =>
    Array.from({ length: MAX_SERVER_TOOLS + 6 }, (_, i) => ({ name: `t${i}`, inputSchema, run: () => textResult("") })),
  );
  const one = await open([crm(serve(first).url)]);
  const other = await open([crm(serve(second!.toReversed()).url)]);
  expect(JSON.stringify(other.box.tools)).toBe(JSON.stringify(one.box.tools));
  expect(one.box.tools).toHaveLength(MAX_SERVER_TOOLS);
  expect(Object.keys(one.box.tools[0]?.inputSchema["properties"] ?? {})).toEqual(["to", "at", "a"]);
});
