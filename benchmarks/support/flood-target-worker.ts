/**
 * A server that only reads its input and answers `{}`, to measure what a flood itself costs on this machine. A body of
 * a megabyte is refused unread, as the service refuses most of them: connecting and sending again costs the kernel more
 * than holding a body open.
 *
 *   bun flood-target-worker.ts      asked by IPC for its port
 */
import { serveWorker } from "./worker.ts";

const REFUSED_BYTES = 1024 * 1024;

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    if (Number(request.headers.get("content-length") ?? 0) >= REFUSED_BYTES)
      return new Response("{}", { status: 503, headers: { connection: "close", "content-type": "application/json" } });
    await request.arrayBuffer();
    return new Response("{}", { headers: { "content-type": "application/json" } });
  },
});
serveWorker<object, { readonly port: number }>(async () => ({ port: server.port ?? 0 }));
