/** Calls to other replicas over HTTP keep-alive. */
import { parseStored } from "../../actors/exact-json.ts";
import { answeredBy, CLIENT_HEADER, bodySeal, type PeerCall, type PeerKey, piecesOf, SEAL_HEADER } from "./peer-key.ts";
import { READS_CONTENT_HEADER } from "./content-answer.ts";
import type { Tracing } from "../../actors/runtime/tracing.ts";
import { LinkLost, type LinkCall, type PeerLinks } from "./peer-link.ts";
import type { Owner } from "./placement-table.ts";
import { CONNECTION_HEADERS } from "./relay.ts";
import { sealedPieces } from "./sealed-body.ts";

/** Paths of the replicas' own calls; no operation has one. */
export const ASK_PATH = "/.replica/ask";
/** Asks for an operation, which replicas of earlier releases do not know: they answer 404. */
export const INVOKE_PATH = "/.replica/invoke";
export const LOOK_PATH = "/.replica/look";
export const READ_PATH = "/.replica/read";
/** Fetches an answer that is kept under a ticket (`link-server.ts`). */
export const TAKE_PATH = "/.replica/answer";
export const ALIVE_PATH = "/.replica/alive";
/** The answer of a replica that does not own the shard. */
export const MISDIRECTED = 421;

/** The time limit of checks and hints. */
const LOOK_LIMIT_MS = 2_000;
/** Those of one connection, and those that this hop sets itself. */
const REQUEST_HOP_HEADERS: ReadonlySet<string> = new Set([
  ...CONNECTION_HEADERS,
  "expect",
  SEAL_HEADER,
  CLIENT_HEADER,
  READS_CONTENT_HEADER,
]);
/** The call did not reach the replica, because nobody or another replica listens there: nothing was done. */
export class NotReached extends Error {
  override readonly name = "NotReached";
}

export interface Passed {
  readonly request: Request;
  readonly target: string;
  readonly body: ReadableStream<Uint8Array> | ArrayBuffer | null;
  readonly requestId: string;
  readonly client: string;
  readonly signal: AbortSignal;
  /** Headers in addition to the request's, such as another cursor. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Something in flight. */
export interface Abortable {
  abort(reason?: unknown): void;
}

export class PeerClient {
  private readonly key: PeerKey;
  /** Calls in flight by replica, and whether each may be repeated. */
  private readonly calls = new Map<string, Map<Abortable, boolean>>();
  private readonly links: PeerLinks | null;
  private readonly tracing: Pick<Tracing, "headers"> | null;

  /** Without links everything goes over HTTP. */
  constructor(key: PeerKey, tracing: Pick<Tracing, "headers"> | null = null, links: PeerLinks | null = null) {
    this.key = key;
    this.tracing = tracing;
    this.links = links;
  }

  /** Forwards a client's request; `signal` aborts it. Throws `NotReached`, or the reason of the abort. */
  pass(owner: Owner, passed: Passed): Promise<Response> {
    const { request, target, body, client, signal } = passed;
    const headers = new Headers(this.headersOf(passed));
    headers.set(CLIENT_HEADER, client);
    return this.send(owner, { method: request.method, target, client }, { headers, body, signal });
  }

  /**
   * Forwards it over the link to the replica; null if there is no link now, or if links do not carry it: HEAD (its
   * answer has the length of a body that it does not have), requests for event streams, and streamed bodies.
   */
  link(owner: Owner, passed: Omit<Passed, "signal">): LinkCall | null {
    const { request, target, body, client } = passed;
    if (request.method === "HEAD" || body instanceof ReadableStream) return null;
    const link = this.links?.to(owner) ?? null;
    if (link === null) return null;
    const headers = this.linkHeadersOf(passed);
    if (headers["accept"]?.startsWith("text/event-stream") === true) return null;
    return link.call([request.method, target, client, headers], body === null ? null : new Uint8Array(body));
  }

  /** The answer that the replica keeps under this ticket. Throws `LinkLost` if it is gone: its request has run. */
  async take(owner: Owner, ticket: string, signal: AbortSignal): Promise<Response> {
    const response = await this.own(owner, "GET", `${TAKE_PATH}?${ticket}`, null, signal).catch((cause: unknown) => {
      throw new LinkLost("the answer could not be taken", { cause });
    });
    if (response.status === MISDIRECTED) throw new LinkLost("the answer is not kept any more");
    return response;
  }

  /** Closes the links. */
  close(): void {
    this.links?.close();
  }

  private headersOf(passed: Pick<Passed, "request" | "requestId" | "headers">): Record<string, string> {
    const headers = this.linkHeadersOf(passed);
    // Without this header `fetch` would add its own, and the answer would be compressed.
    headers["accept-encoding"] ??= "identity";
    if (passed.request.method === "GET") headers[READS_CONTENT_HEADER] = "1";
    return headers;
  }

