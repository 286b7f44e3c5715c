/** Copies of repositories: what is read of them, what they cannot make git do, and their limits. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CloneFailure, Cloner, type CloneSettings } from "../../src/repositories/clone.ts";
import { findGit, repositoryIn, runGit, startGit } from "../../src/repositories/git.ts";
import { hasBubbles } from "../../src/sandbox/bubble-style.ts";
import { until } from "../support/condition.ts";
import { createEgressWorld, type EgressWorld } from "../support/egress-world.ts";
import { type GitServer, hasGit, startGitServer } from "../support/git-server.ts";

let world: EgressWorld;
let server: GitServer;
let root: string;
let cloner: Cloner;

beforeAll(async () => {
  world = createEgressWorld();
  root = mkdtempSync(join(tmpdir(), "troupe-clones-"));
  if (!hasGit) return;
  server = startGitServer(world.authority);
  cloner = new Cloner(join(root, "clones"), world.client(), { isPolite: false });
  await cloner.prepare();
});
afterAll(async () => {
  await server.stop();
  await world.end();
  rmSync(root, { recursive: true, force: true });
});
beforeEach(() => {
  server.authorization = null;
  server.before = () => null;
  server.requests.length = 0;
});

const LIMITS = { timeoutMs: 60_000, maxBytes: 10_000_000, maxFiles: 1_000 };
const settings = (name: string, more: Partial<CloneSettings> = {}): CloneSettings => ({
  url: server.url(name),
  branch: null,
  authorization: null,
  limits: LIMITS,
  signal: new AbortController().signal,
  onProgress: () => {},
  ...more,
});

/** The files of a clone, by their paths. */
async function filesOf(name: string, more: Partial<CloneSettings> = {}): Promise<Record<string, string>> {
  const cloned = await cloner.clone(settings(name, more), async ({ files, reader }) => {
    const read: Record<string, string> = {};
    for (const { path, objectId } of files) {
      const { body } = await reader.open(objectId);
      read[path] = await new Response(body).text();
    }
    return read;
  });
  if (!cloned.ok) throw new Error(JSON.stringify(cloned.failure));
  return cloned.value;
}
/** Processes that name a path. */
const processesOf = (path: string): string[] =>
  readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && readOr(`/proc/${pid}/cmdline`).includes(path));
