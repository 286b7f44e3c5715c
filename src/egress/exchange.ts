/**
 * One request to one destination, by Bun's own `fetch`. The connection goes to a checked address and
 * to nothing else: the URL holds the address, so nothing is resolved again; proxies are off; nothing
 * is followed; nothing is unpacked. The certificate must be for the name that was asked for.
 *
 * Connections are kept for reuse under address, port and TLS settings, the server's name among them,
 * so that one made for a name serves that name only. Plain ones have no name and are not kept.
 */
import { isReservedHeader } from "../../actors/header-name.ts";
import type { Deadline } from "./deadline.ts";
import type { Destination } from "./destination.ts";
import { type EgressFailure, errorOf, failed } from "./failure.ts";

export type EgressMethod = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface Outgoing {
  readonly method: EgressMethod;
  readonly headers: Headers;
  readonly body: string | Uint8Array<ArrayBuffer> | undefined;
}

export interface Arrived {
  readonly kind: "arrived";
  readonly status: number;
  readonly headers: Headers;
  /** For its body. */
  readonly response: Response;
}

export interface Transport {
  send(to: Destination, request: Outgoing, deadline: Deadline): Promise<Arrived | EgressFailure>;
  /** Closes the connections that are kept. */
  close(): void;
}

/** Less than the five seconds after which common servers close: a request must not meet that close. */
const IDLE_SECONDS = 4;
/** Of one host that has many addresses. */
const MAX_ADDRESSES_TRIED = 4;
/** Of a response, names and values. Bun itself stops at 2 MiB and at 256 headers. */
export const MAX_HEAD_BYTES = 64 * 1024;

/** The caller's headers, for this request alone, or null where one of them cannot be sent. */
export function outgoingHeaders(given: Readonly<Record<string, string>>): Headers | null {
  for (const name in given) if (isReservedHeader(name)) return null;
  try {
    const headers = new Headers(given);
    if (!headers.has("user-agent")) headers.set("user-agent", "Troupe");
    // A server may pack all the same: what comes is handed over as it is, and so costs what it weighs.
    headers.set("accept-encoding", "identity");
    return headers;
  } catch {
    // The only way to ask whether a name and a value are legal.
    return null;
  }
}

/** `ca` replaces the system's authorities; for tests. */
export function createTransport(ca?: string): Transport {
  const session = new Bun.FetchSession({ proxy: false, keepAlive: { idleTimeout: IDLE_SECONDS } });

  async function sendTo(
    address: string,
    to: Destination,
    request: Outgoing,
    deadline: Deadline,
  ): Promise<Arrived | EgressFailure> {
    const { url, serverName } = to;
    const { headers } = request;
    headers.set("host", url.host);
    try {
      const response = await session.fetch(addressed(url, address), {
        method: request.method,
        headers,
        ...(request.body === undefined ? {} : { body: request.body }),
        proxy: false,
        redirect: "manual",
        decompress: false,
        // A flag of the environment would offer more.
        protocol: "http1.1",
        keepalive: url.protocol === "https:",
        tls: {
          rejectUnauthorized: true,
          ...(serverName === null ? {} : { serverName }),
          ...(ca === undefined ? {} : { ca }),
        },
        signal: deadline.signal,
      });
      if (headSize(response.headers) > MAX_HEAD_BYTES) {
        await response.body?.cancel().catch(() => {}); // broken already
        return failed("too_large");
      }
      return { kind: "arrived", status: response.status, headers: response.headers, response };
    } catch (cause) {
      return failed(deadline.reason ?? errorOf(cause));
    }
  }

  return {
    async send(to, request, deadline) {
      let result: Arrived | EgressFailure = failed("connection_refused");
      for (const address of to.addresses.slice(0, MAX_ADDRESSES_TRIED)) {
        result = await sendTo(address, to, request, deadline);
        // Refused means that nothing was sent: the next address is no second request.
        if (result.kind === "arrived" || result.error !== "connection_refused") return result;
      }
      return result;
    },
    close: () => session.close(),
  };
}

/** The URL with the address in the place of the host. */
function addressed({ protocol, port, pathname, search }: URL, address: string): string {
  const host = address.includes(":") ? `[${address}]` : address;
  return `${protocol}//${host}${port === "" ? "" : `:${port}`}${pathname}${search}`;
}

function headSize(headers: Headers): number {
  let size = 0;
  for (const [name, value] of headers) size += name.length + value.length;
  return size;
}
