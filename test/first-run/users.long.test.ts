/** The service as root and as a plain user, in clones that are open and closed to others. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, chownSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { bunForEveryUser } from "../support/bun-program.ts";
import { type GuardedFolder, guardedFolder } from "../support/guarded-folder.ts";
import { CLONE } from "../support/service-process.ts";
import { admin, eventually, processesIn, startTroupe, type TroupeOptions } from "../support/troupe-process.ts";

const isRoot = process.getuid?.() === 0;
const canChangeUser = isRoot && Bun.which("setpriv") !== null;
const CLONE_PARTS = ["library", "src", "db", "actors", "docs", "package.json", "bun.lock", "node_modules"];

let folder: GuardedFolder;

beforeAll(() => void (folder = guardedFolder("disk")));
afterAll(() => folder.remove());

/** A clone with its packages installed, as hard links. */
function cloneTo(path: string): string {
  mkdirSync(path, { recursive: true });
  const copied = Bun.spawnSync({ cmd: ["cp", "-al", ...CLONE_PARTS.map((part) => join(CLONE, part)), path] });
  expect(copied.stderr.toString()).toBe("");
  return path;
}

function idOf(kind: "-u" | "-g", user: string): number {
  return Number(Bun.spawnSync({ cmd: ["id", kind, user] }).stdout.toString());
}

/** Serves, answers and ends in a clone; `before` is what runs each script. */
async function expectWhole(clone: string, before: readonly string[] = [process.execPath]): Promise<void> {
  const dataDir = join(clone, ".troupe");
  const options = (script: string): TroupeOptions => ({
    cmd: [...before, join(clone, script)],
    cwd: clone,
    env: { DATA_DIR: ".troupe" },
  });
  const service = await startTroupe(folder, { ...options("src/main.ts"), dataDir });
  const { personal, agentId } = service.firstRun();
  const answer = await fetch(`${service.url}/api/v1/agents/${agentId}/execute`, {
    method: "POST",
    headers: { authorization: `Bearer ${personal}`, "content-type": "application/json" },
    body: JSON.stringify({ message: "/say Good day" }),
  });
  expect(await answer.json()).toMatchObject({ success: true, result: "Good day" });
  const listed = await admin(folder, ["user", "list"], { dataDir });
  expect(listed).toMatchObject({ code: 0, out: expect.stringContaining("owner@localhost"), err: "" });
  await service.end("SIGKILL");
  const next = await startTroupe(folder, { ...options("src/main.ts"), dataDir });
  expect(next.output).toContain("adopted");
  expect(await next.end("SIGINT")).toBe(0);
  await eventually("nothing is left", () => processesIn(clone).length === 0);
}

test.skipIf(!isRoot)("[START-49] root serves from a clone in a folder that others cannot enter", async () => {
  const home = join(folder.path, "root-home");
  const clone = cloneTo(join(home, "clone"));
  chmodSync(home, 0o700);
  await expectWhole(clone);
  expect(statSync(home).mode & 0o777).toBe(0o700);
});

test.skipIf(!canChangeUser)("[START-49] a plain user serves from its own clone", async () => {
  const [uid, gid] = [idOf("-u", "nobody"), idOf("-g", "nobody")];
  const clone = cloneTo(join(folder.path, "plain", "clone"));
  chownSync(clone, uid, gid);
  const bun = bunForEveryUser(folder.path);
  await expectWhole(clone, ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", "--", bun]);
  expect(statSync(join(clone, ".troupe/postgres")).uid).toBe(uid);
  expect(statSync(join(clone, ".troupe")).mode & 0o777).toBe(0o700);
});
