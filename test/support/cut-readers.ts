/** Clients whose connections are cut at random bytes and who come back with what they saw last: a raw socket, and the npm package `eventsource`. */
import { EventSource } from "eventsource";
import type { Frame } from "./event-streams.ts";
import { RawStream } from "./raw-stream.ts";
import { StreamBook } from "./stream-book.ts";

/** Numbers in [0, 1), the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export interface CutReader {
  readonly book: StreamBook;
  /** Connections so far. */
  readonly connections: number;
  /** Goes away, and stays away. */
  pause(): void;
  /** Comes back with what it saw last. */
  resume(): void;
  stop(): Promise<void>;
}

interface CutOptions {
  readonly url: string;
  readonly token: string;
  /** After how many bytes of the body the next connection is cut. */
  readonly nextCut: () => number;
}

export class RawCutReader implements CutReader {
  readonly book = new StreamBook();
  connections = 0;
  private isStopped = false;
  private stream: RawStream | null = null;
  private away = Promise.withResolvers<void>();
  private readonly ended: Promise<void>;

  constructor(options: CutOptions) {
    this.away.resolve();
    this.ended = this.run(options);
  }

  pause(): void {
    this.away = Promise.withResolvers();
    this.stream?.cut();
  }

  resume(): void {
    this.away.resolve();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.resume();
    this.stream?.cut();
    await this.ended;
  }

  private async run({ url, token, nextCut }: CutOptions): Promise<void> {
    const authorization = `Bearer ${token}`;
    while (!this.isStopped) {
      const { lastId } = this.book;
      const headers = lastId === null ? { authorization } : { authorization, "last-event-id": lastId };
      const onFrame = (frame: Frame): void => this.book.take(frame);
      this.stream = new RawStream(url, headers, { cutAfter: nextCut(), onFrame });
      this.connections++;
      await this.stream.closed;
      // While the service is away it is not asked all the time.
      await Bun.sleep(this.stream.status === 200 ? 1 : 50);
      await this.away.promise;
    }
  }
}

/** The names of frames that an `EventSource` has to be asked for. */
const NAMES = (
  "snapshot reset stream.closing stream.end error " +
  "message.created message.queued message.started message.delta message.restarted message.completed " +
  "tool.started tool.completed tool.failed routing.updated approval.requested approval.resolved " +
  "artifact.created review.updated job.linked job.updated chat.updated usage.updated"
).split(" ");

export class EventSourceCutReader implements CutReader {
  readonly book = new StreamBook();
  connections = 0;
  private readonly options: CutOptions;
  private source: EventSource;

  constructor(options: CutOptions) {
    this.options = options;
    this.source = this.open();
  }

  pause(): void {
    this.source.close();
  }

  resume(): void {
    this.source = this.open();
  }

  stop(): Promise<void> {
    this.source.close();
    return Promise.resolve();
  }

  private open(): EventSource {
    const { url, token, nextCut } = this.options;
    const from = this.book.lastId;
    const source = new EventSource(url, {
      fetch: async (input, init) => {
        this.connections++;
        // It says itself where it is, but not from another one of its kind.
        const headers = { ...(from === null ? {} : { "Last-Event-ID": from }), ...init.headers };
        const response = await fetch(input, { ...init, headers: { ...headers, authorization: `Bearer ${token}` } });
        // The package gives up on any refusal; a client that waits for a restart does not.
        if (!response.ok) throw new TypeError("not now");
        return cutAfter(response, nextCut());
      },
    });
    for (const name of NAMES) source.addEventListener(name, (event: MessageEvent) => this.take(name, event));
    return source;
  }

  private take(name: string, { data, lastEventId }: MessageEvent): void {
    // A connection that is lost is an `error` without data.
    if (typeof data !== "string") return;
    const isNote = name === "snapshot" || name === "reset" || name.startsWith("stream.");
    const id = isNote || lastEventId === "" ? null : lastEventId;
    this.book.take({ event: name, id, data: JSON.parse(data) as Frame["data"] });
  }
}

/** The answer up to so many bytes. It asks for no second between two connections: there are many of them. */
function cutAfter(response: Response, bytes: number): Response {
  let left = bytes;
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const hurried = Buffer.from(chunk)
        .toString("latin1")
        .replace(/^retry: \d+$/m, "retry: 5");
      controller.enqueue(Buffer.from(hurried, "latin1").subarray(0, left));
      left -= chunk.length;
      if (left <= 0) controller.error(new Error("cut"));
    },
  });
  const answer = new Response(response.body!.pipeThrough(cut), response);
  Object.defineProperty(answer, "url", { value: response.url });
  return answer;
}
