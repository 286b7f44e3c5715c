/**
 * Waiting for a job by long polls of its record (GEN-6): a waiting call costs a reader of the job's stream and no
 * query while nothing happens. When the wait is over, the job goes on.
 */
import { ok, type Outcome } from "../../actors/fault.ts";
import type { JsonObject } from "../../actors/schema.ts";
import { type Caller, detached } from "../http/request/caller.ts";
import type { CallParts } from "./tool-call.ts";

/** Seconds of one poll; the operation takes no more. */
const POLL_SECONDS = 30;
/** The same for a client that gets progress: it expects some before its own time limit ends. */
const TOLD_SECONDS = 10;
/** A poll that ends so much before its time was ended. */
const EARLY_MS = 500;
/** Of these a job gets out by itself. */
const ON_ITS_WAY: ReadonlySet<string> = new Set(["queued", "running", "cancelling"]);

/** A job as far as waiting needs it. */
export interface WaitedJob extends JsonObject {
  readonly id: string;
  readonly status: string;
  readonly version: number;
}

/** Who waits. */
export interface Waiting {
  /** Hears of the job when it is first read, with each change, and now and then. */
  readonly onChange: (job: WaitedJob) => void;
  /** Aborted: nobody waits any more. */
  readonly signal: AbortSignal;
  /** Whether the client has said that it wants no answer any more. */
  readonly isCancelled: () => boolean;
  /** By which the job is known before it begins; null where nobody asks. */
  readonly callKey?: string | null;
  /** Whether anybody is told what `onChange` hears. */
  readonly isTold: boolean;
}

/** The job once it has ended or needs a person, or as it is after so many seconds. */
export async function waitForJob(
  { services, invoke }: CallParts,
  caller: Caller,
  { jobId, seconds, waiting }: { readonly jobId: string; readonly seconds: number; readonly waiting: Waiting },
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
    const wait = Math.min(left, waiting.isTold ? TOLD_SECONDS : POLL_SECONDS);
    const query = { since_version: job.version, wait };
    const askedAt = clock.monotonic();
    const polled = await invoke("getJob", { ...detached(caller), signal: waiting.signal }, { params, query });
    if (!polled.ok) return polled;
    // 304: nothing is newer. One that comes early says that the service ends its streams.
    if (polled.value instanceof Response) {
      if (clock.monotonic() < askedAt + wait * 1_000 - EARLY_MS) return ok(job);
      waiting.onChange(job);
      continue;
    }
    job = polled.value as WaitedJob;
    waiting.onChange(job);
  }
}
