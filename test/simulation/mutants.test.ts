/** Mutants of the runtime must be caught: a simulation that finds nothing proves nothing. The long tests catch the rest. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { LINK_TESTS, linkMutants } from "../replicas/link-mutants.ts";
import { caught, mutants, QUICK_MUTANTS, trial } from "./mutants.ts";
import { applyPatch } from "./patch.ts";

/** Seeds within which a mutant must be caught, from the first on: no patch names one that is known to catch it. */
const SEEDS = 200;
/** They run beside each other: most of this is waiting for a processor. */
const TIMEOUT_MS = 300_000;

test("[SIM-3] the mutants exist", () => {
  expect(mutants().map(({ name }) => name)).toContainValues([
    "emit-before-commit",
    "no-epoch-on-turns",
    "keep-queue-after-break",
    "load-before-epoch",
    "no-epoch-rise",
    "lease-after-reply",
    "group-split",
    "message-dropped",
  ]);
});

test.each([...mutants(), ...linkMutants()])("[SIM-3] the patch of $name fits the source", ({ patch }) => {
  const source = (path: string): string => readFileSync(join(import.meta.dir, "../..", path), "utf8");
  for (const [path, text] of applyPatch(patch, source)) expect(text).not.toBe(source(path));
});

test.each([...linkMutants()])("[SIM-3] the test that finds $name exists", ({ caughtBy }) => {
  const tests = LINK_TESTS.map((path) => readFileSync(join(import.meta.dir, "../..", path), "utf8"));
  expect(tests.filter((text) => text.includes(caughtBy))).not.toBeEmpty();
});

for (const mutant of mutants().filter(({ name }) => QUICK_MUTANTS.has(name))) {
  test.concurrent(`[SIM-3] caught: ${mutant.name}`, async () => console.log(await caught(mutant, SEEDS)), TIMEOUT_MS);
}

test("[SIM-3] a patch that removes no safety is not caught, and a patch that does not apply fails", async () => {
  const harmless =
    "--- a/actors/runtime/commit/flush-queue.ts\n+++ b/actors/runtime/commit/flush-queue.ts\n@@ -1 +1 @@\n-export const BATCH_GROUPS = 500;\n+export const BATCH_GROUPS = 400;\n";
  expect((await trial({ patch: harmless }, 5)).invariant).toBeNull();
  expect(() => applyPatch(harmless, () => "something else\n")).toThrow("does not fit");
  expect(() => applyPatch(harmless, () => "export const BATCH_GROUPS = 500;\n".repeat(2))).toThrow("2 times");
  expect(() => applyPatch("", () => "")).toThrow("empty");
});
