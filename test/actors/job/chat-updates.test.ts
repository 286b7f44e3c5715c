/** What the readers of a chat are told of its jobs besides the turns (SSE-7). */
import { describe, expect, test } from "bun:test";
import { CHAT_EVENTS } from "../../../actors/chat/events.ts";
import { chatRef } from "../../../actors/chat/schema.ts";
import { JOB_EVENTS } from "../../../actors/job/events.ts";
import type { ConnectionNeed } from "../../../actors/job/terms.ts";
import type { JobCommand } from "../../../actors/job/protocol.ts";
import { openApprovals } from "../../../actors/job/machine.ts";
import { jobRef, PLAIN_TERMS } from "../../../actors/job/schema.ts";
import { until } from "../../support/condition.ts";
import { approval, ASKING, use } from "../../support/decision-scene.ts";
import { FakeModel, gate } from "../../support/fake-model.ts";
import { FakeTools } from "../../support/fake-tools.ts";
import { CHAT, disagreements, type JobReplica, ORG, startJobs } from "../../support/job-replica.ts";
import { World } from "../../support/replica.ts";

async function start(...calls: readonly [string, string][]): Promise<JobReplica> {
  const replica = await startJobs(new World());
  replica.model.script = (call) => {
    const last = call.entries.at(-1)!;
    const hasCalled = last.role === "assistant" && last.blocks.some((block) => block.type === "tool_result");
    return hasCalled || calls.length === 0 ? [{ say: "Done." }] : calls.map(([id, name]) => use(id, name));
  };
  return replica;
}

async function decide(replica: JobReplica, jobId: string, command: JobCommand): Promise<void> {
  const outcome = await replica.system.dispatch(jobRef(ORG, jobId), command);
  if (!outcome.ok) throw new Error(`refused: ${JSON.stringify(outcome.fault)}`);
}

const told = (replica: JobReplica, type: string): object[] =>
  replica.events(CHAT).flatMap((event) => (event.type === type ? [event.data] : []));

describe("updates in the chat", () => {
  test("[SSE-7] approvals are reported when they are requested and when each is decided, with the job's transitions", async () => {
    const replica = await start(["c1", "send"], ["c2", "send"]);
    const jobId = await replica.send("go", CHAT, { agent: ASKING });
    const { approvals } = await replica.ended(jobId);
    expect(told(replica, "approval.requested")).toEqual(
      approvals.map(({ id: approvalId, ...rest }) => ({ jobId, approvalId, ...rest })),
    );
    await decide(replica, jobId, { ...approval, toolCallId: "c1", decision: "deny" });
    await decide(replica, jobId, { ...approval, toolCallId: "c2", arguments: { id: "edited" } });
    await until("the chat is done", () => replica.chat().status === "done");
    const by = "usr_1";
    await until("both decisions are told", () => told(replica, "approval.resolved").length === 2);
    expect(told(replica, "approval.resolved")).toEqual([
      { jobId, approvalId: approvals[0]!.id, toolCallId: "c1", decision: "deny", by },
      { jobId, approvalId: approvals[1]!.id, toolCallId: "c2", decision: "approve", by, arguments: { id: "edited" } },
    ]);
    expect(told(replica, "job.updated")).toEqual([
      { jobId, status: "running", blockedReason: null },
      { jobId, status: "blocked", blockedReason: "approval_required" },
      { jobId, status: "running", blockedReason: null },
      { jobId, status: "completed", blockedReason: null },
    ]);
    expect(told(replica, "usage.updated").at(-1)).toEqual({
      jobId,
      inputTokens: 14,
      outputTokens: 6,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
    });
    expect(await disagreements(replica)).toEqual([]);
  });

  test("[SSE-7] approvals of a cancelled job expire, and the chat reports it", async () => {
    const replica = await start(["c1", "send"]);
    const jobId = await replica.send("go", CHAT, { agent: ASKING });
    await replica.ended(jobId);
    await decide(replica, jobId, { kind: "cancel" });
    await until("the decision is told", () => told(replica, "approval.resolved").length === 1);
    expect(told(replica, "approval.resolved")).toMatchObject([
      { jobId, toolCallId: "c1", decision: "expired", by: null },
    ]);
    expect(replica.types(jobId)).toContain("approval.resolved");
    await until("the end is told", () => told(replica, "job.updated").length === 3);
    expect(await disagreements(replica)).toEqual([]);
  });

  test("[SSE-7] a review is reported when it is requested and when it is decided", async () => {
    const replica = await start();
    const jobId = await replica.send("go", CHAT, { terms: { ...PLAIN_TERMS, reviewRequired: true } });
    await replica.ended(jobId);
    await decide(replica, jobId, { ...approval, comment: "Good." });
    await until("the chat is done", () => replica.chat().status === "done");
    expect(told(replica, "review.updated")).toEqual([
      { jobId, state: "pending", decidedBy: null, comment: null },
      { jobId, state: "approved", decidedBy: "usr_1", comment: "Good." },
    ]);
    expect(await disagreements(replica)).toEqual([]);
  });
});