  private linkHeadersOf({ request, requestId, headers: more }: Pick<Passed, "request" | "requestId" | "headers">) {
    const headers: Record<string, string> = {};
    // oxlint-disable-next-line unicorn/no-array-for-each
    request.headers.forEach((value, name) => {
      if (!REQUEST_HOP_HEADERS.has(name)) headers[name] = value;
    });
    headers["x-request-id"] = requestId;
    return Object.assign(headers, this.tracing?.headers(), more);
  }

  /**
   * The answer to a question as JSON; null if the replica is not the owner, or does not know the path: nothing was
   * done. Throws `NotReached`, or the reason of the abort.
   */
  async ask(owner: Owner, path: typeof ASK_PATH | typeof INVOKE_PATH, question: string): Promise<unknown> {
    const call = new AbortController();
    const forget = this.watch(owner.id, call);
    try {
      const response = await this.own(owner, "POST", path, question, call.signal);
      if (response.status === MISDIRECTED || response.status === 404) return null;
      if (!response.ok) throw new Error(`replica ${owner.id} answered ${response.status}`);
      return parseStored(await response.text());
    } finally {
      forget();
    }
  }

  /**
   * Notifies the replica that shards are free or a replica has joined (`LOOK_PATH`), or that a new owner serves shards
   * (`READ_PATH`). This is a hint and may be lost. Resolves when the replica has reacted, or does not answer.
   */
  async tell(owner: Owner, path: typeof LOOK_PATH | typeof READ_PATH): Promise<void> {
    await this.own(owner, "POST", path, null, AbortSignal.timeout(LOOK_LIMIT_MS)).catch(() => {});
  }

  /**
   * Whether the replica no longer listens at its address: the connection is refused, or another replica answers.
   * Silence proves nothing.
   */
  async isNobodyThere(owner: Owner): Promise<boolean> {
    try {
      await this.own(owner, "GET", ALIVE_PATH, null, AbortSignal.timeout(LOOK_LIMIT_MS));
      return false;
    } catch (cause) {
      return cause instanceof NotReached;
    }
  }

  /** Whether the replica answers, before `signal` ends the wait. */
  async isAnswering(owner: Owner, signal: AbortSignal): Promise<boolean> {
    return this.own(owner, "GET", ALIVE_PATH, null, signal).then(
      () => true,
      () => false,
    );
  }

  /**
   * Aborts the call when the replica is dead; the returned function ends the watch. `isRepeatable`: the call can be
   * repeated without harm.
   */
  watch(id: string, call: Abortable, isRepeatable = false): () => void {
    const calls = this.calls.get(id) ?? new Map<Abortable, boolean>();
    this.calls.set(id, calls.set(call, isRepeatable));
    return () => {
      calls.delete(call);
      if (calls.size === 0 && this.calls.get(id) === calls) this.calls.delete(id);
    };
  }

  /** Aborts the calls in flight to a dead replica: all of them, or only the repeatable ones. */
  giveUp(id: string, which: "all" | "repeatable" = "all"): void {
    for (const [call, isRepeatable] of this.calls.get(id) ?? [])
      if (which === "all" || isRepeatable) call.abort(new Error("the replica has lost its lease"));
    if (which === "all") this.links?.drop(id);
  }

  private own(
    owner: Owner,
    method: string,
    target: string,
    body: string | null,
    signal: AbortSignal,
  ): Promise<Response> {
    return this.send(
      owner,
      { method, target, client: "" },
      { headers: new Headers(this.tracing?.headers()), body, signal },
    );
  }

  /** Seals and sends the call. Accepts an answer from the owner only. */
  private async send(
    owner: Owner,
    call: PeerCall,
    init: {
      readonly headers: Headers;
      readonly body: ReadableStream<Uint8Array> | ArrayBuffer | string | null;
      readonly signal: AbortSignal;
    },
  ): Promise<Response> {
    const { headers, body, signal } = init;
    const isStream = body instanceof ReadableStream;
    const seal = this.key.seal(owner.id, call, isStream ? piecesOf(headers.get("content-length")) : bodySeal(body));
    headers.set(SEAL_HEADER, seal.header);
    if (isStream) headers.delete("content-length");
    const response = await this.fetch(owner.url + call.target, {
      method: call.method,
      headers,
      signal,
      body: isStream ? sealedPieces(body, seal) : body,
      redirect: "manual",
      decompress: false,
      timeout: false,
    });
    const from = answeredBy(seal, response.headers.get(SEAL_HEADER));
    if (from === owner.id) return response;
    // The sender may have closed the connection already.
    void response.body?.cancel().catch(() => {});
    if (from !== null) throw new NotReached(`${owner.url} is now the address of replica ${from}`);
    throw new Error(`${owner.url} answers (${response.status}), but is not a replica of this service`);
  }

  private async fetch(url: string, init: BunFetchRequestInit): Promise<Response> {
    try {
      return await fetch(url, init);
    } catch (cause) {
      const code = cause instanceof Error && "code" in cause ? cause.code : null;
      if (code === "ECONNREFUSED" || code === "ConnectionRefused") throw new NotReached(url, { cause });
      throw cause;
    }
  }
}
