/** Screenshots of an MCP server, from the tool to the model and to the people who look at the job (FILE-10). */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { MessagePart, ModelCall } from "../../actors/job/ports.ts";
import type { BlobKey } from "../../actors/workspace/ports.ts";
import { sweepOnce } from "../../db/sweeps.ts";
import { workspaceSweeps } from "../../db/workspace-sweeps.ts";
import { createEgress } from "../../src/egress/egress.ts";
import { answered, Client, type Job, type Json } from "../support/current.ts";
import { type McpServerUnderTest, startMcpServer, textResult } from "../support/mcp-server.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { type Founded, type Service, startService } from "../support/service.ts";
import { PNG } from "../support/uploads.ts";

const DAY_MS = 86_400_000;
const SHA256 = new Bun.CryptoHasher("sha256").update(PNG).digest("hex");
const ATTACHMENT = {
  type: "image",
  media_type: "image/png",
  name: null,
  size: PNG.length,
  sha256: SHA256,
  source: { kind: "tool", name: "browser__shot", uri: null },
};

let testDatabase: TestDatabase;
let folder: string;
let service: Service;
let browser: McpServerUnderTest;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), "troupe-tool-files-"));
  const image = { type: "image" as const, data: Buffer.from(PNG).toString("base64"), mimeType: "image/png" };
  browser = startMcpServer([
    { name: "shot", run: () => ({ content: [{ type: "text", text: "The page:" }, image] }) },
    { name: "pay", run: () => textResult("paid") },
  ]);
  service = await start();
});
afterAll(async () => {
  await service.stop();
  await browser.stop();
  await testDatabase.drop();
  rmSync(folder, { recursive: true, force: true });
});

const start = (): Promise<Service> =>
  startService({ egress: createEgress({ allow: ["127.0.0.1"], production: false }), testDatabase, folder });

/** The model makes these calls, one in each step, and then says that it has seen. */
function script(...names: readonly string[]): void {
  service.model.script = (call) => {
    const made = call.entries.flatMap((entry) => (entry.role === "assistant" ? entry.blocks : []));
    const at = made.filter(({ type }) => type === "tool_result").length;
    const name = names[at];
    return name === undefined
      ? [{ say: "seen" }]
      : [{ use: { type: "tool_use", id: `c${at}`, name: `browser__${name}`, input: {} } }];
  };
}

/** The images that a call had in results of tools. */
const imagesIn = ({ entries }: ModelCall): readonly MessagePart[] =>
  entries.flatMap((entry) => (entry.role === "assistant" ? [...(entry.resultFiles?.values() ?? [])].flat() : []));
const IMAGE: MessagePart = { type: "image", mediaType: "image/png", data: PNG };

async function begun(owner: Founded, more: Json = {}): Promise<{ readonly client: Client; readonly job: Job }> {
  const client = new Client(service, owner);
  const agent = await answered<{ id: string }>(
    client.call("POST", "/api/agents", {
      name: "Ada",
      system_prompt: "x",
      allowed_tools: ["browser__*"],
      mcp_servers: [{ name: "browser", url: browser.url }],
      ...more,
    }),
    201,
  );
  const chat = await client.chat(agent.id, owner.workspaceId);
  const sent = client.call("POST", `/api/chats/${chat}/messages`, { content: "go" });
  return { client, job: (await answered<{ job: Job }>(sent, 202)).job };
}

test("[FILE-10] the model sees the files of a tool, and so do readers of the job and the chat", async () => {
  script("shot");
  const { client, job } = await begun(await service.found());
  await client.reached(job.id, "completed");
  expect(imagesIn(service.model.calls.at(-1)!)).toEqual([IMAGE]);
  const content = `The page:\n[image 1: image/png, ${PNG.length} bytes]`;
  const { events } = await client.get<{ events: readonly Json[] }>(`/api/jobs/${job.id}/transcript-events`);
  const results = events.map(({ data }) => data as Json).filter(({ kind }) => kind === "tool_result");
  expect(results).toMatchObject([{ tool_use_id: "c0", content, attachments: [ATTACHMENT] }]);
  const messages = await client.messages(job.chat_id);
  const blocks = messages.flatMap((message) => message["blocks"] as readonly Json[]);
  expect(blocks).toContainEqual({
    type: "tool_result",
    tool_use_id: "c0",
    content,
    is_error: false,
    attachments: [ATTACHMENT],
  });
  const stream = await client.call("GET", `/api/chats/${job.chat_id}/events?replay=all&wait=end`);
  const completed = (await stream.text()).split("\n\n").find((frame) => frame.includes("event: tool.completed"));
  expect(completed).toContain(`"attachments":[{"type":"image","media_type":"image/png"`);
});

test("[FILE-10] [FILE-8] a model that cannot read images gets a description of them", async () => {
  script("shot");
  service.model.blind.add(null);
  const { client, job } = await begun(await service.found());
  await client.reached(job.id, "completed");
  const [words] = imagesIn(service.model.calls.at(-1)!);
  service.model.blind.clear();
  expect(words).toEqual({
    type: "text",
    text: "[image, image/png, 1 KiB: not shown here, because it is too old or this model cannot read it]",
  });
});

test("[FILE-10] the content stays with the run: for later turns, through the sweep, and after a restart", async () => {
  script("shot", "pay");
  const owner = await service.found();
  const { job } = await begun(owner, { approval_tools: ["browser__pay"] });
  const blocked = await new Client(service, owner).reached(job.id, "blocked");
  expect(blocked.approvals).toMatchObject([{ tool_name: "browser__pay" }]);
  const removed: string[] = [];
  const blobs = { remove: async (key: BlobKey) => void removed.push(key.sha256) };
  for (const one of workspaceSweeps(blobs)) {
    const now = Date.now() + 30 * DAY_MS;
    for (let isDone = false; !isDone;) ({ isDone } = await sweepOnce(service.database, one, { now, limit: 100 }));
  }
  expect(removed).not.toContain(SHA256);
  await service.stop();
  service = await start();
  script("shot", "pay");
  const client = new Client(service, owner);
  await answered(client.decide(job.id, "approve", { decision: "approve" }));
  await client.reached(job.id, "completed");
  expect(imagesIn(service.model.calls.at(-1)!)).toEqual([IMAGE]);
  const again = client.call("POST", `/api/chats/${job.chat_id}/messages`, { content: "again" });
  await client.reached((await answered<{ job: Job }>(again, 202)).job.id, "completed");
  expect(imagesIn(service.model.calls.at(-1)!)).toEqual([IMAGE]);
});
