/** What an answer cites, on every way to people. */
import { expect, test } from "bun:test";
import type { Citation } from "../../actors/job/citation.ts";
import type { Json } from "../support/current.ts";
import { FakeTools } from "../support/fake-tools.ts";
import { cited } from "../support/recording.ts";
import { sceneOfFile } from "../support/scene.ts";

const tools = new FakeTools();

const { service, owner, client } = sceneOfFile({ tools });

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly citations?: readonly Citation[];
}

function agentOf(more: Json = {}): Promise<string> {
  return client.agent({ allowed_tools: ["look"], ...more });
}

interface Citing {
  readonly result: string;
  readonly citations: readonly Citation[];
}
async function citing(id: string): Promise<Citing> {
  await client.reached(id, "completed");
  return await client.get<Citing>(`/api/jobs/${id}`);
}

const first = cited(0, 4, { title: "A", url: "https://a.example/" });
const second = cited(5, 8, { type: "document", title: "plan.pdf", document_index: 0, first_page: 2, last_page: 2 });

function says(): void {
  service.model.script = ({ entries }) =>
    JSON.stringify(entries.at(-1)).includes("tool_result")
      ? [{ say: "It's two." }, { cite: second }]
      : [{ say: "Look." }, { cite: first }, { use: { type: "tool_use", id: "c1", name: "look", input: {} } }];
}

test("[RUN-16] messages, jobs and the job's stream show what an answer cites", async () => {
  says();
  const chat = await client.chat(await agentOf(), owner.workspaceId);
  const { job } = await client.send(chat, "how many?");
  const done = await citing(job.id);
  const { messages } = await client.get<{ messages: readonly { role: string; blocks: readonly Block[] }[] }>(
    `/api/chats/${chat}/messages`,
  );
  const texts = messages
    .flatMap(({ role, blocks }) => (role === "assistant" ? blocks : []))
    .filter(({ type }) => type === "text");
  expect(texts).toEqual([
    { type: "text", text: "Look.", citations: [first] },
    { type: "text", text: "It's two.", citations: [second] },
  ]);
  // Those of the job are parts of its result.
  expect(done.result).toBe("Look.\n\nIt's two.");
  expect(done.citations).toEqual([first, { ...second, start: 12, end: 15 }]);
  expect(done.citations.map(({ start, end }) => done.result.slice(start, end))).toEqual(["Look", "two"]);
  const stream = await (await client.call("GET", `/api/jobs/${job.id}/events`)).text();
  expect(stream).toContain(`"citations":${JSON.stringify([second])}`);
});

test("[RUN-16] an answer without sources has no citations, and v1 has none", async () => {
  says();
  const agent = await agentOf();
  const response = await client.call("POST", `/api/v1/agents/${agent}/execute`, { message: "how many?", stream: true });
  const stream = await response.text();
  expect(stream).toContain("It's two.");
  expect(stream).not.toContain("citations");
  service.model.script = () => [{ say: "no" }];
  const { job } = await client.send(await client.chat(agent, owner.workspaceId), "again");
  expect(await citing(job.id)).toMatchObject({ citations: [] });
});
