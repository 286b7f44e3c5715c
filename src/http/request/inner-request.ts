/**
 * A request that the service sends to itself for a client with a connection of another kind, such as a WebSocket. It is
 * served like any other: token, limits, scopes, the owner of the organization. It has come over no connection of its
 * own, so it has the address of its client.
 */
import type { InnerReader } from "../stream/event-source.ts";

interface InnerSender {
  readonly address: string;
  /**
   * Takes the pieces of the answer if that is an event stream: then the answer has no body. Where another replica
   * serves the request, its answer has one.
   */
  readonly reader: InnerReader;
}

const senders = new WeakMap<Request, InnerSender>();

/** A POST with this JSON to this path. The request is over when its reader reads no more. */
export function innerRequest(
  path: `/${string}`,
  body: object,
  { headers, ...sender }: InnerSender & { readonly headers: Headers },
): Request {
  const bytes = Buffer.from(JSON.stringify(body));
  const own = new Headers(headers);
  own.set("content-type", "application/json");
  own.set("content-length", String(bytes.byteLength));
  const { signal } = sender.reader;
  const request = new Request(`http://localhost${path}`, { method: "POST", headers: own, body: bytes, signal });
  senders.set(request, sender);
  return request;
}

/** The address of the client for whom the service sends it; null: the request came over a connection. */
export const innerAddress = (request: Request): string | null => senders.get(request)?.address ?? null;

/** The reader of the event stream that may be its answer; null: the answer goes over the connection of the request. */
export const innerReader = (request: Request): InnerReader | null => senders.get(request)?.reader ?? null;
