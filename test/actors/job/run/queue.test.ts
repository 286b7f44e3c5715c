/** Jobs that wait for a slot, and runs in a runtime in trouble. */
import { describe, expect, test } from "bun:test";
import type { ModelCall } from "../../../../actors/job/ports.ts";
import { jobRef, contentText } from "../../../../actors/job/schema.ts";
import { Slots } from "../../../../actors/job/run/slots.ts";
import { MAILBOX_MESSAGES } from "../../../../actors/runtime/turns/mailbox.ts";
import { LEASE_RENEW_MS, LEASE_TERM_MS, shardOf } from "../../../../actors/runtime/placement/placement.ts";
import { chatRef } from "../../../../actors/chat/schema.ts";
import { gate } from "../../../support/fake-model.ts";
import { settle } from "../../../support/fake-clock.ts";
import { AGENT, CHAT, disagreements, MESSAGE, ORG, startJobs } from "../../../support/job-replica.ts";
import { said } from "../../../support/ledger-replica.ts";
import { World } from "../../../support/replica.ts";

const start = async (world = new World()) => ({ world, replica: await startJobs(world) });

describe("the queue", () => {
  test("[CHAT-5] messages during a turn wait, run one after the other in order, and each gets the earlier ones", async () => {
    const { replica } = await start();
    const held = gate();
    replica.model.script = (call) =>
      replica.model.calls.length === 1 ? [{ hold: held.hold }, { say: "1" }] : [{ say: `${call.entries.length}` }];
    const jobs = [await replica.send("a"), await replica.send("b"), await replica.send("c")];
    await replica.model.called(1);
    expect(replica.chat()).toMatchObject({ activeJobId: jobs[0]!, queue: jobs.slice(1), status: "working" });
    expect(
      replica
        .messages()
        .map((m) => m.status)
        .sort(),
    ).toEqual(["completed", "queued", "queued", "streaming"]);
    held.open();
    for (const id of jobs) await replica.ended(id);
    await settle();
    const said = (call: ModelCall): string[] =>
      call.entries.map((e) => (e.role === "user" ? e.text : contentText(e.blocks)));
    expect(replica.model.calls.map(said)).toEqual([["a"], ["a", "1", "b"], ["a", "1", "b", "3", "c"]]);
    expect(replica.chat()).toMatchObject({ activeJobId: null, queue: [], status: "done" });
    expect(await disagreements(replica)).toEqual([]);
  });

  test("[CHAT-5] a failed turn does not delay the next", async () => {
    const { replica } = await start();
    const held = gate();
    replica.model.script = () =>
      replica.model.calls.length === 1
        ? [{ hold: held.hold }, { fail: { code: "provider_error", message: "x" } }]
        : [{ say: "fine" }];
    const [first, second] = [await replica.send("a"), await replica.send("b")];
    held.open();
    expect([(await replica.ended(first)).status, (await replica.ended(second)).status]).toEqual([
      "failed",
      "completed",
    ]);
    expect(await disagreements(replica)).toEqual([]);
  });

  test("[CHAT-5] a message whose turn fails before it starts does not stay queued", async () => {
    const { replica } = await start();
    const held = gate();
    replica.model.script = () => [{ hold: held.hold }, { say: "x" }];
    const [first, second] = [await replica.send("a"), await replica.send("b")];
    await replica.model.called(1);
    replica.model.becomeUnusable("the key is gone");
    held.open();
    expect([(await replica.ended(first)).status, (await replica.ended(second)).status]).toEqual([
      "completed",
      "failed",
    ]);
    expect(replica.messages().map((m) => m.status)).toEqual(["completed", "completed", "completed"]);
  });

  test("[JOB-10] a job without a slot is queued, and starts when one is free", async () => {
    const world = new World();
    const replica = await startJobs(world, { slots: new Slots({ inProcess: 1, ofOrganization: 1 }) });
    const held = gate();
    replica.model.script = () => [{ hold: held.hold }, { say: "x" }];
    const first = await replica.send("a", "cht_1");
    await replica.model.called(1);
    const second = await replica.send("b", "cht_2");
    await settle();
    expect([replica.job(first).status, replica.job(second).status]).toEqual(["running", "queued"]);
    held.open();
    expect([(await replica.ended(first)).status, (await replica.ended(second)).status]).toEqual([
      "completed",
      "completed",
    ]);
  });
});

