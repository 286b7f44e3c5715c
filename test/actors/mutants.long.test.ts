/**
 * Rules of the core that one line holds: each line is taken out of a copy of the sources, and the test that is named for
 * it must fail there. A test that fails for no mutant proves nothing.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { MutantFolder } from "../support/source-mutants.ts";
import { CORE_MUTANTS } from "./core-mutants.ts";
import { KEPT_MUTANTS, KEPT_REPLY_TESTS } from "./runtime/kept-mutants.ts";

let folder!: MutantFolder;
beforeAll(() => void (folder = new MutantFolder()));
afterAll(() => folder.end());

test.each([...CORE_MUTANTS, ...KEPT_MUTANTS])(
  "[MIS-4] [HOOK-6] [RT-1] [RT-19] caught: %s without `%s`, with `%s`: %s, %s",
  async (file, from, to, tests, caughtBy) => {
    const { failed, output } = await folder.failuresWith([file, from, to, tests, caughtBy]);
    expect(failed, output).toBeGreaterThan(0);
  },
);

test("[RT-19] the tests of kept replies pass on the unchanged sources", async () => {
  const { failed, output } = await folder.failures(KEPT_REPLY_TESTS);
  expect(failed, output).toBe(0);
});
