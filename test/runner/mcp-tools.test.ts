/** The tools of MCP servers: their calls, sessions and faults, against a server on the official SDK. */
import { afterEach, expect, test } from "bun:test";
import { parseExact } from "../../actors/exact-json.ts";
import type { JsonObject } from "../../actors/schema.ts";
import { DEFAULT_RESULT_BYTES } from "../../actors/job/limits.ts";
import { until } from "../support/condition.ts";
import { endMcpServers, AUTHORIZATION, SECRET, TOOLS, crm, namesOf, open, serve } from "../support/mcp-scene.ts";

afterEach(endMcpServers);

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
