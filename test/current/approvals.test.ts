/** Approvals of tool calls over HTTP (JOB-8, JOB-9). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { ApprovalScene } from "../support/approval-scene.ts";
import { until } from "../support/condition.ts";
import { answered, type Job, type Json, refused } from "../support/current.ts";

let scene: ApprovalScene;
beforeAll(async () => void (scene = await ApprovalScene.start()));
afterAll(() => scene.service.stop());
beforeEach(() => scene.reset());

/** What the model was told that its tools said. */
const results = (): string[] =>
  (scene.service.model.calls.at(-1)?.entries ?? []).flatMap((e) =>
    e.role === "assistant" ? e.blocks.flatMap((b) => (b.type === "tool_result" ? [b.content] : [])) : [],
  );

describe("approve", () => {
  test("[JOB-8] a call of an approval tool blocks the job, and nothing is called before it is approved", async () => {
    scene.calling(["c1", "send"], ["c2", "look"]);
    const job = await scene.blocked();
    expect(scene.tools.calls.map((c) => c.name)).toEqual(["look"]);
    expect(job).toMatchObject({
      blocked_reason: "approval_required",
      allowed_actions: ["approve", "cancel"],
      result: "Let me. ",
      approvals: [
        {
          id: expect.stringMatching(/^apr_/),
          tool_name: "send",
          tool_call_id: "c1",
          arguments: { to: "c1" },
          message: expect.stringContaining("send"),
          on_expiry: "deny",
        },
      ],
    } as never);
    expect(Date.parse((job.approvals[0] as unknown as { expires_at: string }).expires_at) - Date.now()).toBeGreaterThan(
      23 * 3_600_000,
    );
    const id = job.chat_id;
    expect(await scene.client.readChat(id)).toMatchObject({ status: "needs_attention", active_job_id: job.id });
    expect((await scene.client.get<{ work: Json }>(`/api/chats/${id}/messages`)).work).toMatchObject({
      needs_attention: true,
    });
    expect((await answered<Job>(scene.client.decide(job.id, "approve"))).status).toBe("running");
    expect(await scene.client.reached(job.id, "completed")).toMatchObject({
      result: "Let me. \n\nDone.",
      approvals: [{ decision: "approve", decided_by: expect.stringMatching(/^usr_/), decided_at: expect.any(String) }],
      metrics: { tool_calls: 2 },
    });
    expect(scene.tools.calls.map((c) => c.name)).toEqual(["look", "send"]);
    expect((await scene.client.readChat(id)).status).toBe("done");
  });

  test("[JOB-8] the arguments may be edited, by approval_id or by tool_call_id", async () => {
    for (const by of ["approval_id", "tool_call_id"]) {
      scene.calling(["c1", "send"]);
      const job = await scene.blocked();
      const approval = job.approvals[0]!;
      const name = by === "approval_id" ? approval.id : approval.tool_call_id;
      await answered(
        scene.client.decide(job.id, "approve", { [by]: name, decision: "approve", arguments: { to: "somebody else" } }),
      );
      await scene.client.reached(job.id, "completed");
      expect(scene.tools.calls.at(-1)?.input).toEqual({ to: "somebody else" });
    }
  });

  test("[JOB-9] a denied call is not made, and gets the denial with its comment as its result", async () => {
    scene.calling(["c1", "send"]);
    const job = await scene.blocked();
    await answered(scene.client.decide(job.id, "approve", { decision: "deny", comment: "Not today." }));
    expect((await scene.client.reached(job.id, "completed")).result).toBe("Let me. \n\nDone.");
    expect(scene.tools.calls).toEqual([]);
    expect(results()).toEqual(["This call was denied. Not today."]);
    const answer = (await scene.client.messages(job.chat_id)).at(-1);
    expect(answer?.["blocks"]).toMatchObject([
      { type: "text" },
      { type: "tool_use" },
      { type: "tool_result", is_error: true },
      { type: "text" },
    ]);
  });

  test("[JOB-9] with several calls the job stays blocked until the last one is decided", async () => {
    scene.calling(["c1", "send"], ["c2", "send"], ["c3", "send"]);
    const job = await scene.blocked();
    expect(job.approvals.map((a) => a.tool_call_id)).toEqual(["c1", "c2", "c3"]);
    await refused(scene.client.decide(job.id, "approve", { arguments: {} }), 400, "invalid_request");
    await refused(scene.client.decide(job.id, "approve", { approval_id: "apr_none" }), 404, "not_found");
    await refused(
      scene.client.decide(job.id, "approve", { approval_id: job.approvals[0]!.id, tool_call_id: "c2" }),
      404,
      "not_found",
    );
    const one = await answered<Job>(scene.client.decide(job.id, "approve", { tool_call_id: "c2" }));
    expect([one.status, one.approvals.map((a) => a.decision)]).toEqual(["blocked", [null, "approve", null]]);
    const decided = await refused(scene.client.decide(job.id, "approve", { tool_call_id: "c2" }), 409, "invalid_state");
    expect(decided).toEqual({ status: "blocked", allowed_actions: one.allowed_actions });
    const two = await answered<Job>(scene.client.decide(job.id, "approve", { tool_call_id: "c1", decision: "deny" }));
    expect([two.status, scene.tools.calls.length]).toEqual(["blocked", 0]);
    expect((await answered<Job>(scene.client.decide(job.id, "approve", {}))).status).toBe("running");
    await scene.client.reached(job.id, "completed");
    expect(
      scene.tools.calls.map((c) => c.idempotencyKey.split(":")[2] ?? "").toSorted((a, b) => a.localeCompare(b)),
    ).toEqual(["c2", "c3"]);
    expect(results().toSorted((a, b) => a.localeCompare(b))).toEqual([
      "send done",
      "send done",
      "This call was denied.",
    ]);
  });

  test("[JOB-8] of many concurrent approvals only one is accepted, and the call is made once", async () => {
    scene.calling(["c1", "send"]);
    const job = await scene.blocked();
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async () => (await scene.client.decide(job.id, "approve", {})).status),
    );
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
    await scene.client.reached(job.id, "completed");
    expect(scene.tools.calls.length).toBe(1);
  });

  test("[GEN-5] without anything to approve the answer is 409 with status and allowed_actions", async () => {
    const { job } = await scene.begin();
    await scene.client.reached(job.id, "completed");
    expect(await refused(scene.client.decide(job.id, "approve"), 409, "invalid_state")).toEqual({
      status: "completed",
      allowed_actions: ["iterate"],
    });
    for (const body of [{ decision: "maybe" }, { arguments: [1] }, { comment: 1 }, { approval_id: {} }]) {
      await refused(scene.client.decide(job.id, "approve", body), 400, "invalid_request");
    }
  });

  test("[CHAT-2] auto_approve makes the calls at once", async () => {
    scene.calling(["c1", "send"]);
    const { job } = await scene.begin({}, { options: { auto_approve: true } });
    await scene.client.reached(job.id, "completed");
    expect(scene.tools.calls.length).toBe(1);
  });

  test("[CHAT-5] a blocked job is a running turn: queue queues, steer is 409 approval_pending, interrupt cancels it", async () => {
    scene.calling(["c1", "send"]);
    const job = await scene.blocked();
    expect((await scene.client.send(job.chat_id, "next")).queued_position).toBe(1);
    const steer = scene.client.call("POST", `/api/chats/${job.chat_id}/messages`, { content: "x", on_busy: "steer" });
    expect(await refused(steer, 409, "approval_pending")).toEqual({
      status: "blocked",
      allowed_actions: ["approve", "cancel"],
      job_id: job.id,
    });
    const reject = scene.client.call("POST", `/api/chats/${job.chat_id}/messages`, { content: "x", on_busy: "reject" });
    await refused(reject, 409, "chat_busy");
    await refused(scene.client.decide(job.id, "resume", {}), 409, "approval_pending");
    const urgent = await scene.client.send(job.chat_id, "urgent", { on_busy: "interrupt" });
    expect(await scene.client.job(job.id)).toMatchObject({
      status: "cancelled",
      approvals: [{ decision: "expired", decided_by: null }],
    });
    expect(await scene.client.reached(urgent.job.id, "completed")).toMatchObject({ result: "Done." });
    await until("the queue is done", async () => (await scene.client.readChat(job.chat_id)).active_job_id === null);
    expect(scene.tools.calls).toEqual([]);
  });
});
