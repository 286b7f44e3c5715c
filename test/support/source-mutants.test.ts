/** Mutants of the sources are tried by long tests. That each still fits the sources and its test is seen at once. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CORE_MUTANTS } from "../actors/core-mutants.ts";
import { KEPT_MUTANTS } from "../actors/runtime/kept-mutants.ts";

const textOf = (path: string): string => readFileSync(join(import.meta.dir, "../..", path), "utf8");

test.each([...CORE_MUTANTS, ...KEPT_MUTANTS])(
  "[RT-1] %s has `%s`, and its mutant `%s` has a test: %s, %s",
  (file, from, to, tests, caughtBy) => {
    expect(to).not.toBe(from);
    expect(textOf(file)).toContain(from);
    expect(textOf(tests)).toContain(caughtBy);
  },
);
