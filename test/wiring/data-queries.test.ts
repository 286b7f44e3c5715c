/** What a query is told whose child has failed (WSP-4). */
import { expect, test } from "bun:test";
import { ok } from "../../actors/fault.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import type { Sandbox, SandboxResult } from "../../src/sandbox/sandbox.ts";
import { dataQueries } from "../../src/wiring/data-queries.ts";

const failed = (error: "crashed" | "failed" | "unavailable") => ({ ok: false, error, words: "" }) as const;
const PLAN = { ok: true, value: { kind: "plan", files: [] } } as const;

/** Runs one query in a sandbox that answers like this. */
async function asked(answer: SandboxResult) {
  const sandbox: Sandbox = {
    run: ({ job }) => Promise.resolve(job === "query-plan" ? PLAN : answer),
    prepare: () => Promise.resolve(),
    close: () => {},
  };
  const system = { dispatch: () => Promise.resolve(ok({})) } as unknown as TroupeSystem;
  const { run } = dataQueries({ sandbox, system, contents: {} as never });
  const where = { organizationId: "org_1", workspaceId: "wsp_1", database: null };
  return run({ ...where, query: "SELECT 1", params: [], format: "json", limit: 10, maxBytes: 1_000 });
}

test("[WSP-4] a query that ends a fresh child needs too much memory; what it did not cause is answered with a time to try again", async () => {
  expect(await asked(failed("crashed"))).toMatchObject({
    ok: false,
    fault: { errors: [{ path: "/query", message: "The query needs more than 512 MiB of memory" }] },
  });
  for (const error of ["failed", "unavailable"] as const)
    expect(await asked(failed(error))).toMatchObject({
      ok: false,
      fault: { kind: "unavailable", retryAfterMs: 1_000 },
    });
});
