/**
 * A job stayed `running` until the next start if the store refused the report of its failure, because of the partial
 * answer in it; and one that was cancelled stayed `cancelling`.
 */
import { expect, test } from "bun:test";
import { jobRef } from "../../actors/job/schema.ts";
import type { ShardWrites } from "../../actors/runtime/store.ts";
import { settle } from "../support/fake-clock.ts";
import { FakeModel, gate } from "../support/fake-model.ts";
import { disagreements, type JobReplica, ORG, startJobs } from "../support/job-replica.ts";
import { World } from "../support/replica.ts";

const WORD = "indigestible";

/** Commits with this word abort, as those with a character that the database cannot store. */
function refuseWord({ store }: JobReplica): { refusals: number } {
  const flush = store.flush.bind(store);
  const count = { refusals: 0 };
  store.flush = async (batch) => {
    if (!writesOf(batch).includes(WORD)) return flush(batch);
    count.refusals++;
    return { kind: "aborted", code: "22P05", cause: new Error("unsupported Unicode escape sequence") };
  };
  return count;
}

const writesOf = (batch: readonly ShardWrites[]): string => JSON.stringify(batch.map(({ writes }) => writes));

const failing = { code: "provider_error", message: "gone" } as const;

test("[JOB-4] a job whose partial answer the store refuses fails, without it", async () => {
  const model = new FakeModel();
  model.script = () => [{ say: WORD }, { fail: failing }];
  const replica = await startJobs(new World(), { model });
  const refused = refuseWord(replica);
  const jobId = await replica.send("go");
  expect(await replica.ended(jobId)).toMatchObject({ status: "failed", error: { code: "internal_error" }, result: "" });
  expect(refused.refusals).toBeGreaterThanOrEqual(2);
  expect(await disagreements(replica)).toEqual([]);
  expect(replica.bugs.map(({ message }) => message)).toEqual(["a run failed", "a failed run could not be reported"]);
});

test("[JOB-4] a job whose failure the store refuses in any form is recovered by the same process", async () => {
  const world = new World();
  const model = new FakeModel();
  model.script = () => (model.calls.length === 1 ? [{ fail: failing }] : [{ say: "done" }]);
  const replica = await startJobs(world, { model });
  const { store } = replica;
  const flush = store.flush.bind(store);
  // Until the loop has given up, and its effect is recovered.
  store.flush = (batch) =>
    replica.errors.length > 0 || !writesOf(batch).includes('"status":"failed"')
      ? flush(batch)
      : Promise.resolve({ kind: "aborted", code: "22P05", cause: new Error("no") });
  const jobId = await replica.send("go");
  for (let tries = 0; replica.job(jobId).status !== "completed" && tries < 100; tries++) await world.clock.advance(250);
  expect(replica.job(jobId)).toMatchObject({ status: "completed", attempt: 2, result: "done" });
  expect(await disagreements(replica)).toEqual([]);
});

test("[JOB-3] a cancelled job whose partial answer the store refuses ends, without it", async () => {
  const model = new FakeModel();
  const held = gate();
  model.script = () => [{ say: WORD }, { hold: held.hold }];
  const replica = await startJobs(new World(), { model });
  refuseWord(replica);
  const jobId = await replica.send("go");
  await model.called(1);
  await settle();
  await replica.system.dispatch(jobRef(ORG, jobId), { kind: "cancel" });
  expect(await replica.ended(jobId)).toMatchObject({ status: "cancelled", result: "" });
  expect(await disagreements(replica)).toEqual([]);
});
