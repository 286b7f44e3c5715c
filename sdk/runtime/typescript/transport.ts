/**
 * How requests go out. A temporary failure (no connection, 429, 5xx, a first request that is still
 * running) is tried again with the same `Idempotency-Key`, so the change is made once.
 */
import { ApiError, ConnectionFailedError, type ErrorClasses, errorOf, StreamCutError, TroupeError } from "./errors.ts";
import { SseParser, type StreamEvent } from "./event-stream.ts";

export interface TroupeOptions {
  /** Where the service is, for example `http://127.0.0.1:3000`. */
  readonly baseUrl: string;
  /** A personal access token or a service token; a function is asked before each request. */
  readonly token?: string | (() => string | Promise<string>);
  /** How often a temporary failure is tried again. Default 3. */
  readonly maxRetries?: number;
  /** Milliseconds for one attempt. Default 300,000. */
  readonly timeoutMs?: number;
  /** Milliseconds without a byte after which a stream counts as cut, or as not begun; heartbeats come every ten seconds. Default 35,000. */
  readonly streamIdleMs?: number;
  /** Reads the JSON of answers and streams, in place of `JSON.parse`, which rounds integers above 2⁵³. */
  readonly parseJson?: (text: string) => unknown;
  /** In place of the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

export interface RequestOptions {
  /** Ends the request, its retries, and the stream that it opened. */
  readonly signal?: AbortSignal;
  /** Milliseconds for one attempt; for a stream, until it begins. */
  readonly timeoutMs?: number;
}

export interface MutationOptions extends RequestOptions {
  /** Repeat a request with the key of its first attempt and it is done once. Without one a fresh key is made. */
  readonly idempotencyKey?: string;
}

export interface VersionedOptions extends MutationOptions {
  /** The `version` that the record had when it was read: if it has moved, `VersionConflictError`. */
  readonly ifMatch?: number;
}

/**
 * The content to send. Text is sent as UTF-8. A `Blob` (such as a `File`, or what `openAsBlob` and `Bun.file` give) is
 * read while it is sent, and its type is the content type; it can be sent again. A stream is sent once: such a request
 * is not retried.
 */
export type BinaryBody = string | Uint8Array | Blob | ReadableStream<Uint8Array>;

/** A request to be, and how its answer is read. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: object | undefined;
  readonly body?: unknown;
  /** The body is sent as it is, under this content type; without it, as JSON. */
  readonly contentType?: string;
  readonly accept?: string;
  /** It goes without the token. */
  readonly isPublic?: true;
  /** It carries an `Idempotency-Key`. */
  readonly isKeyed?: true;
  readonly options?: VersionedOptions | undefined;
  /** Where a stream goes on. */
  readonly lastEventId?: string | undefined;
}

/** For a stream that has no cursor: the events that may be its last. */
interface OnceRequest extends ApiRequest {
  readonly last: readonly string[];
}

const EVENT_STREAM = "text/event-stream";
const DEFAULT_RETRIES = 3;
const DEFAULT_TIMEOUT_MS = 300_000;
/** Three heartbeats that did not come. */
const DEFAULT_STREAM_IDLE_MS = 35_000;
/** Delays of retries without `Retry-After`: 0.5 s, 1 s, 2 s, … at most 8 s, each up to a quarter shorter. */
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 8_000;
const JITTER = 0.25;
/** A longer wait is an error instead: a window of the rate limit is a minute. */
const LONGEST_RETRY_AFTER_SECONDS = 60;
/** Times in a row that a stream may fail to come back. */
const STREAM_RECONNECTS = 8;
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

export class Transport {
  readonly #options: TroupeOptions;
  readonly #errors: ErrorClasses;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #base: string;
  readonly #parseJson: (text: string) => unknown;

