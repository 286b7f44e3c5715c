/**
 * Some servers give the calls of each answer the same ids again. The second step's call then ran with
 * the arguments of the first one, also where a person had approved others; and of two calls with one id
 * in a step, approving one let the other go too.
 */
import { beforeAll, beforeEach, expect, test } from "bun:test";
import type { JsonObject } from "../../actors/schema.ts";
import { STEP_CALLS } from "../../actors/job/run/step-calls.ts";
import { answered, type Job } from "../support/current.ts";
import { FakeTools } from "../support/fake-tools.ts";
import { sceneOfFile } from "../support/scene.ts";

let agent: string;
const tools = new FakeTools();

const { service, owner, client } = sceneOfFile({ tools });
beforeAll(async () => void (agent = await client.agent({ allowed_tools: ["look", "send"], approval_tools: ["send"] })));
beforeEach(() => {
  tools.calls.length = 0;
  tools.script = ({ input }) => ({ content: `saw ${JSON.stringify(input)}`, isError: false });
});

const use = (name: string, input: JsonObject, id = "call_0") =>
  ({ use: { type: "tool_use", id, name, input } }) as const;
/** What the model says in each of its steps, one after the other. */
const steps = (...scripts: (readonly ReturnType<typeof use>[])[]): void => {
  let step = 0;
  service.model.script = () => scripts[step++] ?? [{ say: "Done." }];
};
const begin = async (): Promise<string> =>
  (await client.send(await client.chat(agent, owner.workspaceId), "go")).job.id;
const inputs = () => tools.calls.map(({ input }) => input);
const toolUseIds = async (jobId: string): Promise<unknown[]> => {
  const { events } = await client.get<{ events: { data: JsonObject }[] }>(
    `/api/jobs/${jobId}/transcript-events?limit=100&types=transcript.event`,
  );
  return events.filter(({ data }) => data["kind"] === "tool_use").map(({ data }) => data["id"]);
};

test("[JOB-12] a call whose id an earlier step had runs with its own arguments, under its own id", async () => {
  steps([use("look", { at: "one" })], [use("look", { at: "two" })], [use("look", { at: "three" }, "")]);
  const jobId = await begin();
  await client.reached(jobId, "completed");
  expect(inputs()).toEqual([{ at: "one" }, { at: "two" }, { at: "three" }]);
  expect(new Set(tools.calls.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(3);
  expect(await toolUseIds(jobId)).toEqual(["call_0", "call_2_1", "call_3_1"]);
});

test("[JOB-12] [JOB-8] exactly the call that a person approves is made", async () => {
  steps([use("send", { to: "Ada" })], [use("send", { to: "everybody" })]);
  const jobId = await begin();
  await client.reached(jobId, "blocked");
  await answered(client.decide(jobId, "approve"));
  const again = await client.reached(jobId, "blocked");
  expect(again.approvals.map((approval) => approval.arguments)).toEqual([{ to: "Ada" }, { to: "everybody" }]);
  await answered(client.decide(jobId, "approve"));
  await client.reached(jobId, "completed");
  expect(inputs()).toEqual([{ to: "Ada" }, { to: "everybody" }]);
});

test("[JOB-12] [JOB-9] if two calls of a step have the same id, approving one does not approve the other", async () => {
  steps([use("send", { to: "Ada" }), use("send", { to: "everybody" })]);
  const jobId = await begin();
  const { approvals } = await client.reached(jobId, "blocked");
  expect(new Set(approvals.map(({ tool_call_id }) => tool_call_id)).size).toBe(2);
  const [first, second] = approvals;
  const half = await answered<Job>(client.decide(jobId, "approve", { tool_call_id: first?.tool_call_id }));
  expect(half).toMatchObject({
    status: "blocked",
    approvals: [
      { id: first?.id, decision: "approve" },
      { id: second?.id, decision: null },
    ],
  });
  await answered(client.decide(jobId, "approve", { approval_id: second?.id, decision: "deny" }));
  await client.reached(jobId, "completed");
  expect(inputs()).toEqual([{ to: "Ada" }]);
});

test("[JOB-12] a step makes a limited number of calls, and the others are reported to the model", async () => {
  steps(Array.from({ length: STEP_CALLS + 2 }, (_, n) => use("look", { n }, `c${n}`)));
  await client.reached(await begin(), "completed");
  expect(inputs()).toEqual(Array.from({ length: STEP_CALLS }, (_, n) => ({ n })));
  const blocks = service.model.calls
    .at(-1)
    ?.entries.flatMap((entry) => (entry.role === "assistant" ? entry.blocks : []));
  const results = (blocks ?? []).filter((block) => block.type === "tool_result");
  expect(results).toHaveLength(STEP_CALLS + 2);
  expect(results.filter(({ is_error }) => is_error).map(({ tool_use_id, content }) => [tool_use_id, content])).toEqual(
    [STEP_CALLS, STEP_CALLS + 1].map((n) => [`c${n}`, expect.stringContaining(`${STEP_CALLS}`)]),
  );
});
