/** The tools of MCP servers, over the guarded client, against a server on the official SDK. */
import { afterEach, expect, test } from "bun:test";
import { parseExact } from "../../actors/exact-json.ts";
import type { JsonObject } from "../../actors/schema.ts";
import { notFound, ok } from "../../actors/fault.ts";
import type { Toolbox, ToolResult } from "../../actors/job/ports.ts";
import type { McpServer } from "../../actors/job/connections.ts";
import type { AgentSnapshot } from "../../actors/job/schema.ts";
import { createEgress, type EgressSettings } from "../../src/egress/egress.ts";
import { HeldBytes } from "../../src/runner/held-bytes.ts";
import { dialectOf, metaErrors } from "../../src/sandbox/jobs/json-schema.ts";
import { MAX_SCHEMA } from "../../src/sandbox/jobs/mcp-reduction.ts";
import { testSandbox } from "../support/sandbox.ts";
import { MAX_SERVER_TOOLS, mcpToolName, mcpTools } from "../../src/runner/mcp/mcp-tools.ts";
import { DEFAULT_RESULT_BYTES } from "../../actors/job/limits.ts";
import { createTools } from "../../src/runner/tools.ts";
import { until } from "../support/condition.ts";
import { DEAF_HOST, OPENED_AT } from "../support/fake-tools.ts";
import { PAUSES } from "../support/pauses.ts";
import { type McpServerUnderTest, type McpTool, startMcpServer, textResult } from "../support/mcp-server.ts";

const SECRET = "s3cr3t/value+of=crm";
const CONTEXT = { organizationId: "org_1", userId: "usr_1", agentId: "agt_1", jobId: "job_1", missionId: null };
const AUTHORIZATION = { name: "Authorization", secret: "crm", prefix: "Bearer " };

const TOOLS: readonly McpTool[] = [
  { name: "echo", annotations: { readOnlyHint: true }, run: ({ input }) => textResult(JSON.stringify(input)) },
  {
    name: "headers",
    description: `Shows ${SECRET}`,
    run: ({ headers }) => {
      const heard = headers.get("authorization") ?? "none";
      return textResult([heard, JSON.stringify({ heard }), btoa(SECRET), encodeURIComponent(SECRET)].join("\n"));
    },
  },
  {
    name: "slow",
    run: ({ signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(textResult("late")))),
  },
  { name: "fails", run: () => ({ ...textResult(`bad ${SECRET}`), isError: true }) },
  {
    name: "throws",
    run: () => {
      throw new Error(`argument x is wrong, ${SECRET}`);
    },
  },
  { name: "huge", annotations: { idempotentHint: true }, run: () => textResult("x".repeat(DEFAULT_RESULT_BYTES + 1)) },
  { name: "endless", run: () => textResult("x".repeat(8 * 1024 * 1024)) },
  {
    name: "mixed",
    run: () => ({
      content: [
        { type: "text", text: "one" },
        { type: "audio", data: "AAAA", mimeType: "audio/wav" },
        { type: "resource", resource: { uri: "file:///a", text: "inside" } },
        { type: "resource", resource: { uri: "file:///c", blob: btoa("a,b"), mimeType: "text/csv" } },
        { type: "resource_link", uri: "file:///b", name: "b", mimeType: "image/png" },
      ],
    }),
  },
  { name: "structured", run: () => ({ content: [], structuredContent: { a: 1 } }) },
];

const started: McpServerUnderTest[] = [];
const runs: AbortController[] = [];
afterEach(async () => {
  for (const run of runs.splice(0)) run.abort();
  for (const server of started.splice(0)) await server.stop();
});

function serve(tools = TOOLS, options: Parameters<typeof startMcpServer>[1] = {}): McpServerUnderTest {
  const server = startMcpServer(tools, options);
  started.push(server);
  return server;
}

interface Opened {
  readonly box: Toolbox;
  readonly warnings: object[];
  end(): void;
  call(name: string, input?: object, signal?: AbortSignal): Promise<ToolResult>;
}

