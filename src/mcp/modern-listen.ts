/**
 * `subscriptions/listen` of revision 2026-07-28 (MCP-6): a stream of changes of the resources that it names. Each
 * stream has its own bus, so that clients are notified only of what they may read.
 */
import { type AuthInfo, createMcpHandler, InMemoryServerEventBus, type Server } from "@modelcontextprotocol/server";
import { invalid, isPassing, ok, type Outcome } from "../../actors/fault.ts";
import { SESSION_SUBSCRIPTIONS } from "../../actors/traffic/policy.ts";
import { type Caller, localCaller } from "../http/request/caller.ts";
import { watchable, watchResource } from "./resource-watch.ts";
import type { SubscriptionParts } from "./subscriptions.ts";

export interface ListenRequest {
  readonly params?: { readonly notifications?: { readonly resourceSubscriptions?: unknown } };
}

export interface ListeningStream {
  readonly response: Response;
  /** Ends the stream in the protocol's way. */
  end(): void;
}

export async function listenForChanges(
  { serve, keepAliveMs, ...parts }: SubscriptionParts & { readonly serve: () => Server; readonly keepAliveMs: number },
  caller: Caller,
  {
    request,
    message,
    authInfo,
  }: { readonly request: Request; readonly message: ListenRequest; readonly authInfo: AuthInfo },
): Promise<Outcome<ListeningStream>> {
  const { notifications } = message.params ?? {};
  const asked = notifications?.resourceSubscriptions;
  const uris = Array.isArray(asked) ? [...new Set(asked.filter((uri) => typeof uri === "string"))] : [];
  if (uris.length > SESSION_SUBSCRIPTIONS)
    return invalid("/notifications", `A stream can watch at most ${SESSION_SUBSCRIPTIONS} resources`);
  const known = new Map<string, number>();
  for (const uri of uris) {
    const found = await watchable(parts, caller, uri);
    if (found.ok) known.set(uri, found.value.version);
    else if (isPassing(found.fault)) return found;
  }
  const bus = new InMemoryServerEventBus();
  const handler = createMcpHandler(serve, { legacy: "reject", keepAliveMs, bus });
  // The acknowledgement names only the watched resources: those that the caller may read.
  const parsedBody = Array.isArray(asked)
    ? {
        ...message,
        params: { ...message.params, notifications: { ...notifications, resourceSubscriptions: [...known.keys()] } },
      }
    : message;
  const leaving = new AbortController();
  request.signal.addEventListener("abort", () => leaving.abort(), { once: true });
  const response = await handler.fetch(request, { parsedBody, authInfo });
  const watcher = localCaller(caller.principal, { requestId: caller.requestId, signal: leaving.signal });
  if (response.headers.get("content-type") === "text/event-stream")
    for (const [uri, since] of known) {
      const onChange = (): void => bus.publish({ kind: "resource_updated", uri });
      watchResource(parts, watcher, { uri, since, onChange }).catch((err: unknown) =>
        parts.services.log.error({ err, requestId: caller.requestId }, "an MCP resource could not be watched"),
      );
    }
  return ok({
    response,
    end() {
      leaving.abort();
      void handler.close();
    },
  });
}