const nameOf = (pid: string): string => readOr(`/proc/${pid}/comm`).trim();
/** Nothing where the process has ended. */
function readOr(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
async function failureOf(name: string, more: Partial<CloneSettings> = {}): Promise<CloneFailure | "none"> {
  const cloned = await cloner.clone(settings(name, more), () => Promise.resolve(null));
  return cloned.ok ? "none" : cloned.failure;
}

describe.skipIf(!hasGit)("clones", () => {
  test("[WSP-5] the files of the default branch, or of another one, are read as they are", async () => {
    const large = "x".repeat(300_000);
    const commit = server.commit("plain", { "a.txt": "one", "b/c d.txt": "ä\n", empty: "", large });
    const percents: number[] = [];
    const cloned = await cloner.clone(settings("plain", { onProgress: (percent) => percents.push(percent) }), (copy) =>
      Promise.resolve(copy.commit),
    );
    expect(cloned).toEqual({ ok: true, value: commit });
    expect(percents.at(-1)).toBe(100);
    expect(await filesOf("plain")).toEqual({ "a.txt": "one", "b/c d.txt": "ä\n", empty: "", large });
    server.git("plain", "checkout", "-q", "-b", "feature/x");
    server.commit("plain", { "a.txt": "two" });
    server.git("plain", "checkout", "-q", "main");
    expect((await filesOf("plain", { branch: "feature/x" }))["a.txt"]).toBe("two");
    expect(await failureOf("plain", { branch: "nowhere" })).toEqual({ kind: "no_branch" });
    expect(readdirSync(join(root, "clones"))).toEqual([]);
  });

  test("[WSP-5] only the last commit is fetched, and no link, submodule, filter or hook does anything", async () => {
    const proof = join(root, "proof");
    const run = `touch ${proof}`;
    server.commit("inner", { inside: "never" });
    server.commit("hostile", { first: "first".repeat(100), ".gitattributes": "* filter=evil export-subst\n" });
    server.git("hostile", "submodule", "add", "-q", join(server.folder, "inner"), "module");
    const tree = join(server.folder, "hostile");
    symlinkSync("/etc/passwd", join(tree, "link"));
    server.commit("hostile", {
      first: null,
      ".gitmodules": `[submodule "module"]\n\tpath = module\n\turl = ext::sh -c '${run}'\n`,
      "hooks/post-checkout": `#!/bin/sh\n${run}\n`,
      lfs: "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n",
      "$Format:%H$": "$Format:%H$",
    });
    writeFileSync(join(tree, ".git", "hooks", "post-upload"), `#!/bin/sh\n${run}\n`, { mode: 0o755 });
    const files = await filesOf("hostile");
    expect(Object.keys(files).sort()).toEqual(
      [".gitattributes", ".gitmodules", "$Format:%H$", "hooks/post-checkout", "lfs"].sort(),
    );
    expect(files["lfs"]).toContain("git-lfs");
    expect(files["$Format:%H$"]).toBe("$Format:%H$");
    expect(existsSync(proof)).toBe(false);
    const depth = await cloner.clone(settings("hostile"), ({ leftOut }) => Promise.resolve(leftOut));
    expect(depth).toEqual({ ok: true, value: 2 });
  });

  test("[WSP-5] credentials go to the repository alone, and are in no process, file or variable", async () => {
    const secret = "Basic c2VjcmV0OnRva2VuLWlzLXNlY3JldA==";
    server.commit("private", { a: "1" });
    server.authorization = secret;
    expect(await failureOf("private")).toEqual({ kind: "status", status: 401 });
    const seen: string[] = [];
    server.before = () => {
      for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
        try {
          const line = readFileSync(`/proc/${pid}/cmdline`, "utf8");
          if (line.includes("clone-")) seen.push(line, readFileSync(`/proc/${pid}/environ`, "utf8"));
        } catch {
          // It has ended.
        }
      }
      for (const file of new Bun.Glob("**/config").scanSync(join(root, "clones")))
        seen.push(readFileSync(join(root, "clones", file), "utf8"));
      return null;
    };
    expect(await filesOf("private", { authorization: secret })).toEqual({ a: "1" });
    expect(seen.length).toBeGreaterThan(2);
    for (const text of seen) {
      expect(text).not.toContain("c2VjcmV0");
      expect(text).not.toContain("token-is-secret");
    }
    // Another origin gets nothing of them.
    const other = (url: string): string => url.replace("git.test", "other.test");
    server.before = (request) => {
      const { host, pathname, search } = new URL(request.url);
      const asked = request.headers.get("host") ?? host;
      return asked.startsWith("git.test")
        ? Response.redirect(other(`https://${asked}${pathname}${search}`), 302)
        : null;
    };
    expect(await failureOf("private", { authorization: secret })).toEqual({ kind: "status", status: 401 });
    server.authorization = null;
    expect(await filesOf("private", { authorization: secret })).toEqual({ a: "1" });
    expect(server.requests.at(-1)).toBe("POST other.test/private.git/git-upload-pack");
  });

  test("[WSP-5] an address that is not public is refused, also behind a redirect", async () => {
    server.commit("near", { a: "1" });
    const closed = new Cloner(join(root, "closed"), world.client({ allow: [] }), { isPolite: false });
    await closed.prepare();
    const refused = await closed.clone(settings("near"), () => Promise.resolve(null));
    expect(refused).toEqual({ ok: false, failure: { kind: "network", error: "blocked_address" } });
    expect(server.requests).toEqual([]);
    server.before = () => Response.redirect("https://10.0.0.1/near.git/info/refs?service=git-upload-pack", 302);
    expect(await failureOf("near")).toEqual({ kind: "network", error: "blocked_address" });
    server.before = () => Response.redirect("http://127.0.0.1:1/near.git/info/refs?service=git-upload-pack", 302);
    expect((await failureOf("near")) as { kind: string }).toMatchObject({
      kind: expect.stringMatching(/network|status/) as string,
    });
  });

  test("[WSP-5] a repository that is too large, has too many files or takes too long is given up", async () => {
    server.commit("large", { noise: crypto.getRandomValues(new Uint8Array(65_536)), more: "x".repeat(2_000_000) });
    expect(await failureOf("large", { limits: { ...LIMITS, maxBytes: 20_000 } })).toEqual({ kind: "too_large" });
    // The pack is small, its files are not.
    expect(await failureOf("large", { limits: { ...LIMITS, maxBytes: 1_000_000 } })).toEqual({ kind: "too_large" });
    expect(await failureOf("large", { limits: { ...LIMITS, maxFiles: 1 } })).toEqual({ kind: "too_many_files" });
    server.before = async () => {
      await new Promise(() => {});
      return null;
    };
    expect(await failureOf("large", { limits: { ...LIMITS, timeoutMs: 300 } })).toEqual({ kind: "timeout" });
    expect(readdirSync(join(root, "clones"))).toEqual([]);
  });

  test("[WSP-5] a cancel ends git and leaves nothing", async () => {
    server.commit("slow", { a: "1" });
    const stopping = new AbortController();
    server.before = async ({ method }) => (method === "POST" ? await new Promise<Response>(() => {}) : null);
    const cloning = failureOf("slow", { signal: stopping.signal });
    await until("git has asked", () => server.requests.some((request) => request.startsWith("POST")));
    stopping.abort();
    expect(await cloning).toEqual({ kind: "aborted" });
    expect(readdirSync(join(root, "clones"))).toEqual([]);
    await until("git has ended", () => processesOf(join(root, "clones")).length === 0);
  });

  test("[WSP-5] a clone works without bubblewrap, and with it git sees no network of the machine", async () => {
    const bare = new Cloner(join(root, "bare"), world.client());
    await bare.prepare("no-such-program");
    server.commit("either", { a: "1" });
    const networks: string[] = [];
    const here = readlinkSync("/proc/self/ns/net");
    server.before = () => {
      const gits = ["clones", "bare"].flatMap((name) => processesOf(join(root, name)));
      networks.push(...gits.filter((pid) => nameOf(pid) === "git").map((pid) => readlinkSync(`/proc/${pid}/ns/net`)));
      return null;
    };
    const cloned = await bare.clone(settings("either"), ({ files }) => Promise.resolve(files.length));
    expect(cloned).toEqual({ ok: true, value: 1 });
    expect(new Set(networks)).toEqual(new Set([here]));
    if (!(await hasBubbles())) return;
    networks.length = 0;
    expect(await filesOf("either")).toEqual({ a: "1" });
    expect(networks.length).toBeGreaterThan(0);
    expect(networks).not.toContain(here);
  });

  test("[WSP-5] git ends however early it is killed, and leaves nothing", async () => {
    const folder = mkdtempSync(join(root, "early-"));
    const isIsolated = await hasBubbles();
    const { signal } = new AbortController();
    await runGit(["init", "--quiet", "--bare", repositoryIn(folder)], {
      folder,
      fileBytes: 100_000,
      signal,
      isIsolated,
    });
    // Many at once: then the moment of a start is long, and some are killed in each part of it.
    const runs = Array.from({ length: 60 }, async (_, i) => {
      const git = startGit(["cat-file", "--batch"], { folder, fileBytes: 1, signal, isIsolated, hasInput: true });
      await Bun.sleep(i);
      git.kill();
      await git.ended;
    });
    await Promise.all(runs);
    await until("none is left", () => processesOf(folder).length === 0);
  });

  test("[WSP-5] a repository that does not exist, or has nothing, is distinguished", async () => {
    expect(await failureOf("missing")).toEqual({ kind: "status", status: 404 });
    server.commit("unborn", {});
    server.git("unborn", "update-ref", "-d", "HEAD");
    expect(await failureOf("unborn")).toEqual({ kind: "empty" });
  });
});

test("[WSP-5] a git that is missing or reports nothing usable does not count", async () => {
  expect(await findGit("no-such-git")).toEqual({ git: null, why: "no-such-git is not installed" });
  expect(await findGit("true")).toEqual({ git: null, why: "true does not report its version" });
  if (hasGit) expect((await findGit()).git?.version).toMatch(/^\d+\.\d+/);
});
