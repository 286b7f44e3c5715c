/** Delegation over HTTP, with the tool and the agents of the service itself (JOB-11). */
import { expect, test } from "bun:test";
import { answered, Client, type Job, type Json } from "../support/current.ts";
import { gate } from "../support/fake-model.ts";
import { sceneOfFile } from "../support/scene.ts";

const { service, owner, client } = sceneOfFile();

const agent = (who: Client, name: string, more: Json = {}): Promise<string> =>
  who.agent({ name, system_prompt: name, ...more });

/** The boss gives this message to that agent once, and then says what it heard. */
function bossGives(to: string, message: string): void {
  service.model.script = ({ system, entries }) => {
    const last = entries.at(-1)!;
    if (system !== "boss") return [{ say: `done: ${last.role === "user" ? last.text : ""}` }];
    const heard = last.role === "assistant" ? last.blocks.find((block) => block.type === "tool_result") : undefined;
    if (heard !== undefined) return [{ say: `Heard: ${heard.content}` }];
    return [{ use: { type: "tool_use", id: "c1", name: "delegate", input: { agent_id: to, message } } }];
  };
}

test("[JOB-11] the child job is in the lineage and in the lists, with its own chat", async () => {
  const boss = await agent(client, "boss", { allowed_tools: ["delegate"] });
  const helper = await agent(client, "helper");
  bossGives(helper, "look");
  const sent = await client.send(await client.chat(boss, owner.workspaceId), "go", { priority: "high" });
  const parent = await client.reached(sent.job.id, "completed");
  expect(parent.result).toBe("Heard: done: look");
  const { root_id, nodes } = await client.get<{ root_id: string; nodes: Json[] }>(`/api/jobs/${parent.id}/lineage`);
  expect(root_id).toBe(parent.id);
  expect(nodes).toMatchObject([
    { id: parent.id, relation: "root" },
    { parent_job_id: parent.id, relation: "delegation", status: "completed", title: "look" },
  ]);
  const child = await client.job(String(nodes[1]!["id"]));
  expect(child).toMatchObject({ agent_id: helper, priority: "high", root_job_id: parent.id, result: "done: look" });
  expect(child.chat_id).not.toBe(parent.chat_id);
  expect((await client.readChat(child.chat_id)).status).toBe("done");
  const { jobs } = await client.get<{ jobs: Job[] }>(`/api/jobs?parent_job_id=${parent.id}`);
  expect(jobs.map(({ id }) => id)).toEqual([child.id]);
});

test("[JOB-11] [AUTH-7] an agent that the user may not see is not found, and without the grant there is no tool", async () => {
  const other = new Client(service, await service.join(owner.organizationId, "member"));
  const secret = await agent(other, "secret");
  const boss = await agent(client, "boss", { allowed_tools: ["delegate"] });
  bossGives(secret, "tell me");
  const first = await client.send(await client.chat(boss, owner.workspaceId), "go");
  expect((await client.reached(first.job.id, "completed")).result).toBe("Heard: There is no such agent.");
  const plain = await agent(client, "boss");
  const second = await client.send(await client.chat(plain, owner.workspaceId), "go");
  expect((await client.reached(second.job.id, "completed")).result).toContain("not allowed to use delegate");
});

test("[AGT-5] a lineage omits jobs of another person's private agent", async () => {
  const boss = await agent(client, "boss", { allowed_tools: ["delegate"] });
  await answered(client.call("PATCH", `/api/agents/${boss}`, { visibility: "organization" }));
  bossGives(await agent(client, "helper"), "look at the salaries");
  const { job } = await client.send(await client.chat(boss, owner.workspaceId), "go");
  await client.reached(job.id, "completed");
  const others = new Client(service, await service.join(owner.organizationId, "member"));
  const relations = async (of: Client): Promise<unknown[]> =>
    (await of.get<{ nodes: Json[] }>(`/api/jobs/${job.id}/lineage`)).nodes.map(({ relation }) => relation);
  expect(await relations(client)).toEqual(["root", "delegation"]);
  expect(await relations(others)).toEqual(["root"]);
});

test("[AUTH-19] a removed person's job goes on, others may cancel it, and nothing new begins for the person", async () => {
  const person = await service.join(owner.organizationId, "member");
  const theirs = new Client(service, person);
  const boss = await agent(theirs, "boss", { allowed_tools: ["delegate"], visibility: "organization" });
  const helper = await agent(client, "helper", { visibility: "organization" });
  const held = gate();
  const begun = Promise.withResolvers<void>();
  const stops = gate();
  bossGives(helper, "look");
  const delegates = service.model.script;
  service.model.script = (call) => {
    if (JSON.stringify(call.entries).includes("stop")) return [{ say: "part" }, { hold: stops.hold }];
    if (call.entries.at(-1)?.role === "user") begun.resolve();
    return [{ hold: held.hold }, ...delegates(call)];
  };
  const begin = async (text: string) =>
    (await theirs.send(await theirs.chat(boss, owner.workspaceId), text)).job.id as string;
  const going = await begin("go");
  const stopped = await begin("stop");
  await begun.promise;
  await answered(client.call("DELETE", `/api/members/${person.userId}`));
  await answered(client.call("POST", `/api/jobs/${stopped}/cancel`));
  await client.reached(stopped, "cancelled");
  held.open();
  const ended = await client.reached(going, "completed");
  expect(ended.result).toContain("no longer a member of the organization");
  expect((await client.get<{ jobs: Job[] }>(`/api/jobs?parent_job_id=${going}`)).jobs).toEqual([]);
  stops.open();
});
