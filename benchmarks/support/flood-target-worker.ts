/**
 * A server that does nothing but read what it is sent and answer `{}`: what a flood of this machine costs
 * by itself is seen beside it. Where a body does not end, neither does its answer come.
 *
 *   bun flood-target-worker.ts      asked by IPC for its port
 */
import { serveWorker } from "./worker.ts";

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    await request.arrayBuffer();
    return new Response("{}", { headers: { "content-type": "application/json" } });
  },
});
serveWorker<object, { readonly port: number }>(async () => ({ port: server.port ?? 0 }));
