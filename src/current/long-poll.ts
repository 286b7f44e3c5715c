/**
 * Long poll (GEN-6): `?since_version=N&wait=SECONDS` answers as soon as the record is newer than N,
 * or 304 at the end of the wait. It waits on the record's event stream, so it costs a reader and no
 * query while nothing happens.
 */
import { ok, type Outcome } from "../../actors/fault.ts";
import type { ActorRef, RecordFields } from "../../actors/runtime/actor.ts";
import type { Call } from "../http/surface.ts";
import { integerOf } from "./paging.ts";
import { notModified } from "./answer.ts";
import type { CurrentParts } from "./parts.ts";
import { queryOf } from "../http/exchange.ts";

/** Longest wait in seconds. */
export const LONGEST_WAIT = 30;

interface Polled<T> {
  readonly ref: ActorRef<"chat" | "job">;
  readonly read: () => Promise<Outcome<T>>;
  readonly view: (record: T) => object;
}

/** Reads the record, waiting for a newer version where the query asks for it. */
export async function polled<T extends RecordFields & { readonly lastSeq: number }>(
  parts: Pick<CurrentParts, "system" | "streams" | "clock">,
  call: Call,
  { ref, read, view }: Polled<T>,
): Promise<Outcome<object | Response>> {
  const query = queryOf(call.request.url);
  const since = integerOf(query, "since_version", { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 });
  const wait = integerOf(query, "wait", { min: 0, max: LONGEST_WAIT, fallback: 0 });
  if (!since.ok) return since;
  if (!wait.ok) return wait;
  const first = await read();
  if (!first.ok || !query.has("since_version") || first.value.version > since.value) return first.ok ? ok(view(first.value)) : first;
  call.server?.timeout(call.request, LONGEST_WAIT + 5);
  const subscription = parts.system.subscribe(ref, first.value.lastSeq);
  const stop = (): void => subscription.close();
  const open = { shutDown: stop };
  parts.streams.add(open);
  call.request.signal.addEventListener("abort", stop, { once: true });
  const cancel = parts.clock.after(wait.value * 1_000, stop);
  try {
    for (;;) {
      const items = await subscription.next();
      if (items.length === 0) return notModified(call);
      if (!items.some((item) => item.kind === "event")) continue;
      const record = await read();
      if (!record.ok) return record;
      if (record.value.version > since.value) return ok(view(record.value));
    }
  } finally {
    cancel();
    stop();
    parts.streams.remove(open);
    call.request.signal.removeEventListener("abort", stop);
  }
}
