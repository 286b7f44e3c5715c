/** Jobs whose provider refuses, limits, resets and returns. */
import { expect, test } from "bun:test";
import { surviveFaults } from "../support/provider-faults.ts";

test("[RUN-8] concurrent jobs survive an outage, limits, refusals and broken streams, each with its whole answer", async () => {
  const { jobs, answers } = await surviveFaults(24);
  expect(jobs.map((job) => [job.status, job.result])).toEqual(
    jobs.map((_, nth) => ["completed", `answer to job ${nth}`]),
  );
  for (const kind of ["reset", "refused", "cut"]) expect(answers[kind]).toBeGreaterThan(0);
});
