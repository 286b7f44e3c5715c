/**
 * One request to one destination, by Bun's own `fetch`. The connection goes to a checked address and nowhere
 * else: the URL holds the address, so nothing is resolved again; it uses no proxy, follows no redirect and
 * decodes no body. The certificate must match the name in the request.
 *
 * A kept connection serves only the name that it was made for. Bun keeps TLS connections apart by name, because the name
 * is one of their settings. It does not do so for plain http: there each name gets its own pool.
 */
import { rootCertificates } from "node:tls";
import { BoundedMap } from "../../actors/bounded-map.ts";
import { isReservedHeader } from "../../actors/header-name.ts";
import type { Deadline } from "./deadline.ts";
import type { ResolvedDestination } from "./destination.ts";
import { type EgressFailure, fetchErrorOf, egressFailed } from "./failure.ts";

export type EgressMethod = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";

/** By name, in the case in which they are sent: `Headers` would lower it, and some receivers look at it. */
export type OutgoingHeaders = Readonly<Record<string, string>>;

export interface Outgoing {
  readonly method: EgressMethod;
  readonly headers: OutgoingHeaders;
  readonly body: string | Uint8Array<ArrayBuffer> | undefined;
  /** Whether it may arrive twice. */
  readonly repeatable: boolean;
}

export interface Arrived {
  readonly kind: "arrived";
  readonly status: number;
  readonly headers: Headers;
  /** For reading the body. */
  readonly response: Response;
}

export interface Transport {
  send(to: ResolvedDestination, request: Outgoing, deadline: Deadline): Promise<Arrived | EgressFailure>;
  /** Closes the connections in the pool. */
  close(): void;
}

/**
 * Less than the five seconds after which common servers close an idle connection: a request must not race with
 * that.
 */
const KEEP_ALIVE_IDLE_SECONDS = 4;
/** Names whose plain connections are kept. */
const PLAIN_POOLS = 256;
/**
 * Methods that Bun never repeats by itself. It repeats the others if a kept connection breaks before the answer, although
 * the first request may have taken effect. So a request with another method that must not be repeated gets its own
 * connection.
 */
const SENT_ONCE: ReadonlySet<EgressMethod> = new Set(["POST", "PATCH"]);
/** For a host with many addresses. */
const MAX_ADDRESSES_TRIED = 4;
/** Size limit of the names and values of a response's headers. Bun itself stops at 2 MiB and at 256 headers. */
export const RESPONSE_HEAD_BYTES = 64 * 1024;

/** The headers for one request, from the caller's; null if one of them cannot be sent. */
export function outgoingHeaders(given: OutgoingHeaders): OutgoingHeaders | null {
  for (const name in given) if (isReservedHeader(name)) return null;
  try {
    const headers = new Headers(given);
    if (!headers.has("user-agent")) headers.set("user-agent", "Troupe");
    // A server may encode its answer anyway. The body is handed over undecoded, so its limit counts what arrives.
    headers.set("accept-encoding", "identity");
    const names = new Map(Object.keys(given).map((name) => [name.toLowerCase(), name]));
    return Object.fromEntries([...headers].map(([name, value]) => [names.get(name) ?? name, value]));
  } catch {
    // `Headers` throws for an illegal name or value, and offers no other check.
    return null;
  }
}

/**
 * `privateCa` is trusted in addition to the system's authorities, only for destinations that the operator has allowed:
 * a private authority must not vouch for a public host. `ca` replaces the system's authorities; for tests.
 */
export function createTransport({ privateCa, ca }: { privateCa?: string; ca?: string }): Transport {
  const opened = privateCa === undefined ? ca : [...(ca === undefined ? rootCertificates : [ca]), privateCa];
  const tlsPool = newPool();
  const plainPools = new BoundedMap<Bun.FetchSession>(PLAIN_POOLS);

  const poolOf = ({ protocol, host }: URL): Bun.FetchSession => {
    if (protocol === "https:") return tlsPool;
    let pool = plainPools.get(host);
    if (pool === undefined) plainPools.set(host, (pool = newPool()));
    return pool;
  };

  async function sendTo(
    address: string,
    to: ResolvedDestination,
    request: Outgoing,
    deadline: Deadline,
  ): Promise<Arrived | EgressFailure> {
    const { url, serverName, isOpened } = to;
    const authorities = isOpened ? opened : ca;
    const headers = { ...request.headers, host: url.host };
    try {
      const response = await poolOf(url).fetch(withAddress(url, address), {
        method: request.method,
        headers,
        ...(request.body === undefined ? {} : { body: request.body }),
        proxy: false,
        redirect: "manual",
        decompress: false,
        keepalive: request.repeatable || SENT_ONCE.has(request.method),
        // Without this, an environment variable could enable newer protocols.
        protocol: "http1.1",
        tls: {
          rejectUnauthorized: true,
          ...(serverName === null ? {} : { serverName }),
          ...(authorities === undefined ? {} : { ca: authorities }),
        },
        signal: deadline.signal,
      });
      if (headSize(response.headers) > RESPONSE_HEAD_BYTES) {
        await response.body?.cancel().catch(() => {}); // broken already
        return egressFailed("too_large");
      }
      return { kind: "arrived", status: response.status, headers: response.headers, response };
    } catch (cause) {
      return egressFailed(deadline.reason ?? fetchErrorOf(cause));
    }
  }

  return {
    async send(to, request, deadline) {
      let result: Arrived | EgressFailure = egressFailed("connection_refused");
      for (const address of to.addresses.slice(0, MAX_ADDRESSES_TRIED)) {
        result = await sendTo(address, to, request, deadline);
        // A refused connection has sent nothing: trying the next address does not repeat the request.
        if (result.kind === "arrived" || result.error !== "connection_refused") return result;
      }
      return result;
    },
    close() {
      tlsPool.close();
      for (const pool of plainPools.values()) pool.close();
    },
  };
}

const newPool = (): Bun.FetchSession =>
  new Bun.FetchSession({ proxy: false, keepAlive: { idleTimeout: KEEP_ALIVE_IDLE_SECONDS } });

/** The URL with the address in place of the host. */
function withAddress({ protocol, port, pathname, search }: URL, address: string): string {
  const host = address.includes(":") ? `[${address}]` : address;
  return `${protocol}//${host}${port === "" ? "" : `:${port}`}${pathname}${search}`;
}

function headSize(headers: Headers): number {
  let size = 0;
  for (const [name, value] of headers) size += name.length + value.length;
  return size;
}
