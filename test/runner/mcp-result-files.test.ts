/** Images and files in results of MCP tools, over the guarded client, against a server on the official SDK. */
import { afterEach, expect, test } from "bun:test";
import type { CallToolResult, ReadResourceResult } from "@modelcontextprotocol/sdk/types.js";
import type { ToolResult } from "../../actors/job/ports.ts";
import type { AgentSnapshot } from "../../actors/job/schema.ts";
import { IMAGE_BYTES } from "../../actors/upload/terms.ts";
import { ok, refuse } from "../../actors/fault.ts";
import { createEgress } from "../../src/egress/egress.ts";
import { HeldBytes } from "../../src/runner/held-bytes.ts";
import { mcpTools } from "../../src/runner/mcp/mcp-tools.ts";
import { resultFilesIn } from "../../src/runner/mcp/result-bytes.ts";
import { createTools } from "../../src/runner/tools.ts";
import { MAX_RESULT_FILES } from "../../src/sandbox/jobs/mcp-result-content.ts";
import { resultFiles } from "../../src/wiring/result-files.ts";
import { DEAF_HOST, OPENED_AT } from "../support/fake-tools.ts";
import { type McpServerUnderTest, startMcpServer } from "../support/mcp-server.ts";
import { PAUSES } from "../support/pauses.ts";
import { testSandbox } from "../support/sandbox.ts";
import { PNG } from "../support/uploads.ts";

const CONTEXT = { organizationId: "org_1", userId: "usr_1", agentId: "agt_1", jobId: "job_1", missionId: null };
const SECRET = "s3cr3t-value-of-crm";
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
const image = (bytes: Uint8Array = PNG) => ({ type: "image" as const, data: base64(bytes), mimeType: "image/png" });
const PDF = Buffer.from("%PDF-1.7\n\u0000");

const ended: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

interface Scene {
  readonly content?: CallToolResult["content"];
  readonly isError?: boolean;
  readonly json?: boolean;
  readonly resource?: (uri: string) => ReadResourceResult["contents"];
  readonly hasRoom?: boolean;
  readonly admits?: (bytes: number) => boolean;
  readonly allowed?: readonly string[];
}

/** Calls tools of a server whose tool `look` has this result; `stored` are the contents that were kept. */
async function scene(of: Scene) {
  const { content = [], isError = false, json = false, resource, hasRoom = true, admits, allowed = ["crm__*"] } = of;
  const server: McpServerUnderTest = startMcpServer([{ name: "look", run: () => ({ content, isError }) }], {
    json,
    ...(resource === undefined ? {} : { resource }),
  });
  const run = new AbortController();
  ended.push(() => run.abort(), server.stop);
  const stored: Uint8Array[] = [];
  const counted: number[] = [];
  const held = new HeldBytes();
  const keeper = resultFiles({
    contents: {
      hold: () => Promise.resolve(false),
      async receive(_organization, body, maxBytes, check) {
        const bytes = await new Response(body as ReadableStream<Uint8Array>).bytes();
        const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
        const arrived = { sha256, size: bytes.length, head: () => Promise.resolve(bytes) };
        const checked = (await check?.(arrived)) ?? ok(null);
        if (!checked.ok || bytes.length > maxBytes) return checked as never;
        stored.push(bytes);
        return ok({ sha256, size: bytes.length, text: null });
      },
    },
    quotas: {
      room: () =>
        Promise.resolve(
          hasRoom ? ok(null) : refuse({ kind: "quota_exceeded", quota: "file_bytes", limit: 1, used: 1 } as const),
        ),
      unreferred: (_, bytes) => void counted.push(bytes),
    },
    log: { warn: () => {}, error: () => {} },
  });
  const tools = createTools([], {
    pauses: PAUSES,
    sources: [
      mcpTools({
        sandbox: testSandbox,
        held,
        egress: createEgress({ allow: ["127.0.0.1"], production: false }),
        secrets: { read: async () => ok(SECRET) },
        keeper,
      }),
    ],
  });
  const headers = [{ name: "authorization", secret: "crm" }];
  const agent = { allowedTools: allowed, approvalTools: [], mcpServers: [{ name: "crm", url: server.url, headers }] };
  const box = await tools.open(agent as unknown as AgentSnapshot, CONTEXT, run.signal);
  const host = admits === undefined ? DEAF_HOST : { ...DEAF_HOST, admitFile: admits };
  const call = (name = "crm__look", input = {}): Promise<ToolResult> =>
    box.call({ name, input, idempotencyKey: "job_1:1:0", openedAt: OPENED_AT, context: CONTEXT, host }, run.signal);
  return { call, stored, counted, held, names: box.tools.map(({ name }) => name) };
}

