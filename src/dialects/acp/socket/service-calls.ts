/**
 * Calls of a connection into the service: each is a request by the service's own pipeline, with the token of the
 * connection. So it is verified and counted, and reaches the owner of the organization wherever that is.
 */
import type { MaybePromise } from "../../../../actors/maybe-promise.ts";
import type { JsonObject } from "../../../../actors/schema.ts";
import { innerRequest } from "../../../http/request/inner-request.ts";
import { type InnerReader, isEventStream, type StreamPiece } from "../../../http/stream/event-source.ts";
import { ACP_INTERNAL_ERROR, type AcpError } from "../error-codes.ts";
import { ACP_RPC_PATH } from "../rpc.ts";
import type { AcpFrame } from "../run-frames.ts";

export interface ServiceCallParts {
  readonly pipeline: (request: Request) => MaybePromise<Response>;
  /** The token, and the host. */
  readonly headers: Headers;
  readonly address: string;
  /** The agent that the connection's address names. */
  readonly agent: string | null;
}

/** Who takes the frames of an answer, as they come. */
export interface FrameTaker {
  take(frame: AcpFrame): void;
  /** Resolves when there is room for more; null: there is. */
  room(): Promise<void> | null;
}

export type ServiceAnswer =
  | { readonly kind: "result"; readonly result: JsonObject }
  /** `over` resolves at the end of the stream. */
  | { readonly kind: "stream"; readonly over: Promise<null> }
  /** `isPassing`: the same call may be taken later. */
  | { readonly kind: "error"; readonly error: AcpError; readonly isPassing: boolean };

const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;
const NO_TAKER: FrameTaker = { take() {}, room: () => null };

export class ServiceCalls {
  private readonly parts: ServiceCallParts;

  constructor(parts: ServiceCallParts) {
    this.parts = parts;
  }

  /** The answer as it is; `over`: the end of its stream, or null if the answer is not a stream. */
  async request(
    method: string,
    params: JsonObject,
    signal: AbortSignal,
    taker: FrameTaker,
  ): Promise<{ readonly response: Response; readonly over: Promise<null> | null }> {
    const { pipeline, agent, ...of } = this.parts;
    const reader = new AnswerFrames(taker, signal);
    let over: Promise<null> | null = null;
    try {
      const response = await pipeline(innerRequest(ACP_RPC_PATH, { method, params, agent }, { ...of, reader }));
      if (!response.ok || !isEventStream(response)) return { response, over };
      ({ over } = reader);
      if (response.body !== null) void reader.read(response.body);
      return { response, over };
    } finally {
      if (over === null) reader.end();
    }
  }

  async call(method: string, params: JsonObject, signal: AbortSignal, taker = NO_TAKER): Promise<ServiceAnswer> {
    const { response, over } = await this.request(method, params, signal, taker);
    if (over !== null) return { kind: "stream", over };
    const body = (await response.json()) as JsonObject;
    if (response.ok) return { kind: "result", result: body };
    const isPassing = response.status === TOO_MANY_REQUESTS || response.status >= SERVER_ERROR;
    return { kind: "error", error: isError(body) ? body : UNKNOWN_ERROR, isPassing };
  }
}

const UNKNOWN_ERROR: AcpError = { code: ACP_INTERNAL_ERROR, message: "The service could not answer" };
const isError = (body: JsonObject): body is JsonObject & AcpError => typeof body["code"] === "number";

const EVENT_DATA = "data: ";

/**
 * Takes the frames of a stream, which comes as fast as they are taken: from this process as they are (`inbox`), from
 * another replica as text. An abort ends it.
 */
class AnswerFrames implements InnerReader {
  readonly signal: AbortSignal;
  readonly inbox: AcpFrame[] = [];
  readonly over: Promise<null>;
  private readonly taker: FrameTaker;
  private readonly ending = Promise.withResolvers<null>();
  private readonly onAbort = (): void => this.end();
  private isOver = false;

  constructor(taker: FrameTaker, signal: AbortSignal) {
    this.taker = taker;
    this.signal = signal;
    this.over = this.ending.promise;
    if (signal.aborted) this.end();
    else signal.addEventListener("abort", this.onAbort, { once: true });
  }

  write(piece: StreamPiece): number | Promise<number> {
    while (this.inbox.length > 0 && !this.isOver) {
      this.taker.take(this.inbox.shift()!);
      const room = this.taker.room();
      if (room !== null) return room.then(() => this.write(piece));
    }
    this.inbox.length = 0;
    return piece.length;
  }

  /** Idempotent. The signal may live much longer than the call. */
  end(): void {
    this.isOver = true;
    this.signal.removeEventListener("abort", this.onAbort);
    this.ending.resolve(null);
  }

  /** Reads an answer of another replica. */
  async read(body: ReadableStream<Uint8Array>): Promise<void> {
    const source = body.getReader();
    const close = (): void => void source.cancel().catch(() => undefined);
    this.signal.addEventListener("abort", close, { once: true });
    const frames = new FrameText();
    try {
      for (let piece = await source.read(); !piece.done && !this.signal.aborted; piece = await source.read()) {
        this.inbox.push(...frames.read(piece.value));
        await this.write(piece.value);
      }
    } catch {
      // The replica is gone: that is an end like any other.
    } finally {
      this.signal.removeEventListener("abort", close);
      close();
      this.end();
    }
  }
}

/** The frames in the bytes of a stream. */
class FrameText {
  private readonly decoder = new TextDecoder();
  private rest = "";

  /** The frames that are complete with these bytes. */
  read(bytes: Uint8Array): readonly AcpFrame[] {
    const text = this.decoder.decode(bytes, { stream: true });
    this.rest += text;
    // A frame is one line. A long one comes in parts, and is read once, when all of it is there.
    if (!text.includes("\n")) return [];
    const events = this.rest.split("\n\n");
    this.rest = events.pop() ?? "";
    return events
      .filter((event) => event.startsWith(EVENT_DATA))
      .map((event) => JSON.parse(event.slice(EVENT_DATA.length)) as AcpFrame);
  }
}
