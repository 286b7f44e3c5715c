/**
 * Waits for a job by long polls of its record (GEN-6): while nothing happens, a waiting call costs only a reader of the
 * job's stream and no query. The job continues after the wait.
 */
import { ok, type Outcome } from "../../actors/fault.ts";
import type { JsonObject } from "../../actors/schema.ts";
import { type Caller, detachCaller } from "../http/request/caller.ts";
import type { CallParts } from "./call-parts.ts";

/** Seconds of one poll; the operation's maximum. */
export const JOB_POLL_SECONDS = 30;
/** The same for a client that gets progress, which must come before its own timeout. */
export const PROGRESS_SECONDS = 10;
/** A poll that returns so much before its time was cut short. */
export const EARLY_POLL_MS = 500;
/** Statuses that a job leaves without a decision of a person. */
const ON_ITS_WAY: ReadonlySet<string> = new Set(["queued", "running", "cancelling"]);

/** The fields of a job that waiting needs. */
export interface WaitedJob extends JsonObject {
  readonly id: string;
  readonly status: string;
  readonly version: number;
}

/** The waiting party. */
export interface JobWaiter {
  /** Called when the job is first read, with each change, and after each poll without one. */
  readonly onChange: (job: WaitedJob) => void;
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal;
  /** Whether the client has cancelled its request. */
  readonly isCancelled: () => boolean;
  /** The key that determines the job's id before it begins; null if none is needed. */
  readonly callKey?: string | null;
  /** Whether `onChange` reports to a client. */
  readonly isTold: boolean;
}

/** The job when it has ended or needs a person, or its state after so many seconds. */
export async function waitForJob(
  { services, invoke }: CallParts,
  caller: Caller,
  { jobId, seconds, waiting }: { readonly jobId: string; readonly seconds: number; readonly waiting: JobWaiter },
): Promise<Outcome<WaitedJob>> {
  const { clock } = services;
  const endsAt = clock.monotonic() + seconds * 1_000;
  const params = { id: jobId };
  const first = await invoke("getJob", caller, { params });
  if (!first.ok) return first;
  let job = first.value as WaitedJob;
  waiting.onChange(job);
  for (;;) {
    const left = Math.ceil((endsAt - clock.monotonic()) / 1_000);
    if (!ON_ITS_WAY.has(job.status) || left <= 0 || waiting.signal.aborted) return ok(job);
    const wait = Math.min(left, waiting.isTold ? PROGRESS_SECONDS : JOB_POLL_SECONDS);
    const query = { since_version: job.version, wait };
    const askedAt = clock.monotonic();
    const polled = await invoke("getJob", { ...detachCaller(caller), signal: waiting.signal }, { params, query });
    if (!polled.ok) return polled;
    // 304: nothing is newer. If it comes early, the service is ending its streams.
    if (polled.value instanceof Response) {
      if (clock.monotonic() < askedAt + wait * 1_000 - EARLY_POLL_MS) return ok(job);
      waiting.onChange(job);
      continue;
    }
    job = polled.value as WaitedJob;
    waiting.onChange(job);
  }
}
