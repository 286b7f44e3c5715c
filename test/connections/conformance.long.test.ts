/**
 * The scenarios `auth/…` for clients of the official conformance suite of MCP (ACC-5): with the MCP client of the runner
 * over the OAuth client, and with the whole service, where a run waits and a person consents in a browser.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { authorizationRuns, EXTENSIONS, failuresOf, suite } from "../support/conformance-runs.ts";
import { ConformanceService } from "../support/conformance-service.ts";

/** Fewer are a sign that the list has another form. */
const MIN_RUNS = 40;

let service: ConformanceService;
beforeAll(async () => void (service = await ConformanceService.start()));
afterAll(() => service.stop());

test("[ACC-5] every scenario passes, without a warning, for each revision that has it", async () => {
  const runs = await authorizationRuns("test/support/oauth-conformance-client.ts");
  expect(runs.length).toBeGreaterThanOrEqual(MIN_RUNS);
  expect(failuresOf(runs)).toEqual([]);
});

test("[ACC-5] [ACC-9] every scenario passes with the service, whose runs wait for a person", async () => {
  const runs = await authorizationRuns("test/support/conformance-job.ts", {
    env: { CONFORMANCE_SERVICE: service.control },
  });
  expect(runs.length).toBeGreaterThanOrEqual(MIN_RUNS);
  // The suite wants the address of its own document as the client's id; the service has one of its own.
  expect(failuresOf(runs, ["auth/basic-cimd"])).toEqual([]);
});

test("[ACC-5] the scenarios that are left out exist, and are of extensions", async () => {
  const { out } = await suite(["list"]);
  for (const scenario of EXTENSIONS) expect(out).toContain(`- ${scenario} [extension]`);
});