const NEED: ConnectionNeed = {
  connectionId: "con_1",
  name: "crm",
  resource: "https://mcp.test",
  owner: "person",
  ownerId: "usr_1",
  scopes: [],
  resourceMetadata: null,
  link: "https://troupe.test/connections/con_1",
};

describe("the tables of events", () => {
  test("[SSE-7] [SSE-8] turns emit every type in them, in its shape", async () => {
    const world = new World();
    const model = new FakeModel();
    const tools = new FakeTools();
    const begin = () => startJobs(world, { model, tools });
    let replica = await begin();
    const held = gate();
    model.script = (call) => {
      if (call.purpose === "summary") return [{ say: "All of this." }];
      const first = call.entries.findLast((entry) => entry.role === "user");
      const last = call.entries.at(-1)!;
      const said = first?.role === "user" ? first.text : "";
      if (said === "fail") return [{ fail: { code: "provider_error", message: "broken" } }];
      if (last.role === "assistant" || said === "plain") return [{ say: "Done." }];
      if (said === "ask the client") return [use("c1", "ask")];
      if (said === "connect") return [use("c1", "crm")];
      if (said === "hold") return [{ say: "half" }, { hold: held.hold }];
      return [use("c1", "look"), use("c2", "bad"), use("c3", "send")];
    };
    tools.clients.add("ask");
    tools.script = ({ name, host }) => {
      if (name === "crm") return { content: "It is lacking.", isError: true, lacks: NEED };
      host.log("info", "looking");
      const file = { id: "art_1", kind: "file", name: "a.md", path: "a.md", mime: "text/markdown", size: 1 } as const;
      return { content: name, isError: name === "bad", artifacts: name === "look" ? [file] : [] };
    };
    const reviewed = { ...PLAIN_TERMS, reviewRequired: true };
    // Approved and reviewed, while another message waits; and one that is to be done again.
    const asked = await replica.send("go", CHAT, { agent: ASKING, terms: reviewed });
    await replica.ended(asked);
    const queued = await replica.send("fail", CHAT, { agent: ASKING });
    expect(openApprovals(replica.job(asked))).toHaveLength(1);
    await decide(replica, asked, { ...approval, decision: "deny" });
    await until("it is to be reviewed", () => replica.job(asked).status === "needs_review");
    await decide(replica, asked, approval);
    expect((await replica.ended(queued)).status).toBe("failed");
    const plain = await replica.send("plain", CHAT, { agent: ASKING, terms: reviewed });
    expect((await replica.ended(plain)).status).toBe("needs_review");
    await decide(replica, plain, { kind: "request_changes", by: "usr_1", feedback: "More." });
    const approvalRules = [{ tool: "send", then: "ask", count: 2 } as const];
    const voted = await replica.send("go", CHAT, { agent: { ...ASKING, approvalRules } });
    expect((await replica.ended(voted)).status).toBe("blocked");
    await decide(replica, voted, { ...approval, people: { usr_1: { isOwner: false, groups: [] } } });
    await decide(replica, voted, { kind: "cancel" });
    const client = await replica.send("ask the client", CHAT, { agent: ASKING });
    expect((await replica.ended(client)).status).toBe("blocked");
    await decide(replica, client, { kind: "cancel" });
    const lacking = await replica.send("connect", CHAT, { agent: ASKING });
    expect((await replica.ended(lacking)).status).toBe("blocked");
    await decide(replica, lacking, { kind: "cancel" });
    // Interrupted by the end of its process, then cancelled.
    const jobId = await replica.send("hold", CHAT, { agent: ASKING });
    await until("it speaks", () => replica.job(jobId)?.status === "running");
    replica.crash();
    replica = await begin();
    await until(
      "it runs again",
      () => replica.job(jobId).attempt === 2 && replica.types(jobId).at(-1) === "runner.status",
    );
    await decide(replica, jobId, { kind: "cancel" });
    await replica.ended(jobId);
    const changed = await replica.system.dispatch(chatRef(ORG, CHAT), {
      kind: "update_chat",
      options: { model: "fake:other" },
      version: null,
    });
    expect(changed.ok).toBe(true);
    const messageId = replica.messages()[0]!.id;
    const agent = ASKING;
    const compacting = { kind: "compact_chat", agent, instructions: "", userId: "usr_1", terms: PLAIN_TERMS } as const;
    for (const command of [{ kind: "pin_message", messageId, isPinned: true } as const, compacting])
      expect(await replica.system.dispatch(chatRef(ORG, CHAT), command)).toMatchObject({ ok: true });
    await until("it is compacted", () => told(replica, "chat.compacted").length === 1);
    await until("the chat is told", () => told(replica, "review.updated").length === 4);
    const types = new Set([asked, queued, plain, voted, jobId].flatMap((id) => replica.types(id)));
    expect([...types].toSorted()).toEqual(Object.keys(JOB_EVENTS).toSorted());
    expect([...new Set(replica.types(CHAT))].toSorted()).toEqual(Object.keys(CHAT_EVENTS).toSorted());
    expect(await disagreements(replica)).toEqual([]);
  });
});
