/** Queries whose child dies (WSP-4): by accident once, or by the query each time. */
import { expect, test } from "bun:test";
import { ok } from "../../actors/fault.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import type { Sandbox, SandboxResult } from "../../src/sandbox/sandbox.ts";
import { dataQueries } from "../../src/wiring/data-queries.ts";

const CRASH = { ok: false, error: "crashed", words: "" } as const;
const PLAN = { ok: true, value: { kind: "plan", files: [] } } as const;
const ROWS = { ok: true, value: { kind: "done", columns: [], rowCount: 1, truncated: false } } as const;

/** Runs one query in a sandbox that answers like this; also tells which jobs it got. */
async function asked(...answers: readonly SandboxResult[]) {
  const jobs: string[] = [];
  const sandbox: Sandbox = {
    run: ({ job }) => Promise.resolve(answers[jobs.push(job) - 1] ?? CRASH),
    prepare: () => Promise.resolve(),
    close: () => {},
  };
  const system = { dispatch: () => Promise.resolve(ok({})) } as unknown as TroupeSystem;
  const { run } = dataQueries({ sandbox, system: () => system, contents: {} as never });
  const where = { organizationId: "org_1", workspaceId: "wsp_1", database: null };
  const outcome = await run({ ...where, query: "SELECT 1", params: [], format: "json", limit: 10, maxBytes: 1_000 });
  return { jobs, outcome };
}

test("[WSP-4] a query whose child dies runs once more, in another child", async () => {
  const { jobs, outcome } = await asked(CRASH, PLAN, CRASH, ROWS);
  expect(jobs).toEqual(["query-plan", "query-plan", "query", "query"]);
  expect(outcome).toMatchObject({ ok: true, value: { rowCount: 1 } });
});

test("[WSP-4] a query whose child dies twice needs too much memory", async () => {
  const { jobs, outcome } = await asked(PLAN, CRASH, CRASH, ROWS);
  expect(jobs).toEqual(["query-plan", "query", "query"]);
  expect(outcome).toMatchObject({
    ok: false,
    fault: { errors: [{ path: "/query", message: "The query needs more than 512 MiB of memory" }] },
  });
});