  constructor(options: TroupeOptions, errors: ErrorClasses, headers: Readonly<Record<string, string>>) {
    // Said to programs without types.
    if (typeof options.baseUrl !== "string") throw new TypeError("Call it as `new Troupe({ baseUrl, token })`");
    this.#options = options;
    this.#errors = errors;
    this.#headers = headers;
    this.#base = options.baseUrl.replace(/\/+$/, "");
    this.#parseJson = options.parseJson ?? ((text) => JSON.parse(text));
  }

  /** The JSON of the answer. */
  async json<T>(request: ApiRequest): Promise<T> {
    return this.#retrying(keyed(request), (response) => this.#jsonOf<T>(response));
  }

  /** The JSON of the answer, or null where the service had nothing new (304). */
  async changed<T>(request: ApiRequest): Promise<T | null> {
    return this.#retrying(request, (response) =>
      response.status === 304 ? Promise.resolve(null) : this.#jsonOf<T>(response),
    );
  }

  /** Not by `response.json()`, which takes an empty body for null in places. */
  async #jsonOf<T>(response: Response): Promise<T> {
    return this.#parseJson(await response.text()) as T;
  }

  async text(request: ApiRequest): Promise<string> {
    return this.#retrying(keyed(request), (response) => response.text());
  }

  async bytes(request: ApiRequest): Promise<Uint8Array> {
    return this.#retrying(keyed(request), async (response) => new Uint8Array(await response.arrayBuffer()));
  }

  /** The content in pieces, as they arrive. Retried until it begins; `StreamCutError` where it ends early. */
  async *chunks(request: ApiRequest): AsyncGenerator<Uint8Array, void, undefined> {
    const { response, controller } = await this.#retrying(keyed(request), opened);
    const expected = response.headers.get("content-encoding") === null ? response.headers.get("content-length") : null;
    let bytes = 0;
    try {
      for await (const piece of this.#piecesOf({ response, controller })) {
        bytes += piece.byteLength;
        yield piece;
      }
    } catch (error) {
      throw request.options?.signal?.aborted === true ? error : cut(error);
    }
    if (expected !== null && bytes < Number(expected)) throw cut(null);
  }

  /** Every item of every page. */
  async *items<P extends { readonly next_cursor?: string }, T>(
    page: (cursor: string | undefined) => Promise<P>,
    items: (page: P) => readonly T[],
  ): AsyncGenerator<T, void, undefined> {
    let cursor: string | undefined;
    do {
      const found = await page(cursor);
      yield* items(found);
      cursor = found.next_cursor;
    } while (cursor !== undefined);
  }

  /** The events of a stream that has no cursor: if it is cut before one of `last`, `StreamCutError`. */
  async *once<E extends StreamEvent>({ last, ...request }: OnceRequest): AsyncGenerator<E, void, undefined> {
    const stream = await this.#retrying(keyed(this.#streaming(request)), opened);
    try {
      for await (const event of this.#eventsOf(stream, new SseParser(this.#parseJson))) {
        yield event as E;
        if (last.includes(event.event)) return;
      }
    } catch (error) {
      throw request.options?.signal?.aborted === true ? error : cut(error);
    }
    throw cut(null);
  }

  /**
   * The events of a stream, which is resumed if its connection is cut: it is opened again at the last cursor. This
   * ends with `stream.end`, with 204 (the stream is over), with a permanent error, or after too many failures in a
   * row. A connection that brought an event or a heartbeat has not failed.
   */
  async *resumed<E extends StreamEvent>(request: ApiRequest): AsyncGenerator<E, void, undefined> {
    const { signal } = request.options ?? {};
    const parser = new SseParser(this.#parseJson);
    let failures = 0;
    for (;;) {
      let cause: unknown = null;
      parser.begin();
      try {
        const stream = await this.#attempt(resuming(this.#streaming(request), parser.lastEventId), opened);
        // The stream has ended, and the cursor is at its end.
        if (stream.response.status === 204) return;
        for await (const event of this.#eventsOf(stream, parser)) {
          yield event as E;
          if (event.event === "stream.end") return;
        }
      } catch (error) {
        if (signal?.aborted === true || (error instanceof ApiError && !isPassing(error))) throw error;
        cause = error;
      }
      if (parser.isAlive) failures = 0;
      if (failures >= STREAM_RECONNECTS) throw cut(cause);
      await sleep(reopeningMs(parser.retryMs, cause, failures), signal);
      failures += 1;
    }
  }

  /** The request for a stream: one whose head does not come is as silent as one whose events do not. */
  #streaming(request: ApiRequest): ApiRequest {
    const timeoutMs = request.options?.timeoutMs ?? this.#idleMs;
    return { ...request, accept: EVENT_STREAM, options: { ...request.options, timeoutMs } };
  }

  get #idleMs(): number {
    return this.#options.streamIdleMs ?? DEFAULT_STREAM_IDLE_MS;
  }

  async *#eventsOf(stream: OpenStream, parser: SseParser): AsyncGenerator<StreamEvent> {
    const decoder = new TextDecoder();
    for await (const piece of this.#piecesOf(stream)) yield* parser.push(decoder.decode(piece, { stream: true }));
  }

  /** Reads what comes, as long as something does. */
  async *#piecesOf({ response, controller }: OpenStream): AsyncGenerator<Uint8Array, void, undefined> {
    if (response.body === null) return;
    const idleMs = this.#idleMs;
    const reader = response.body.getReader();
    const giveUp = () => {
      controller.abort(new ConnectionFailedError(`The stream was silent for ${idleMs} ms`));
      // A `fetch` of the caller's own may not hear the signal.
      reader.cancel().catch(() => {});
    };
    let watch: ReturnType<typeof setTimeout> | undefined;
    try {
      for (;;) {
        watch = setTimeout(giveUp, idleMs);
        const { done, value } = await reader.read();
        clearTimeout(watch);
        if (done) return;
        yield value;
      }
    } finally {
      clearTimeout(watch);
      await reader.cancel().catch(() => {});
    }
  }

  /** What `use` makes of the answer, after as many attempts as it takes and are allowed. */
  async #retrying<T>(request: ApiRequest, use: Use<T>): Promise<T> {
    const { signal } = request.options ?? {};
    const retries = this.#options.maxRetries ?? DEFAULT_RETRIES;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#attempt(request, use);
      } catch (error) {
        if (signal?.aborted === true || attempt >= retries || !isRepeatable(request, error)) throw error;
        const delayMs = delayOf(error, attempt);
        if (delayMs === null) throw error;
        await sleep(delayMs, signal);
      }
    }
  }

  /** One request. `use` is within its time. */
  async #attempt<T>(request: ApiRequest, use: Use<T>): Promise<T> {
    const { signal, timeoutMs = this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS } = request.options ?? {};
    const controller = new AbortController();
    const giveUp = () => controller.abort(new ConnectionFailedError(`No answer within ${timeoutMs} ms`));
    const timer = setTimeout(giveUp, timeoutMs);
    try {
      const send = this.#options.fetch ?? fetch;
      const response = await send(this.#base + pathOf(request), {
        method: request.method,
        headers: await this.#headersOf(request),
        signal: signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]),
        ...bodyOf(request),
      });
      if (!response.ok && response.status !== 304) throw await errorOf(response, this.#errors);
      return await use(response, controller);
    } catch (error) {
      if (signal?.aborted === true || error instanceof TroupeError) throw error;
      throw new ConnectionFailedError(`${request.method} ${request.path}: ${String(error)}`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  async #headersOf(request: ApiRequest): Promise<Record<string, string>> {
    const { token } = this.#options;
    const { idempotencyKey, ifMatch } = request.options ?? {};
    const secret = typeof token === "function" ? await token() : token;
    return {
      ...(request.isPublic === true ? {} : this.#headers),
      accept: request.accept ?? "application/json",
      ...(request.isPublic === true || secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
      ...(request.body === undefined ? {} : { "content-type": typeOf(request) }),
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
      ...(ifMatch === undefined ? {} : { "if-match": String(ifMatch) }),
      ...(request.lastEventId === undefined ? {} : { "last-event-id": request.lastEventId }),
    };
  }
}

type Use<T> = (response: Response, controller: AbortController) => Promise<T>;

interface OpenStream {
  readonly response: Response;
  /** Ends it. */
  readonly controller: AbortController;
}
const opened: Use<OpenStream> = (response, controller) => Promise.resolve({ response, controller });

/** The request with a key that all its attempts share. */
function keyed(request: ApiRequest): ApiRequest {
  if (request.isKeyed !== true || request.options?.idempotencyKey !== undefined) return request;
  return { ...request, options: { ...request.options, idempotencyKey: crypto.randomUUID() } };
}

/** The request for a stream after a cursor. A page without a token sends no header that its browser would ask about. */
function resuming(request: ApiRequest, cursor: string | undefined): ApiRequest {
  if (cursor === undefined) return request;
  return request.isPublic === true
    ? { ...request, query: { ...request.query, after: cursor } }
    : { ...request, lastEventId: cursor };
}

/** An id as a piece of a path; what would be another path is refused. */
export function segment(id: string): string {
  if (id === "" || id === "." || id === "..") throw new TroupeError(`${JSON.stringify(id)} is not an id`);
  return encodeURIComponent(id);
}

function pathOf({ path, query }: ApiRequest): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null);
  if (given.length === 0) return path;
  const words = given.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
  return `${path}?${words.join("&")}`;
}

