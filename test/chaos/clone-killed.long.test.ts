/** Kill -9 of the whole service in the middle of a clone: the clone ends, and nothing of the killed one stays. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAuthority } from "../support/certificates.ts";
import { copyFirstRun } from "../support/first-run-copy.ts";
import { type GitServer, hasGit, startGitServer } from "../support/git-server.ts";
import { type GuardedFolder, guardedFolder } from "../support/guarded-folder.ts";
import { eventually, startTroupe, type TroupeProcess } from "../support/troupe-process.ts";

const FILES = 400;
const HOST = "127.0.0.1";

let folder: GuardedFolder;
let git: GitServer;
let token: string;
let temporary: string;
let env: Record<string, string>;
let service: TroupeProcess;
let repos: string;

beforeAll(async () => {
  if (!hasGit) return;
  folder = guardedFolder();
  const authority = createAuthority("Test authority");
  git = startGitServer(authority, HOST);
  token = (await copyFirstRun(folder)).personal;
  temporary = join(folder.path, "tmp");
  mkdirSync(temporary, { mode: 0o777 });
  const ca = join(folder.path, "ca.pem");
  writeFileSync(ca, authority.cert);
  env = { EGRESS_ALLOW: HOST, NODE_EXTRA_CA_CERTS: ca, TMPDIR: temporary };
  service = await startTroupe(folder, { env });
  const { workspaces } = await ask<{ workspaces: readonly { id: string }[] }>("GET", "/api/workspaces");
  repos = `/api/workspaces/${workspaces[0]?.id ?? ""}/repos`;
});
afterAll(async () => {
  if (!hasGit) return;
  await git.stop();
  await folder.remove();
});

interface Mount {
  readonly id: string;
  readonly status: string;
  readonly job_id: string;
  readonly commit: string | null;
  readonly error: unknown;
}

async function ask<T>(method: string, path: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  return (await (await fetch(service.url + path, { method, headers, ...sent })).json()) as T;
}
const mount = (id: string): Promise<Mount> => ask("GET", `${repos}/${id}`);
const files = async (path: string): Promise<readonly { path: string; number: number }[]> => {
  const all = [];
  let cursor = "";
  do {
    const query = `path=${path}&recursive=true&limit=100${cursor}`;
    const page = await ask<{ files?: { kind: string; path: string; number: number }[]; next_cursor?: string }>(
      "GET",
      `${repos.replace(/repos$/, "files")}?${query}`,
    );
    // The folder is not there before its first file.
    all.push(...(page.files ?? []).filter(({ kind }) => kind === "file"));
    cursor = page.next_cursor === undefined ? "" : `&cursor=${page.next_cursor}`;
  } while (cursor !== "");
  return all;
};

/** Processes that work on a clone of this data folder. */
function workers(): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(join(service.dataDir, "files", "clones"));
    } catch {
      return false; // it has ended meanwhile
    }
  });
}
const left = (): string[] => [
  ...readdirSync(temporary).filter((name) => name.startsWith("troupe-way-out-")),
  ...readdirSync(join(service.dataDir, "files", "clones")),
  ...readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .filter((line) => line.includes(folder.path)),
];

/** Kills the service, waits until nothing works on without it, and starts it anew. */
async function killAndStart(): Promise<void> {
  await service.end("SIGKILL");
  await eventually("no git works on without the service", () => workers().length === 0);
  service = await startTroupe(folder, { env });
}

/** It ends well, its job too, its files are there once, and nothing of any attempt is left. */
async function endsWell(id: string, path: string, commit: string): Promise<void> {
  await eventually("the clone has ended", async () => (await mount(id)).status !== "cloning");
  const ended = await mount(id);
  expect(ended).toMatchObject({ status: "ready", commit, error: null });
  await eventually("its job has ended", async () => {
    const { status } = await ask<{ status: string }>("GET", `/api/jobs/${ended.job_id}`);
    return status === "completed";
  });
  const found = await files(path);
  expect(found.map((file) => file.path).toSorted()).toEqual(
    Array.from({ length: FILES }, (_, i) => `${path}/f${i}.txt`).toSorted(),
  );
  expect(left()).toEqual([]);
  expect(workers()).toEqual([]);
}

const content = () => Object.fromEntries(Array.from({ length: FILES }, (_, i) => [`f${i}.txt`, `file ${i}\n`]));

test.skipIf(!hasGit)(
  "[WSP-5] [JOB-4] a service that is killed while git fetches clones again after its restart",
  async () => {
    const commit = git.commit("fetched", content());
    const asked = Promise.withResolvers<void>();
    git.before = ({ url, signal }) => {
      if (!url.endsWith("/git-upload-pack")) return null;
      asked.resolve();
      // The answer begins and does not come: git waits in the middle of it.
      const begun = new TextEncoder().encode("0008NAK\n");
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          controller.enqueue(begun);
          signal.addEventListener("abort", () => controller.close(), { once: true });
        },
      });
      return new Response(body, { headers: { "content-type": "application/x-git-upload-pack-result" } });
    };
    const { id } = await ask<Mount>("POST", `${repos}/clone`, { url: git.url("fetched"), path: "fetched" });
    await asked.promise;
    await eventually("git fetches", () => workers().length > 0);
    git.before = () => null;
    await killAndStart();
    await endsWell(id, "fetched", commit);
  },
  300_000,
);

test.skipIf(!hasGit)(
  "[WSP-5] [JOB-4] a service that is killed while files are written continues with the others",
  async () => {
    const commit = git.commit("written", content());
    const { id } = await ask<Mount>("POST", `${repos}/clone`, { url: git.url("written"), path: "written" });
    await eventually("some files are there", async () => (await files("written")).length > 0);
    await killAndStart();
    await endsWell(id, "written", commit);
    // What was written before is the same, and is left alone.
    expect((await files("written")).filter(({ number }) => number !== 1)).toEqual([]);
  },
  300_000,
);
