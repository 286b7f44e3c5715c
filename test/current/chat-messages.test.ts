/** The messages of a chat over HTTP: their pages and their record (CHAT-3, CHAT-6). */
import { beforeAll, expect, test } from "bun:test";
import { type MessagePage, refused, UNPRICED_CALL } from "../support/current.ts";
import { sceneOfFile } from "../support/scene.ts";
import { createAgent } from "../support/v1.ts";

let agent: string;

const { service, owner, client } = sceneOfFile();
beforeAll(async () => void (agent = await createAgent(service, owner)));

test("[CHAT-6] the newest page comes first, each page is in the order of the conversation, and has its jobs", async () => {
  const id = await client.chat(agent, owner.workspaceId);
  for (const content of ["one", "two", "three"])
    await client.reached((await client.send(id, content)).job.id, "completed");
  const all = await client.get<MessagePage>(`/api/chats/${id}/messages`);
  expect(all.messages.map((m) => m.content)).toEqual(["one", "echo: one", "two", "echo: two", "three", "echo: three"]);
  expect(all).toMatchObject({
    chat_id: id,
    title: "Ada",
    status: "done",
    work: { active_job_id: null, artifacts: [], needs_attention: false },
  });
  expect(all.work.jobs.map((job) => [job["title"], job["status"], job["review_state"]])).toEqual(
    ["three", "two", "one"].map((title) => [title, "completed", "none"]),
  );
  expect(all.next_cursor).toBeUndefined();
  const pages: string[][] = [];
  let cursor: string | undefined = "";
  while (cursor !== undefined) {
    const page: MessagePage = await client.get(`/api/chats/${id}/messages?limit=4&cursor=${cursor}`);
    pages.push(page.messages.map((m) => m.content));
    cursor = page.next_cursor;
  }
  expect(pages).toEqual([
    ["two", "echo: two", "three", "echo: three"],
    ["one", "echo: one"],
  ]);
  await refused(client.call("GET", `/api/chats/${id}/messages?cursor=x`), 400, "invalid_cursor");
  await refused(client.call("GET", `/api/chats/${id}/messages?limit=0`), 400, "invalid_request");
});

test("[CHAT-3] a message has the whole record", async () => {
  const id = await client.chat(agent, owner.workspaceId);
  const { job } = await client.send(id, "hi", { metadata: { k: "v" } });
  await client.reached(job.id, "completed");
  const [said, answer] = await client.messages(id);
  const record = {
    organization_id: owner.organizationId,
    version: expect.any(Number),
    created_at: expect.any(String),
    updated_at: expect.any(String),
    completed_at: expect.any(String),
    seq: expect.any(Number),
    chat_id: id,
    job_id: job.id,
    status: "completed",
    id: expect.stringMatching(/^msg_/),
    pinned: false,
    summary_of: null,
  };
  expect(said).toEqual({
    ...record,
    role: "user",
    content: "hi",
    blocks: [{ type: "text", text: "hi" }],
    usage: null,
    stop_reason: null,
    sender: { type: "user", id: owner.userId },
    metadata: { k: "v" },
  } as never);
  expect(answer).toEqual({
    ...record,
    role: "assistant",
    content: "echo: hi",
    blocks: [{ type: "text", text: "echo: hi" }],
    usage: UNPRICED_CALL,
    stop_reason: "stop",
    sender: { type: "agent", id: agent },
    metadata: {},
  } as never);
});
