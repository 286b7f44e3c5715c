/** Apps: directories of files that anybody may open, and what browsers let them do. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { AppPlaces } from "../../src/operations/app-places.ts";
import { answered, Client, type Json, refused } from "../support/current.ts";
import { type Founded, type Service, startService } from "../support/service.ts";

let service: Service;
let apart: Service;
let owner: Founded;
let client: Client;
let workspace: string;

beforeAll(async () => {
  service = await startService();
  apart = await startService({ settings: { appsUrl: "https://*.apps.test" } });
});
afterAll(() => Promise.all([service.stop(), apart.stop()]));
beforeEach(async () => {
  owner = await service.found();
  client = new Client(service, owner);
  workspace = `/api/workspaces/${owner.workspaceId}`;
  await put("site/index.html", "<h1>Hi</h1>");
  await put("site/app.js", "1");
  await put("site/sub/index.html", "sub");
  await put("secret.txt", "no");
});

async function put(path: string, body: string, at = { service, owner }): Promise<void> {
  const answer = await new Client(at.service, at.owner).putFile(at.owner.workspaceId, path, body);
  expect(answer.ok).toBe(true);
}
interface App extends Json {
  readonly id: string;
  readonly url: string;
}
const create = (body: Json): Promise<App> => answered<App>(client.call("POST", `${workspace}/apps`, body), 201);
/** What anybody gets below an app's address. */
const open = ({ url }: App, path = "", init: RequestInit = {}): Promise<Response> =>
  fetch(`${service.url}${new URL(url).pathname}${path}`, { redirect: "manual", ...init });

test("[WSP-14] an app is public: its directory is served with its entry, and nothing outside of it", async () => {
  const app = await create({ name: "Site", slug: "site" });
  expect(app).toMatchObject({ kind: "static", slug: "site", path: "site", entry: "index.html", status: "ready" });
  expect(app.url).toMatch(/^https:\/\/troupe\.test\/apps\/site-[a-z0-9]{12}\/$/);
  const page = await open(app);
  expect([page.status, await page.text(), page.headers.get("content-type")]).toEqual([200, "<h1>Hi</h1>", "text/html"]);
  expect(page.headers.get("content-disposition")).toBeNull();
  expect(await (await open(app, "app.js")).text()).toBe("1");
  expect(await (await open(app, "sub/")).text()).toBe("sub");
  for (const [path, to] of [
    ["sub", `${app.url}sub/`],
    ["sub?x=1", `${app.url}sub/`],
  ] as const) {
    const moved = await open(app, path);
    expect([moved.status, moved.headers.get("location")]).toEqual([308, to]);
  }
  const bare = await fetch(`${service.url}${new URL(app.url).pathname.slice(0, -1)}`, { redirect: "manual" });
  expect([bare.status, bare.headers.get("location")]).toEqual([308, app.url]);
  for (const path of [
    "secret.txt",
    "..%2fsecret.txt",
    "%2e%2e/secret.txt",
    "sub%2findex.html",
    "a//b",
    "nothing",
    "%ff",
  ])
    expect([path, [400, 404].includes((await open(app, path)).status)]).toEqual([path, true]);
  expect((await open(app, "", { method: "POST" })).status).toBe(405);
  const etag = page.headers.get("etag") ?? "";
  expect((await open(app, "", { headers: { "if-none-match": etag } })).status).toBe(304);
  expect(await (await open(app, "", { headers: { range: "bytes=0-3" } })).text()).toBe("<h1>");
  const head = await open(app, "", { method: "HEAD", headers: { range: "bytes=0-3" } });
  expect([head.status, head.headers.get("content-range")]).toEqual([200, null]);
  // As the files are now.
  await put("site/index.html", "<h1>New</h1>");
  expect(await (await open(app)).text()).toBe("<h1>New</h1>");
});

test("[WSP-14] on the API's origin a page has an opaque origin, and reaches only its own files", async () => {
  const app = await create({ name: "Site", slug: "site" });
  const { headers } = await open(app);
  const policy = new Map(
    (headers.get("content-security-policy") ?? "").split("; ").map((rule) => {
      const [name = "", ...values] = rule.split(" ");
      return [name, values.join(" ")];
    }),
  );
  expect(policy.get("sandbox")).toBe("allow-scripts allow-popups allow-downloads");
  expect(policy.get("default-src")).toBe("'none'");
  expect(policy.get("connect-src")).toBe(app.url);
  expect(policy.get("script-src")).toBe(`${app.url} 'unsafe-inline'`);
  expect(policy.get("form-action")).toBe("'none'");
  expect(policy.get("base-uri")).toBe("'none'");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("referrer-policy")).toBe("no-referrer");
  expect(headers.get("set-cookie")).toBeNull();
});

test("[WSP-14] an entry is served however its path is written, and an absolute one is refused", async () => {
  const app = await create({ name: "Sub", slug: "sub", path: "site", entry: "./sub//index.html" });
  expect([app["entry"], await (await open(app)).text()]).toEqual(["sub/index.html", "sub"]);
  const absolute = { name: "Root", slug: "root", path: "site", entry: "/index.html" };
  expect(await refused(client.call("POST", `${workspace}/apps`, absolute), 400, "invalid_path")).toMatchObject({
    errors: [{ path: "/entry" }],
  });
});

