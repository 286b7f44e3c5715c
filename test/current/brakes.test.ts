/** The operator's brakes (AUTH-11, AGT-7): what they stop, what they leave, and how they are released. */
import { beforeEach, expect, test } from "bun:test";
import { runCommand } from "../support/admin.ts";
import { answered, Client, type Job, refused } from "../support/current.ts";
import { StreamReader } from "../support/event-streams.ts";
import { gate } from "../support/fake-model.ts";
import { personOfFile, sceneOfTest } from "../support/scene.ts";
import type { Caller, Founded } from "../support/service.ts";
import { createAgent } from "../support/v1.ts";

let agent: string;

const { service, owner, client } = sceneOfTest();
const bystander = personOfFile(() => service.found("Bystander"));
beforeEach(async () => {
  service.model.script = () => [{ say: "done" }];
  agent = await createAgent(service, owner);
});

/** A job that runs until it is stopped. */
async function running(by: Client = client, of: Founded = owner, agentId = agent): Promise<Job> {
  const hold = gate();
  service.model.script = () => [{ say: "on it" }, hold];
  const { job } = await by.send(await by.chat(agentId, of.workspaceId), "work");
  return by.reached(job.id, "running");
}

async function open(by: Caller, jobId: string): Promise<StreamReader> {
  const headers = { authorization: `Bearer ${by.token}` };
  const reader = await StreamReader.open(`${service.url}/api/jobs/${jobId}/events`, headers);
  await reader.saw("snapshot");
  return reader;
}

const brake = (command: string, options: Record<string, string> = {}): Promise<string> =>
  runCommand(service, command, { org: owner.organizationId, ...options });

test("[AUTH-11] a suspended organization is refused on both surfaces, and its jobs and streams end", async () => {
  const job = await running();
  const stream = await open(owner, job.id);
  const other = new Client(service, bystander);
  const untouched = await running(other, bystander, await createAgent(service, bystander));

  expect(await brake("org suspend")).toContain("is suspended: its tokens are refused");
  await stream.ended;
  expect(stream.frames.at(-1)).toMatchObject({ event: "stream.closing", data: { reason: "revoked" } });
  await refused(service.call(owner, "GET", "/api/agents"), 403, "organization_suspended");
  await refused(service.call(owner, "GET", `/api/jobs/${job.id}/events`), 403, "organization_suspended");
  const v1 = await service.call(owner, "POST", `/api/v1/agents/${agent}/execute`, { message: "hi" });
  expect(await answered(v1, 403)).toMatchObject({
    statusMessage: "Forbidden",
    message: "The operator of the service has suspended this organization",
  });
  // A token that never counted learns nothing of it.
  await refused(service.call({ ...owner, token: `${owner.token}x` }, "GET", "/api/agents"), 401, "unauthenticated");
  expect((await other.get<Job>(`/api/jobs/${untouched.id}`)).status).toBe("running");

  expect(await runCommand(service, "org list", {})).toMatch(new RegExp(`${owner.organizationId} .* suspended `));
  expect(await brake("org resume")).toContain("is active");
  await client.reached(job.id, "cancelled");
  service.model.script = () => [{ say: "back" }];
  const { job: next } = await client.send(await client.chat(agent, owner.workspaceId), "again");
  await client.reached(next.id, "completed");
  await open(owner, next.id);
});

test("[AUTH-11] nobody executes a public agent of a suspended organization", async () => {
  await answered(service.call(owner, "PATCH", `/api/agents/${agent}`, { visibility: "public" }));
  const execute = () => service.call(bystander, "POST", `/api/v1/agents/${agent}/execute`, { message: "hi" });
  expect(await answered(execute())).toMatchObject({ success: true });
  await brake("org suspend");
  expect((await execute()).status).toBe(403);
});

test("[JOB-13] `admin jobs cancel` stops queued, running and blocked jobs, of one agent or of all", async () => {
  const [first, second] = [await running(), await running()];
  const spared = await running(client, owner, await createAgent(service, owner));
  expect(await brake("jobs cancel", { agent })).toContain("2 jobs were cancelled");
  for (const { id } of [first, second]) await client.reached(id, "cancelled");
  expect((await client.get<Job>(`/api/jobs/${spared.id}`)).status).toBe("running");
  expect(await brake("jobs cancel")).toContain("1 job was cancelled");
  await client.reached(spared.id, "cancelled");
  expect(await brake("jobs cancel")).toContain("no job was queued, running or blocked");
  expect(await brake("jobs cancel", { agent: "agt_mistyped" })).toEndWith(
    ", agent agt_mistyped: no job was queued, running or blocked.",
  );
});

test("[AGT-7] a disabled agent stops and begins nothing until it is enabled", async () => {
  const job = await running();
  const chatId = job.chat_id;
  expect(await brake("agent disable", { id: agent })).toContain("1 job was cancelled");
  await client.reached(job.id, "cancelled");
  await refused(service.call(owner, "POST", `/api/chats/${chatId}/messages`, { content: "hi" }), 409, "invalid_state");
  await refused(service.call(owner, "POST", `/api/jobs/${job.id}/resume`, {}), 409, "invalid_state");
  expect((await service.call(owner, "POST", `/api/v1/agents/${agent}/execute`, { message: "hi" })).status).toBe(409);
  expect((await client.get<{ id: string }>(`/api/agents/${agent}`)).id).toBe(agent);
  await brake("agent enable", { id: agent });
  service.model.script = () => [{ say: "back" }];
  const { job: next } = await client.send(chatId, "again");
  await client.reached(next.id, "completed");
});

test("[START-52] a brake on something that does not exist is refused", async () => {
  expect(brake("agent disable", { id: "agt_none" })).rejects.toThrow("There is no such agent");
  expect(runCommand(service, "org suspend", { org: "org_none" })).rejects.toThrow("There is no organization org_none");
});
