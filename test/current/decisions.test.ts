/** What people decide about jobs over HTTP: approve, cancel, resume, iterate (JOB-2, JOB-3, JOB-8, JOB-9, GEN-5). */
import { LONGEST_RUN_MS, DEFAULT_JOB_LIMITS } from "../../actors/job/limits.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { until } from "../support/condition.ts";
import { answered, Client, type Job, type Json, refused, type Sent } from "../support/current.ts";
import { gate } from "../support/fake-model.ts";
import { FakeTools } from "../support/fake-tools.ts";
import { type Founded, type Service, startService } from "../support/service.ts";

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

  test("[JOB-2] with a spent budget the job is blocked, and a resume must bring a new one", async () => {
    calling(["c1", "look"]);
    const { job } = await begin({ budget: { max_tokens: 10, max_steps: 5 } });
    expect(await client.reached(job.id, "blocked")).toMatchObject({
      blocked_reason: "budget_reached",
      allowed_actions: ["cancel", "resume"],
      budget: { max_tokens: 10, max_cost: null, max_steps: 5 },
    });
    expect(tools.calls).toEqual([]);
    await refused(client.decide(job.id, "approve"), 409, "invalid_state");
    const bare = client.decide(job.id, "resume", { input: "be quick" });
    expect(await refused(bare, 400, "invalid_request")).toMatchObject({ errors: [{ path: "/budget/max_tokens" }] });
    const more = { input: "be quick", budget: { max_tokens: 11 } };
    expect((await answered<Job>(client.decide(job.id, "resume", more), 202)).status).toBe("running");
    expect(await client.reached(job.id, "completed")).toMatchObject({
      result: "Let me. \n\nDone.",
      budget: { max_tokens: 11, max_cost: null, max_steps: 5 },
    });
    expect(service.model.calls.at(-1)?.entries.at(-1)).toEqual({ role: "user", text: "be quick" });
    expect(tools.calls.length).toBe(1);
  });

  test("[RUN-3] the budget's steps and deadline are kept", async () => {
    service.model.script = () => [use(`c${service.model.calls.length}`, "look")];
    const { job } = await begin({ budget: { max_steps: 2 } });
    expect(await client.reached(job.id, "blocked")).toMatchObject({ blocked_reason: "budget_reached", error: null });
    expect(service.model.calls.length).toBe(2);
    expect(await refused(client.decide(job.id, "resume"), 400, "invalid_request")).toMatchObject({
      errors: [{ path: "/budget/max_steps" }],
    });
    await answered(client.decide(job.id, "resume", { budget: { max_steps: 3 } }), 202);
    await client.reached(job.id, "blocked");
    expect(service.model.calls.length).toBe(5);
    service.model.script = () => [{ say: "so far" }, { hold: gate().hold }];
    const late = await begin({ budget: { deadline_at: new Date(Date.now() + 200).toISOString() } });
    expect(await client.reached(late.job.id, "failed")).toMatchObject({ error: { code: "timeout" } });
  });

  test("[RUN-3] a budget may also allow more than is usual", async () => {
    service.model.script = (call) =>
      call.entries.length < 2 * DEFAULT_JOB_LIMITS.steps
        ? [use(`c${service.model.calls.length}`, "look")]
        : [{ say: "Done." }];
    const before = Date.now();
    const deadline = new Date(before + 2 * DEFAULT_JOB_LIMITS.runMs).toISOString();
    const { job } = await begin({ budget: { max_steps: DEFAULT_JOB_LIMITS.steps + 1, deadline_at: deadline } });
    expect(await client.reached(job.id, "blocked")).toMatchObject({
      blocked_reason: "budget_reached",
      budget: { max_steps: DEFAULT_JOB_LIMITS.steps + 1, deadline_at: deadline },
    });
    expect(service.model.calls.length).toBe(DEFAULT_JOB_LIMITS.steps + 1);
    const forever = await begin({ budget: { deadline_at: "2100-01-01T00:00:00Z", max_steps: 1 } });
    const { budget } = await client.reached(forever.job.id, "blocked");
    const runMs = Date.parse((budget as { deadline_at: string }).deadline_at) - before;
    expect(runMs).toBeGreaterThanOrEqual(LONGEST_RUN_MS);
    expect(runMs).toBeLessThan(LONGEST_RUN_MS + 60_000);
  });

  test("[JOB-9] a deadline in the past is 400, for a message and for a resume", async () => {
    const past = { deadline_at: new Date(Date.now() - 1_000).toISOString() };
    const id = await chat();
    const sent = client.call("POST", `/api/chats/${id}/messages`, { content: "go", budget: past });
    expect(await refused(sent, 400, "invalid_request")).toMatchObject({ errors: [{ path: "/budget/deadline_at" }] });
    calling(["c1", "look"]);
    const { job } = await begin({ budget: { max_tokens: 1 } });
    await client.reached(job.id, "blocked");
    const resumed = client.decide(job.id, "resume", { budget: { max_tokens: 5, ...past } });
    expect(await refused(resumed, 400, "invalid_request")).toMatchObject({ errors: [{ path: "/budget/deadline_at" }] });
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
    const long = { input: "x".repeat(256 * 1024 + 1) };
    expect(await refused(client.decide(job.id, "resume", long), 413, "payload_too_large")).toMatchObject({
      errors: [{ path: "/input" }],
    });
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
