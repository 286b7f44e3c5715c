/**
 * A receiver of webhooks over TLS on loopback, in its own process. `/hook` accepts everything; `/timed` does too, and
 * records when each event first arrived; `/other` answers unless it was switched to hang.
 */
import { wallMs } from "./wall-clock.ts";
import { serveWorker } from "./worker.ts";

export type ReceiverQuestion =
  | { readonly kind: "start"; readonly cert: string; readonly key: string }
  /** Makes `/other` hang, or answer again: then it answers all waiting requests. */
  | { readonly kind: "hang" | "answer" }
  /** Asks how many requests wait at `/other`. */
  | { readonly kind: "count" };

export interface ReceiverAnswer {
  readonly port: number;
  /** Arrival times by the mark in the data of the event. */
  readonly arrivals: readonly (readonly [mark: number, at: number])[];
  readonly waiting: number;
}

let server: Bun.Server<undefined> | null = null;
let hanging: PromiseWithResolvers<void> | null = null;
let arrivals: (readonly [number, number])[] = [];
let waiting = 0;

async function receive(request: Request): Promise<Response> {
  const at = wallMs();
  const path = request.url.slice(request.url.lastIndexOf("/"));
  const body = await request.text();
  if (path === "/other") {
    waiting++;
    await hanging?.promise;
    waiting--;
  }
  if (path === "/timed") arrivals.push([(JSON.parse(body) as { data: { mark: number } }).data.mark, at]);
  return new Response("taken");
}

serveWorker<ReceiverQuestion, ReceiverAnswer>(
  (question) => {
    if (question.kind === "start") {
      const { cert, key } = question;
      server = Bun.serve({ hostname: "127.0.0.1", port: 0, tls: { cert, key }, idleTimeout: 60, fetch: receive });
    }
    if (question.kind === "hang") hanging = Promise.withResolvers();
    if (question.kind === "answer") hanging?.resolve();
    const told = arrivals;
    arrivals = [];
    return Promise.resolve({ port: server?.port ?? 0, arrivals: told, waiting });
  },
  async () => server?.stop(true),
);
