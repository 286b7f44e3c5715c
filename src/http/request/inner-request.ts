/**
 * A request that the service sends to itself for a client with a connection of another kind, such as a WebSocket. It is
 * served like any other: token, limits, scopes, the owner of the organization. It has come over no connection of its
 * own, so it has the address of its client.
 */
const clientAddresses = new WeakMap<Request, string>();

/** A POST with this JSON to this path. */
export function innerRequest(
  path: `/${string}`,
  body: object,
  { address, headers, signal }: { readonly address: string; readonly headers: Headers; readonly signal: AbortSignal },
): Request {
  const bytes = Buffer.from(JSON.stringify(body));
  const own = new Headers(headers);
  own.set("content-type", "application/json");
  own.set("content-length", String(bytes.byteLength));
  const request = new Request(`http://localhost${path}`, { method: "POST", headers: own, body: bytes, signal });
  clientAddresses.set(request, address);
  return request;
}

/** The address of the client for whom the service sends it; null: the request came over a connection. */
export const innerAddress = (request: Request): string | null => clientAddresses.get(request) ?? null;
