/** The family of a job and its transcript, over HTTP (JOB-6). */
import { beforeAll, beforeEach, expect, test } from "bun:test";
import { answered, type Job, type Json, refused } from "../support/current.ts";
import { FakeTools } from "../support/fake-tools.ts";
import { sceneOfFile } from "../support/scene.ts";
import { createAgent } from "../support/v1.ts";

let agent: string;

const { service, owner, client } = sceneOfFile({ tools: new FakeTools() });
beforeAll(async () => void (agent = await createAgent(service, owner)));
beforeEach(() => {
  service.model.script = () => [{ say: "Done." }];
  service.model.calls.length = 0;
});

const use = (id: string) => ({
  use: { type: "tool_use" as const, id, name: "look", input: { camelCase: { innerKey: 1 } } },
});
const run = async (content: string): Promise<Job> =>
  client.reached((await client.send(await client.chat(agent, owner.workspaceId), content)).job.id, "completed");

test("[JOB-6] every job of a lineage shows the same lineage", async () => {
  const root = await run("hi");
  const child = await answered<Job>(client.decide(root.id, "iterate", { feedback: "shorter" }), 202);
  await client.reached(child.id, "completed");
  const grandchild = await answered<Job>(client.decide(child.id, "iterate", { feedback: "longer" }), 202);
  await client.reached(grandchild.id, "completed");
  const node = (job: Job, parent: string | null, relation: string, title: string) => ({
    id: job.id,
    parent_job_id: parent,
    relation,
    status: "completed",
    title,
    created_at: job["created_at"],
  });
  const expected = {
    root_id: root.id,
    nodes: [
      node(root, null, "root", "hi"),
      node(child, root.id, "iteration", "shorter"),
      node(grandchild, child.id, "iteration", "longer"),
    ],
  };
  for (const job of [root, child, grandchild])
    expect(await client.get(`/api/jobs/${job.id}/lineage`)).toEqual(expected as never);
  expect(await client.job(grandchild.id)).toMatchObject({
    root_job_id: root.id,
    parent_job_id: child.id,
    iteration: 2,
    links: { parent: `/api/jobs/${child.id}` },
  });
});

test("[JOB-6] the transcript starts after a seq, in pages, by types, in snake_case, with the results of tools unchanged", async () => {
  service.model.script = (call) => (call.entries.length === 1 ? [{ say: "Looking. " }, use("c1")] : [{ say: "Seen." }]);
  const job = await run("go");
  interface Page {
    readonly events: { seq: number; type: string; at: string; data: Json }[];
    readonly next_cursor?: string;
  }
  const all = await client.get<Page>(`/api/jobs/${job.id}/transcript-events?limit=100`);
  expect(all.events.map((e) => e.type)).toEqual([
    "job.created",
    "runner.status",
    "job.started",
    "runner.status",
    "transcript.event",
    "transcript.event",
    "usage.updated",
    "transcript.event",
    "transcript.event",
    "runner.status",
    "job.completed",
  ]);
  expect(all.events.map((e) => e.seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(all.events[5]?.data).toEqual({
    kind: "tool_use",
    id: "c1",
    name: "look",
    input: { camelCase: { innerKey: 1 } },
  });
  expect(all.events[7]?.data).toEqual({
    kind: "tool_result",
    tool_use_id: "c1",
    content: "look done",
    is_error: false,
  });
  expect(all.events[10]?.data).toEqual({
    usage: { input_tokens: 14, output_tokens: 6, cached_input_tokens: 0, cache_write_tokens: 0 },
    stop_reason: "stop",
  });
  expect(all.next_cursor).toBeUndefined();
  const some = await client.get<Page>(
    `/api/jobs/${job.id}/transcript-events?types=transcript.event,job.created&limit=3`,
  );
  expect(some.events.map((e) => e.seq)).toEqual([1, 5, 6]);
  const rest = await client.get<Page>(
    `/api/jobs/${job.id}/transcript-events?types=transcript.event&after=${some.next_cursor}`,
  );
  expect(rest.events.map((e) => e.seq)).toEqual([8, 9]);
  const ask = (query: string) => client.call("GET", `/api/jobs/${job.id}/transcript-events?${query}`);
  for (const query of ["after=x", "after=-1", "limit=101", "types=%00"])
    await refused(ask(query), 400, "invalid_request");
  const { errors } = await refused(ask("types=job.created,transcript.events"), 400, "invalid_request");
  expect(errors).toEqual([
    { path: "/types", message: expect.stringContaining("did you mean `transcript.event`?") as unknown },
  ]);
});

test("[SSE-8] [CHAT-3] the model's reasoning is in the transcript and in its message, and is sent to no model again", async () => {
  service.model.script = (call) =>
    call.entries.length === 1 ? [{ think: "I must look." }, { say: "Looking. " }, use("c1")] : [{ say: "Seen." }];
  const job = await run("go");
  const { events } = await client.get<{ events: { data: Json }[] }>(
    `/api/jobs/${job.id}/transcript-events?types=transcript.event`,
  );
  expect(events[0]?.data).toEqual({ kind: "reasoning", text: "I must look." });
  const { messages } = await client.get<{
    messages: { content: string; blocks: { type: string; text?: string }[] }[];
  }>(`/api/chats/${job.chat_id}/messages`);
  const answer = messages.find((message) => message.blocks.some((block) => block.type === "reasoning"));
  expect(answer?.content).toBe("Looking. \n\nSeen.");
  expect(answer?.blocks[0]).toEqual({ type: "reasoning", text: "I must look." });
  await client.send(job.chat_id as string, "and now?");
  await service.model.called(3);
  expect(JSON.stringify(service.model.calls[2]?.entries)).not.toContain("I must look.");
});
