/** `web_fetch` through the registry, the guarded client and TLS, against a server on loopback. */
import { DEFAULT_RESULT_BYTES } from "../../actors/job/limits.ts";
import type { ToolResult } from "../../actors/job/ports.ts";
import type { AgentSnapshot } from "../../actors/job/schema.ts";
import type { JsonObject } from "../../actors/schema.ts";
import { createTools } from "../../src/runner/tools.ts";
import { MAX_FETCHED_CHARS, MAX_PAGE_BYTES, webFetch } from "../../src/runner/tools/web-fetch.ts";
import { until } from "../support/condition.ts";
import { createEgressWorld, type EgressWorld } from "../support/egress-world.ts";
import { type Answer, pour, reply } from "../support/wire-server.ts";
import { testSandbox } from "../support/sandbox.ts";
import { DEAF_HOST, OPENED_AT } from "../support/fake-tools.ts";
import { PAUSES } from "../support/pauses.ts";
import { afterEach, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";

const CONTEXT = { organizationId: "org_1", userId: "usr_1", agentId: "agt_1", jobId: "job_1", missionId: null };

const agentWith = (allowedTools: string[]): AgentSnapshot => ({
  id: "agt_1",
  name: "Ada",
  version: 1,
  systemPrompt: "",
  model: null,
  allowedTools,
  approvalTools: [],
  mcpServers: [],
  maxSteps: null,
});

let world: EgressWorld;
afterEach(() => world.end());

async function against(answer: Answer) {
  world = createEgressWorld({ "inner.test": ["10.0.0.1"] });
  const server = await world.serve(answer);
  const tools = createTools([webFetch(world.client(), testSandbox)], { pauses: PAUSES });
  const fetchIt = async (input: JsonObject, signal = new AbortController().signal): Promise<ToolResult> => {
    const box = await tools.open(agentWith(["web_fetch"]), CONTEXT, signal);
    return box.call(
      { name: "web_fetch", input, idempotencyKey: "job_1:1:0", openedAt: OPENED_AT, context: CONTEXT, host: DEAF_HOST },
      signal,
    );
  };
  return { server, tools, fetchIt, url: `https://a.test:${server.port}/page` };
}

const says =
  (type: string | null, body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): Answer =>
  ({ socket }) =>
    void socket.write(reply(200, { ...(type === null ? {} : { "content-type": type }), ...headers }, body));

test("[RUN-2] web_fetch is off by default and safe to repeat", async () => {
  const { tools } = await against(() => {});
  const { signal } = new AbortController();
  const offered = async (names: string[]) => (await tools.open(agentWith(names), CONTEXT, signal)).tools;
  expect(await offered([])).toEqual([]);
  expect((await offered(["web_fetch"])).map(({ name, inputSchema }) => [name, inputSchema["required"]])).toEqual([
    ["web_fetch", ["url"]],
  ]);
  const box = await tools.open(agentWith([]), CONTEXT, signal);
  expect(box.rulesOf("web_fetch").safe).toBe(true);
  const call = {
    name: "web_fetch",
    input: { url: "https://a.test/" },
    idempotencyKey: "k",
    openedAt: OPENED_AT,
    host: DEAF_HOST,
    context: CONTEXT,
  };
  expect(await box.call(call, signal)).toMatchObject({ isError: true });
  expect(world.asked).toEqual([]);
});

test("[RUN-2] a page comes as status, final URL, content type, title and text", async () => {
  const { server, fetchIt, url } = await against(
    ({ line, socket }) =>
      void socket.write(
        line.includes("/page")
          ? reply(301, { location: "/moved" })
          : reply(
              200,
              { "content-type": "text/html; charset=utf-8" },
              "<title>Tea\n&amp; cake</title><h1>Tea</h1><p>caf\u00e9 <a href=x>more</a>",
            ),
      ),
  );
  const origin = url.replace("/page", "");
  expect(await fetchIt({ url: ` ${url} ` })).toEqual({
    content: `status: 200\nurl: ${origin}/moved\ncontent_type: text/html; charset=utf-8\ntitle: Tea & cake\n\n# Tea\n\ncafé more (${origin}/x)`,
    isError: false,
  });
  expect(server.requests.map(({ line }) => line)).toEqual(["GET /page HTTP/1.1", "GET /moved HTTP/1.1"]);
});

for (const [type, body] of [
  ["application/json", '{"a": [1]}'],
  ["application/problem+json; charset=utf-8", '{"title":"x"}'],
  ["text/plain", "<p>as it is</p>\n  kept"],
  ["text/markdown", "# Tea"],
  ["application/rss+xml", "<rss/>"],
] as const) {
  test(`[RUN-2] ${type} comes as it is`, async () => {
    const { fetchIt, url } = await against(says(type, body));
    expect(await fetchIt({ url })).toEqual({
      content: `status: 200\nurl: ${url}\ncontent_type: ${type}\n\n${body}`,
      isError: false,
    });
  });
}

test("[RUN-2] content that is not text is only described", async () => {
  const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]);
  for (const [type, shown] of [
    ["image/png", "image/png"],
    ["application/pdf", "application/pdf"],
    [null, "unknown"],
  ] as const) {
    const { fetchIt, url } = await against(says(type, png));
    expect((await fetchIt({ url })).content).toBe(
      `status: 200\nurl: ${url}\ncontent_type: ${shown}\nnote: the content is not text (7 bytes) and is not shown`,
    );
    await world.end();
  }
  const { fetchIt, url } = await against(says("text/plain", ""));
  expect((await fetchIt({ url })).content).toEndWith("note: there is no content");
});