for (const json of [false, true])
  test(`[FILE-10] images and files are kept, and each is replaced by a line (${json ? "JSON" : "stream"})`, async () => {
    const { call, stored, counted, held } = await scene({
      json,
      content: [
        { type: "text", text: "before" },
        image(),
        { type: "text", text: "between" },
        {
          type: "resource",
          resource: { uri: `file:///plans/${SECRET}.pdf?a=1`, mimeType: "application/pdf", blob: base64(PDF) },
        },
      ],
    });
    const source = { kind: "tool", name: "crm__look" } as const;
    const uri = "file:///plans/[hidden].pdf?a=1";
    expect(await call()).toEqual({
      content: `before\n[image 1: image/png, ${PNG.length} bytes]\nbetween\n[file 2: application/pdf, ${PDF.length} bytes, ${uri}]`,
      isError: false,
      attachments: [
        {
          type: "image",
          media_type: "image/png",
          name: null,
          size: PNG.length,
          sha256: new Bun.CryptoHasher("sha256").update(PNG).digest("hex"),
          source: { ...source, uri: null },
        },
        {
          type: "file",
          media_type: "application/pdf",
          name: "[hidden].pdf",
          size: PDF.length,
          sha256: new Bun.CryptoHasher("sha256").update(PDF).digest("hex"),
          source: { ...source, uri },
        },
      ],
    });
    expect(stored.map((bytes) => [...bytes])).toEqual([[...PNG], [...PDF]]);
    expect(counted).toEqual([PNG.length, PDF.length]);
    // Their memory is free again.
    const free = held.of("org_1");
    expect(free.add(64 * 1024 * 1024)).toBe(true);
  });

test("[FILE-10] types that models cannot read are described, with the reason", async () => {
  const { call, stored } = await scene({
    content: [
      image(Buffer.from("PK\u0003\u0004\u0000\u0000")),
      { type: "image", data: "", mimeType: "image/png" },
      image(Buffer.concat([PNG, Buffer.alloc(IMAGE_BYTES)])),
    ],
  });
  const { content, attachments } = await call();
  expect(attachments).toBeUndefined();
  expect(stored).toEqual([]);
  expect(content.split("\n")).toEqual([
    expect.stringContaining("The image or file 1 of this result was not kept: it is of a type that no model reads"),
    `[The image or file 2 of this result was not kept: it has ${PNG.length + IMAGE_BYTES} bytes; image/png may have at most ${IMAGE_BYTES}.]`,
    "[image 1: image/png, 6 bytes]",
    "[image, image/png: its data is empty]",
    `[image 2: image/png, ${PNG.length + IMAGE_BYTES} bytes]`,
  ]);
});

test("[FILE-10] the largest image that models accept fits into an answer", async () => {
  const longest = Buffer.concat([PNG, Buffer.alloc(IMAGE_BYTES - PNG.length)]);
  const { call, stored } = await scene({ content: [image(longest)] });
  expect((await call()).attachments).toMatchObject([{ size: IMAGE_BYTES }]);
  expect(stored[0]?.length).toBe(IMAGE_BYTES);
});

test("[FILE-10] a result has at most 20 of them, and the rest is described", async () => {
  const content = Array.from({ length: MAX_RESULT_FILES + 1 }, (_, at) => image(Buffer.concat([PNG, Buffer.of(at)])));
  const { call, stored } = await scene({ content });
  const result = await call();
  expect([stored.length, result.attachments?.length]).toEqual([MAX_RESULT_FILES, MAX_RESULT_FILES]);
  expect(result.content.split("\n").at(-1)).toContain("left out: a result can have at most 20 images and files");
});

test("[FILE-10] without room in the storage, or in the run, nothing is stored, and the model gets the reason", async () => {
  const full = await scene({ content: [image()], hasRoom: false });
  expect((await full.call()).content).toContain("not kept: it has no room in the storage of the organization");
  const spent = await scene({ content: [image(), image()], admits: () => false });
  expect((await spent.call()).content).toContain("2 of this result was not kept: it is more than one run may keep");
  expect([full.stored, spent.stored]).toEqual([[], []]);
});

test("[FILE-10] a resource that a result links to is read through the same server", async () => {
  const { call, names } = await scene({
    content: [{ type: "resource_link", uri: "shot://1", name: "the page" }],
    resource: (uri) => [
      uri === "shot://1" ? { uri, mimeType: "image/png", blob: base64(PNG) } : { uri, text: `no ${SECRET}` },
    ],
  });
  expect(names).toEqual(["crm__look", "crm__read_resource"]);
  expect((await call()).content).toBe("[link to the resource the page: shot://1]");
  const read = await call("crm__read_resource", { uri: "shot://1" });
  expect(read.content).toBe(`[image 1: image/png, ${PNG.length} bytes, shot://1]`);
  expect(read.attachments).toMatchObject([
    { type: "image", name: "1", source: { kind: "tool", name: "crm__read_resource", uri: "shot://1" } },
  ]);
  expect(await call("crm__read_resource", { uri: "shot://2" })).toEqual({
    content: "[resource shot://2]\nno [hidden]",
    isError: false,
  });
});

test("[FILE-10] [RUN-6] reading resources is allowed like every tool of the server, if it has resources", async () => {
  expect((await scene({})).names).toEqual(["crm__look"]);
  const { names, call } = await scene({ resource: () => [], allowed: ["crm__look"] });
  expect(names).toEqual(["crm__look"]);
  expect((await call("crm__read_resource", { uri: "a" })).isError).toBe(true);
});

test("[FILE-10] [GUARD-1] files whose lengths do not match their bytes are refused", () => {
  const one = { size: 2, mime: "image/png", uri: null };
  expect(resultFilesIn([one, one], new Uint8Array(4))).toMatchObject([
    { bytes: { length: 2 } },
    { bytes: { length: 2 } },
  ]);
  for (const named of [
    [one],
    [one, { ...one, size: 1 }],
    [{ ...one, size: -4 }],
    [null],
    "files",
    [{ ...one, mime: 1 }],
  ])
    expect(resultFilesIn(named, new Uint8Array(4))).toBeNull();
  expect(
    resultFilesIn(
      Array.from({ length: 21 }, () => ({ ...one, size: 1 })),
      new Uint8Array(21),
    ),
  ).toBeNull();
});
