/** The tests that look at a sample of their cases in the fast run, over all of them. */
import { expect, test } from "bun:test";
import { IS_LONG } from "./support/long.ts";
import "./current/branch-names.test.ts";
import "./db/connection-loss.test.ts";
import "./sign-in/hostile-forms.test.ts";

test("[CI-4] the long run looks at all cases", () => {
  expect(IS_LONG).toBe(true);
});
