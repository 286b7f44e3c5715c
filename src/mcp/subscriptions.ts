/**
 * The subscriptions of one session (MCP-6). Its client is notified while it listens on a GET stream, with the rights
 * of the token that opened that stream. Changes while nobody listened become one notification when it listens again;
 * if it is unknown whether there were any, as after a restart, every subscription is notified once.
 */
import { type Caller, localCaller } from "../http/request/caller.ts";
import type { Services } from "../operations/services.ts";
import { watchResource } from "./resource-watch.ts";
import type { CallParts } from "./call-parts.ts";

export interface SubscriptionParts extends Pick<CallParts, "invoke"> {
  readonly services: CallParts["services"] & Pick<Services, "log">;
}

export class Subscriptions {
  private readonly parts: SubscriptionParts;
  /** Notifies the client. */
  private readonly tell: (uri: string) => void;
  /** The version of the last notification; null if unknown. */
  private readonly known = new Map<string, number | null>();
  private readonly watches = new Map<string, AbortController>();
  private listener: Caller | null = null;

  constructor(parts: SubscriptionParts, uris: readonly string[], tell: (uri: string) => void) {
    this.parts = parts;
    this.tell = tell;
    for (const uri of uris) this.known.set(uri, null);
  }

  /** `version`: the latest version that the client can have read. */
  add(uri: string, version: number): void {
    if (this.known.has(uri)) return;
    this.known.set(uri, version);
    if (this.listener !== null) this.watch(uri, this.listener);
  }

  remove(uri: string): void {
    this.known.delete(uri);
    this.watches.get(uri)?.abort();
    this.watches.delete(uri);
  }

  /** The client starts to listen; call the returned function when it stops. */
  listen(by: Caller): () => void {
    this.stop();
    this.listener = by;
    for (const uri of this.known.keys()) this.watch(uri, by);
    return () => {
      if (this.listener === by) this.stop();
    };
  }

  private stop(): void {
    this.listener = null;
    for (const watch of this.watches.values()) watch.abort();
    this.watches.clear();
  }

  private watch(uri: string, { principal, requestId }: Caller): void {
    const watch = new AbortController();
    this.watches.set(uri, watch);
    const caller = localCaller(principal, { requestId, signal: watch.signal });
    const onChange = (version: number | null): void => {
      this.known.set(uri, version);
      this.tell(uri);
    };
    const since = this.known.get(uri) ?? null;
    watchResource(this.parts, caller, { uri, since, onChange }).catch((err: unknown) =>
      this.parts.services.log.error({ err, requestId }, "an MCP resource could not be watched"),
    );
  }
}
