/** The start of a run in the commit of its message: when it is one, and what becomes of its slot. */
import { describe, expect, test } from "bun:test";
import { chatRef } from "../../../../actors/chat/schema.ts";
import { Slots } from "../../../../actors/job/run/slots.ts";
import type { Writes } from "../../../../actors/runtime/store.ts";
import { settle } from "../../../support/fake-clock.ts";
import { gate } from "../../../support/fake-model.ts";
import { AGENT, CHAT, disagreements, type JobReplica, MESSAGE, ORG, startJobs } from "../../../support/job-replica.ts";
import { Gate } from "../../../support/memory-store.ts";
import { inWorld, World } from "../../../support/replica.ts";

const typesOf = (writes: readonly { readonly writes: Writes }[]): string[] =>
  writes.flatMap((group) => group.writes.events.map((event) => event.type));

/** Sends a message without waiting for its commit. */
const send = (replica: JobReplica, chatId = CHAT) =>
  replica.system.dispatch(chatRef(ORG, chatId), {
    ...MESSAGE,
    open: { workspaceId: "wsp_1", title: "Chat" },
    agent: AGENT,
    content: "hi",
  });

/** Usage and organization are in memory from here on, and nothing waits for the next commit. */
async function warmUp(replica: JobReplica): Promise<void> {
  await replica.ended(await replica.send("warm", "cht_0"));
  await replica.system.settled(ORG);
}

describe("the start of a job", () => {
  test("[JOB-14] is in the batch of its message if a slot is free, and before the model is called", async () => {
    const replica = await startJobs(new World());
    await warmUp(replica);
    const before = replica.store.flushed.length;
    const held = replica.store.holdNext();
    const sent = send(replica);
    await held.reached;
    await settle();
    expect(replica.model.calls).toHaveLength(1);
    const [batch] = replica.store.flushed.slice(before);
    expect(batch).toHaveLength(2);
    expect(typesOf(batch!)).toEqual(expect.arrayContaining(["message.created", "job.started", "message.started"]));
    held.open();
    const outcome = await sent;
    if (!outcome.ok) throw new Error(outcome.fault.kind);
    const job = await replica.ended(outcome.value.job!.id);
    expect(job).toMatchObject({ status: "completed", attempt: 1, result: "echo: hi" });
    expect(replica.types(job.id).filter((type) => type === "job.started")).toHaveLength(1);
    const batches = replica.store.flushed.slice(before).map(typesOf);
    // The message with the start, and the last step; the others deliver messages.
    expect(batches.filter((types) => types.length > 0)).toHaveLength(2);
    expect(replica.bugs).toEqual([]);
  });

  test("[JOB-14] waits for a slot if none is free, and each slot is released", async () => {
    const slots = new Slots({ inProcess: 1, ofOrganization: 1 });
    const replica = await startJobs(new World(), { slots });
    const held = gate();
    replica.model.script = () => [{ hold: held.hold }, { say: "x" }];
    const first = await replica.send("a", "cht_1");
    const second = await replica.send("b", "cht_2");
    await settle();
    expect([replica.job(first).status, replica.job(second).status]).toEqual(["running", "queued"]);
    held.open();
    for (const id of [first, second]) expect((await replica.ended(id)).status).toBe("completed");
    await settle();
    const release = slots.acquireNow({ organizationId: ORG, priority: "medium", since: 0 });
    expect(release).not.toBeNull();
  });

  for (const fault of ["abort", "lost_request"] as const)
    test(`[JOB-14] releases its slot if the message is not stored (${fault})`, async () => {
      const slots = new Slots({ inProcess: 1, ofOrganization: 1 });
      const { world, replica } = await inWorld((of) => startJobs(of, { slots }));
      await warmUp(replica);
      if (fault === "abort") replica.store.failNext({ kind: "abort", code: "53100" });
      else replica.store.failNext({ kind: "lost_request" });
      const outcome = await send(replica).catch(() => null);
      expect(outcome?.ok ?? false).toBe(false);
      await world.clock.advance(5_000);
      await settle();
      expect(slots.acquireNow({ organizationId: ORG, priority: "medium", since: 0 })).not.toBeNull();
      expect(replica.chat()).toBeNull();
    });

  test("[JOB-14] [JOB-4] a crash between the commit and the run spends an attempt, and the job continues", async () => {
    const { world, replica } = await inWorld(startJobs);
    await warmUp(replica);
    const stored = new Gate();
    replica.store.failNext({ kind: "late_reply", gate: stored });
    void send(replica).catch(() => null);
    await stored.reached;
    replica.crash();
    const jobId = replica.chat().activeJobId!;
    expect(replica.job(jobId)).toMatchObject({ status: "running", attempt: 1 });
    const next = await startJobs(world);
    expect(await next.ended(jobId)).toMatchObject({ status: "completed", attempt: 2, result: "echo: hi" });
    expect(await disagreements(next)).toEqual([]);
  });

  test("[JOB-14] is made by the run itself if the batch was split and only the start failed", async () => {
    const replica = await startJobs(new World());
    await warmUp(replica);
    const code = "23505";
    // The batch, then its first group alone, which is stored, then the start alone.
    const open = new Gate();
    open.open();
    replica.store.failNext({ kind: "abort", code }, { kind: "hold", gate: open }, { kind: "abort", code });
    const outcome = await send(replica);
    if (!outcome.ok) throw new Error(outcome.fault.kind);
    expect(await replica.ended(outcome.value.job!.id)).toMatchObject({ status: "completed", attempt: 1 });
  });
});
