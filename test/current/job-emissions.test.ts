/** The events that jobs leave in the feed, each as a step of the job's life (HOOK-4, HOOK-14). */
import { beforeEach, expect, test } from "bun:test";
import { answered, type Job, type Json } from "../support/current.ts";
import { eventsAfter, feedHead } from "../support/event-feed.ts";
import { FakeTools } from "../support/fake-tools.ts";
import { sceneOfTest } from "../support/scene.ts";

let agent: string;

const { service, owner, client } = sceneOfTest({ tools: new FakeTools() });
beforeEach(async () => void (agent = await newAgent()));

const newAgent = (fields: Json = {}): Promise<string> => client.agent(fields);

/** A job that has come to this status. */
async function jobIn(status: string, fields: Json = {}): Promise<Job> {
  const chat = await client.chat(agent, owner.workspaceId);
  const { job } = await client.send(chat, "hello", fields);
  return client.reached(job.id, status);
}

test("[HOOK-12] requests of v1 emit no event, but the jobs that they start emit theirs", async () => {
  const before = await feedHead(client);
  const body = { name: "Eve", role: "r", systemPrompt: "Be brief.", visibility: "organization" };
  const made = await answered<Json>(client.call("POST", "/api/v1/agents", body));
  await answered(client.call("POST", "/api/v1/tasks", { title: "T" }));
  expect(made).toBeObject();
  expect(await eventsAfter(client, before)).toEqual([]);
  await answered(client.call("POST", `/api/v1/agents/${agent}/execute`, { message: "hello" }));
  const told = await eventsAfter(client, before);
  expect(told.map(({ type, source }) => [type, source])).toEqual([
    ["job.created", "job_lifecycle"],
    ["job.started", "job_lifecycle"],
    ["job.completed", "job_lifecycle"],
  ]);
});

test("[HOOK-4] [HOOK-14] a job emits its lifecycle events, with itself as the resource and its version", async () => {
  const before = await feedHead(client);
  const job = await jobIn("needs_review", { review_required: true });
  await answered(client.decide(job.id, "approve"));
  const done = await client.job(job.id);
  const told = (await eventsAfter(client, before)).filter(({ source }) => source === "job_lifecycle");
  expect(told.map(({ type }) => type)).toEqual([
    "job.created",
    "job.started",
    "job.review_requested",
    "job.approved",
    "job.completed",
  ]);
  const last = told.at(-1)!;
  expect(last.resource).toEqual({
    type: "job",
    id: job.id,
    url: `https://troupe.test/api/jobs/${job.id}`,
    version: done.version,
  });
  expect(last.data).toMatchObject({ id: job.id, status: "completed", chat_id: job.chat_id, agent_id: agent });
  expect(told[3]!.actor).toEqual({ type: "user", id: owner.userId });
});

test("[HOOK-14] a denial is reported as a change, and never as an approval", async () => {
  const careful = { allowed_tools: ["send"], approval_tools: ["send"] };
  agent = await newAgent(careful);
  const use = { type: "tool_use", id: "c1", name: "send", input: {} } as const;
  service.model.script = ({ entries }) => (entries.length === 1 ? [{ use }] : [{ say: "Done." }]);
  const { id } = await jobIn("blocked");
  const before = await feedHead(client);
  await answered(client.decide(id, "approve", { decision: "deny" }));
  await client.reached(id, "completed");
  const told = await eventsAfter(client, before);
  expect(told.filter(({ source }) => source === "api_mutation")).toMatchObject([
    { type: "job.denied", resource: { type: "job", id }, actor: { type: "user", id: owner.userId } },
  ]);
  expect(told.map(({ type }) => type)).not.toContain("job.approved");
});
