/** What workspaces leave behind is removed after its time, and content that is referred to never is. */
import { beforeAll, beforeEach, expect, test } from "bun:test";
import { VERSION_MS } from "../../actors/workspace/limits.ts";
import type { BlobKey } from "../../actors/workspace/ports.ts";
import { PostgresBlobClaims } from "../../db/stores/blob-claims.ts";
import { sweepOnce } from "../../db/sweeps.ts";
import { workspaceSweeps } from "../../db/workspace-sweeps.ts";
import { until } from "../support/condition.ts";
import { serviceOfFile } from "../support/scene.ts";
import type { Founded } from "../support/service.ts";
import { digestOf, WorkspaceFiles } from "../support/workspace-files.ts";

const DAY_MS = 86_400_000;

let founded: Founded;
let files: WorkspaceFiles;
let claims: PostgresBlobClaims;
/** What the sweep has removed; `during` runs while it does. */
let removed: string[];
let during: () => Promise<void>;

const service = serviceOfFile();
beforeAll(() => void (claims = new PostgresBlobClaims(service.database)));
beforeEach(async () => {
  await service.database.read`truncate workspace_place, workspace_version, workspace_text, workspace_deleted_directory,
    workspace_share, blob_claim, sweep_position`;
  founded = await service.found();
  files = new WorkspaceFiles(service.system, founded);
  removed = [];
  during = () => Promise.resolve();
});

const blobs = {
  async remove({ sha256 }: BlobKey) {
    await during();
    removed.push(sha256);
  },
};

/** All sweeps of workspaces until they are through, so many days from now. */
async function sweep(days: number, limit = 3): Promise<void> {
  await files.settled();
  for (const one of workspaceSweeps(blobs)) {
    let isDone = false;
    while (!isDone) ({ isDone } = await sweepOnce(service.database, one, { now: Date.now() + days * DAY_MS, limit }));
  }
}
const claim = (text: string): Promise<void> =>
  claims.claim({ organizationId: founded.organizationId, sha256: digestOf(text) });
async function write(path: string, text: string): Promise<void> {
  await claim(text);
  await files.write(path, text);
}
async function rows(table: string): Promise<number> {
  const { read } = service.database;
  const [row] = await read<{ n: number }[]>`select count(*)::int as n from ${read(table)}`;
  return row!.n;
}

test("[WSP-12] unreferenced content is deleted after an hour, and content of files and versions stays", async () => {
  await write("a", "one");
  await write("a", "two");
  await claim("nobody's");
  await sweep(0.9 / 24);
  expect(removed).toEqual([]);
  await sweep(1.1 / 24);
  expect(removed).toEqual([digestOf("nobody's")]);
  expect(await rows("blob_claim")).toBe(2);
});

test("[WSP-10] [WSP-12] a version and its content are deleted after 30 days", async () => {
  await write("a", "one");
  await write("a", "two");
  await sweep(29);
  expect(await rows("workspace_version")).toBe(1);
  await sweep(VERSION_MS / DAY_MS + 1);
  expect(await rows("workspace_version")).toBe(0);
  expect(removed).toEqual([digestOf("one")]);
});

test("[WSP-12] a deleted directory is removed with everything below it, however deep", async () => {
  for (let i = 0; i < 7; i++) await write(`d/e/${i}`, `text ${i}`);
  await write("d/e/f/g", "deep");
  await write("stays", "stays");
  await files.remove("d");
  await sweep(29);
  expect(await rows("workspace_deleted_directory")).toBe(1);
  expect(removed).toEqual([]);
  await sweep(31);
  // The root, and the file that stays.
  expect([
    await rows("workspace_place"),
    await rows("workspace_deleted_directory"),
    await rows("workspace_text"),
  ]).toEqual([2, 0, 1]);
  expect(removed).toHaveLength(8);
});

test("[WSP-12] a deleted workspace is removed like a directory", async () => {
  await write("a/b", "text");
  await files.ask({ kind: "delete_workspace" });
  await sweep(31);
  expect(removed).toEqual([digestOf("text")]);
});

test("[WSP-12] content that is claimed again gets its full time again", async () => {
  await claim("twice");
  await service.database.read`update blob_claim set claimed_at = now() - interval '3 days'`;
  await claim("twice");
  await sweep(0);
  expect(removed).toEqual([]);
});

test("[WSP-12] a claim during the removal of its content waits, and holds afterwards", async () => {
  await claim("raced");
  await service.database.read`update blob_claim set claimed_at = now() - interval '3 days'`;
  let claimed = false;
  let claiming: Promise<void> = Promise.resolve();
  during = async () => {
    claiming = claim("raced").then(() => void (claimed = true));
    await until("the claim waits", async () => {
      const waiting = await service.database.read`
        select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return waiting.count > 0;
    });
    expect(claimed).toBe(false);
  };
  await sweep(0);
  await claiming;
  // Removed before the claim was granted: its holder stores the content anew.
  expect([removed, await rows("blob_claim")]).toEqual([[digestOf("raced")], 1]);
});
