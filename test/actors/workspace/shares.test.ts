/** Shares of files: what they serve, how often, and until when. */
import { expect, test } from "bun:test";
import { PASSWORD_ATTEMPTS, PASSWORD_WINDOW_MS } from "../../../actors/workspace/limits.ts";
import { parsePath } from "../../../actors/workspace/path.ts";
import { settle } from "../../support/fake-clock.ts";
import { World } from "../../support/replica.ts";
import { contentOf, Workspace } from "../../support/workspace-replica.ts";

async function shared(options: { maxDownloads?: number; expiresAt?: string } = {}) {
  const workspace = await Workspace.open(new World());
  await workspace.write("a/f.txt");
  const path = parsePath("A/F.TXT");
  if (!path.ok) throw new Error("a test's path");
  const { maxDownloads = null, expiresAt = null } = options;
  const share = { path: path.value, hash: "h", passwordHash: null, expiresAt, maxDownloads, createdBy: "usr_1" };
  const made = await workspace.ask({ kind: "create_share", share });
  if (!made.ok) throw new Error(made.fault.kind);
  const shareId = made.value.id;
  return { workspace, shareId, open: () => workspace.ask({ kind: "open_share", shareId, unsent: null }) };
}

test("[WSP-2] a share serves the file that is at its path at the time of the request", async () => {
  const { workspace, open } = await shared();
  expect(await open()).toMatchObject({ value: { path: "a/f.txt", place: { node: { sha256: "a".repeat(64) } } } });
  await workspace.write("a/f.txt", contentOf("b"));
  expect(await open()).toMatchObject({ value: { place: { node: { sha256: "b".repeat(64) } } } });
  await workspace.remove("a", true);
  expect(await open()).toMatchObject({ fault: { kind: "not_found", noun: "file" } });
});

test("[WSP-2] of many concurrent downloads, exactly as many are served as were allowed", async () => {
  const { open } = await shared({ maxDownloads: 7 });
  const outcomes = await Promise.all(Array.from({ length: 50 }, open));
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(7);
  expect(outcomes.filter((outcome) => !outcome.ok && outcome.fault.kind === "share_expired")).toHaveLength(43);
});

test("[WSP-2] attempts with a clock that was a day ahead lock nobody out once the clock is corrected", async () => {
  const { workspace, shareId } = await shared();
  const attempt = () => workspace.ask({ kind: "try_password", shareId });
  const { clock } = workspace.replica.world;
  clock.setForward(86_400_000);
  // The lease is renewed first.
  await attempt();
  await settle();
  for (let i = 0; i < PASSWORD_ATTEMPTS; i++) expect((await attempt()).ok).toBe(true);
  expect(await attempt()).toMatchObject({ fault: { kind: "rate_limited" } });
  clock.setForward(-86_400_000);
  expect((await attempt()).ok).toBe(true);
});

test("[WSP-2] a share expires at its time, to the millisecond", async () => {
  const world = new World();
  const expiresAt = new Date(world.clock.now() + 1_000).toISOString();
  const { workspace, open } = await shared({ expiresAt });
  workspace.replica.world.clock.jump(999);
  expect((await open()).ok).toBe(true);
  workspace.replica.world.clock.jump(1);
  expect(await open()).toMatchObject({ fault: { kind: "share_expired" } });
});

test("[WSP-2] a revoked share no longer works, and revoking it again changes nothing", async () => {
  const { workspace, shareId, open } = await shared();
  await workspace.ask({ kind: "revoke_share", shareId });
  expect(await open()).toMatchObject({ fault: { kind: "share_expired" } });
  expect(await workspace.ask({ kind: "revoke_share", shareId })).toMatchObject({
    ok: true,
    value: { share: { version: 2 }, isUnchanged: true },
  });
});

test("[WSP-2] a password has a limited number of attempts in a window, and new ones in the next", async () => {
  const { workspace, shareId } = await shared();
  const attempt = () => workspace.ask({ kind: "try_password", shareId });
  for (let i = 0; i < PASSWORD_ATTEMPTS; i++) expect((await attempt()).ok).toBe(true);
  expect(await attempt()).toMatchObject({ fault: { kind: "rate_limited", retryAfterMs: PASSWORD_WINDOW_MS } });
  const later = await workspace.after(PASSWORD_WINDOW_MS);
  expect(await later.ask({ kind: "try_password", shareId })).toEqual({ ok: true, value: null });
});

test("[WSP-2] a directory is not shared", async () => {
  const { workspace } = await shared();
  const path = parsePath("a");
  if (!path.ok) throw new Error("a test's path");
  const share = {
    path: path.value,
    hash: "h",
    passwordHash: null,
    expiresAt: null,
    maxDownloads: null,
    createdBy: "u",
  };
  expect(await workspace.ask({ kind: "create_share", share })).toMatchObject({ fault: { kind: "invalid_request" } });
});
