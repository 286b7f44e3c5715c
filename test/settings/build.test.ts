/** Which code it is, from every form in which a clone can say it. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buildOf } from "../../src/settings/build.ts";

const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const OTHER = COMMIT.replace("0", "f");

let root: string;
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), "build-"))));
afterEach(() => rmSync(root, { recursive: true }));

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const commit = (folder = root): string | null => buildOf({}, folder).commit;

test("[VER-4] facts of the build come before those of the clone", () => {
  write(".git/HEAD", `${COMMIT}\n`);
  expect(buildOf({ buildCommit: OTHER, buildTime: "2026-11-01T13:00:00+01:00" }, root)).toEqual({
    commit: OTHER,
    builtAt: "2026-11-01T12:00:00.000Z",
  });
  expect(buildOf({}, root)).toEqual({ commit: COMMIT, builtAt: null });
});

test("[VER-4] a clone's commit is found on a branch, packed or not, and in a worktree", () => {
  write(".git/HEAD", "ref: refs/heads/main\n");
  write(".git/packed-refs", `# pack-refs with: peeled\n${OTHER} refs/heads/other\n${COMMIT} refs/heads/main\n`);
  expect(commit()).toBe(COMMIT);
  write(".git/refs/heads/main", `${OTHER}\n`);
  expect(commit()).toBe(OTHER);
  write(".git/worktrees/w/HEAD", "ref: refs/heads/w\n");
  write(".git/worktrees/w/commondir", "../..\n");
  write(".git/refs/heads/w", `${COMMIT}\n`);
  write("w/.git", `gitdir: ${join(root, ".git/worktrees/w")}\n`);
  expect(commit(join(root, "w"))).toBe(COMMIT);
});

test("[VER-4] an unknown build is reported as unknown", () => {
  expect(commit()).toBeNull();
  write(".git/HEAD", "ref: refs/heads/unborn\n");
  expect(commit()).toBeNull();
  write(".git/refs/heads/unborn", "not a commit\n");
  expect(commit()).toBeNull();
  write(".git/HEAD", "nonsense\n");
  expect(commit()).toBeNull();
});
