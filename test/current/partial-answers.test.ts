/** Answers that end too soon: cut at a limit, filtered, refused. What is shown of them, and what is not done for them. */
import { beforeEach, describe, expect, test } from "bun:test";
import type { StopReason } from "../../actors/job/stop-reason.ts";
import { answered, type Job, type Json } from "../support/current.ts";
import { eventsAfter, feedHead } from "../support/event-feed.ts";
import type { ModelStep } from "../support/fake-model.ts";
import { sceneOfTest } from "../support/scene.ts";

let agent: string;
/** What the model does, call by call; the last again and again. */
let steps: readonly (readonly ModelStep[])[];

const { service, owner, client } = sceneOfTest();
beforeEach(async () => {
  agent = await client.agent({ system_prompt: "x", allowed_tools: ["create_task"] });
  let calls = 0;
  service.model.script = ({ purpose }) =>
    purpose === "summary" ? [{ say: "They have" }, { stop: "length" }] : steps[Math.min(calls++, steps.length - 1)]!;
});

async function done(status: string, message: Json = {}): Promise<Job & Json> {
  const { job } = await client.send(await client.chat(agent, owner.workspaceId), "hello", message);
  return (await client.reached(job.id, status)) as Job & Json;
}
const execute = async (stream: boolean): Promise<Response> =>
  await service.call(owner, "POST", `/api/v1/agents/${agent}/execute`, { message: "hello", stream });

const CUT: readonly (readonly [StopReason, RegExp])[] = [
  ["length", /limit of tokens/],
  ["content_filter", /filter/],
  ["refusal", /declined/],
];

for (const [reason, words] of CUT)
  describe(`an answer that ended by ${reason}`, () => {
    test("[RUN-27] says so in the job, the message, the transcript, the webhook event and v1", async () => {
      steps = [[{ say: "Half" }, { stop: reason }]];
      const before = await feedHead(client);
      const job = await done("completed");
      expect(job).toMatchObject({ result: "Half", stop_reason: reason });
      expect(job.warnings).toMatchObject([{ code: "answer_cut", message: expect.stringMatching(words) }]);
      expect((await client.messages(job.chat_id)).at(-1)).toMatchObject({ content: "Half", stop_reason: reason });
      const { events } = await client.get<{ events: { data: Json }[] }>(
        `/api/jobs/${job.id}/transcript-events?types=transcript.event`,
      );
      expect(events.map(({ data }) => data)).toMatchObject([{ kind: "assistant_text", stop_reason: reason }]);
      const told = (await eventsAfter(client, before)).find(({ type }) => type === "job.completed");
      expect(told?.data).toMatchObject({ stop_reason: reason });
      const whole = (await (await execute(false)).json()) as Json;
      expect(whole).toMatchObject({ success: true, result: "Half", stopReason: reason });
      expect(whole["notice"]).toMatch(words);
      const text = await (await execute(true)).text();
      expect(text).toContain(`"stopReason":"${reason}"`);
    });

    test("[RUN-27] is a failure if it is empty", async () => {
      steps = [[{ think: "Hm." }, { stop: reason }]];
      const job = await done("failed");
      expect(job).toMatchObject({ error: { code: "no_answer" }, stop_reason: reason });
      expect(job.error).toMatchObject({ message: expect.stringMatching(words) });
      expect(job.metrics).toMatchObject({ input_tokens: 7, output_tokens: 3 });
      expect((await execute(false)).ok).toBe(false);
    });

    test("[RUN-27] makes none of its calls, and the model gets the reason and is asked again", async () => {
      const call = { type: "tool_use", id: "c1", name: "create_task", input: { title: "cut" } } as const;
      steps = [[{ say: "I add it." }, { use: call }, { stop: reason }], [{ say: "Done." }]];
      const job = await done("completed");
      expect(job).toMatchObject({ result: "I add it.\n\nDone.", stop_reason: "stop", warnings: [] });
      expect(job.metrics).toMatchObject({ tool_calls: 0 });
      const { tasks } = await answered<{ tasks: Json[] }>(client.call("GET", "/api/v1/tasks"));
      expect(tasks).toEqual([]);
      const last = service.model.calls.at(-1)!.entries.at(-1)!;
      expect(JSON.stringify(last)).toContain("Not made: ");
    });
  });

test("[RUN-27] a model whose calls are cut repeatedly is asked again only within the budget", async () => {
  const call = { type: "tool_use", id: "c1", name: "create_task", input: {} } as const;
  steps = [[{ use: call }, { stop: "length" }]];
  expect(await done("blocked", { budget: { max_steps: 3 } })).toMatchObject({ blocked_reason: "budget_reached" });
  expect(service.model.calls.filter(({ origin }) => origin.organizationId === owner.organizationId)).toHaveLength(3);
});

test("[RUN-27] a complete answer reports that it ended by itself, and v1 reports nothing", async () => {
  steps = [[{ say: "Whole" }]];
  const job = await done("completed");
  expect(job).toMatchObject({ stop_reason: "stop", warnings: [] });
  expect((await client.messages(job.chat_id)).at(-1)).toMatchObject({ stop_reason: "stop" });
  expect(await (await execute(false)).json()).not.toHaveProperty("stopReason");
});

test("[RUN-27] a truncated summary replaces nothing", async () => {
  steps = [[{ say: "Whole" }]];
  const chat = await client.chat(agent, owner.workspaceId);
  const { job: first } = await client.send(chat, "one");
  await client.reached(first.id, "completed");
  const { job } = await answered<{ job: Job }>(client.call("POST", `/api/chats/${chat}/compact`, {}), 202);
  const failed = await client.reached(job.id, "failed");
  expect(failed.error).toMatchObject({ message: expect.stringMatching(/summary.* was cut/) });
  expect(await client.readChat(chat)).toMatchObject({ summary: null });
});
