/** What people decide about jobs over HTTP: approve, cancel, resume, iterate (JOB-2, JOB-3, JOB-8, JOB-9, GEN-5). */
import { LONGEST_RUN_MS, USUAL_JOB_LIMITS } from "../../actors/job/limits.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createModels } from "../../src/runner/models.ts";
import { until } from "../support/condition.ts";
import { answered, Client, type Job, type Json, type Receipt, refused, type Sent } from "../support/current.ts";
import { gate } from "../support/fake-model.ts";
import { startFakeOpenAi } from "../support/fake-openai.ts";
import { FakeTools } from "../support/fake-tools.ts";
import { NO_MODELS } from "../support/model-calls.ts";
import { type Founded, type Service, startService } from "../support/service.ts";
import { createAgent } from "../support/v1.ts";

let service: Service;
let owner: Founded;
let client: Client;
let agent: string;
const tools = new FakeTools();

beforeAll(async () => {
  service = await startService({ tools });
  owner = await service.found();
  client = new Client(service, owner);
  const body = { name: "Ada", system_prompt: "Be brief.", allowed_tools: ["look", "send"], approval_tools: ["send"] };
  agent = (await answered<{ id: string }>(client.call("POST", "/api/agents", body), 201)).id;
});
afterAll(() => service.stop());
beforeEach(() => {
  service.model.script = () => [{ say: "done" }];
  service.model.calls.length = 0;
  tools.calls.length = 0;
  tools.script = ({ name }) => ({ content: `${name} done`, isError: false });
});

const chat = (fields: Json = {}) => client.chat(agent, owner.workspaceId, fields);
const use = (id: string, name: string) => ({ use: { type: "tool_use" as const, id, name, input: { to: id } } });
/** A step with these calls, then the end. */
const calling = (...calls: [string, string][]): void => {
  service.model.script = (call) =>
    call.entries.length === 1 ? [{ say: "Let me. " }, ...calls.map(([id, name]) => use(id, name))] : [{ say: "Done." }];
};
const begin = async (fields: Json = {}, chatFields: Json = {}): Promise<Sent> =>
  client.send(await chat(chatFields), "go", fields);
const blocked = async (): Promise<Job> => client.reached((await begin()).job.id, "blocked");
/** What the model was told that its tools said. */
const results = (): string[] =>
  (service.model.calls.at(-1)?.entries ?? []).flatMap((e) =>
    e.role === "assistant" ? e.blocks.flatMap((b) => (b.type === "tool_result" ? [b.content] : [])) : [],
  );

