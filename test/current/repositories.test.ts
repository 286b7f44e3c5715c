/** Repositories of workspaces over HTTP: mounts, clones as jobs, syncs, and what may be changed below them. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { until } from "../support/condition.ts";
import { answered, Client, type Json, refused } from "../support/current.ts";
import { createEgressWorld, type EgressWorld } from "../support/egress-world.ts";
import { type GitServer, hasGit, startGitServer } from "../support/git-server.ts";
import { type Founded, type Service, startService } from "../support/service.ts";
import { reply } from "../support/wire-server.ts";

const MIB = 1024 * 1024;
let world: EgressWorld;
let git: GitServer;
let service: Service;
let owner: Founded;
let client: Client;
let workspace: string;
let repos: string;

beforeAll(async () => {
  if (!hasGit) return;
  world = createEgressWorld();
  git = startGitServer(world.authority);
  service = await startService({
    egress: world.client(),
    settings: { fileMib: 100_000 / MIB, workspaceMib: 1_000_000 / MIB },
    overrides: { cloneLimits: { timeoutMs: 60_000, maxBytes: 5_000_000, maxFiles: 500 } },
  });
});
afterAll(async () => {
  await service.stop();
  await git.stop();
  await world.end();
});
beforeEach(async () => {
  if (!hasGit) return;
  owner = await service.found();
  client = new Client(service, owner);
  workspace = `/api/workspaces/${owner.workspaceId}`;
  repos = `${workspace}/repos`;
});
afterEach(() => {
  if (!hasGit) return;
  git.authorization = null;
  git.before = () => null;
  git.requests.length = 0;
});

interface Repo extends Json {
  readonly id: string;
  readonly status: string;
  readonly job_id: string;
}

const begin = (body: Json, path = "/clone"): Promise<Repo> =>
  answered<Repo>(client.call("POST", `${repos}${path}`, body), 202);
const mount = (id: string): Promise<Repo> => client.get<Repo>(`${repos}/${id}`);
/** The mount when its clone has ended. */
async function settled({ id }: Repo): Promise<Repo> {
  await until("the clone has ended", async () => (await mount(id)).status !== "cloning");
  return mount(id);
}
const clone = async (body: Json): Promise<Repo> => settled(await begin(body));
const sync = async ({ id }: Repo): Promise<Repo> =>
  settled(await answered<Repo>(client.call("POST", `${repos}/${id}/sync`), 202));
const paths = async (): Promise<readonly string[]> => {
  const { files } = await client.get<{ files: Json[] }>(`${workspace}/files?recursive=true`);
  return files.filter(({ kind }) => kind === "file").map(({ path }) => path as string);
};
const request = (method: string, path: string, body?: string): Promise<Response> =>
  fetch(`${service.url}${workspace}/files/content?path=${encodeURIComponent(path)}`, {
    method,
    headers: { authorization: `Bearer ${owner.token}` },
    ...(body === undefined ? {} : { body }),
  });
const text = async (path: string): Promise<string> => (await request("GET", path)).text();
const events = async (type: string): Promise<readonly Json[]> => {
  const { events: all } = await client.get<{ events: Json[] }>("/api/events");
  return all.filter((event) => event["type"] === type);
};
const job = ({ job_id: id }: Repo): Promise<Json> => client.get<Json>(`/api/jobs/${id}`);

