/** Which routes Bun's own router takes, and what they are handed. */
import { expect, test } from "bun:test";
import { Elysia } from "elysia";
import { addNativeRoutes, type NativeRoutes } from "../../src/http/native-routes.ts";

test("[GEN-3] an operation is called with the request, its parameters and the server, and Elysia's other routes are left to it", async () => {
  const app = new Elysia()
    .get("/pages/:id", () => "a page")
    .route("GET", "/things/:id", ({ params, server }) => Response.json({ id: params.id, isServed: server !== null }), {
      parse: "none",
    })
    .route("POST", "/things", async ({ request }) => new Response(await request.text()), { parse: "none" });
  const routes: NativeRoutes = {};
  addNativeRoutes(routes, app.routes);
  expect(Object.entries(routes).map(([path, methods]) => [path, Object.keys(methods)])).toEqual([
    ["/things/:id", ["GET"]],
    ["/things", ["POST"]],
  ]);
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", routes, fetch: () => new Response("not native") });
  const ask = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${server.port}${path}`, init);
  try {
    expect(await (await ask("/things/a%20b")).json()).toEqual({ id: "a b", isServed: true });
    expect(await (await ask("/things", { method: "POST", body: "hello" })).text()).toBe("hello");
    expect(await (await ask("/pages/1")).text()).toBe("not native");
  } finally {
    await server.stop(true);
  }
});
