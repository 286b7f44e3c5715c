/** Chats and jobs of a private agent, as others of the organization meet them (AGT-5). */
import { beforeAll, expect, test } from "bun:test";
import { answered, Client, type Job, type Json, refused } from "../support/current.ts";
import { FakeTools } from "../support/fake-tools.ts";
import { personOfFile, sceneOfFile } from "../support/scene.ts";

let mine: Client;
let theirs: Client;
const tools = new FakeTools();

const { service, owner } = sceneOfFile({ tools });
const other = personOfFile(() => service.join(owner.organizationId));
beforeAll(() => {
  mine = new Client(service, owner);
  theirs = new Client(service, other);
  tools.script = () => ({ content: "sent", isError: false });
});

const agentOf = (client: Client): Promise<string> =>
  client.agent({ allowed_tools: ["send"], approval_tools: ["send"] });
const share = async (client: Client, agent: string, visibility: string): Promise<void> =>
  void (await answered(client.call("PATCH", `/api/agents/${agent}`, { visibility })));
/** A job that waits for an approval, in a chat of its own. */
const waiting = async (client: Client, agent: string): Promise<Job> => {
  service.model.script = ({ entries }) =>
    entries.length === 1 ? [{ use: { type: "tool_use", id: "c1", name: "send", input: {} } }] : [{ say: "Done." }];
  const { job } = await client.send(await client.chat(agent, owner.workspaceId), "Send the salaries.");
  return client.reached(job.id, "blocked");
};
const idsOf = async (client: Client, plural: "chats" | "jobs", query = ""): Promise<unknown[]> => {
  const list = await client.get<Record<string, readonly Json[]>>(`/api/${plural}?limit=100${query}`);
  return (list[plural] ?? []).map(({ id }) => id);
};

/** Every operation on a chat or a job, as somebody asks for it who has its id. */
const operations = ({ id, chat_id }: Job): readonly (readonly [string, string, object?])[] => [
  ["GET", `/api/chats/${chat_id}`],
  ["GET", `/api/chats/${chat_id}/messages`],
  ["GET", `/api/chats/${chat_id}/events?wait=end`],
  ["POST", `/api/chats/${chat_id}/messages`, { content: "Hello" }],
  ["PATCH", `/api/chats/${chat_id}/options`, { auto_approve: true }],
  ["GET", `/api/jobs/${id}`],
  ["GET", `/api/jobs/${id}/events`],
  ["GET", `/api/jobs/${id}/lineage`],
  ["GET", `/api/jobs/${id}/transcript-events`],
  ["POST", `/api/jobs/${id}/approve`, {}],
  ["POST", `/api/jobs/${id}/resume`, {}],
  ["POST", `/api/jobs/${id}/iterate`, { feedback: "More." }],
  ["POST", `/api/jobs/${id}/cancel`, {}],
  ["DELETE", `/api/chats/${chat_id}`],
];

test("[AGT-5] operations on the work of a private agent are refused to everybody else, and change nothing", async () => {
  const job = await waiting(mine, await agentOf(mine));
  for (const [method, path, body] of operations(job)) await refused(theirs.call(method, path, body), 404, "not_found");
  expect(await mine.job(job.id)).toMatchObject({ status: "blocked", version: job.version });
  expect(await mine.readChat(job.chat_id)).toMatchObject({ message_count: 2, options: { auto_approve: false } });
});

test("[AGT-5] lists omit it for others, whatever the filter", async () => {
  const agent = await agentOf(mine);
  const job = await waiting(mine, agent);
  for (const query of ["", `&agent_id=${agent}`]) {
    expect(await idsOf(theirs, "chats", query)).not.toContain(job.chat_id);
    expect(await idsOf(theirs, "jobs", query)).not.toContain(job.id);
    expect(await idsOf(mine, "chats", query)).toContain(job.chat_id);
    expect(await idsOf(mine, "jobs", query)).toContain(job.id);
  }
});

test("[AGT-5] the agent's creator and the person who started the work still see it when the agent becomes private or is deleted", async () => {
  const agent = await agentOf(mine);
  await share(mine, agent, "organization");
  const begun = await waiting(theirs, agent);
  const own = await waiting(mine, agent);
  expect(await theirs.job(own.id)).toMatchObject({ id: own.id });
  await share(mine, agent, "private");
  await refused(theirs.call("GET", `/api/jobs/${own.id}`), 404, "not_found");
  await answered(mine.call("DELETE", `/api/agents/${agent}`));
  await refused(theirs.call("GET", `/api/jobs/${own.id}`), 404, "not_found");
  for (const client of [mine, theirs]) {
    expect(await client.job(begun.id)).toMatchObject({ id: begun.id });
    expect(await idsOf(client, "jobs")).toContain(begun.id);
    expect(await idsOf(client, "chats")).toContain(begun.chat_id);
  }
  expect(await idsOf(theirs, "jobs")).not.toContain(own.id);
});