test("[HOOK-11] a gzip bomb is described and not unpacked", async () => {
  const { fetchIt, url } = await against(
    says("text/html", gzipSync(Buffer.alloc(50 * 1024 * 1024)), { "content-encoding": "gzip" }),
  );
  expect((await fetchIt({ url })).content).toEndWith("note: the content is compressed (gzip) and is not shown");
});

for (const [what, type, body] of [
  ["of the header", "text/plain; charset=ISO-8859-1", Buffer.from("caf\u00e9", "latin1")],
  ["of the header, in quotes", 'text/plain; charset="utf-16le"', Buffer.from("caf\u00e9", "utf16le")],
  ["of the page", "text/html", Buffer.from("<meta charset=windows-1252><p>caf\u00e9", "latin1")],
  [
    "of the page, in its old form",
    "text/html",
    Buffer.from('<meta http-equiv=content-type content="text/html; charset=iso-8859-1"><p>caf\u00e9', "latin1"),
  ],
  ["of everybody", "text/plain; charset=klingon", Buffer.from("caf\u00e9")],
  ["of a page without a type", null, Buffer.from("<!DOCTYPE html><p>caf\u00e9")],
] as const) {
  test(`[RUN-2] text is read in the encoding ${what}`, async () => {
    const { fetchIt, url } = await against(says(type, body));
    expect((await fetchIt({ url })).content).toEndWith("\n\ncaf\u00e9");
  });
}

test("[RUN-2] an error of the server becomes an error result with its text", async () => {
  const { fetchIt, url } = await against(
    ({ socket }) => void socket.write(reply(404, { "content-type": "text/plain" }, "no such page")),
  );
  expect(await fetchIt({ url })).toEqual({
    content: `status: 404\nurl: ${url}\ncontent_type: text/plain\n\nno such page`,
    isError: true,
  });
});

test("[RUN-3] max_chars cuts the text and says so", async () => {
  const { fetchIt, url } = await against(says("text/plain", "abcdef"));
  expect((await fetchIt({ url, max_chars: 3 })).content).toEndWith("note: cut after 3 of 6 characters\n\nabc");
  expect((await fetchIt({ url, max_chars: 6 })).content).toEndWith("text/plain\n\nabcdef");
  expect(await fetchIt({ url, max_chars: 0 })).toMatchObject({ isError: true });
  expect(await fetchIt({ url, max_chars: MAX_FETCHED_CHARS + 1 })).toMatchObject({ isError: true });
});

test("[RUN-3] an endless page is read up to its limit, and its result has at most 64 KiB", async () => {
  const { server, fetchIt, url } = await against((request, it) => {
    request.socket.write("HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n");
    pour(request, it, Buffer.from("é".repeat(32_768)));
  });
  const { content } = await fetchIt({ url, max_chars: MAX_FETCHED_CHARS });
  expect(content).toContain(`note: only the first ${MAX_PAGE_BYTES} bytes were read`);
  expect(Buffer.byteLength(content)).toBeLessThanOrEqual(DEFAULT_RESULT_BYTES);
  await until("the connection is closed", () => server.closed === 1);
  expect(server.poured).toBeLessThan(20 * 1024 * 1024);
});

for (const [target, words] of [
  ["https://169.254.169.254/latest/meta-data/", "no address on the public internet"],
  ["https://inner.test/", "no address on the public internet"],
  ["https://nobody/", "no address on the public internet"],
  ["file:///etc/passwd", "not a URL that can be fetched"],
] as const) {
  test(`[HOOK-11] ${target} is refused without naming its address, whether requested or redirected to`, async () => {
    const { fetchIt, url } = await against(({ socket }) => void socket.write(reply(302, { location: target })));
    for (const asked of [target, url]) {
      const { content, isError } = await fetchIt({ url: asked });
      expect({ isError, content }).toEqual({ isError: true, content: expect.stringContaining(words) });
      expect(content).not.toMatch(/\d+\.\d+\.\d+\.\d+|inner/);
    }
  });
}

test("[RUN-2] a loop of redirects ends", async () => {
  const { server, fetchIt, url } = await against(({ socket }) => void socket.write(reply(302, { location: "/page" })));
  expect(await fetchIt({ url })).toEqual({ content: "There are more than 5 redirects.", isError: true });
  expect(server.requests).toHaveLength(6);
});

test("[RUN-2] a call that is stopped closes the connection", async () => {
  const { server, fetchIt, url } = await against(() => {});
  const stop = new AbortController();
  const result = fetchIt({ url }, stop.signal);
  await until("the request is there", () => server.requests.length === 1);
  stop.abort();
  expect(await result).toMatchObject({ isError: true });
  await until("the connection is closed", () => server.closed === 1);
});
