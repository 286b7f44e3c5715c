/** Operations as routes of Elysia: what the pipeline keeps, and what the framework must not do. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Elysia } from "elysia";
import { ok, refuse } from "../../../actors/fault.ts";
import { Type } from "../../../actors/schema.ts";
import { media, operationGroup, operationsOver } from "../../../src/http/contract/operation.ts";
import { operationRoutes } from "../../../src/http/request/routes.ts";
import { refused } from "../../support/current.ts";
import { sceneOfFile } from "../../support/scene.ts";
import { testSurface } from "../../support/surface.ts";
import { until } from "../../support/condition.ts";

const Told = Type.Object({ user: Type.String() });
const operation = operationsOver<null>();
const group = operationGroup("Test", "Operations of this test", {
  promised: operation(
    { method: "GET", path: "/api/test/promised", scope: "tasks:read", summary: "P", answers: { 200: Told } }, // Neither is `async` by its text: what they answer must still be waited for.
    (_, { principal }) => Promise.resolve(ok({ user: principal.userId })),
  ),
  immediate: operation(
    {
      method: "GET",
      path: "/api/test/now/{id}",
      scope: "tasks:read",
      summary: "I",
      params: { id: Type.String() },
      answers: { 200: Told },
    },
    (_, { principal }) => ok({ user: principal.userId }),
  ),
  rejected: operation(
    { method: "GET", path: "/api/test/rejected", scope: "tasks:read", summary: "R", answers: { 200: Told } },
    () => Promise.reject(new Error("a bug")),
  ),
  thrown: operation(
    { method: "GET", path: "/api/test/thrown", scope: "tasks:read", summary: "T", answers: { 200: Told } },
    () => {
      throw new Error("a bug");
    },
  ),
  refusing: operation(
    { method: "GET", path: "/api/test/refusing", scope: "tasks:read", summary: "N", answers: { 200: Told } },
    () => refuse({ kind: "forbidden", message: "never" }),
  ),
  endless: operation(
    {
      method: "GET",
      path: "/api/test/endless",
      scope: "tasks:read",
      summary: "E",
      answers: { 200: media({ "text/event-stream": Type.String() }) },
    },
    () =>
      ok(
        new Response(
          new ReadableStream({
            pull: (sink) => sink.enqueue(new Uint8Array(1_024)),
            cancel: () => void ended++,
          }),
          { headers: { "content-type": "text/event-stream" } },
        ),
      ),
  ),
  echo: operation(
    {
      method: "POST",
      path: "/api/test/echo",
      scope: "tasks:read",
      isRead: true,
      summary: "B",
      query: { times: Type.Integer({ minimum: 1, maximum: 9 }) },
      body: Type.Object({
        text: Type.String({ maxLength: 8 }),
        nested: Type.Optional(Type.Object({ flag: Type.Boolean() })),
      }),
      answers: { 200: Type.Object({ text: Type.String() }) },
    },
    (_, _caller, { query: { times = 1 }, body }) => ok({ text: body.text.repeat(times) }),
  ),
});

/** Streams that were ended. */
let ended = 0;

let url: string;
let fetchNow: (request: Request) => Promise<Response> | Response;
let close: () => Promise<void>;

const { service, owner } = sceneOfFile();
beforeAll(async () => {
  const app = new Elysia().use(operationRoutes(testSurface(service), [group], null));
  app.listen({ port: 0, hostname: "127.0.0.1" });
  url = `http://127.0.0.1:${app.server?.port}`;
  fetchNow = (request) => app.fetch(request);
  close = async () => void (await app.stop(true));
});
afterAll(() => close());

const call = (method: string, path: string, body?: string, token: string | null = owner.token) =>
  fetch(`${url}${path}`, {
    method,
    headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), "content-type": "application/json" },
    ...(body === undefined ? {} : { body }),
  });

describe("the stages", () => {
  test("[GEN-17] a read from memory is answered at once: no stage leaves a promise behind", async () => {
    const headers = { authorization: `Bearer ${owner.token}` };
    const ask = (path: string) => fetchNow(new Request(`${url}${path}`, { headers }));
    // The token's use and its budget are written first.
    for (const path of ["/api/test/now/1", "/api/test/refusing"])
      await until(`${path} is answered at once`, () => ask(path) instanceof Response);
    expect(ask("/api/test/promised")).toBeInstanceOf(Promise);
  });

  test("[AUTH-1] a handler has its principal, whether it answers at once or with a promise", async () => {
    for (const path of ["/api/test/promised", "/api/test/now/1"])
      expect(await (await call("GET", path)).json()).toEqual({ user: owner.userId });
  });

  test("[ERR-4] exceptions and rejections are 500 without their cause, and a refusal is in the surface's format", async () => {
    for (const path of ["/api/test/rejected", "/api/test/thrown"]) {
      const answer = await call("GET", path);
      expect(await answer.clone().text()).not.toContain("a bug");
      await refused(answer, 500, "internal_error");
    }
    await refused(call("GET", "/api/test/refusing"), 403, "forbidden");
  });

  test("[AUTH-4] without a token nothing else is checked: neither the query nor the body", async () => {
    await refused(call("POST", "/api/test/echo?times=x", "{", null), 401, "unauthenticated");
  });

  test("[GEN-7] all errors of a request are reported together, in order", async () => {
    const body = JSON.stringify({ text: 1, txt: "x", nested: { flga: true } });
    const answer = await refused(call("POST", "/api/test/echo?times=0x10&tims=2", body), 400, "invalid_request");
    const errors = (answer["errors"] as { path: string; message: string }[]).map((e) => `${e.path} ${e.message}`);
    expect(errors).toEqual([
      "/tims Unknown query parameter `tims`; did you mean `times`?",
      "/times times must be a whole number from 1 to 9",
      "/nested/flag Missing required field: nested.flag",
      "/txt Unknown field `txt`; did you mean `text`?",
      "/text Field text must be a string",
      "/nested/flga Unknown field `flga`; did you mean `flag`?",
    ]);
  });

  test.each([
    ["times=2&times=2", "/times Query parameter `times` is given more than once"],
    ["times=1e0", "/times times must be a whole number from 1 to 9"],
    ["times=10", "/times times must be a whole number from 1 to 9"],
    ["order=y", "/order Unknown query parameter `order`"],
  ])("[GEN-7] ?%s is 400", async (query, error) => {
    const { errors } = await refused(call("POST", `/api/test/echo?${query}`, '{"text":"a"}'), 400, "invalid_request");
    expect((errors as { path: string; message: string }[]).map((e) => `${e.path} ${e.message}`)).toEqual([error]);
  });

  test("[GEN-7] an empty parameter counts as absent", async () => {
    expect(await (await call("POST", "/api/test/echo?times=", '{"text":"a"}')).json()).toEqual({ text: "a" });
  });
});

test("[SSE-5] HEAD of an endless stream is answered and ends the stream, with Bun's router and with Elysia's", async () => {
  // A slash at the end is no path of Bun's router.
  for (const [count, path] of ["/api/test/endless", "/api/test/endless/"].entries()) {
    const answer = await call("HEAD", path);
    expect([path, answer.status, await answer.text()]).toEqual([path, 200, ""]);
    await until("the stream is ended", () => ended === count + 1);
  }
});

test("[GEN-7] a parameter that cannot be decoded does not fail the request", async () => {
  expect((await call("GET", "/api/test/now/%zz")).status).toBe(200);
});