describe("approve", () => {
  test("[JOB-8] a call of an approval tool blocks the job, and nothing is called before it is approved", async () => {
    calling(["c1", "send"], ["c2", "look"]);
    const job = await blocked();
    expect(tools.calls.map((c) => c.name)).toEqual(["look"]);
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
    expect(await client.readChat(id)).toMatchObject({ status: "needs_attention", active_job_id: job.id });
    expect((await client.get<{ work: Json }>(`/api/chats/${id}/messages`)).work).toMatchObject({
      needs_attention: true,
    });
    expect((await answered<Job>(client.decide(job.id, "approve"))).status).toBe("running");
    expect(await client.reached(job.id, "completed")).toMatchObject({
      result: "Let me. Done.",
      approvals: [],
      metrics: { tool_calls: 2 },
    });
    expect(tools.calls.map((c) => c.name)).toEqual(["look", "send"]);
    expect((await client.readChat(id)).status).toBe("done");
  });

  test("[JOB-8] the arguments may be edited, by approval_id or by tool_call_id", async () => {
    for (const by of ["approval_id", "tool_call_id"]) {
      calling(["c1", "send"]);
      const job = await blocked();
      const approval = job.approvals[0]!;
      const name = by === "approval_id" ? approval.id : approval.tool_call_id;
      await answered(
        client.decide(job.id, "approve", { [by]: name, decision: "approve", arguments: { to: "somebody else" } }),
      );
      await client.reached(job.id, "completed");
      expect(tools.calls.at(-1)?.input).toEqual({ to: "somebody else" });
    }
  });

  test("[JOB-9] a denied call is not made, and gets the denial with its comment as its result", async () => {
    calling(["c1", "send"]);
    const job = await blocked();
    await answered(client.decide(job.id, "approve", { decision: "deny", comment: "Not today." }));
    expect((await client.reached(job.id, "completed")).result).toBe("Let me. Done.");
    expect(tools.calls).toEqual([]);
    expect(results()).toEqual(["This call was denied. Not today."]);
    const answer = (await client.messages(job.chat_id)).at(-1);
    expect(answer?.["blocks"]).toMatchObject([
      { type: "text" },
      { type: "tool_use" },
      { type: "tool_result", is_error: true },
      { type: "text" },
    ]);
  });

  test("[JOB-9] with several calls the job stays blocked until the last is decided", async () => {
    calling(["c1", "send"], ["c2", "send"], ["c3", "send"]);
    const job = await blocked();
    expect(job.approvals.map((a) => a.tool_call_id)).toEqual(["c1", "c2", "c3"]);
    await refused(client.decide(job.id, "approve", { arguments: {} }), 400, "invalid_request");
    await refused(client.decide(job.id, "approve", { approval_id: "apr_none" }), 404, "not_found");
    await refused(
      client.decide(job.id, "approve", { approval_id: job.approvals[0]!.id, tool_call_id: "c2" }),
      404,
      "not_found",
    );
    const one = await answered<Job>(client.decide(job.id, "approve", { tool_call_id: "c2" }));
    expect([one.status, one.approvals.map((a) => a.tool_call_id)]).toEqual(["blocked", ["c1", "c3"]]);
    await refused(client.decide(job.id, "approve", { tool_call_id: "c2" }), 404, "not_found");
    const two = await answered<Job>(client.decide(job.id, "approve", { tool_call_id: "c1", decision: "deny" }));
    expect([two.status, tools.calls.length]).toEqual(["blocked", 0]);
    expect((await answered<Job>(client.decide(job.id, "approve", {}))).status).toBe("running");
    await client.reached(job.id, "completed");
    expect(tools.calls.map((c) => c.idempotencyKey.split(":")[2] ?? "").toSorted((a, b) => a.localeCompare(b))).toEqual(
      ["c2", "c3"],
    );
    expect(results().toSorted((a, b) => a.localeCompare(b))).toEqual([
      "send done",
      "send done",
      "This call was denied.",
    ]);
  });

  test("[JOB-8] of many who approve at once one is heard, and the call is made once", async () => {
    calling(["c1", "send"]);
    const job = await blocked();
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async () => (await client.decide(job.id, "approve", {})).status),
    );
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
    await client.reached(job.id, "completed");
    expect(tools.calls.length).toBe(1);
  });

  test("[GEN-5] where there is nothing to approve it is 409 with status and allowed_actions", async () => {
    const { job } = await begin();
    await client.reached(job.id, "completed");
    expect(await refused(client.decide(job.id, "approve"), 409, "invalid_state")).toEqual({
      status: "completed",
      allowed_actions: ["iterate"],
    });
    for (const body of [{ decision: "maybe" }, { arguments: [1] }, { comment: 1 }, { approval_id: {} }]) {
      await refused(client.decide(job.id, "approve", body), 400, "invalid_request");
    }
  });

  test("[CHAT-2] auto_approve makes the calls at once", async () => {
    calling(["c1", "send"]);
    const { job } = await begin({}, { options: { auto_approve: true } });
    await client.reached(job.id, "completed");
    expect(tools.calls.length).toBe(1);
  });

  test("[CHAT-5] a blocked job is a running turn: queue queues, steer is 409 approval_pending, interrupt cancels it", async () => {
    calling(["c1", "send"]);
    const job = await blocked();
    expect((await client.send(job.chat_id, "next")).queued_position).toBe(1);
    const steer = client.call("POST", `/api/chats/${job.chat_id}/messages`, { content: "x", on_busy: "steer" });
    expect(await refused(steer, 409, "approval_pending")).toEqual({
      status: "blocked",
      allowed_actions: ["approve", "cancel"],
      job_id: job.id,
    });
    const reject = client.call("POST", `/api/chats/${job.chat_id}/messages`, { content: "x", on_busy: "reject" });
    await refused(reject, 409, "chat_busy");
    await refused(client.decide(job.id, "resume", {}), 409, "approval_pending");
    const urgent = await client.send(job.chat_id, "urgent", { on_busy: "interrupt" });
    expect(await client.job(job.id)).toMatchObject({ status: "cancelled", approvals: [] });
    expect(await client.reached(urgent.job.id, "completed")).toMatchObject({ result: "Done." });
    await until("the queue is done", async () => (await client.readChat(job.chat_id)).active_job_id === null);
    expect(tools.calls).toEqual([]);
  });
});