async function open(
  servers: readonly McpServer[],
  { allowed = ["crm__*"], approval = [] as string[], egress = {} as Partial<EgressSettings>, times = {} } = {},
): Promise<Opened> {
  const run = new AbortController();
  runs.push(run);
  const warnings: object[] = [];
  const log = { warn: (details: object) => void warnings.push(details), error: () => {} };
  const client = createEgress({ allow: ["127.0.0.1"], production: false, ...egress });
  const secrets = { read: async (_: string, name: string) => (name === "crm" ? ok(SECRET) : notFound("secret")) };
  const tools = createTools([], {
    pauses: PAUSES,
    sources: [mcpTools({ sandbox: testSandbox, held: new HeldBytes(), egress: client, secrets, log, times })],
  });
  const agent = { allowedTools: allowed, approvalTools: approval, mcpServers: [...servers] };
  const box = await tools.open(agent as unknown as AgentSnapshot, CONTEXT, run.signal);
  const call: Opened["call"] = (name, input = {}, signal = run.signal) =>
    box.call(
      {
        name,
        input: { ...input },
        idempotencyKey: "job_1:1:0",
        openedAt: OPENED_AT,
        context: CONTEXT,
        host: DEAF_HOST,
      },
      signal,
    );
  return { box, warnings, end: () => run.abort(), call };
}

const crm = (url: string, headers: McpServer["headers"] = []): McpServer => ({ name: "crm", url, headers });
const namesOf = ({ box }: Opened): string[] => box.tools.map(({ name }) => name);

test("[RUN-6] a server's tools are available under its name, if the agent's list names them", async () => {
  const { url } = serve();
  const all = await open([crm(url)]);
  expect(namesOf(all)).toEqual(TOOLS.map(({ name }) => `crm__${name}`).toSorted());
  expect(all.box.notes).toEqual([]);
  expect(await all.call("crm__echo", { a: 1 })).toEqual({ content: '{"a":1}', isError: false });
  const one = await open([crm(url)], { allowed: ["crm__echo"], approval: ["crm__*"] });
  expect(namesOf(one)).toEqual(["crm__echo"]);
  expect(one.box.rulesOf("crm__echo")).toMatchObject({ safe: true, needsApproval: true });
  expect((await one.call("crm__fails")).isError).toBe(true);
});

test("[GEN-18] arguments reach the server with their digits, and its structured answer the model", async () => {
  const digits = '{"id":9007199254740993,"half":0.1000000000000000055511151231257827}';
  const exact = parseExact(digits) as JsonObject;
  const bodies: Promise<string>[] = [];
  const { url } = serve([{ name: "take", run: () => ({ content: [], structuredContent: exact }) }], {
    refuse: (request) => {
      bodies.push(request.clone().text());
      return null;
    },
  });
  const opened = await open([crm(url)]);
  expect(await opened.call("crm__take", exact)).toEqual({ content: digits, isError: false });
  const calls = (await Promise.all(bodies)).filter((body) => body.includes("tools/call"));
  expect(calls).toEqual([expect.stringContaining(`"arguments":${digits}`) as string]);
});

test("[RUN-6] a server without tools in the agent's list is not called", async () => {
  const server = serve();
  expect(namesOf(await open([crm(server.url)], { allowed: ["echo", "other__*"] }))).toEqual([]);
  expect(server.authorizations).toEqual([]);
});