test("[WSP-14] an app is listed, has a unique slug, and disappears when it is deleted", async () => {
  const app = await create({ name: "Site", slug: "site" });
  expect(await client.get<Json>(`${workspace}/apps`)).toEqual({ apps: [app] });
  expect((await client.get<Json>(workspace))["apps"]).toEqual([app]);
  await refused(client.call("POST", `${workspace}/apps`, { name: "Again", slug: "site" }), 409, "path_exists");
  for (const [body, path, what] of [
    [{}, "/slug", "directory `none`"],
    [{ path: "gone" }, "/path", "directory `gone`"],
    [{ path: "secret.txt" }, "/path", "directory `secret.txt`"],
    [{ path: "site", entry: "home.html" }, "/entry", "file `site/home.html`"],
    [{ path: "" }, "/entry", "file `index.html`"],
  ] as const) {
    const call = client.call("POST", `${workspace}/apps`, { name: "None", slug: "none", ...body });
    const message = expect.stringContaining(`There is no ${what} in the workspace`) as unknown;
    expect(await refused(call, 400, "invalid_request")).toEqual({ errors: [{ path, message }] });
  }
  await refused(
    client.call("POST", `${workspace}/apps`, { name: "Up", slug: "up", path: "../x" }),
    400,
    "invalid_path",
  );
  const up = { name: "Up", slug: "up", path: "site", entry: "../secret.txt" };
  await refused(client.call("POST", `${workspace}/apps`, up), 400, "invalid_path");
  const message = "Field slug must have 1 to 40 lower-case letters, digits and `-`, and must not begin or end with `-`";
  for (const slug of ["Up", "-a", "a_b", "", "a".repeat(41)])
    expect(
      await refused(client.call("POST", `${workspace}/apps`, { name: "Bad", slug }), 400, "invalid_request"),
    ).toEqual({ errors: [{ path: "/slug", message }] });
  const { events } = await client.get<{ events: Json[] }>("/api/events");
  expect(events.filter(({ type }) => type === "workspace.app_created")).toHaveLength(1);
  const stranger = new Client(service, await service.found("Stranger"));
  await refused(stranger.call("DELETE", `${workspace}/apps/${app.id}`), 404, "not_found");
  await answered(client.call("DELETE", `${workspace}/apps/${app.id}`));
  expect((await open(app)).status).toBe(404);
  await refused(client.call("DELETE", `${workspace}/apps/${app.id}`), 404, "not_found");
});

test("[WSP-14] an app is gone with its workspace", async () => {
  const made = await answered<Json>(client.call("POST", "/api/workspaces", { name: "Short" }), 201);
  const id = made["id"] as string;
  await put("a/index.html", "x", { service, owner: { ...owner, workspaceId: id } });
  const app = await answered<App>(client.call("POST", `/api/workspaces/${id}/apps`, { name: "A", slug: "a" }), 201);
  expect((await open(app)).status).toBe(200);
  await answered(client.call("DELETE", `/api/workspaces/${id}`));
  expect((await open(app)).status).toBe(404);
});

test("[WSP-14] on separate hosts each app has its own origin, and these hosts have no API", async () => {
  const by = await apart.found();
  const other = new Client(apart, by);
  await put("site/index.html", "own", { service: apart, owner: by });
  const body = { name: "Site", slug: "site" };
  const app = await answered<App>(other.call("POST", `/api/workspaces/${by.workspaceId}/apps`, body), 201);
  expect(app.url).toMatch(/^https:\/\/site-[a-z0-9]{12}\.apps\.test\/$/);
  const { host, hostname } = new URL(app.url);
  const ask = (at: string, path: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${apart.url}${path}`, { headers: { host: at, ...headers } });
  const page = await ask(host, "/");
  expect([page.status, await page.text()]).toEqual([200, "own"]);
  expect(page.headers.get("content-security-policy")).toContain("allow-same-origin");
  expect(page.headers.get("content-security-policy")).toContain(`connect-src ${app.url};`);
  const authorization = `Bearer ${by.token}`;
  expect((await ask(host, "/api/agents", { authorization })).status).toBe(404);
  expect((await ask(host, "/health")).status).toBe(404);
  expect((await ask("apps.test", "/api/agents", { authorization })).status).toBe(404);
  expect((await ask(`x.${hostname}`, "/")).status).toBe(404);
  // And the API's host has no apps.
  expect((await fetch(`${apart.url}/apps/${hostname.split(".")[0] ?? ""}/`)).status).toBe(404);
});

test("[WSP-14] each setting determines where an app is served", () => {
  const label = "site-abcdefghijkl";
  const own = new AppPlaces(undefined, () => "https://troupe.test");
  expect(own.targetOf("troupe.test", `/apps/${label}/a/b`)).toEqual({ label, path: "a/b" });
  expect(own.targetOf("troupe.test", "/apps/Not_a_label/")).toBeNull();
  expect(own.isOfApps("troupe.test")).toBe(false);
  const one = new AppPlaces("https://apps.test:8443", () => "https://troupe.test");
  expect(one.urlOf(label)).toBe(`https://apps.test:8443/${label}/`);
  expect(one.targetOf("apps.test:8443", `/${label}/x`)).toEqual({ label, path: "x" });
  expect([one.areApart, one.isOfApps("APPS.test:8443"), one.isOfApps("troupe.test")]).toEqual([false, true, false]);
  const each = new AppPlaces("https://*.apps.test", () => "https://troupe.test");
  expect(each.urlOf(label)).toBe(`https://${label}.apps.test/`);
  expect(each.targetOf(`${label}.apps.test`, "/x/y")).toEqual({ label, path: "x/y" });
  expect([each.areApart, each.isOfApps("evilapps.test")]).toEqual([true, false]);
});
