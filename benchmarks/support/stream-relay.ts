/**
 * The minimal relay of a model's stream on Bun: it asks the provider and answers with the provider's body. No token, no
 * storage, no parsing.
 *
 *   bun stream-relay.ts <url of the provider>      asked by IPC: null; answers with the port
 */
import { serveWorker } from "./worker.ts";

const [provider = ""] = process.argv.slice(2);

serveWorker<null, { readonly port: number }>(async () => {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const answer = await fetch(`${provider}/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: await request.text(),
      });
      return new Response(answer.body, { headers: { "content-type": "text/event-stream" } });
    },
  });
  return { port: server.port ?? 0 };
});
