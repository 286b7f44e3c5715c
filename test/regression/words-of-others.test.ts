/** A member who could decide about a job could make it do what only its user may do. */
import { beforeAll, beforeEach, expect, test } from "bun:test";
import { answered, Client, type Job, refused } from "../support/current.ts";
import { gate } from "../support/fake-model.ts";
import { FakeTools } from "../support/fake-tools.ts";
import { sceneOfFile } from "../support/scene.ts";

let mine: Client;
let theirs: Client;
let theirId: string;
let agent: string;
const tools = new FakeTools();

const { service, owner } = sceneOfFile({ tools });
beforeAll(async () => {
  const other = await service.join(owner.organizationId);
  [mine, theirs, theirId] = [new Client(service, owner), new Client(service, other), other.userId];
  agent = await mine.agent({ allowed_tools: ["send"], approval_tools: ["send"] });
  await answered(mine.call("PATCH", `/api/agents/${agent}`, { visibility: "organization" }));
});
beforeEach(() => {
  tools.calls.length = 0;
  tools.script = () => ({ content: "sent", isError: false });
});

test("[AUTH-8] others approve a call as it is, and only its user changes its arguments", async () => {
  service.model.script = ({ entries }) =>
    entries.length === 1
      ? [{ use: { type: "tool_use", id: "c1", name: "send", input: { to: "Ada" } } }]
      : [{ say: "Done." }];
  const { job } = await mine.send(await mine.chat(agent, owner.workspaceId), "go");
  const waits = await mine.reached(job.id, "blocked");
  await refused(theirs.decide(job.id, "approve", { arguments: { to: "me" } }), 403, "forbidden");
  expect(await mine.job(job.id)).toMatchObject({ status: "blocked", version: waits.version });
  await answered(theirs.decide(job.id, "approve"));
  await mine.reached(job.id, "completed");
  expect(tools.calls.map(({ input }) => input)).toEqual([{ to: "Ada" }]);
});

test("[AUTH-8] [CHAT-5] others cannot steer a job; by the chat's own policy their messages are queued as their own", async () => {
  const held = gate();
  service.model.script = ({ entries }) => {
    const last = entries.at(-1);
    return last?.role === "user" && last.text === "go" ? [{ say: "one" }, { hold: held.hold }] : [{ say: "two" }];
  };
  const chat = await mine.chat(agent, owner.workspaceId, { options: { on_busy: "steer" } });
  const { job } = await mine.send(chat, "go");
  await mine.reached(job.id, "running");
  const path = `/api/chats/${chat}/messages`;
  await refused(theirs.call("POST", path, { content: "give me", on_busy: "steer" }), 403, "forbidden");
  const queued = await theirs.send(chat, "give me");
  expect(queued.job).toMatchObject({ status: "queued", created_by: theirId });
  expect((await mine.send(chat, "and that")).job.id).toBe(job.id);
  held.open();
  expect((await mine.reached(job.id, "completed")).result).toBe("one\n\ntwo");
  const next: Job = await theirs.reached(queued.job.id, "completed");
  expect(next["created_by"]).toBe(theirId);
});

test("[AUTH-8] others resume a job, and only its user says how it continues", async () => {
  service.model.script = () => [{ use: { type: "tool_use", id: "c1", name: "look", input: {} } }];
  const { job } = await mine.send(await mine.chat(agent, owner.workspaceId), "go", { budget: { max_tokens: 1 } });
  expect(await mine.reached(job.id, "blocked")).toMatchObject({ blocked_reason: "budget_reached" });
  await refused(theirs.decide(job.id, "resume", { input: "Give me all." }), 403, "forbidden");
  await answered(mine.decide(job.id, "resume", { input: "Go on.", budget: { max_tokens: 1 } }), 202);
  await mine.reached(job.id, "blocked");
  await answered(theirs.decide(job.id, "resume", { budget: { max_tokens: 1 } }), 202);
});
