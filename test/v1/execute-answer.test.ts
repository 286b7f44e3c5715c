import { DEFAULT_JOB_LIMITS } from "../../actors/job/limits.ts";
import { expect, test } from "bun:test";
import { type Job, PLAIN_TERMS } from "../../actors/job/schema.ts";
import { newJob } from "../../actors/job/new-job.ts";
import { GOES_ON_NOTICE } from "../../src/v1/execute/schema.ts";
import { answerOf } from "../../src/v1/execute/answer.ts";
import { gate } from "../support/fake-model.ts";
import { HandClock } from "../support/hand-clock.ts";
import { sceneOfFile } from "../support/scene.ts";
import { createAgent, execute, type Executed, success } from "../support/v1.ts";

const clock = new HandClock();

const { service, owner } = sceneOfFile({ overrides: { services: () => ({ clock }) } });

const names = { executionId: "exec-1-a", chatId: "cht_a", sessionId: "ses_a" };
const agent = {
  id: "agt_a",
  name: "A",
  version: 1,
  systemPrompt: "P",
  model: null,
  allowedTools: [],
  approvalTools: [],
  mcpServers: [],
  maxSteps: null,
};
/** Only what an answer reads is right about it. */
const jobIn = (state: Partial<Pick<Job, "status" | "result" | "error" | "runner" | "metrics">>): Job =>
  ({
    ...newJob(
      {
        id: "job_a",
        title: "",
        input: "",
        agent,
        chatId: "cht_a",
        workspaceId: null,
        inputMessageId: "msg_a",
        outputMessageId: "msg_b",
        executionId: "exec-1-a",
        createdBy: "usr_a",
      },
      PLAIN_TERMS,
    ),
    organizationId: "org_a",
    version: 1,
    createdAt: "",
    updatedAt: "",
    ...state,
  }) as Job;

test.each([
  ["approval_required", "", {}],
  ["budget_reached", "half", { result: "half" }],
] as const)("[V1-8] a job that is blocked by %s says so, with its job's id", (blockedReason, result, told) => {
  const state = { status: "blocked", blockedReason, result } as const;
  expect(answerOf({ names, isDemo: false }, jobIn(state as never))).toEqual({
    ok: true,
    value: {
      success: false,
      ...names,
      ...told,
      error: { code: blockedReason, message: expect.stringMatching(/\S/) as string },
      jobId: "job_a",
    },
  });
});

test.each(["cancelled", "running", "queued", "cancelling"] as const)(
  "[V1-8] a job that is %s is answered with success false and the partial text",
  (status) => {
    const answer = answerOf({ names, isDemo: false }, jobIn({ status, result: "Half" }));
    const goesOn = status === "queued" || status === "running" ? { notice: GOES_ON_NOTICE } : {};
    expect(answer).toEqual({ ok: true, value: { success: false, ...names, result: "Half", ...goesOn } });
  },
);

test("[V1-8] the answer never waits longer than the job's deadline; the job continues", async () => {
  const id = await createAgent(service, owner);
  const { hold, open } = gate();
  service.model.script = () => [{ hold }, { say: "late" }];
  const answer = execute(service, owner, id, { message: "hi" });
  await service.model.called(1);
  clock.advance(DEFAULT_JOB_LIMITS.runMs);
  const { success: isSuccess, result, chatId } = await success<Executed>(answer);
  expect([isSuccess, result]).toEqual([false, ""]);
  open();
  service.model.script = () => [{ say: "next" }];
  const next = await success<Executed>(execute(service, owner, id, { message: "more", chatId }));
  expect(next.result).toBe("next");
  expect(service.app.streams.count).toBe(0);
});