test("[RUN-6] only what the server calls read-only or idempotent is safe to repeat", async () => {
  const { box } = await open([crm(serve().url)]);
  expect(["echo", "huge", "fails", "gone"].map((name) => box.rulesOf(`crm__${name}`).safe)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

for (const json of [false, true]) {
  test(`[RUN-5] a header holds the secret, and what the server echoes of it is masked (${json ? "JSON" : "stream"})`, async () => {
    const server = serve(TOOLS, { json });
    const opened = await open([crm(server.url, [AUTHORIZATION])]);
    const { content } = await opened.call("crm__headers");
    expect(new Set(server.authorizations)).toEqual(new Set([`Bearer ${SECRET}`]));
    expect(content).toBe(
      'Bearer [hidden]\n{"heard":"Bearer [hidden]"}\n[hidden]==\n[hidden]'.replace("==", btoa(SECRET).match(/=*$/)![0]),
    );
    const refused = [await opened.call("crm__fails"), await opened.call("crm__throws")];
    expect(refused.map(({ content: words }) => words)).toEqual([
      "bad [hidden]",
      expect.stringContaining("argument x is wrong, [hidden]"),
    ]);
    expect(JSON.stringify([opened.box.tools, opened.warnings])).not.toContain(SECRET);
  });
}

test("[RUN-5] a secret that does not exist is reported by its name, and the server is not called", async () => {
  const server = serve();
  const { box, call } = await open([crm(server.url, [{ name: "x-key", secret: "gone" }])]);
  expect(box.notes).toEqual([expect.stringContaining("the secret gone for its headers does not exist")]);
  expect(await call("crm__echo")).toMatchObject({ isError: true, content: expect.stringContaining("secret gone") });
  expect(server.authorizations).toEqual([]);
});

test("[GEN-18] the bounds in a listed schema keep their digits", async () => {
  const schema = '{"type":"object","properties":{"id":{"type":"integer","maximum":9007199254740993}}}';
  const listed = `{"tools":[{"name":"take","inputSchema":${schema}},{"name":"plain","inputSchema":{"type":"object"}}]}`;
  const { url } = serve([], {
    json: true,
    rewrite: (result) => ("tools" in result ? (parseExact(listed) as object) : result),
  });
  const { box } = await open([crm(url)]);
  const described = box.tools.find(({ name }) => name === "crm__take");
  expect(described?.inputSchema).toEqual(parseExact(schema) as JsonObject);
  expect(JSON.stringify(described?.inputSchema)).toContain("9007199254740993");
  expect(box.tools.map(({ name }) => name)).toEqual(["crm__plain", "crm__take"]);
});

test("[GEN-19] the schema of a listed tool has no half of a character", async () => {
  const properties = { a: { type: "string", description: "cut \ud83d" }, b: { const: String.raw`\ud83d 😀` } };
  const tools = [{ name: "take", description: "too \ude00", inputSchema: { type: "object", properties } }];
  const { url } = serve([], { json: true, rewrite: (result) => ("tools" in result ? { tools } : result) });
  const { box } = await open([crm(url)]);
  const described = box.tools.find(({ name }) => name === "crm__take");
  expect(described?.description).toBe("too \ufffd");
  expect(described?.inputSchema["properties"]).toEqual({
    a: { type: "string", description: "cut \ufffd" },
    b: { const: String.raw`\ud83d 😀` },
  });
});

test("[RUN-6] a tool's error, a refusal and a result of any kind are text", async () => {
  const { call } = await open([crm(serve().url)]);
  expect(await call("crm__fails")).toMatchObject({ isError: true });
  expect(await call("crm__throws")).toMatchObject({ isError: true, content: expect.stringContaining("it refused: ") });
  expect(await call("crm__structured")).toEqual({ content: '{"a":1}', isError: false });
  expect((await call("crm__mixed")).content).toBe(
    "one\n[audio, audio/wav, 3 bytes: models here cannot process audio]\n[resource file:///a]\ninside\n" +
      "[resource file:///c]\na,b\n[link to the resource b: file:///b, image/png]",
  );
});

for (const json of [false, true]) {
  test(`[RUN-3] a result over 64 KiB is cut, an answer over 7.5 MiB is not read (${json ? "JSON" : "stream"})`, async () => {
    const { call } = await open([crm(serve(TOOLS, { json }).url)]);
    const { content } = await call("crm__huge");
    expect(Buffer.byteLength(content)).toBeLessThanOrEqual(DEFAULT_RESULT_BYTES);
    expect(content).toContain("[Cut: the result has");
    expect(await call("crm__endless")).toEqual({
      content: "The call to the MCP server failed: its answer is too large.",
      isError: true,
    });
  });
}

test("[RUN-6] a stopped call is cancelled at the server, and the others continue", async () => {
  const server = serve();
  const { call } = await open([crm(server.url)]);
  const stop = new AbortController();
  const slow = call("crm__slow", {}, stop.signal);
  await until("the call has begun", () => server.calls.includes("slow"));
  stop.abort();
  expect(await slow).toMatchObject({ isError: true, content: expect.stringContaining("stopped") });
  await until("the server has heard of it", () => server.cancelled.includes("slow"));
  expect((await call("crm__echo")).isError).toBe(false);
});

test("[RUN-6] the end of the run closes the session", async () => {
  const server = serve();
  const { end } = await open([crm(server.url)]);
  expect(server.sessions.size).toBe(1);
  end();
  await until("the session is closed", () => server.sessions.size === 0);
});

test("[RUN-6] a session that the server has ended is opened again, once for all affected calls", async () => {
  const ended = new Set<string>();
  const gone = { jsonrpc: "2.0", error: { code: -32_001, message: "Session not found" }, id: null };
  let isStarting = false;
  const server = serve(TOOLS, {
    refuse: ({ headers }) => {
      if (isStarting) return new Response(null, { status: 503 });
      return ended.has(headers.get("mcp-session-id") ?? "") ? Response.json(gone, { status: 404 }) : null;
    },
  });
  const { call, end } = await open([crm(server.url)]);
  for (const id of server.sessions.keys()) ended.add(id);
  const answers = await Promise.all([call("crm__echo", { a: 1 }), call("crm__echo", { a: 2 })]);
  expect(answers.map(({ content }) => content)).toEqual(['{"a":1}', '{"a":2}']);
  expect([server.sessions.size, server.calls.length]).toEqual([2, 2]);
  for (const id of server.sessions.keys()) ended.add(id);
  isStarting = true;
  expect(await call("crm__echo")).toMatchObject({ isError: true, content: expect.stringContaining("503") as string });
  isStarting = false;
  expect(await call("crm__echo", { a: 3 })).toEqual({ content: '{"a":3}', isError: false });
  end();
  await until("the last session is closed", () => server.sessions.size === 2);
});

test("[RUN-6] a call that takes too long is an error, and is cancelled at the server", async () => {
  const server = serve();
  const { call } = await open([crm(server.url)], { times: { callMs: 1_000 } });
  expect((await call("crm__slow")).content).toBe("The call to the MCP server failed: it did not answer in time.");
  await until("the server has heard of it", () => server.cancelled.includes("slow"));
});

test("[RUN-6] an unusable server costs only its own tools, and the model gets the reason", async () => {
  const good = serve();
  const bad = serve([], { refuse: () => new Response("inner words", { status: 503 }) });
  const silent = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: () => new Promise<Response>(() => {}),
  });
  const strange = serve([], { refuse: () => new Response("<html>") });
  const moved = serve([], { refuse: () => Response.redirect(good.url, 307) });
  const servers = {
    good: good.url,
    bad: bad.url,
    silent: silent.url.href,
    strange: strange.url,
    moved: moved.url,
    none: "http://127.0.0.1:1/",
  };
  const opened = await open(
    Object.entries(servers).map(([name, url]) => ({ name, url })),
    { allowed: Object.keys(servers).map((name) => `${name}__*`), times: { listMs: 6_000 } },
  );
  expect(namesOf(opened)).toEqual(TOOLS.map(({ name }) => `good__${name}`).toSorted());
  expect(opened.box.notes.toSorted()).toEqual([
    "The MCP server bad cannot be used: it answered with HTTP status 503. None of its tools are available in this run.",
    "The MCP server moved cannot be used: it answered with HTTP status 307. None of its tools are available in this run.",
    "The MCP server none cannot be used: it does not accept connections. None of its tools are available in this run.",
    "The MCP server silent cannot be used: it did not answer in time. None of its tools are available in this run.",
    "The MCP server strange cannot be used: its answer is not valid MCP. None of its tools are available in this run.",
  ]);
  expect(opened.warnings).toHaveLength(5);
  expect((await opened.call("none__echo")).content).toBe(
    "The MCP server none cannot be used: it does not accept connections.",
  );
  expect(good.authorizations.length).toBeGreaterThan(0);
  await silent.stop(true);
});

test("[RUN-6] an address that is not public is refused unless the operator has allowed it", async () => {
  const server = serve();
  for (const egress of [{ allow: [] }, { production: true }]) {
    const { box } = await open([crm(server.url)], { egress });
    expect(box.tools).toEqual([]);
    expect(box.notes).toEqual([expect.stringContaining("The MCP server crm cannot be used: its ")]);
  }
  expect(server.authorizations).toEqual([]);
});

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
    // What the schema alone has lost is told to people.
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
