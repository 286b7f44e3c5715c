import { expect, test } from "bun:test";
import { until } from "../support/condition.ts";
import { serviceOfFile } from "../support/scene.ts";
import { startService } from "../support/service.ts";

let hasDatabase = true;
let isBroken = false;

const service = serviceOfFile({
  overrides: {
    pingDatabase: () =>
      hasDatabase ? Promise.resolve() : Promise.reject(new Error("connect ECONNREFUSED 10.0.0.1:5432")),
    services: ({ appUrl }) => ({
      appUrl: () => {
        if (isBroken) throw new Error("at /srv/secret.ts: select * from token");
        return appUrl();
      },
    }),
  },
  internal: async (request) => {
    const path = new URL(request.url).pathname;
    if (path === "/internal/broken") throw new Error("secret");
    return path === "/internal/door" ? new Response("inside") : null;
  },
});

const get = (path: string, method = "GET") => fetch(service.url + path, { method });

test("[V1-6] the root is a plain page without scripts, which links to the console", async () => {
  const answer = await get("/");
  const text = await answer.text();
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(answer.headers.get("content-security-policy")).toStartWith("default-src 'none'");
  expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
  expect(text).not.toContain("<script");
  expect(text).toContain('href="/app"');
  expect((await get("/", "HEAD")).status).toBe(200);
});

test("[CON-1] the root leads who has a session to the console", async () => {
  const headers = { cookie: "__Host-troupe_session=ses_x" };
  const answer = await fetch(service.url, { headers, redirect: "manual" });
  expect([answer.status, answer.headers.get("location")]).toEqual([302, "/app"]);
});

test("[V1-6] a chat's address redirects to the chat in the console, and nowhere else", async () => {
  const leadsTo = async (path: string): Promise<string | null> =>
    (await fetch(service.url + path, { redirect: "manual" })).headers.get("location");
  expect(await leadsTo("/org/spaces/wsp_1/chats/cht_1")).toBe("/app/chats/cht_1");
  expect(await leadsTo("/org/spaces/x/chats/%2F%2Fevil.example%2F%22")).toBe("/app/chats/%2F%2Fevil.example%2F%22");
});

test("[ERR-4] /healthz reports that the process lives, /readyz only which check fails", async () => {
  expect(await (await get("/healthz")).json()).toEqual({ status: "ok" });
  const ready = await get("/readyz");
  expect([ready.status, await ready.json()]).toEqual([200, { status: "ok", checks: { database: "ok", lease: "ok" } }]);
  hasDatabase = false;
  const failing = await get("/readyz");
  hasDatabase = true;
  expect([failing.status, await failing.json()]).toEqual([
    503,
    { status: "unavailable", checks: { database: "failed", lease: "ok" } },
  ]);
  expect(failing.headers.get("x-request-id")).toMatch(/^req_/);
});

test("[ERR-1] an unknown path under /api answers in the dialect of the current surface", async () => {
  for (const path of ["/api", "/api/nope", "/api/v2/agents"]) {
    const answer = await get(path);
    expect([answer.status, await answer.json()]).toEqual([
      404,
      {
        type: "https://troupe.test/api/errors#error-not_found",
        code: "not_found",
        error: "not_found",
        message: "Unknown path",
        status: 404,
        request_id: answer.headers.get("x-request-id"),
        details: {},
      },
    ]);
  }
});

test("[ERR-1] any other path answers a plain 404", async () => {
  for (const path of ["/nope", "/apiary", "/%00", "/..%2f..%2fetc/passwd", "/org/spaces/x"]) {
    const answer = await get(path);
    expect([answer.status, await answer.text(), answer.headers.get("content-type")]).toEqual([
      404,
      "Not found\n",
      "text/plain; charset=utf-8",
    ]);
    expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
  }
});

test("[ERR-1] another method on a known path is 405, and OPTIONS lists the methods", async () => {
  const answer = await get("/healthz", "POST");
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  expect((await get("/", "OPTIONS")).status).toBe(204);
});

test("[ERR-4] the internal handler is tried last, and its failure reveals nothing", async () => {
  expect(await (await get("/internal/door", "POST")).text()).toBe("inside");
  expect((await get("/internal/other", "POST")).status).toBe(404);
  const broken = await get("/internal/broken", "POST");
  expect([broken.status, await broken.text()]).toEqual([500, "Internal server error\n"]);
});

for (const [what, path, method] of [
  ["a page", "/account", "GET"],
  ["a form", "/sign-in", "POST"],
  ["an endpoint of programs", "/oauth/token", "POST"],
] as const)
  test(`[ERR-4] a bug behind ${what} is 500 without its cause, which is logged with the request's id`, async () => {
    isBroken = true;
    const answer = await get(path, method);
    isBroken = false;
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain("secret.ts");
    const id = answer.headers.get("x-request-id");
    expect(id).toMatch(/^req_/);
    const line = service.log.find(({ fields, level }) => level === "error" && fields["requestId"] === id);
    expect(String(line?.fields["err"])).toContain("secret.ts");
  });

test("[REP-4] a request that was forwarded finds its route, however short the name of its host is", async () => {
  for (const host of ["a", "ab:1", "troupe.test"]) {
    // Only requests that have come to the client's port have parameters by Bun's router.
    const request = Object.assign(new Request(`http://${host}/api/version`), { params: {} });
    expect([host, (await service.app.handle(request)).status]).toEqual([host, 200]);
  }
});

test("[START-32] a service that has stopped is not kept in memory", async () => {
  const freed = Promise.withResolvers<true>();
  const watched = new FinalizationRegistry(() => freed.resolve(true));
  await (async () => {
    const stopped = await startService();
    watched.register(stopped.app, null);
    await stopped.stop();
  })();
  let isFreed = false;
  void freed.promise.then(() => (isFreed = true));
  await until("it is collected", () => {
    Bun.gc(true);
    return isFreed;
  });
  expect(isFreed).toBe(true);
});
