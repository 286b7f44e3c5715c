/**
 * Reports changes of a chat or a job (MCP-6), by long polls of its record. Each poll checks the caller's rights, and
 * the watch ends with the caller's token or the service. Changes in quick succession become one notification.
 */
import { invalid, isPassing, type Outcome, refuse } from "../../actors/fault.ts";
import { sleep } from "../../actors/runtime/backoff.ts";
import type { Caller } from "../http/request/caller.ts";
import { recordOf } from "./resources.ts";
import type { CallParts } from "./call-parts.ts";
import { JOB_POLL_SECONDS, EARLY_POLL_MS } from "./job-wait.ts";

/** Least time between two notifications of one resource. */
const GAP_MS = 250;
/** Retry delay after a transient refusal. */
const WATCH_RETRY_MS = 5_000;

const READS = { chat: "getChat", job: "getJob" } as const;

interface WatchedRecord {
  readonly version: number;
}

/** The resource's current version; refuses what the caller may not read, and what cannot be watched. */
export async function watchable(
  { invoke }: Pick<CallParts, "invoke">,
  caller: Caller,
  uri: string,
): Promise<Outcome<WatchedRecord>> {
  const named = recordOf(uri);
  if (named === null) return refuse({ kind: "not_found", noun: "route" });
  if (named.kind === "file") return invalid("/uri", "Files cannot be watched; chats and jobs can");
  return (await invoke(READS[named.kind], caller, { params: { id: named.id } })) as Outcome<WatchedRecord>;
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
    const query = since === null ? {} : { since_version: since, wait: JOB_POLL_SECONDS };
    const polled = await invoke(READS[named.kind], caller, { params, query });
    if (signal.aborted) return;
    if (!polled.ok && isPassing(polled.fault)) {
      await sleep(WATCH_RETRY_MS, clock, signal);
      continue;
    }
    // 304: nothing is newer. If it comes early, the token or the service is ending its streams.
    if (polled.ok && polled.value instanceof Response) {
      if (clock.monotonic() < askedAt + JOB_POLL_SECONDS * 1_000 - EARLY_POLL_MS) return;
      continue;
    }
    onChange(polled.ok ? (polled.value as WatchedRecord).version : null);
    // The resource is gone, or access to it: reading it will say so.
    if (!polled.ok) return;
    since = (polled.value as WatchedRecord).version;
    await sleep(GAP_MS, clock, signal);
  }
}
