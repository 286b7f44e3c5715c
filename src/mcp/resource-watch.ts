/**
 * Reports changes of a chat or a job (MCP-6), by long polls of its record. Each poll checks the caller's rights, and
 * the watch ends with the caller's token or the service. Changes in quick succession become one notification.
 */
import { invalid, isPassing, type Outcome, refuse } from "../../actors/fault.ts";
import type { Clock } from "../../actors/runtime/ports.ts";
import type { Caller } from "../http/request/caller.ts";
import { recordOf } from "./resources.ts";
import type { CallParts } from "./call-parts.ts";

/** Seconds of one poll; the operation's maximum. */
const POLL_SECONDS = 30;
/** A poll that returns so much before its time was cut short. */
const EARLY_MS = 500;
/** Least time between two notifications of one resource. */
const GAP_MS = 250;
/** Retry delay after a transient refusal. */
const RETRY_MS = 5_000;

const READS = { chat: "getChat", job: "getJob" } as const;

interface Versioned {
  readonly version: number;
}

/** The resource's current version; refuses what the caller may not read, and what cannot be watched. */
export async function watchable(
  { invoke }: Pick<CallParts, "invoke">,
  caller: Caller,
  uri: string,
): Promise<Outcome<Versioned>> {
  const named = recordOf(uri);
  if (named === null) return refuse({ kind: "not_found", noun: "route" });
  if (named.kind === "file") return invalid("/uri", "Files do not tell of their changes; chats and jobs do");
  return (await invoke(READS[named.kind], caller, { params: { id: named.id } })) as Outcome<Versioned>;
}

export interface Watch {
  readonly uri: string;
  /** The last known version; null: none, so that the client is notified once at the beginning. */
  readonly since: number | null;
  /** Called with the new version; null if the caller may not read the resource any more. */
  readonly onChange: (version: number | null) => void;
}

/** Watches until the caller's signal aborts, their token or the service ends, or they lose access. */
export async function watchResource(
  { invoke, services: { clock } }: CallParts,
  caller: Caller,
  { uri, since: known, onChange }: Watch,
): Promise<void> {
  const named = recordOf(uri);
  if (named === null || named.kind === "file") return;
  const { signal } = caller;
  const params = { id: named.id };
  let since = known;
  while (!signal.aborted) {
    const askedAt = clock.monotonic();
    const query = since === null ? {} : { since_version: since, wait: POLL_SECONDS };
    const polled = await invoke(READS[named.kind], caller, { params, query });
    if (signal.aborted) return;
    if (!polled.ok && isPassing(polled.fault)) {
      await pause(clock, RETRY_MS, signal);
      continue;
    }
    // 304: nothing is newer. If it comes early, the token or the service is ending its streams.
    if (polled.ok && polled.value instanceof Response) {
      if (clock.monotonic() < askedAt + POLL_SECONDS * 1_000 - EARLY_MS) return;
      continue;
    }
    onChange(polled.ok ? (polled.value as Versioned).version : null);
    // The resource is gone, or access to it: reading it will say so.
    if (!polled.ok) return;
    since = (polled.value as Versioned).version;
    await pause(clock, GAP_MS, signal);
  }
}

function pause(clock: Pick<Clock, "after">, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, () => {
      signal.removeEventListener("abort", stop);
      resolve();
    });
    const stop = (): void => {
      cancel();
      resolve();
    };
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });
}
