/**
 * Tests of kept replies that find nothing prove nothing: each check is taken out of a copy of the sources, and the test
 * that is named for it must fail there.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { MutantFolder } from "../../support/source-mutants.ts";
import { KEPT_MUTANTS, KEPT_REPLY_TESTS } from "./kept-mutants.ts";

let folder!: MutantFolder;
beforeAll(() => void (folder = new MutantFolder()));
afterAll(() => folder.end());

test.each(KEPT_MUTANTS)(
  "[RT-19] caught: %s without `%s`, with `%s`: %s, %s",
  async (file, from, to, tests, caughtBy) => {
    const { failed, output } = await folder.failuresWith([file, from, to, tests, caughtBy]);
    expect(failed, output).toBeGreaterThan(0);
  },
);

test("[RT-19] all of these tests pass on the unchanged sources", async () => {
  const { failed, output } = await folder.failures(KEPT_REPLY_TESTS);
  expect(failed, output).toBe(0);
});