type SentBody = NonNullable<RequestInit["body"]>;

function bodyOf({ body, contentType }: ApiRequest): { readonly body?: SentBody; readonly duplex?: "half" } {
  if (body === undefined) return {};
  if (contentType === undefined) return { body: JSON.stringify(body) };
  // Node requires this: the answer is read after the body is sent.
  return { body: body as SentBody, ...(body instanceof ReadableStream ? { duplex: "half" } : {}) };
}

const typeOf = ({ body, contentType = "application/json" }: ApiRequest): string =>
  body instanceof Blob && body.type !== "" ? body.type : contentType;

/** Whether the same request may go well a little later. */
function isPassing(error: ApiError): boolean {
  if (error.code === "idempotency_in_progress") return true;
  return PASSING_STATUSES.has(error.status) && !["budget_exceeded", "quota_exceeded"].includes(error.code);
}

/** Whether it does no harm to send the request again: with a key, as a read, or when nothing was done. */
function isRepeatable(request: ApiRequest, error: unknown): boolean {
  if (error instanceof ApiError && !isPassing(error)) return false;
  // A stream has been read by the first attempt.
  if (request.body instanceof ReadableStream) return false;
  const isSafe = request.method === "GET" || request.options?.idempotencyKey !== undefined;
  return isSafe || (error instanceof ApiError && error.status === 429);
}

/** Milliseconds before the next attempt; null if that would be too long. */
function delayOf(error: unknown, attempt: number): number | null {
  const after = error instanceof ApiError ? error.retryAfterSeconds : null;
  if (after !== null) return after > LONGEST_RETRY_AFTER_SECONDS ? null : after * 1_000;
  return Math.min(FIRST_DELAY_MS * 2 ** attempt, LONGEST_DELAY_MS) * (1 - Math.random() * JITTER);
}

/**
 * Milliseconds before a stream is opened again: what it asked for itself, longer with each failure in a
 * row, and up to a quarter more, so that not all come back at once whom one restart has cut.
 */
function reopeningMs(retryMs: number, cause: unknown, failures: number): number {
  const isRefused = cause instanceof ApiError && cause.retryAfterSeconds !== null;
  const delayMs = isRefused || failures > 0 ? (delayOf(cause, failures) ?? LONGEST_DELAY_MS) : 0;
  return Math.max(retryMs, delayMs) * (1 + Math.random() * JITTER);
}

const cut = (cause: unknown): StreamCutError =>
  new StreamCutError("The stream was cut", cause === null ? undefined : { cause });

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal?.aborted === true) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
