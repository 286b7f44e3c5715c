/** The repositories of a workspace: what a clone reports of its end. */
import { expect, test } from "bun:test";
import { World } from "../../support/replica.ts";
import { Workspace } from "../../support/workspace-replica.ts";

const AT = "2026-01-01T00:00:00.000Z";
const REPOSITORY = {
  id: "repo_1",
  provider: "git",
  url: "https://git.test/a.git",
  branch: null,
  path: "a",
  mode: "read",
  secret: null,
  status: "pending",
  commit: null,
  error: null,
  jobId: null,
  syncedAt: null,
  createdBy: "usr_1",
  createdAt: AT,
  updatedAt: AT,
} as const;

test("[WSP-5] the end of a clone may be reported twice; that of another job is refused", async () => {
  const workspace = await Workspace.open(new World());
  const { id: repoId } = REPOSITORY;
  const begun = { kind: "begin_clone", repoId, added: REPOSITORY, jobId: "job_1", afterJobId: null } as const;
  expect((await workspace.ask(begun)).ok).toBe(true);
  const changed = { written: 1, removed: 0 };
  const end = { kind: "end_clone", repoId, jobId: "job_1", commit: "c".repeat(40), by: "usr_1", changed } as const;
  const first = await workspace.ask(end);
  expect(first).toMatchObject({ ok: true, value: { status: "ready", commit: end.commit } });
  expect(await workspace.ask(end)).toEqual(first);
  expect(await workspace.ask({ ...end, jobId: "job_2" })).toMatchObject({ fault: { noun: "repository" } });
});
