/** What people decide about jobs over HTTP: approve, cancel, resume, iterate (JOB-2, JOB-3, JOB-8, JOB-9, GEN-5). */
import { LONGEST_RUN_MS, DEFAULT_JOB_LIMITS } from "../../actors/job/limits.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { ApprovalScene, use } from "../support/approval-scene.ts";
import { until } from "../support/condition.ts";
import { answered, type Job, type Json, refused } from "../support/current.ts";
import { gate } from "../support/fake-model.ts";

let scene: ApprovalScene;
beforeAll(async () => void (scene = await ApprovalScene.start()));
afterAll(() => scene.service.stop());
beforeEach(() => scene.reset());

describe("resume", () => {
  test("[JOB-2] a failed or cancelled job continues in a child job of the same chat, with the earlier conversation", async () => {
    scene.service.model.script = () => [{ say: "half " }, { fail: { code: "provider_error", message: "no" } }];
    const {
      job,
      chat: { id },
    } = await scene.begin();
    await scene.client.reached(job.id, "failed");
    scene.service.model.script = () => [{ say: "whole" }];
    const child = await answered<Job>(scene.client.decide(job.id, "resume", { input: "go on" }), 202);
    expect(child).toMatchObject({
      parent_job_id: job.id,
      root_job_id: job.id,
      relation: "resume",
      iteration: 0,
      input: "go on",
      chat_id: id,
    });
    await scene.client.reached(child.id, "completed");
    expect(scene.service.model.calls.at(-1)?.entries).toEqual([
      { role: "user", text: "go" },
      { role: "assistant", blocks: [{ type: "text", text: "half " }] },
      { role: "user", text: "go on" },
    ]);
    expect((await scene.client.job(job.id)).status).toBe("failed");
    scene.service.model.script = () => [{ hold: gate().hold }];
    const third = await scene.client.send(id, "again");
    await scene.client.reached(third.job.id, "running");
    await answered(scene.client.decide(third.job.id, "cancel", undefined, "?wait=30"));
    scene.service.model.script = () => [{ say: "now" }];
    const fourth = await answered<Job>(scene.client.decide(third.job.id, "resume"), 202);
    expect(await scene.client.reached(fourth.id, "completed")).toMatchObject({
      relation: "resume",
      input: "again",
      parent_job_id: third.job.id,
      result: "now",
    });
  });

  test("[JOB-2] with a spent budget the job is blocked, and a resume needs a new budget", async () => {
    scene.calling(["c1", "look"]);
    const { job } = await scene.begin({ budget: { max_tokens: 10, max_steps: 5 } });
    expect(await scene.client.reached(job.id, "blocked")).toMatchObject({
      blocked_reason: "budget_reached",
      allowed_actions: ["cancel", "resume"],
      budget: { max_tokens: 10, max_cost: null, max_steps: 5 },
    });
    expect(scene.tools.calls).toEqual([]);
    await refused(scene.client.decide(job.id, "approve"), 409, "invalid_state");
    const bare = scene.client.decide(job.id, "resume", { input: "be quick" });
    expect(await refused(bare, 400, "invalid_request")).toMatchObject({ errors: [{ path: "/budget/max_tokens" }] });
    const more = { input: "be quick", budget: { max_tokens: 11 } };
    expect((await answered<Job>(scene.client.decide(job.id, "resume", more), 202)).status).toBe("running");
    expect(await scene.client.reached(job.id, "completed")).toMatchObject({
      result: "Let me. \n\nDone.",
      budget: { max_tokens: 11, max_cost: null, max_steps: 5 },
    });
    expect(scene.service.model.calls.at(-1)?.entries.at(-1)).toEqual({ role: "user", text: "be quick" });
    expect(scene.tools.calls.length).toBe(1);
  });

  test("[RUN-3] the limits of steps and deadline in a budget are enforced", async () => {
    scene.service.model.script = () => [use(`c${scene.service.model.calls.length}`, "look")];
    const { job } = await scene.begin({ budget: { max_steps: 2 } });
    expect(await scene.client.reached(job.id, "blocked")).toMatchObject({
      blocked_reason: "budget_reached",
      error: null,
    });
    expect(scene.service.model.calls.length).toBe(2);
    expect(await refused(scene.client.decide(job.id, "resume"), 400, "invalid_request")).toMatchObject({
      errors: [{ path: "/budget/max_steps" }],
    });
    for (const budget of [{}, { max_tokens: 1_000 }, { deadline_at: "2100-01-01T00:00:00Z" }])
      expect(await refused(scene.client.decide(job.id, "resume", { budget }), 400, "invalid_request")).toMatchObject({
        errors: [{ path: "/budget/max_steps" }],
      });
    await answered(scene.client.decide(job.id, "resume", { budget: { max_steps: 3 } }), 202);
    await scene.client.reached(job.id, "blocked");
    expect(scene.service.model.calls.length).toBe(5);
    scene.service.model.script = () => [{ say: "so far" }, { hold: gate().hold }];
    const late = await scene.begin({ budget: { deadline_at: new Date(Date.now() + 3_000).toISOString() } });
    expect(await scene.client.reached(late.job.id, "failed")).toMatchObject({ error: { code: "timeout" } });
  });

  test("[RUN-3] a budget may also allow more than the default", async () => {
    scene.service.model.script = (call) =>
      call.entries.length < 2 * DEFAULT_JOB_LIMITS.steps
        ? [use(`c${scene.service.model.calls.length}`, "look")]
        : [{ say: "Done." }];
    const before = Date.now();
    const deadline = new Date(before + 2 * DEFAULT_JOB_LIMITS.runMs).toISOString();
    const { job } = await scene.begin({ budget: { max_steps: DEFAULT_JOB_LIMITS.steps + 1, deadline_at: deadline } });
    expect(await scene.client.reached(job.id, "blocked")).toMatchObject({
      blocked_reason: "budget_reached",
      budget: { max_steps: DEFAULT_JOB_LIMITS.steps + 1, deadline_at: deadline },
    });
    expect(scene.service.model.calls.length).toBe(DEFAULT_JOB_LIMITS.steps + 1);
    const forever = await scene.begin({ budget: { deadline_at: "2100-01-01T00:00:00Z", max_steps: 1 } });
    const { budget } = await scene.client.reached(forever.job.id, "blocked");
    const runMs = Date.parse((budget as { deadline_at: string }).deadline_at) - before;
    expect(runMs).toBeGreaterThanOrEqual(LONGEST_RUN_MS);
    expect(runMs).toBeLessThan(LONGEST_RUN_MS + 600_000);
  });

  test("[JOB-9] a deadline in the past is 400, for a message and for a resume", async () => {
    const past = { deadline_at: new Date(Date.now() - 1_000).toISOString() };
    const id = await scene.chat();
    const sent = scene.client.call("POST", `/api/chats/${id}/messages`, { content: "go", budget: past });
    expect(await refused(sent, 400, "invalid_request")).toMatchObject({ errors: [{ path: "/budget/deadline_at" }] });
    scene.calling(["c1", "look"]);
    const { job } = await scene.begin({ budget: { max_tokens: 1 } });
    await scene.client.reached(job.id, "blocked");
    const resumed = scene.client.decide(job.id, "resume", { budget: { max_tokens: 5, ...past } });
    expect(await refused(resumed, 400, "invalid_request")).toMatchObject({ errors: [{ path: "/budget/deadline_at" }] });
  });

  test("[GEN-5] a running or completed job is not resumed", async () => {
    const held = gate();
    scene.service.model.script = () => [{ hold: held.hold }];
    const { job } = await scene.begin();
    await scene.client.reached(job.id, "running");
    expect(await refused(scene.client.decide(job.id, "resume"), 409, "invalid_state")).toEqual({
      status: "running",
      allowed_actions: ["cancel"],
    });
    held.open();
    await scene.client.reached(job.id, "completed");
    await refused(scene.client.decide(job.id, "resume", {}), 409, "invalid_state");
    for (const body of [{ input: 1 }, { input: " " }, { retry_step: "yes" }])
      await refused(scene.client.decide(job.id, "resume", body), 400, "invalid_request");
    const long = { input: "x".repeat(256 * 1024 + 1) };
    expect(await refused(scene.client.decide(job.id, "resume", long), 413, "payload_too_large")).toMatchObject({
      errors: [{ path: "/input" }],
    });
  });
});

