/** Approvals of tool calls over HTTP (JOB-8, JOB-9). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { until } from "../support/condition.ts";
import { answered, Client, type Job, type Json, refused, type Sent } from "../support/current.ts";
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
      result: "Let me. \n\nDone.",
      approvals: [{ decision: "approve", decided_by: expect.stringMatching(/^usr_/), decided_at: expect.any(String) }],
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
    expect((await client.reached(job.id, "completed")).result).toBe("Let me. \n\nDone.");
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
    expect([one.status, one.approvals.map((a) => a.decision)]).toEqual(["blocked", [null, "approve", null]]);
    const decided = await refused(client.decide(job.id, "approve", { tool_call_id: "c2" }), 409, "invalid_state");
    expect(decided).toEqual({ status: "blocked", allowed_actions: one.allowed_actions });
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
    expect(await client.job(job.id)).toMatchObject({
      status: "cancelled",
      approvals: [{ decision: "expired", decided_by: null }],
    });
    expect(await client.reached(urgent.job.id, "completed")).toMatchObject({ result: "Done." });
    await until("the queue is done", async () => (await client.readChat(job.chat_id)).active_job_id === null);
    expect(tools.calls).toEqual([]);
  });
});
