/** Tests of the link that find nothing prove nothing: each of its rules is taken out, and its test must fail. */
import { expect, test } from "bun:test";
import { linkMutants, linkTrial } from "./link-mutants.ts";

for (const { name, patch, caughtBy } of linkMutants()) {
  test(`[REP-4] caught: ${name}`, async () => {
    const { failed, output } = await linkTrial(caughtBy, patch);
    expect(failed, output).toBeGreaterThan(0);
  });
}

test("[REP-4] each of those tests passes without a mutation", async () => {
  for (const caughtBy of new Set(linkMutants().map((mutant) => mutant.caughtBy))) {
    const { passed, failed, output } = await linkTrial(caughtBy, null);
    expect([passed, failed], output).toEqual([1, 0]);
  }
});
