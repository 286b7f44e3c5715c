/** Readers of event streams for tests. */
import { createParser } from "eventsource-parser";
import type { Json } from "./current.ts";
import { until } from "./condition.ts";

export interface Frame {
  readonly event: string;
  readonly id: string | null;
  readonly data: Json;
}

/** The frames of a text; comments and `retry` are no frames. */
export class FrameParser {
  readonly frames: Frame[] = [];
  readonly comments: string[] = [];
  private readonly parser = createParser({
    onEvent: ({ event = "message", id, data }) => {
      const frame = { event, id: id ?? null, data: JSON.parse(data) as Json };
      this.frames.push(frame);
      this.onFrame(frame);
    },
    onComment: (comment) => this.comments.push(comment),
  });
  private readonly onFrame: (frame: Frame) => void;

  constructor(onFrame: (frame: Frame) => void = () => {}) {
    this.onFrame = onFrame;
  }

  feed(text: string): void {
    this.parser.feed(text);
  }
}

/** Reads a streaming response as it comes. */
export class StreamReader {
  readonly response: Response;
  private readonly abort: AbortController;
  private readonly parser = new FrameParser();
  text = "";
  /** Resolves when the stream has ended. */
  readonly ended: Promise<void>;

  private constructor(response: Response, abort: AbortController) {
    this.response = response;
    this.abort = abort;
    this.ended = this.read().catch((cause: unknown) => {
      if (!this.abort.signal.aborted) throw cause;
    });
  }

  static async open(url: string, headers: Readonly<Record<string, string>>): Promise<StreamReader> {
    const abort = new AbortController();
    return new StreamReader(await fetch(url, { headers, signal: abort.signal }), abort);
  }

  /** Goes away, as a client does. */
  async leave(): Promise<void> {
    this.abort.abort();
    await this.ended;
  }

  get frames(): readonly Frame[] {
    return this.parser.frames;
  }

  get comments(): readonly string[] {
    return this.parser.comments;
  }

  /** What came, in short: `12 message.created`, or the event's name where it has no id. */
  get said(): string[] {
    return this.frames.map(({ id, event }) => (id === null ? event : `${id} ${event}`));
  }

  /** The first frame of this name, once it is there. */
  async saw(event: string, where: (frame: Frame) => boolean = () => true): Promise<Frame> {
    const find = () => this.frames.find((frame) => frame.event === event && where(frame));
    await until(`a stream says ${event}; so far: ${this.said.join(", ")}`, () => find() !== undefined);
    return find()!;
  }

  private async read(): Promise<void> {
    const decoder = new TextDecoder();
    // 204 has none.
    if (this.response.body === null) return;
    for await (const chunk of this.response.body) {
      const text = decoder.decode(chunk as Uint8Array, { stream: true });
      this.text += text;
      this.parser.feed(text);
    }
  }
}