describe("review and iterate", () => {
  const inReview = async (): Promise<Job> =>
    scene.client.reached((await scene.begin({ review_required: true })).job.id, "needs_review");

  test("[JOB-2] work that needs a review waits for it, and is completed by the approval", async () => {
    const job = await inReview();
    expect(job).toMatchObject({
      result: "done",
      review: { state: "pending", required: true, decided_by: null },
      allowed_actions: ["approve", "cancel", "iterate"],
    });
    expect((await scene.client.readChat(job.chat_id)).status).toBe("needs_attention");
    await refused(scene.client.decide(job.id, "approve", { decision: "deny" }), 400, "invalid_request");
    const done = await answered<Job>(scene.client.decide(job.id, "approve", { comment: "Good." }));
    expect(done).toMatchObject({
      status: "completed",
      review: { state: "approved", decided_by: scene.owner.userId, comment: "Good." },
    });
    await until("the chat is done", async () => (await scene.client.readChat(job.chat_id)).status === "done");
    expect((await scene.client.messages(job.chat_id)).map((m) => m.status)).toEqual(["completed", "completed"]);
  });

  test("[JOB-9] approve with an approval id or arguments does not approve the review", async () => {
    scene.calling(["c1", "send"]);
    const { job } = await scene.begin({ review_required: true });
    const { approvals } = await scene.client.reached(job.id, "blocked");
    await answered(scene.client.decide(job.id, "approve"));
    await scene.client.reached(job.id, "needs_review");
    const approve = (body: Json) => scene.client.decide(job.id, "approve", body);
    for (const named of [{ approval_id: approvals[0]!.id }, { tool_call_id: "c1" }])
      await refused(approve(named), 409, "invalid_state");
    await refused(approve({ approval_id: "apr_other" }), 404, "not_found");
    await refused(approve({ arguments: { to: "c1" } }), 400, "invalid_request");
    expect((await scene.client.job(job.id)).status).toBe("needs_review");
    expect((await answered<Job>(approve({}))).status).toBe("completed");
  });

  test("[JOB-2] iterate answers the review and starts the next round, which is reviewed too", async () => {
    const job = await inReview();
    scene.service.model.script = () => [{ say: "shorter" }];
    const child = await answered<Job>(scene.client.decide(job.id, "iterate", { feedback: "Shorter, please" }), 202);
    expect(child).toMatchObject({
      relation: "iteration",
      iteration: 1,
      parent_job_id: job.id,
      input: "Shorter, please",
      review: { required: true },
    });
    expect(await scene.client.job(job.id)).toMatchObject({
      status: "completed",
      review: { state: "changes_requested", comment: "Shorter, please", decided_by: scene.owner.userId },
    });
    expect(await scene.client.reached(child.id, "needs_review")).toMatchObject({ result: "shorter" });
    expect(scene.service.model.calls.at(-1)?.entries.map((e) => (e.role === "user" ? e.text : e.blocks))).toEqual([
      "go",
      [{ type: "text", text: "done" }],
      "Shorter, please",
    ]);
    const third = await answered<Job>(scene.client.decide(child.id, "iterate", { feedback: "More" }), 202);
    expect(third).toMatchObject({ iteration: 2, root_job_id: job.id });
    await scene.client.reached(third.id, "needs_review");
  });

  test("[JOB-2] completed and failed jobs may be iterated too; of two concurrent iterates of a review one wins", async () => {
    const { job } = await scene.begin();
    await scene.client.reached(job.id, "completed");
    const child = await answered<Job>(scene.client.decide(job.id, "iterate", { feedback: "again" }), 202);
    expect(await scene.client.job(job.id)).toMatchObject({
      status: "completed",
      review: { state: "changes_requested", comment: "again" },
    });
    await scene.client.reached(child.id, "completed");
    scene.service.model.script = () => [{ fail: { code: "provider_error", message: "no" } }];
    const failed = await scene.client.reached((await scene.client.send(job.chat_id, "x")).job.id, "failed");
    scene.service.model.script = () => [{ say: "ok" }];
    await scene.client.reached(
      (await answered<Job>(scene.client.decide(failed.id, "iterate", { feedback: "again" }), 202)).id,
      "completed",
    );
    expect((await scene.client.job(failed.id)).status).toBe("failed");
  });

  test("[GEN-5] a running or cancelled job is not iterated; feedback is required", async () => {
    scene.service.model.script = () => [{ hold: gate().hold }];
    const { job } = await scene.begin();
    await scene.client.reached(job.id, "running");
    expect(await refused(scene.client.decide(job.id, "iterate", { feedback: "x" }), 409, "invalid_state")).toEqual({
      status: "running",
      allowed_actions: ["cancel"],
    });
    await answered(scene.client.decide(job.id, "cancel", undefined, "?wait=30"));
    expect(await refused(scene.client.decide(job.id, "iterate", { feedback: "x" }), 409, "invalid_state")).toEqual({
      status: "cancelled",
      allowed_actions: ["resume"],
    });
    for (const body of [{}, { feedback: "" }, { feedback: 1 }])
      await refused(scene.client.decide(job.id, "iterate", body), 400, "invalid_request");
    await refused(scene.client.decide(job.id, "iterate"), 415, "unsupported_media_type");
  });

  test("[JOB-4] the invariants hold after all these tests", async () => {
    expect(await scene.client.get<Json>("/api/invariants")).toMatchObject({ ok: true });
  });
});