describe("a runtime in trouble", () => {
  test("[JOB-4] a lease that lapses for a moment ends no run: reports wait until the replica serves again", async () => {
    const { world, replica } = await start();
    const held = gate();
    replica.model.script = () => [{ say: "one " }, { hold: held.hold }, { say: "two" }];
    const jobId = await replica.send("go");
    await replica.model.called(1);
    replica.placement.isCut = true;
    await world.clock.advance(LEASE_TERM_MS * 0.8);
    held.open();
    await world.clock.advance(100);
    expect(replica.job(jobId).status).toBe("running");
    replica.placement.isCut = false;
    await world.clock.advance(2 * LEASE_RENEW_MS);
    expect(await replica.ended(jobId)).toMatchObject({ status: "completed", result: "one two", attempt: 1 });
    expect(await disagreements(replica)).toEqual([]);
  });

  test("[SSE-3] text that meets a full mailbox is shown later and not lost, and positions stay correct", async () => {
    const { world, replica } = await start();
    const [first, second] = [gate(), gate()];
    replica.model.script = () => [
      { say: "one " },
      { hold: first.hold },
      { say: "two " },
      { hold: second.hold },
      { say: "three" },
    ];
    const jobId = await replica.send("go");
    await replica.model.called(1);
    await settle();
    const actor = replica.system.actors.get(
      chatRef(ORG, CHAT),
      { shard: shardOf(ORG), epoch: 1 },
      world.clock.monotonic(),
    );
    const tickets = Array.from({ length: MAILBOX_MESSAGES }, () => actor.mailbox.enter(world.clock.monotonic(), 1)!);
    first.open();
    await world.clock.advance(100);
    for (const ticket of tickets) actor.mailbox.leave(ticket);
    second.open();
    await world.clock.advance(2_000);
    await replica.ended(jobId);
    const reader = replica.subscribeJob(jobId);
    const items: string[] = [];
    while (items.at(-1) !== String(replica.job(jobId).lastSeq)) items.push(...said(await reader.next()));
    expect(items.filter((item) => item.startsWith('"')).join(" ")).toContain("@13");
  });

  test("[RT-3] text waits for the commit before it, and its pieces are joined meanwhile", async () => {
    const { replica } = await start();
    const held = gate();
    replica.model.script = () => [
      { hold: held.hold },
      ...Array.from({ length: 2_000 }, () => ({ say: "x" })),
      { say: "!" },
    ];
    const jobId = await replica.send("go");
    await replica.model.called(1);
    const flush = replica.store.holdNext();
    const other = replica.send("behind");
    await flush.reached;
    held.open();
    await settle();
    const reader = replica.subscribeChat();
    flush.open();
    await other;
    expect(await replica.ended(jobId)).toMatchObject({ status: "completed", result: `${"x".repeat(2_000)}!` });
    reader.close();
  });

  test("[RT-5] a report of a loop with an older epoch is refused, and the loop stops", async () => {
    const { replica } = await start();
    const held = gate();
    replica.model.script = () =>
      replica.model.calls.length === 1 ? [{ say: "lost " }, { hold: held.hold }] : [{ say: "kept" }];
    const jobId = await replica.send("go");
    await replica.model.called(1);
    replica.store.failNext({ kind: "lost_request" });
    await replica.system.dispatch(chatRef(ORG, "cht_other"), {
      ...MESSAGE,
      open: { workspaceId: "w", title: "" },
      agent: AGENT,
      content: "x",
    });
    expect(await replica.ended(jobId)).toMatchObject({ status: "completed", attempt: 2, result: "kept" });
    expect(replica.types(jobId)).toContain("job.restarted");
    expect(replica.types(CHAT)).toContain("message.restarted");
    expect(await disagreements(replica)).toEqual([]);
    const stale = await replica.system.dispatch(jobRef(ORG, jobId), { kind: "run_text", attempt: 1, text: "late" });
    expect(stale.ok).toBe(false);
  });
});
