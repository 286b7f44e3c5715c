/** Tools in a service that decides nothing for a moment: a restart, a take-over, a full mailbox. */
import { expect, test } from "bun:test";
import { type Fault, ok, type Outcome, refuse } from "../../actors/fault.ts";
import type { AgentSnapshot } from "../../actors/job/schema.ts";
import type { Agent, Task } from "../../actors/organization/schema.ts";
import { builtinTools, createTools } from "../../src/runner/tools.ts";
import { untilServiceDecides } from "../../src/runner/tools/tool.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { DEAF_HOST, NO_DELEGATIONS, OPENED_AT } from "../support/fake-tools.ts";
import { PAUSES } from "../support/pauses.ts";

const PASSING: readonly Fault[] = [
  { kind: "unavailable", retryAfterMs: 1 },
  { kind: "overloaded", retryAfterMs: 1 },
  { kind: "outcome_unknown", retryAfterMs: 1 },
  { kind: "shutting_down", retryAfterMs: 1 },
];
const ANSWER = { id: "task-1-a", title: "T" } as Task & Agent;
const CONTEXT = { organizationId: "org_1", userId: "usr_1", agentId: "agt_1", jobId: "job_1", missionId: null };

const AGENT: AgentSnapshot = {
  id: "agt_1",
  name: "Ada",
  version: 1,
  systemPrompt: "",
  model: null,
  allowedTools: ["create_task"],
  approvalTools: [],
  mcpServers: [],
  maxSteps: null,
};

for (const [name, input] of [
  ["create_task", { title: "T" }],
  ["list_tasks", {}],
  ["list_agents", {}],
] as const) {
  test(`[JOB-4] [JOB-7] ${name} retries, with the same key, while the service cannot decide`, async () => {
    const keys: unknown[] = [];
    let refusals = 1;
    const answer = async <T>(value: T, key?: string): Promise<Outcome<T>> => {
      keys.push(key);
      return refusals-- > 0 ? refuse(PASSING[0]!) : ok(value);
    };
    const tools = createTools(
      builtinTools({
        tasks: {
          createTask: (_context, _input, { key }) => answer(ANSWER, key),
          listTasks: () => answer([ANSWER]),
          listAgents: () => answer([ANSWER]),
        },
        delegations: NO_DELEGATIONS,
      }),
      { pauses: PAUSES },
    );
    const call = { name, input, idempotencyKey: "job_1:1:0", openedAt: OPENED_AT, context: CONTEXT, host: DEAF_HOST };
    const { signal } = new AbortController();
    const box = await tools.open(AGENT, CONTEXT, signal);
    expect((await box.call(call, signal)).isError).toBe(false);
    expect(keys).toEqual(name === "create_task" ? ["job_1:1:0", "job_1:1:0"] : [undefined, undefined]);
  });
}

test("[JOB-7] a decision is final, a stopped call does not retry, and retries have a limit", async () => {
  const clock = new FakeClock();
  const pauses = { clock, chance: { fraction: () => 1 } };
  let asked = 0;
  const refusing = (fault: Fault) => async (): Promise<Outcome<never>> => {
    asked++;
    return refuse(fault);
  };
  const signal = new AbortController().signal;
  expect(await untilServiceDecides({ pauses, signal }, refusing({ kind: "not_found", noun: "task" }))).toMatchObject({
    ok: false,
  });
  expect(asked).toBe(1);
  for (const fault of PASSING) {
    asked = 0;
    expect(await untilServiceDecides({ pauses, signal: AbortSignal.abort() }, refusing(fault))).toEqual(refuse(fault));
    expect(asked).toBe(1);
    const answer = untilServiceDecides({ pauses, signal }, refusing(fault));
    await clock.advance(31_000);
    expect(await answer).toEqual(refuse(fault));
    expect(asked).toBeWithin(60, 70);
  }
});
