/**
 * The guarded HTTP client (HOOK-11): the only way to addresses that somebody else has chosen. Web fetch, MCP
 * servers, webhooks and clones use it.
 *
 *   URL ─▶ form checked ─▶ resolved once ─▶ every address checked ─▶ connected to a checked address
 *    ▲                                                                            │
 *    └────────────── a redirect, GET and HEAD only, where the caller allows it ◀──┘
 *
 * Guarantees: https only, unless an operator has opened the host (in production: the origin, with its scheme); only
 * public addresses, unless an operator has opened them; one deadline over everything from the resolver to the last
 * byte; memory holds at most the body's limit and a few buffers; nothing rejects, and a failure reveals only
 * one word of a closed list.
 */
import { createAllowList } from "./allow-list.ts";
import { boundedStream, readWholeBody, type BodyReadingTerms, type ReadingTurns, readingSlices } from "./body.ts";
import { Deadline } from "./deadline.ts";
import {
  type ResolvedDestination,
  type DestinationRules,
  findDestination,
  type Resolve,
  systemResolve,
} from "./destination.ts";
import {
  type Arrived,
  createTransport,
  type EgressMethod,
  outgoingHeaders,
  type Outgoing,
  type OutgoingHeaders,
  type Transport,
} from "./exchange.ts";
import { type EgressFailure, egressFailed } from "./failure.ts";

export interface EgressSettings {
  /** EGRESS_ALLOW: hosts, addresses, CIDR ranges and origins that are opened although they are not public. */
  readonly allow: readonly string[];
  readonly production: boolean;
  /** The system's resolver, unless a test replaces it. */
  readonly resolve?: Resolve;
  /**
   * EGRESS_CA_FILE: PEM authorities that are trusted in addition to the system's, for hosts that the operator has
   * allowed.
   */
  readonly privateCa?: string;
  /** A certificate authority, in PEM, in place of the system's. For tests. */
  readonly ca?: string;
}

/** The part of a logger that we use: it reports what an operator needs to know to open an address. */
export interface EgressLog {
  info(details: object, message: string): void;
}

export interface EgressLimits {
  /** For everything: resolving, each redirect, and the whole body or stream. */
  readonly timeoutMs: number;
  /** Limit of the body: `request` truncates a longer one, and a stream of `open` ends with `too_large`. */
  readonly maxResponseBytes: number;
  /** Default 0: a redirect is returned like any other response. Only GET and HEAD follow redirects. */
  readonly maxRedirects?: number;
  /** Time limit for the head of the response; the stream after it may take longer. */
  readonly headTimeoutMs?: number;
}

export interface EgressRequest {
  readonly url: string;
  readonly method: EgressMethod;
  /** Must not name headers that belong to the connection: see `invalid_header`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** Whether it may arrive twice; absent: only if it is a GET or a HEAD. */
  readonly repeatable?: boolean;
  readonly limits: EgressLimits;
  /** Closes the connection; the result is then `aborted`. */
  readonly signal?: AbortSignal;
  /** The organization that the request is for: the bodies of several organizations are read in turn. */
  readonly lane?: string;
}

interface Head {
  readonly kind: "response";
  readonly status: number;
  readonly headers: Headers;
  /** The last URL, after redirects. */
  readonly finalUrl: string;
}

/** A complete answer. Its body is as it came, still encoded if `content-encoding` says so. */
export interface EgressAnswer extends Head {
  /** The body in the pieces in which it came. */
  readonly pieces: readonly Uint8Array[];
  /** The body in one piece; this copies a body that came in several pieces. */
  readonly body: Uint8Array;
  /** Whether the body was cut at the limit. */
  readonly truncated: boolean;
}
export type EgressResult = EgressAnswer | EgressFailure;

/** `body` errors with `EgressInterrupted`; cancel it if you stop reading. */
export type EgressStream = (Head & { readonly body: ReadableStream<Uint8Array> }) | EgressFailure;

export interface Egress {
  /** The complete answer. Does not reject. */
  request(request: EgressRequest): Promise<EgressResult>;
  /** The answer once its head has arrived, with the body as a bounded stream. Does not reject. */
  open(request: EgressRequest): Promise<EgressStream>;
  /**
   * Checks a URL and connects to nothing. For a program that makes its own connection and can be bound to
   * `addresses` (a clone). Does not reject.
   */
  resolve(
    url: string,
    options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ): Promise<ResolvedDestination | EgressFailure>;
  /** Closes the connections in the pool. */
  close(): void;
}

/** Event loop time of a request, without its body, in ms. */
const REQUEST_MS = 0.2;