describe("cancel", () => {
  test("[JOB-3] before the start it wins: nothing was called, and the message is cancelled", async () => {
    const held = gate();
    service.model.script = () => [{ hold: held.hold }];
    const first = await begin();
    const second = await client.send(first.chat.id, "never mind");
    const receipt = await answered<Receipt>(client.decide(second.job.id, "cancel"));
    const { app_stream: _, ...links } = (await client.job(second.job.id))["links"] as Json;
    expect(receipt).toEqual({
      job: { ...(await client.job(second.job.id)), links },
      stopped_at_seq: 4,
      tool_calls_finished: 0,
      tool_calls_aborted: 0,
    });
    expect(receipt.job).toMatchObject({ status: "cancelled", started_at: null, allowed_actions: ["resume"] });
    expect((await client.messages(first.chat.id)).find((m) => m.id === second.message.id)?.status).toBe("cancelled");
    expect((await client.readChat(first.chat.id)).queued_messages).toBe(0);
    held.open();
    await client.reached(first.job.id, "completed");
    const third = await client.send(first.chat.id, "third");
    await client.reached(third.job.id, "completed");
    expect(service.model.calls.at(-1)?.entries.map((e) => (e.role === "user" ? e.text : "…"))).toEqual([
      "go",
      "…",
      "third",
    ]);
  });

  test("[JOB-3] while the model streams, wait holds the answer until it has stopped; the partial text stays as a cancelled message", async () => {
    service.model.script = () => [{ say: "half an " }, { hold: gate().hold }];
    const {
      job,
      chat: { id },
    } = await begin();
    await service.model.called(1);
    const receipt = await answered<Receipt>(client.decide(job.id, "cancel", undefined, "?wait=30"));
    expect(receipt).toMatchObject({
      job: { status: "cancelled", result: "half an " },
      tool_calls_finished: 0,
      tool_calls_aborted: 0,
    });
    const partial = (await client.messages(id)).find((m) => m.id === receipt.partial_message_id);
    expect(partial).toMatchObject({ role: "assistant", status: "cancelled", content: "half an " });
    const stopped = await client.job(job.id);
    expect(stopped.last_seq).toBe(receipt.stopped_at_seq!);
    expect(await client.readChat(id)).toMatchObject({ status: "done", active_job_id: null });
    expect(await answered<Receipt>(client.decide(job.id, "cancel"))).toEqual(receipt);
    expect(await client.job(job.id)).toEqual(stopped);
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

  test("[JOB-3] without wait the answer may come before the stop, and says so; twice is the same cancel", async () => {
    service.model.script = () => [{ say: "half" }, { hold: gate().hold }];
    const { job } = await begin();
    await service.model.called(1);
    const receipts = await Promise.all(
      Array.from({ length: 4 }, () => answered<Receipt>(client.decide(job.id, "cancel"))),
    );
    for (const {
      job: { status },
      stopped_at_seq: seq,
    } of receipts)
      expect(status === "cancelled").toBe(seq !== null);
    const { events } = await client.get<{ events: { type: string }[] }>(
      `/api/jobs/${(await client.reached(job.id, "cancelled")).id}/transcript-events`,
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

  test("[JOB-3] while tools run, the abort reaches them; what was finished counts, the rest was aborted", async () => {
    service.model.script = () => [use("c1", "look"), use("c2", "look")];
    let isAborted = false;
    tools.script = async ({ idempotencyKey }, signal) => {
      if (idempotencyKey.endsWith("c1")) return { content: "seen", isError: false };
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      isAborted = true;
      return { content: "late", isError: true };
    };
    const { job } = await begin();
    await until("c1 is stored", async () => ((await client.job(job.id))["metrics"] as Json)["tool_calls"] === 1);
    const receipt = await answered<Receipt>(client.decide(job.id, "cancel", undefined, "?wait=30"));
    expect(receipt).toMatchObject({ job: { status: "cancelled" }, tool_calls_finished: 1, tool_calls_aborted: 1 });
    expect(isAborted).toBe(true);
  });

  test("[JOB-2] a blocked job and one in review are cancelled at once, and their approvals are gone", async () => {
    calling(["c1", "send"]);
    const job = await blocked();
    expect(await answered<Receipt>(client.decide(job.id, "cancel"))).toMatchObject({
      job: { status: "cancelled", approvals: [] },
      tool_calls_aborted: 1,
    });
    await refused(client.decide(job.id, "approve"), 409, "invalid_state");
    await until("the chat is idle", async () => (await client.readChat(job.chat_id)).active_job_id === null);
    service.model.script = () => [{ say: "done" }];
    const reviewed = await client.reached((await begin({ review_required: true })).job.id, "needs_review");
    expect((await answered<Receipt>(client.decide(reviewed.id, "cancel"))).job.status).toBe("cancelled");
  });

  test("[JOB-2] a completed job is 409 invalid_state; a bad wait is 400", async () => {
    const { job } = await begin();
    await client.reached(job.id, "completed");
    expect(await refused(client.decide(job.id, "cancel"), 409, "invalid_state")).toEqual({
      status: "completed",
      allowed_actions: ["iterate"],
    });
    for (const wait of ["x", "31", "-1"])
      await refused(client.decide(job.id, "cancel", undefined, `?wait=${wait}`), 400, "invalid_request");
  });
});

describe("resume", () => {
  test("[JOB-2] a failed or cancelled job goes on in a child of the same chat, with what was said before", async () => {
    service.model.script = () => [{ say: "half " }, { fail: { code: "provider_error", message: "no" } }];
    const {
      job,
      chat: { id },
    } = await begin();
    await client.reached(job.id, "failed");
    service.model.script = () => [{ say: "whole" }];
    const child = await answered<Job>(client.decide(job.id, "resume", { input: "go on" }), 202);
    expect(child).toMatchObject({
      parent_job_id: job.id,
      root_job_id: job.id,
      relation: "resume",
      iteration: 0,
      input: "go on",
      chat_id: id,
    });
    await client.reached(child.id, "completed");
    expect(service.model.calls.at(-1)?.entries).toEqual([
      { role: "user", text: "go" },
      { role: "assistant", blocks: [{ type: "text", text: "half " }] },
      { role: "user", text: "go on" },
    ]);
    expect((await client.job(job.id)).status).toBe("failed");
    service.model.script = () => [{ hold: gate().hold }];
    const third = await client.send(id, "again");
    await client.reached(third.job.id, "running");
    await answered(client.decide(third.job.id, "cancel", undefined, "?wait=30"));
    service.model.script = () => [{ say: "now" }];
    const fourth = await answered<Job>(client.decide(third.job.id, "resume"), 202);
    expect(await client.reached(fourth.id, "completed")).toMatchObject({
      relation: "resume",
      input: "again",
      parent_job_id: third.job.id,
      result: "now",
    });
  });

  test("[JOB-2] with a used-up budget the job is blocked, and a resume grants it once more", async () => {
    calling(["c1", "look"]);
    const { job } = await begin({ budget: { max_tokens: 10, max_steps: 5 } });
    expect(await client.reached(job.id, "blocked")).toMatchObject({
      blocked_reason: "budget_reached",
      allowed_actions: ["cancel", "resume"],
      budget: { max_tokens: 10, max_steps: 5 },
    });
    expect(tools.calls).toEqual([]);
    await refused(client.decide(job.id, "approve"), 409, "invalid_state");
    expect((await answered<Job>(client.decide(job.id, "resume", { input: "be quick" }), 202)).status).toBe("running");
    expect(await client.reached(job.id, "completed")).toMatchObject({
      result: "Let me. Done.",
      budget: { max_tokens: 10 },
    });
    expect(service.model.calls.at(-1)?.entries.at(-1)).toEqual({ role: "user", text: "be quick" });
    expect(tools.calls.length).toBe(1);
  });

  test("[RUN-3] the budget's steps and deadline are kept", async () => {
    service.model.script = () => [use(`c${service.model.calls.length}`, "look")];
    const { job } = await begin({ budget: { max_steps: 2 } });
    expect(await client.reached(job.id, "failed")).toMatchObject({ error: { code: "step_limit" } });
    expect(service.model.calls.length).toBe(2);
    service.model.script = () => [{ say: "so far" }, { hold: gate().hold }];
    const late = await begin({ budget: { deadline_at: new Date(Date.now() + 200).toISOString() } });
    expect(await client.reached(late.job.id, "failed")).toMatchObject({ error: { code: "timeout" } });
  });

  test("[RUN-3] a budget may also allow more than is usual", async () => {
    service.model.script = (call) =>
      call.entries.length < 2 * USUAL_JOB_LIMITS.steps
        ? [use(`c${service.model.calls.length}`, "look")]
        : [{ say: "Done." }];
    const before = Date.now();
    const deadline = new Date(before + 2 * USUAL_JOB_LIMITS.runMs).toISOString();
    const { job } = await begin({ budget: { max_steps: USUAL_JOB_LIMITS.steps + 1, deadline_at: deadline } });
    expect(await client.reached(job.id, "failed")).toMatchObject({
      error: { code: "step_limit" },
      budget: { max_steps: USUAL_JOB_LIMITS.steps + 1, deadline_at: deadline },
    });
    expect(service.model.calls.length).toBe(USUAL_JOB_LIMITS.steps + 1);
    const forever = await begin({ budget: { deadline_at: "2100-01-01T00:00:00Z", max_steps: 1 } });
    const { budget } = await client.reached(forever.job.id, "failed");
    const runMs = Date.parse((budget as { deadline_at: string }).deadline_at) - before;
    expect(runMs).toBeGreaterThanOrEqual(LONGEST_RUN_MS);
    expect(runMs).toBeLessThan(LONGEST_RUN_MS + 60_000);
  });

  test("[GEN-5] what runs or is completed is not resumed", async () => {
    const held = gate();
    service.model.script = () => [{ hold: held.hold }];
    const { job } = await begin();
    await client.reached(job.id, "running");
    expect(await refused(client.decide(job.id, "resume"), 409, "invalid_state")).toEqual({
      status: "running",
      allowed_actions: ["cancel"],
    });
    held.open();
    await client.reached(job.id, "completed");
    await refused(client.decide(job.id, "resume", {}), 409, "invalid_state");
    for (const body of [{ input: 1 }, { input: " " }, { retry_step: "yes" }])
      await refused(client.decide(job.id, "resume", body), 400, "invalid_request");
    await refused(client.decide(job.id, "resume", { input: "x".repeat(256 * 1024 + 1) }), 413, "payload_too_large");
  });
});

describe("review and iterate", () => {
  const inReview = async (): Promise<Job> =>
    client.reached((await begin({ review_required: true })).job.id, "needs_review");

  test("[JOB-2] work that needs a review waits for it, and is completed by the approval", async () => {
    const job = await inReview();
    expect(job).toMatchObject({
      result: "done",
      review: { state: "pending", required: true, decided_by: null },
      allowed_actions: ["approve", "cancel", "iterate"],
    });
    expect((await client.readChat(job.chat_id)).status).toBe("needs_attention");
    await refused(client.decide(job.id, "approve", { decision: "deny" }), 400, "invalid_request");
    const done = await answered<Job>(client.decide(job.id, "approve", { comment: "Good." }));
    expect(done).toMatchObject({
      status: "completed",
      review: { state: "approved", decided_by: owner.userId, comment: "Good." },
    });
    await until("the chat is done", async () => (await client.readChat(job.chat_id)).status === "done");
    expect((await client.messages(job.chat_id)).map((m) => m.status)).toEqual(["completed", "completed"]);
  });

  test("[JOB-2] iterate answers the review and begins the next round, which is reviewed too", async () => {
    const job = await inReview();
    service.model.script = () => [{ say: "shorter" }];
    const child = await answered<Job>(client.decide(job.id, "iterate", { feedback: "Shorter, please" }), 202);
    expect(child).toMatchObject({
      relation: "iteration",
      iteration: 1,
      parent_job_id: job.id,
      input: "Shorter, please",
      review: { required: true },
    });
    expect(await client.job(job.id)).toMatchObject({
      status: "completed",
      review: { state: "changes_requested", comment: "Shorter, please", decided_by: owner.userId },
    });
    expect(await client.reached(child.id, "needs_review")).toMatchObject({ result: "shorter" });
    expect(service.model.calls.at(-1)?.entries.map((e) => (e.role === "user" ? e.text : e.blocks))).toEqual([
      "go",
      [{ type: "text", text: "done" }],
      "Shorter, please",
    ]);
    const third = await answered<Job>(client.decide(child.id, "iterate", { feedback: "More" }), 202);
    expect(third).toMatchObject({ iteration: 2, root_job_id: job.id });
    await client.reached(third.id, "needs_review");
  });

  test("[JOB-2] a completed and a failed job may be iterated too; of two who iterate a review one is heard first", async () => {
    const { job } = await begin();
    await client.reached(job.id, "completed");
    const child = await answered<Job>(client.decide(job.id, "iterate", { feedback: "again" }), 202);
    expect(await client.job(job.id)).toMatchObject({
      status: "completed",
      review: { state: "changes_requested", comment: "again" },
    });
    await client.reached(child.id, "completed");
    service.model.script = () => [{ fail: { code: "provider_error", message: "no" } }];
    const failed = await client.reached((await client.send(job.chat_id, "x")).job.id, "failed");
    service.model.script = () => [{ say: "ok" }];
    await client.reached(
      (await answered<Job>(client.decide(failed.id, "iterate", { feedback: "again" }), 202)).id,
      "completed",
    );
    expect((await client.job(failed.id)).status).toBe("failed");
  });

  test("[GEN-5] what runs or was cancelled is not iterated; feedback is required", async () => {
    service.model.script = () => [{ hold: gate().hold }];
    const { job } = await begin();
    await client.reached(job.id, "running");
    expect(await refused(client.decide(job.id, "iterate", { feedback: "x" }), 409, "invalid_state")).toEqual({
      status: "running",
      allowed_actions: ["cancel"],
    });
    await answered(client.decide(job.id, "cancel", undefined, "?wait=30"));
    expect(await refused(client.decide(job.id, "iterate", { feedback: "x" }), 409, "invalid_state")).toEqual({
      status: "cancelled",
      allowed_actions: ["resume"],
    });
    for (const body of [{}, { feedback: "" }, { feedback: 1 }])
      await refused(client.decide(job.id, "iterate", body), 400, "invalid_request");
    await refused(client.decide(job.id, "iterate"), 415, "unsupported_media_type");
  });

  test("[JOB-4] after all of this the invariants hold", async () => {
    expect(await client.get<Json>("/api/invariants")).toMatchObject({ ok: true });
  });
});
