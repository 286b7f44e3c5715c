/**
 * Rules of the core that one line holds: each line is taken out, and the test that is named for it must fail. The fast
 * tests of the files named here run on the sources as they are.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { MutantFolder } from "../support/source-mutants.ts";
import { CORE_MUTANTS } from "./core-mutants.ts";

let folder!: MutantFolder;
beforeAll(() => void (folder = new MutantFolder()));
afterAll(() => folder.end());

test.each(CORE_MUTANTS)(
  "[MIS-4] [HOOK-6] [RT-1] caught: %s without `%s`, with `%s`: %s, %s",
  async (file, from, to, tests, caughtBy) => {
    const { failed, output } = await folder.failuresWith([file, from, to, tests, caughtBy]);
    expect(failed, output).toBeGreaterThan(0);
  },
);