/** A client with its own connections. `reading`: the slices in which it reads, if they are paced. */
export function createEgress(
  settings: EgressSettings,
  log?: EgressLog,
  reading: BodyReadingTerms = { slices: readingSlices() },
): Egress {
  const { allow, production, resolve = systemResolve } = settings;
  const client: EgressClient = {
    rules: { allow: createAllowList(allow), production, resolve },
    transport: createTransport(settings),
    log,
  };
  /** Charges the request to its lane. */
  const begin = ({ lane = "" }: EgressRequest): ReadingTurns => {
    reading.charge?.(lane, REQUEST_MS);
    return { ...reading, lane };
  };
  return {
    async request(request) {
      const turns = begin(request);
      const deadline = new Deadline(request.limits.timeoutMs, request.signal);
      const response = await reach(client, request, deadline);
      if (response.kind === "failed") return response;
      const body = await readWholeBody(response.response, request.limits.maxResponseBytes, deadline, turns);
      if (body.kind === "failed") return body;
      const { pieces, truncated } = body;
      return {
        ...responseHead(response),
        pieces,
        get body() {
          return body.bytes;
        },
        truncated,
      };
    },
    async open(request) {
      const turns = begin(request);
      const deadline = new Deadline(request.limits.timeoutMs, request.signal);
      const response = await reach(client, request, deadline);
      if (response.kind === "failed") return response;
      return {
        ...responseHead(response),
        body: boundedStream(response.response, request.limits.maxResponseBytes, deadline, turns),
      };
    },
    async resolve(url, { timeoutMs, signal }) {
      const deadline = new Deadline(timeoutMs, signal);
      const found = await checkDestination(client, url, deadline);
      deadline.release();
      return found;
    },
    close: () => client.transport.close(),
  };
}

interface EgressClient {
  readonly rules: DestinationRules;
  readonly transport: Transport;
  readonly log: EgressLog | undefined;
}

type Reached = Arrived & { readonly finalUrl: string };

const responseHead = ({ status, headers, finalUrl }: Reached): Head => ({
  kind: "response",
  status,
  headers,
  finalUrl,
});

/** The first response that is not a redirect to follow. Releases the deadline on failure. */
async function reach(
  client: EgressClient,
  request: EgressRequest,
  deadline: Deadline,
): Promise<Reached | EgressFailure> {
  const { timeoutMs, headTimeoutMs = timeoutMs } = request.limits;
  // A limit for the head that is not shorter than the whole needs no timer.
  const headTimer = headTimeoutMs < timeoutMs ? setTimeout(() => deadline.end("timeout"), headTimeoutMs) : null;
  const reached = await followRedirects(client, request, deadline);
  if (headTimer !== null) clearTimeout(headTimer);
  if (reached.kind === "failed") deadline.release();
  return reached;
}

async function followRedirects(
  client: EgressClient,
  request: EgressRequest,
  deadline: Deadline,
): Promise<Reached | EgressFailure> {
  const { method, body, limits } = request;
  const headers = outgoingHeaders(request.headers ?? {});
  if (headers === null) return egressFailed("invalid_header");
  const { repeatable = method === "GET" || method === "HEAD" } = request;
  let outgoing: Outgoing = { method, headers, body, repeatable };
  let url = request.url;
  for (let hopsLeft = limits.maxRedirects ?? 0; ; hopsLeft--) {
    const to = await checkDestination(client, url, deadline);
    if (to.kind === "failed") return to;
    const arrived = await client.transport.send(to, outgoing, deadline);
    if (arrived.kind === "failed") return arrived;
    const location = isRedirect(arrived.status, request) ? arrived.headers.get("location") : null;
    if (location === null) return { ...arrived, finalUrl: to.url.href };
    await arrived.response.body?.cancel().catch(() => {}); // broken already
    if (hopsLeft === 0) return egressFailed("too_many_redirects");
    const next = URL.parse(location, to.url.href);
    if (next === null) return egressFailed("invalid_url");
    if (next.origin !== to.url.origin) outgoing = { ...outgoing, headers: withoutSecrets(outgoing.headers) };
    url = next.href;
  }
}

/** The destination, or the failure if the deadline ends first. */
async function checkDestination(
  { rules, log }: EgressClient,
  url: string,
  deadline: Deadline,
): Promise<ResolvedDestination | EgressFailure> {
  const found = await deadline.race(findDestination(url, rules));
  if (deadline.reason !== null || found === null) return egressFailed(deadline.reason ?? "timeout");
  if (found.kind === "failed" && found.error === "blocked_address") {
    log?.info(
      { host: URL.parse(url)?.hostname },
      "a request to an address that is not public was refused; EGRESS_ALLOW opens one",
    );
  }
  return found;
}

const isRedirect = (status: number, { method, limits }: EgressRequest): boolean =>
  (limits.maxRedirects ?? 0) > 0 &&
  (method === "GET" || method === "HEAD") &&
  [301, 302, 303, 307, 308].includes(status);

const FOR_EVERYBODY = ["accept", "accept-encoding", "accept-language", "user-agent"];

/** Another origin gets only harmless headers: any other header may hold a key. */
const withoutSecrets = (headers: OutgoingHeaders): OutgoingHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => FOR_EVERYBODY.includes(name.toLowerCase())));
