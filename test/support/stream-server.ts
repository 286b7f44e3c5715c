/** A provider that answers each request with bytes which the test has set, chunk by chunk. */
import { chunks } from "./hostile-streams.ts";

export interface StreamServer {
  readonly baseUrl: string;
  /** What the next requests are answered with; each string or array of bytes is a chunk. */
  answer: readonly (string | Uint8Array)[];
  /** The bodies that came, oldest first. */
  readonly bodies: unknown[];
  stop(): Promise<void>;
}

export function startStreamServer(): StreamServer {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      self.bodies.push(await request.json());
      return new Response(chunks(self.answer), { headers: { "content-type": "text/event-stream" } });
    },
  });
  const self: StreamServer = {
    baseUrl: `http://127.0.0.1:${server.port}/v1`,
    answer: [],
    bodies: [],
    stop: () => server.stop(true),
  };
  return self;
}
