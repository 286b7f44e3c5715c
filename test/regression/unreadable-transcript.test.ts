/**
 * A query of a run's history or transcript that failed, because the database was away for a moment,
 * failed the whole job with `internal_error`; in the stop of a cancelled job it left the job
 * `cancelling` until the next start.
 */
import { DEFAULT_JOB_LIMITS } from "../../actors/job/limits.ts";
import { expect, test } from "bun:test";
import { jobRef } from "../../actors/job/schema.ts";
import { REREAD_TRIES } from "../../actors/job/run/reading.ts";
import { until } from "../support/condition.ts";
import { settle } from "../support/fake-clock.ts";
import { FakeModel, gate } from "../support/fake-model.ts";
import { disagreements, JobReplica, ORG, startJobs } from "../support/job-replica.ts";
import { inWorld, World } from "../support/replica.ts";

/** Breaks what the replica reads until it is mended; counts the reads that failed. */
function broken(replica: JobReplica, read: "history" | "parts") {
  const fault = { failures: 0, mend: () => {} };
  const { transcripts } = replica;
  fault.mend = () => void Reflect.deleteProperty(transcripts, read);
  const fail = (): Promise<never> => {
    fault.failures++;
    return Promise.reject(new Error("the connection is gone"));
  };
  Object.assign(transcripts, { [read]: fail });
  return fault;
}

/** A chat with one turn; the second message's history cannot be read. */
async function unreadable() {
  const { world, replica } = await inWorld(startJobs);
  await replica.ended(await replica.send("first"));
  const fault = broken(replica, "history");
  const jobId = await replica.send("second");
  await until("the history is asked for", () => fault.failures === 1);
  return { world, replica, fault, jobId };
}

test("[JOB-4] a history that cannot be read temporarily is read again, with growing waits", async () => {
  const { world, replica, fault, jobId } = await unreadable();
  const waits: number[] = [];
  for (let failures = 1; failures < 9; failures++) {
    const from = world.clock.now();
    while (fault.failures === failures) await world.clock.advance(10);
    waits.push(world.clock.now() - from);
  }
  expect(waits).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
  expect(replica.job(jobId).status).toBe("running");
  fault.mend();
  await world.clock.advance(5_000);
  expect(await replica.ended(jobId)).toMatchObject({ status: "completed", result: "echo: second", attempt: 1 });
  expect([await disagreements(replica), replica.bugs]).toEqual([[], []]);
});

test("[JOB-4] while the database is unavailable no attempt is counted, and the job continues when it returns", async () => {
  const { world, replica, fault, jobId } = await unreadable();
  replica.placement.isCut = true;
  await world.clock.advance(20 * 60_000);
  expect(fault.failures).toBeGreaterThan(2 * REREAD_TRIES);
  expect(replica.job(jobId).status).toBe("running");
  replica.placement.isCut = false;
  fault.mend();
  await world.clock.advance(10_000);
  expect(await replica.ended(jobId)).toMatchObject({ status: "completed", attempt: 1 });
});

test("[JOB-4] a history that the database refuses permanently ends the job after its tries", async () => {
  const { world, replica, fault, jobId } = await unreadable();
  await world.clock.advance(120_000);
  expect(await replica.ended(jobId)).toMatchObject({ status: "failed", error: { code: "internal_error" } });
  expect(fault.failures).toBe(REREAD_TRIES);
  expect(replica.bugs.map((bug) => bug.message)).toEqual(["a run failed"]);
});

test("[JOB-4] [RUN-3] a run that waits for its history ends with its deadline or a cancel like any other", async () => {
  const late = await unreadable();
  late.replica.placement.isCut = true;
  await late.world.clock.advance(DEFAULT_JOB_LIMITS.runMs - 5_000);
  late.replica.placement.isCut = false;
  await late.world.clock.advance(10_000);
  expect(await late.replica.ended(late.jobId)).toMatchObject({ status: "failed", error: { code: "timeout" } });

  const cancelled = await unreadable();
  await cancelled.replica.system.dispatch(jobRef(ORG, cancelled.jobId), { kind: "cancel" });
  expect(await cancelled.replica.ended(cancelled.jobId)).toMatchObject({ status: "cancelled" });
  expect(await disagreements(cancelled.replica)).toEqual([]);
});

test("[JOB-3] a cancel whose transcript cannot be read for a moment is brought to its end", async () => {
  const world = new World();
  const model = new FakeModel();
  const held = gate();
  model.script = () => [{ say: "half" }, { hold: held.hold }];
  const replica = await startJobs(world, { model });
  const jobId = await replica.send("go");
  await model.called(1);
  await settle();
  // The cancel reaches the run between two reports: its own last word is refused, and it looks again.
  const fault = broken(replica, "parts");
  const flush = replica.store.holdNext();
  const cancel = replica.system.dispatch(jobRef(ORG, jobId), { kind: "cancel" });
  await flush.reached;
  held.open();
  await settle();
  flush.open();
  await cancel;
  await until("the transcript is asked for", () => fault.failures === 1);
  expect(replica.job(jobId).status).toBe("cancelling");
  fault.mend();
  await world.clock.advance(1_000);
  expect(await replica.ended(jobId)).toMatchObject({ status: "cancelled", result: "half" });
  expect(await disagreements(replica)).toEqual([]);
});

test("[JOB-4] a restarted job whose transcript cannot be read for a moment continues from it", async () => {
  const world = new World();
  const model = new FakeModel();
  model.script = (call) =>
    call.entries.length === 1
      ? [{ say: "kept. " }, { use: { type: "tool_use", id: "c1", name: "look", input: {} } }]
      : model.calls.length === 2
        ? [{ hold: new Promise(() => {}) }]
        : [{ say: "end" }];
  const first = await startJobs(world, { model });
  const jobId = await first.send("go");
  await model.called(2);
  first.crash();
  const second = new JobReplica(world, { model });
  const { transcripts } = second;
  const read = transcripts.parts.bind(transcripts);
  let reads = 0;
  // The recovery itself reads it first, then the run that follows.
  transcripts.parts = (...of) => (++reads === 2 ? Promise.reject(new Error("the connection is gone")) : read(...of));
  await second.system.start();
  await until("it is asked for", () => reads === 2);
  await world.clock.advance(1_000);
  expect(await second.ended(jobId)).toMatchObject({ status: "completed", result: "kept. \n\nend", attempt: 2 });
});
