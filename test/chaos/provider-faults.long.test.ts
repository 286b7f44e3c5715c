/** The same as `provider-faults.test.ts`, with as many jobs as a busy service has. */
import { expect, test } from "bun:test";
import { surviveFaults } from "../support/provider-faults.ts";

test("[RUN-8] no job of 200 at once fails because its provider is unreachable, limits or breaks off for a while", async () => {
  const { jobs, answers } = await surviveFaults(200);
  console.log("provider faults:", answers);
  expect(jobs.filter((job) => job.status !== "completed").map((job) => job["error"])).toEqual([]);
  expect(jobs.map((job) => job.result)).toEqual(jobs.map((_, nth) => `answer to job ${nth}`));
  for (const kind of ["reset", "limited", "refused", "cut"]) expect(answers[kind]).toBeGreaterThan(0);
}, 300_000);
