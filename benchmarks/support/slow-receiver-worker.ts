/**
 * A receiver of webhooks that answers shortly before the time limit.
 *
 *   bun slow-receiver-worker.ts      asked by IPC for its port
 */
import { serveWorker } from "./worker.ts";

const ANSWERS_AFTER_MS = 12_000;

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 60,
  async fetch(request) {
    await request.arrayBuffer();
    await Bun.sleep(ANSWERS_AFTER_MS);
    return new Response("taken");
  },
});
serveWorker<object, { readonly port: number }>(async () => ({ port: server.port ?? 0 }));
