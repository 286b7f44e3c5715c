/** A provider that answers each request with bytes which the test has set, chunk by chunk. */
import { chunks } from "./hostile-streams.ts";

/** The frames of an event stream with these values. */
export const framesOf = (...values: readonly object[]): string[] =>
  values.map((value) => `data: ${JSON.stringify(value)}\n\n`);

export interface StreamServer {
  readonly baseUrl: string;
  /** What the next requests are answered with; each string or array of bytes is a chunk. */
  answer: readonly (string | Uint8Array)[];
  /** The answer to this body; omitted: `answer`. */
  answerTo: (body: unknown) => StreamServer["answer"];
  /** Why a request with this body is refused with 400; null: it is answered. */
  refusal: (body: unknown) => string | null;
  /** The bodies that came, oldest first. */
  readonly bodies: unknown[];
  stop(): Promise<void>;
}

export function startStreamServer(): StreamServer {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const body: unknown = await request.json();
      self.bodies.push(body);
      const refusal = self.refusal(body);
      if (refusal !== null) return Response.json({ error: { message: refusal } }, { status: 400 });
      return new Response(chunks(self.answerTo(body)), { headers: { "content-type": "text/event-stream" } });
    },
  });
  const self: StreamServer = {
    baseUrl: `http://127.0.0.1:${server.port}/v1`,
    answer: [],
    answerTo: () => self.answer,
    refusal: () => null,
    bodies: [],
    stop: () => server.stop(true),
  };
  return self;
}
