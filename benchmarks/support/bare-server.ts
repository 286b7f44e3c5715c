/**
 * The minimal server on Bun: `Bun.serve` with one route that answers one object as JSON. No token, no id, no log, no
 * look-ups.
 *
 *   bun bare-server.ts      asked by IPC: serve this object; answers with the port
 */
import { serveWorker } from "./worker.ts";

serveWorker<object, { readonly port: number }>(async (body) => {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    routes: { "/api/v1/agents/:id": () => Response.json(body) },
  });
  return { port: server.port ?? 0 };
});
