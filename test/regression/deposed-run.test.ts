/**
 * A replica whose lease had run out between a commit and the call that follows it still made the call:
 * beside the replica that had taken the job over meanwhile.
 */
import { expect, test } from "bun:test";
import type { ModelCall } from "../../actors/job/ports.ts";
import type { Job } from "../../actors/job/schema.ts";
import { LEASE_RENEW_MS, LEASE_TERM_MS } from "../../actors/runtime/placement/placement.ts";
import { settle } from "../support/fake-clock.ts";
import { FakeModel, type ModelStep } from "../support/fake-model.ts";
import { FakeTools } from "../support/fake-tools.ts";
import { disagreements, startJobs } from "../support/job-replica.ts";
import { Gate } from "../support/memory-store.ts";
import { World } from "../support/replica.ts";

/** Calls one tool, then answers. */
const lookThenAnswer = (call: ModelCall): readonly ModelStep[] =>
  call.entries.at(-1)!.role === "assistant"
    ? [{ say: "done" }]
    : [{ use: { type: "tool_use", id: "c1", name: "look", input: {} } }];

/** A run whose replica hears late that the job was stored so; model and tools are the outside of all replicas. */
async function heardLate(isStored: (job: Job) => boolean) {
  const world = new World();
  const parts = { model: new FakeModel(), tools: new FakeTools() };
  parts.model.script = lookThenAnswer;
  const replica = await startJobs(world, parts);
  const gate = new Gate();
  let isOver = false;
  replica.store.onFlush = (batch) => {
    const jobs = batch.flatMap(({ writes }) => writes.records.filter(({ table }) => table === "job"));
    if (isOver || !jobs.some(({ record }) => isStored(record as Job))) return null;
    isOver = true;
    return { kind: "late_reply", gate };
  };
  const jobId = await replica.send("go");
  await gate.reached;
  const counts = () => ({ model: parts.model.calls.length, tools: parts.tools.calls.length });
  return { world, parts, jobId, gate, counts };
}

const isRunning = (job: Job): boolean => job.status === "running" && job.step === 0;
const isCalling = (job: Job): boolean => job.openCalls.some((call) => call.started);

for (const [what, isStored, made] of [
  ["a model", isRunning, { model: 0, tools: 0 }],
  ["a tool", isCalling, { model: 1, tools: 0 }],
] as const) {
  test(`[RT-12] [JOB-7] a replica that was taken over before it heard of its commit does not call ${what}`, async () => {
    const { world, parts, jobId, gate, counts } = await heardLate(isStored);
    expect(counts()).toEqual(made);
    world.clock.jump(LEASE_TERM_MS + 1);
    const second = await startJobs(world, parts);
    await second.ended(jobId);
    const all = counts();
    gate.open();
    await settle();
    await world.clock.advance(3 * LEASE_TERM_MS);
    expect(counts()).toEqual(all);
    expect(all).toEqual({ model: 2, tools: 1 });
    expect(second.job(jobId)).toMatchObject({ status: "completed", attempt: 2 });
    expect(await disagreements(second)).toEqual([]);
  });

  test(`[RT-12] a replica whose lease has lapsed for a moment calls ${what} when the lease is back`, async () => {
    const { world, parts, jobId, gate, counts } = await heardLate(isStored);
    world.clock.jump(0.8 * LEASE_TERM_MS);
    gate.open();
    await settle();
    expect(counts()).toEqual(made);
    await world.clock.advance(LEASE_RENEW_MS);
    await settle();
    expect(counts()).toEqual({ model: 2, tools: 1 });
    const job = world.database.record("job", "org_a", jobId) as Job;
    expect(job).toMatchObject({ status: "completed", attempt: 1 });
    expect(parts.tools.keys()).toEqual([`${jobId}:1:c1`]);
  });
}
