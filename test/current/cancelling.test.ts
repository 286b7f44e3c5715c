/** Cancelling jobs over HTTP (JOB-5). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createModels } from "../../src/runner/models.ts";
import { ApprovalScene, use } from "../support/approval-scene.ts";
import { until } from "../support/condition.ts";
import { answered, Client, type Job, type Json, type Receipt, refused } from "../support/current.ts";
import { gate } from "../support/fake-model.ts";
import { startFakeOpenAi } from "../support/fake-openai.ts";
import { NO_MODELS } from "../support/model-calls.ts";
import { startService } from "../support/service.ts";
import { createAgent } from "../support/v1.ts";

let scene: ApprovalScene;
beforeAll(async () => void (scene = await ApprovalScene.start()));
afterAll(() => scene.service.stop());
beforeEach(() => scene.reset());

/** The job without the link that is signed anew for each second, so that two reads can be compared. */
async function unsigned(id: string): Promise<Job> {
  const job = await scene.client.job(id);
  const { app_stream: _, ...links } = job["links"] as Json;
  return { ...job, links };
}

describe("cancel", () => {
  test("[JOB-3] a cancel before the start calls no model, and the message is cancelled", async () => {
    const held = gate();
    scene.service.model.script = () => [{ hold: held.hold }];
    const first = await scene.begin();
    const second = await scene.client.send(first.chat.id, "never mind");
    const receipt = await answered<Receipt>(scene.client.decide(second.job.id, "cancel"));
    expect(receipt).toEqual({
      job: await unsigned(second.job.id),
      stopped_at_seq: 4,
      tool_calls_finished: 0,
      tool_calls_aborted: 0,
    });
    expect(receipt.job).toMatchObject({ status: "cancelled", started_at: null, allowed_actions: ["resume"] });
    expect((await scene.client.messages(first.chat.id)).find((m) => m.id === second.message.id)?.status).toBe(
      "cancelled",
    );
    expect((await scene.client.readChat(first.chat.id)).queued_messages).toBe(0);
    held.open();
    await scene.client.reached(first.job.id, "completed");
    const third = await scene.client.send(first.chat.id, "third");
    await scene.client.reached(third.job.id, "completed");
    expect(scene.service.model.calls.at(-1)?.entries.map((e) => (e.role === "user" ? e.text : "…"))).toEqual([
      "go",
      "…",
      "third",
    ]);
  });

  test("[JOB-3] while the model streams, wait delays the answer until it has stopped; the partial text stays as a cancelled message", async () => {
    scene.service.model.script = () => [{ say: "half an " }, { hold: gate().hold }];
    const {
      job,
      chat: { id },
    } = await scene.begin();
    await scene.service.model.called(1);
    const receipt = await answered<Receipt>(scene.client.decide(job.id, "cancel", undefined, "?wait=30"));
    expect(receipt).toMatchObject({
      job: { status: "cancelled", result: "half an " },
      tool_calls_finished: 0,
      tool_calls_aborted: 0,
    });
    const partial = (await scene.client.messages(id)).find((m) => m.id === receipt.partial_message_id);
    expect(partial).toMatchObject({ role: "assistant", status: "cancelled", content: "half an " });
    const stopped = await unsigned(job.id);
    expect(stopped.last_seq).toBe(receipt.stopped_at_seq!);
    expect(await scene.client.readChat(id)).toMatchObject({ status: "done", active_job_id: null });
    expect(await answered<Receipt>(scene.client.decide(job.id, "cancel"))).toEqual(receipt);
    expect(await unsigned(job.id)).toEqual(stopped);
  });

  test("[JOB-3] the abort closes the request to the provider", async () => {
    const provider = await startFakeOpenAi();
    const models = createModels({
      ...NO_MODELS,
      model: "openai:fake-model",
      openaiApiKey: "key",
      openaiBaseUrl: `${provider.baseUrl}/`,
    });
    const other = await startService({ models });
    try {
      provider.answer({ kind: "stream", text: ["half ", "an answer"], end: "stall" });
      const somebody = await other.found();
      const hands = new Client(other, somebody);
      const requested = provider.nextRequest();
      const { job } = await hands.send(
        await hands.chat(await createAgent(other, somebody), somebody.workspaceId),
        "go",
      );
      const request = await requested;
      await hands.reached(job.id, "running");
      const receipt = await answered<Receipt>(hands.decide(job.id, "cancel", undefined, "?wait=30"));
      expect(receipt.job.status).toBe("cancelled");
      await request.closed;
    } finally {
      await other.stop();
      await provider.stop();
    }
  });

  test("[JOB-3] without wait the answer may precede the stop, and says so; a repeated cancel is the same one", async () => {
    scene.service.model.script = () => [{ say: "half" }, { hold: gate().hold }];
    const { job } = await scene.begin();
    await scene.service.model.called(1);
    const receipts = await Promise.all(
      Array.from({ length: 4 }, () => answered<Receipt>(scene.client.decide(job.id, "cancel"))),
    );
    for (const {
      job: { status },
      stopped_at_seq: seq,
    } of receipts)
      expect(status === "cancelled").toBe(seq !== null);
    const { events } = await scene.client.get<{ events: { type: string }[] }>(
      `/api/jobs/${(await scene.client.reached(job.id, "cancelled")).id}/transcript-events`,
    );
    expect(events.map((e) => e.type)).toEqual([
      "job.created",
      "runner.status",
      "job.started",
      "runner.status",
      "job.cancelling",
      "transcript.event",
      "runner.status",
      "job.cancelled",
    ]);
  });

  test("[JOB-3] while tools run, the abort reaches them; finished calls count, the others are aborted", async () => {
    scene.service.model.script = () => [use("c1", "look"), use("c2", "look")];
    let isAborted = false;
    scene.tools.script = async ({ idempotencyKey }, signal) => {
      if (idempotencyKey.endsWith("c1")) return { content: "seen", isError: false };
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      isAborted = true;
      return { content: "late", isError: true };
    };
    const { job } = await scene.begin();
    await until("c1 is stored", async () => ((await scene.client.job(job.id))["metrics"] as Json)["tool_calls"] === 1);
    const receipt = await answered<Receipt>(scene.client.decide(job.id, "cancel", undefined, "?wait=30"));
    expect(receipt).toMatchObject({ job: { status: "cancelled" }, tool_calls_finished: 1, tool_calls_aborted: 1 });
    expect(isAborted).toBe(true);
  });

  test("[JOB-2] a blocked job and one in review are cancelled at once, with their approvals", async () => {
    scene.calling(["c1", "send"]);
    const job = await scene.blocked();
    expect(await answered<Receipt>(scene.client.decide(job.id, "cancel"))).toMatchObject({
      job: { status: "cancelled", approvals: [{ decision: "expired" }] },
      tool_calls_aborted: 1,
    });
    await refused(scene.client.decide(job.id, "approve"), 409, "invalid_state");
    await until("the chat is idle", async () => (await scene.client.readChat(job.chat_id)).active_job_id === null);
    scene.service.model.script = () => [{ say: "done" }];
    const reviewed = await scene.client.reached((await scene.begin({ review_required: true })).job.id, "needs_review");
    expect((await answered<Receipt>(scene.client.decide(reviewed.id, "cancel"))).job.status).toBe("cancelled");
  });

  test("[JOB-2] a completed job is 409 invalid_state; a bad wait is 400", async () => {
    const { job } = await scene.begin();
    await scene.client.reached(job.id, "completed");
    expect(await refused(scene.client.decide(job.id, "cancel"), 409, "invalid_state")).toEqual({
      status: "completed",
      allowed_actions: ["iterate"],
    });
    for (const wait of ["x", "31", "-1"])
      await refused(scene.client.decide(job.id, "cancel", undefined, `?wait=${wait}`), 400, "invalid_request");
  });
});
