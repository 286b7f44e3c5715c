/** What a provider wants back of a job's steps: over a restart, into the next turn, and shown to nobody. */
import { afterAll, expect, test } from "bun:test";
import { createModels } from "../../src/runner/models.ts";
import { answered, Client, type Json } from "../support/current.ts";
import { NO_MODELS } from "../support/model-calls.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { type Service, startService } from "../support/service.ts";
import { framesOf, type StreamServer, startStreamServer } from "../support/stream-server.ts";
import { createAgent, execute } from "../support/v1.ts";

const SECRET = "b3BhcXVlLXNpZ25hdHVyZQ==";
const choice = (delta: object, finish: string | null = null): object => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const call = { index: 0, id: "c", type: "function", function: { name: "current_time", arguments: "{}" } };
const CALLS = framesOf(
  choice({ reasoning_content: "Which time?" }),
  choice({ tool_calls: [{ ...call, extra_content: { google: { thought_signature: SECRET } } }] }),
  choice({}, "tool_calls"),
);
const ANSWERS = framesOf(choice({ content: "Noon." }), choice({}, "stop"));

const provider: StreamServer = startStreamServer();
afterAll(() => provider.stop());
/** It calls a tool in the first step of each turn, and answers in the second one; a summary has no tools. */
provider.answerTo = (body) => {
  const { messages, tools = [] } = body as { messages: Json[]; tools?: Json[] };
  return tools.length > 0 && messages.at(-1)?.["role"] === "user" ? CALLS : ANSWERS;
};

const open = (testDatabase: Awaited<ReturnType<typeof createTestDatabase>>): Promise<Service> =>
  startService({
    testDatabase,
    models: createModels({ ...NO_MODELS, model: "openai-compatible:m", openaiBaseUrl: provider.baseUrl }),
  });
const sent = (at: number): Json[] => (provider.bodies.at(at) as { messages: Json[] }).messages;
const KEPT = {
  reasoning_content: "Which time?",
  tool_calls: [{ extra_content: { google: { thought_signature: SECRET } } }],
};

test("[RUN-22] state goes back in the next step and, after a restart, in the next turn; clients never see it; a summary ends it", async () => {
  const testDatabase = await createTestDatabase();
  let service = await open(testDatabase);
  try {
    const owner = await service.found();
    let client = new Client(service, owner);
    const agent = await createAgent(service, owner);
    const chat = await client.chat(agent, owner.workspaceId);
    const first = (await client.send(chat, "What time is it?")).job.id;
    await client.reached(first, "completed");
    expect(sent(-1).at(-2)).toMatchObject(KEPT);

    await service.stop();
    service = await open(testDatabase);
    client = new Client(service, owner);
    const second = (await client.send(chat, "And now?")).job.id;
    await client.reached(second, "completed");
    expect(sent(-2).find(({ role }) => role === "assistant")).toMatchObject(KEPT);

    const shown = [
      `/api/chats/${chat}/messages`,
      `/api/chats/${chat}/events?replay=all&wait=end`,
      `/api/jobs/${first}`,
      `/api/jobs/${first}/transcript-events`,
      `/api/jobs/${first}/events?replay=all`,
    ];
    for (const path of shown) {
      const text = await (await client.call("GET", path)).text();
      expect(text).toContain("current_time".slice(0, path.endsWith(first) ? 0 : undefined));
      expect(text).not.toMatch(new RegExp(`${SECRET}|provider_?state`, "i"));
    }
    const streamed = await execute(service, owner, agent, { message: "hi", stream: true });
    expect(await streamed.text()).not.toMatch(new RegExp(`${SECRET}|provider_?state|Which time`, "i"));

    const compacted = await answered<Json>(client.call("POST", `/api/chats/${chat}/compact`, {}), 202);
    await client.reached((compacted["job"] as Json)["id"] as string, "completed");
    const third = (await client.send(chat, "Still?")).job.id;
    await client.reached(third, "completed");
    expect(JSON.stringify(sent(-2))).not.toContain(SECRET);
  } finally {
    await service.stop();
    await testDatabase.drop();
  }
});