describe.skipIf(!hasGit)("repositories", () => {
  test("[WSP-5] [WSP-6] a clone is a job with progress, and its files are files of the workspace", async () => {
    const commit = git.commit("site", { "index.html": "<h1>Hi</h1>", "docs/a.md": "# A", big: "x".repeat(150_000) });
    const begun = await begin({ url: git.url("site"), path: "code/site" });
    expect(begun).toMatchObject({ provider: "git", path: "code/site", mode: "read", status: "cloning", branch: null });
    const ready = await settled(begun);
    expect(ready).toMatchObject({ status: "ready", commit, error: null });
    expect(await paths()).toEqual(["code/site/docs/a.md", "code/site/index.html"]);
    expect(await text("code/site/docs/a.md")).toBe("# A");
    await until("the job has ended", async () => (await job(ready))["status"] === "completed");
    const done = await job(ready);
    expect(done["result"]).toContain(commit);
    expect(done["result"]).toContain("1 files that are too large");
    const { events: told } = await client.get<{ events: Json[] }>(`/api/jobs/${ready.job_id}/transcript-events`);
    expect(JSON.stringify(told)).toContain("Fetching");
    const file = await client.get<{ files: Json[] }>(`${workspace}/files?path=code/site/docs`);
    expect(file.files[0]).toMatchObject({ modified_by: { type: "repository", id: ready.id } });
    // One change of the directory, and one event of the mount.
    await until("the events are there", async () => (await events("workspace_repository.cloned")).length === 1);
    expect((await events("workspace_file.changed")).map(({ data }) => data as Json)).toEqual([
      expect.objectContaining({ path: "code/site", change: "updated", written: 2, removed: 0 }) as Json,
    ]);
    expect(await events("workspace_repository.added")).toHaveLength(1);
    expect((await client.get<Json>(workspace))["repos"]).toEqual([ready]);
  });

  test("[WSP-6] a sync writes changed files, removes deleted ones, and keeps overwritten versions", async () => {
    git.commit("moving", { a: "1", b: "1", "dir/c": "1", "dir/d": "1" });
    const ready = await clone({ url: git.url("moving"), path: "m" });
    const commit = git.commit("moving", { a: "2", b: null, "dir/c": null, "dir/d": null });
    expect(await sync(ready)).toMatchObject({ status: "ready", commit });
    const { files } = await client.get<{ files: Json[] }>(`${workspace}/files?recursive=true`);
    expect(files.map(({ path }) => path)).toEqual(["m", "m/a"]);
    git.commit("moving", { dir: "now a file" });
    await sync(ready);
    expect(await paths()).toEqual(["m/a", "m/dir"]);
    expect(await text("m/a")).toBe("2");
    const { versions } = await client.get<{ versions: Json[] }>(`${workspace}/files/versions?path=m/a`);
    expect(versions.map(({ number }) => number)).toEqual([2, 1]);
    // Nothing new is no change.
    const before = (await events("workspace_file.changed")).length;
    expect(await sync(ready)).toMatchObject({ status: "ready" });
    expect(await events("workspace_file.changed")).toHaveLength(before);
  });

  test("[WSP-6] nobody can change a read-only mount, and a writable one keeps added files", async () => {
    git.commit("modes", { a: "1", "sub/b": "1" });
    const fixed = await clone({ url: git.url("modes"), path: "fixed" });
    await refused(request("PUT", "fixed/a", "2"), 403, "forbidden");
    await refused(request("PUT", "FIXED/new", "2"), 403, "forbidden");
    await refused(request("DELETE", "fixed/a"), 403, "forbidden");
    await refused(client.call("POST", `${workspace}/files/directory`, { path: "fixed/x" }), 403, "forbidden");
    await answered(request("PUT", "own", "1"), 201);
    const move = (from: string, to: string) => client.call("POST", `${workspace}/files/move`, { from, to });
    await refused(move("own", "fixed/own"), 403, "forbidden");
    await refused(move("fixed/a", "stolen"), 403, "forbidden");
    await refused(move("fixed", "elsewhere"), 403, "forbidden");
    const open = await clone({ url: git.url("modes"), path: "deep/open", mode: "write" });
    await answered(request("PUT", "deep/open/mine", "mine"), 201);
    await answered(request("PUT", "deep/open/a", "changed"));
    await refused(request("DELETE", "deep"), 403, "forbidden");
    git.commit("modes", { a: "3", "sub/b": null });
    await sync(open);
    expect(await text("deep/open/a")).toBe("3");
    expect(await paths()).toEqual(["deep/open/a", "deep/open/mine", "fixed/a", "fixed/sub/b", "own"]);
    // Without its mount it is a directory like any other.
    await answered(client.call("DELETE", `${repos}/${fixed.id}`));
    await answered(request("PUT", "fixed/a", "2"));
    await refused(client.call("GET", `${repos}/${fixed.id}`), 404, "not_found");
  });

  test("[WSP-5] a cancel stops the clone, and the mount says so", async () => {
    git.commit("slow", { a: "1" });
    git.before = async ({ method }) => (method === "POST" ? await new Promise<Response>(() => {}) : null);
    const begun = await begin({ url: git.url("slow") });
    await until("git has asked", () => git.requests.some((line) => line.startsWith("POST")));
    await refused(client.call("POST", `${repos}/${begun.id}/sync`), 409, "invalid_state");
    await answered(client.call("POST", `/api/jobs/${begun.job_id}/cancel?wait=10`, {}));
    expect(await settled(begun)).toMatchObject({ status: "error", error: "The clone was cancelled", path: "slow" });
    git.before = () => null;
    expect(await sync(begun)).toMatchObject({ status: "ready", error: null });
  });

  test("[WSP-5] [RUN-5] credentials are given by name, are sent only to the repository, and are in no record and no log", async () => {
    const token = "ghp_TheTokenThatNobodySees";
    git.commit("private", { a: "1" });
    git.authorization = `Basic ${Buffer.from(`x-access-token:${token}`).toString("base64")}`;
    const body = { url: git.url("private"), secret: "GIT_TOKEN" };
    await refused(client.call("POST", `${repos}/clone`, body), 400, "invalid_request");
    expect(await clone({ url: git.url("private"), path: "without" })).toMatchObject({ status: "error" });
    await client.call("PUT", "/api/secrets/GIT_TOKEN", { value: token });
    const ready = await clone(body);
    expect(ready).toMatchObject({ status: "ready", secret: "GIT_TOKEN" });
    const shown = [
      JSON.stringify(await client.get(workspace)),
      JSON.stringify(await job(ready)),
      JSON.stringify(await client.get("/api/events")),
      JSON.stringify(service.log),
      JSON.stringify(await service.database.read`select body from workspace union all select body from job`),
    ];
    for (const one of shown) expect(one).not.toMatch(/TheTokenThatNobodySees|eC1hY2Nlc3M/);
    const member = await service.join(owner.organizationId);
    await refused(new Client(service, member).call("POST", repos, { ...body, path: "x" }), 403, "owner_required");
    const narrow = await service.tokenFor(owner, { scopes: ["workspaces:write"] });
    await refused(new Client(service, narrow).call("POST", repos, { ...body, path: "x" }), 403, "insufficient_scope");
    await refused(client.call("DELETE", "/api/secrets/GIT_TOKEN"), 409, "secret_in_use");
    await client.call("DELETE", "/api/secrets/GIT_TOKEN?force=true");
    expect((await sync(ready))["error"]).toContain("secret GIT_TOKEN");
  });

  test("[WSP-5] a repository that cannot be cloned says why", async () => {
    expect((await clone({ url: git.url("nowhere") }))["error"]).toContain("there is no such repository");
    git.commit("full", Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`f${i}`, `${i}`.repeat(49_000)])));
    expect((await clone({ url: git.url("full"), branch: "other", path: "b" }))["error"]).toContain("no branch other");
    git.commit("many", Object.fromEntries(Array.from({ length: 501 }, (_, i) => [`f${i}`, ""])));
    expect((await clone({ url: git.url("many") }))["error"]).toContain("more than 500 files");
    git.commit(
      "heavy",
      Object.fromEntries(Array.from({ length: 15 }, (_, i) => [`f${i}`, String(i % 10).repeat(90_000)])),
    );
    const heavy = await clone({ url: git.url("heavy") });
    expect(heavy["status"]).toBe("error");
    await until("the job has failed", async () => (await job(heavy))["status"] === "failed");
    expect((await job(heavy))["error"]).toMatchObject({ code: "clone_failed" });
  });

  test("[WSP-5] a repository at an address that is not public is refused when it is added", async () => {
    const listed = await client.get(repos.replace(/\/repos$/, ""));
    for (const host of ["10.0.0.1", "192.168.1.1:8443", "[::1]", "169.254.169.254", "0xa.1", "[fd00::1]"]) {
      for (const path of [repos, `${repos}/clone`]) {
        const added = client.call("POST", path, { url: `https://${host}/a.git`, path: "near" });
        const { errors } = (await refused(added, 400, "invalid_url")) as { errors: readonly Json[] };
        expect(errors).toEqual([{ path: "/url", message: expect.stringContaining("not public") as unknown }]);
      }
    }
    expect(await client.get(repos.replace(/\/repos$/, ""))).toEqual(listed);
  });

  test("[WSP-6] a mount is added, and stays pending until it is cloned", async () => {
    const url = "https://github.com/octocat/Hello-World.git";
    const added = await answered<Repo>(client.call("POST", repos, { url, branch: "feature/x" }), 201);
    expect(added).toMatchObject({
      provider: "github",
      path: "Hello-World",
      status: "pending",
      job_id: null,
      commit: null,
    });
    expect(await client.get<Json>(repos)).toEqual({ repos: [added] });
    await refused(client.call("POST", repos, { url }), 409, "path_exists");
    await refused(client.call("POST", repos, { url, path: "hello-world/below" }), 409, "path_exists");
    await answered(request("PUT", "taken/f", "x"), 201);
    await refused(client.call("POST", repos, { url, path: "taken" }), 409, "path_exists");
    await refused(client.call("POST", repos, { url, path: "taken/f" }), 409, "path_exists");
    await refused(client.call("POST", repos, { url, path: "../up" }), 400, "invalid_path");
    for (const bad of [
      "http://github.com/a/b",
      "ssh://git@github.com/a/b",
      "https://u:p@github.com/a",
      "a/b",
      "https://a.test/b?c",
      "file:///etc",
    ])
      await refused(client.call("POST", repos, { url: bad, path: "x" }), 400, "invalid_url");
    for (const branch of ["-x", "a..b", "a b", "a:b", "/a", "a/", "@{u}", "a.lock", ""])
      await refused(client.call("POST", repos, { url, branch, path: "x" }), 400, "invalid_request");
    await refused(client.call("POST", `${repos}/clone`, { repo_id: added.id, url }), 400, "invalid_request");
    await refused(client.call("POST", `${repos}/clone`, {}), 400, "invalid_request");
    await refused(client.call("POST", `${repos}/rep_${"x".repeat(21)}/sync`), 404, "not_found");
    const stranger = new Client(service, await service.found("Stranger"));
    await refused(stranger.call("GET", `${repos}/${added.id}`), 404, "not_found");
    await refused(stranger.call("POST", `${repos}/clone`, { repo_id: added.id }), 404, "not_found");
  });
});

test.skipIf(!hasGit)(
  "[WSP-5] a repository is cloned over plain http if the operator has allowed its host",
  async () => {
    const plain = await world.servePlain(({ socket }) => void socket.end(reply(404, {}, "")));
    const { port } = plain;
    const mounted = await settled(await begin({ url: `http://git.test:${port}/own.git`, path: "own" }));
    expect(mounted).toMatchObject({ url: `http://git.test:${port}/own.git`, status: "error" });
    expect(plain.requests.length).toBeGreaterThan(0);
    await refused(client.call("POST", repos, { url: "http://1.1.1.1/own.git", path: "x" }), 400, "invalid_url");
  },
);

test("[WSP-5] without git a clone is refused with a message", async () => {
  const without = await startService({ resources: () => ({ git: null }) });
  try {
    const by = await without.found();
    const answer = without.call(by, "POST", `/api/workspaces/${by.workspaceId}/repos/clone`, {
      url: "https://a.test/b",
    });
    await refused(answer, 409, "invalid_state");
  } finally {
    await without.stop();
  }
});
