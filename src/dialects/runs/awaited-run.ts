/** The answer of a request that is not streamed: it waits for the end of its part of the run. */
import { ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { jobRef } from "../../../actors/job/schema.ts";
import { SHARD_UNAVAILABLE } from "../../../actors/runtime/placement/shards.ts";
import type { Subscription } from "../../../actors/runtime/streams/subscription.ts";
import type { Caller } from "../../http/request/caller.ts";
import type { Services } from "../../operations/services.ts";
import { endingOf, readRun } from "./followed-run.ts";
import type { RunItem } from "./run-item.ts";
import { type RunPart, RunTranslation } from "./run-translation.ts";

type AwaitServices = Pick<Services, "system" | "streams" | "clock" | "jobLimits" | "log">;

/**
 * Gives `take` each item of the part, until the part is over. False if it is not: the deadline of a run has passed, the
 * client has left, its token has ended, or the service stops. The run goes on.
 */
export async function awaitRun(
  services: AwaitServices,
  caller: Caller,
  part: RunPart,
  take: (item: RunItem) => void,
): Promise<Outcome<boolean>> {
  const { system, streams, clock, jobLimits, log } = services;
  const { principal: bearer, signal } = caller;
  // Waiting for a model may take longer than the server's idle time-out.
  caller.keepOpen(0);
  const job = await readRun(services, caller, part.jobId);
  if (!job.ok) return job;
  const subscription = system.subscribe(jobRef(bearer.organizationId, part.jobId), 0);
  const stop = (): void => subscription.close();
  const waiting = { bearer, end: stop };
  const cancelDeadline = clock.after(jobLimits.runMs, stop);
  signal.addEventListener("abort", stop, { once: true });
  streams.add(waiting);
  try {
    return ok(await readToEnd(subscription, new RunTranslation(job.value, part), take));
  } catch (err) {
    log.error({ err, jobId: part.jobId }, "a job's events could not be read");
    return refuse(SHARD_UNAVAILABLE);
  } finally {
    cancelDeadline();
    signal.removeEventListener("abort", stop);
    streams.remove(waiting);
    subscription.close();
  }
}

/** Gives `take` each item of the part up to now. */
export async function readSoFar(
  services: Pick<Services, "system" | "log">,
  caller: Caller,
  part: RunPart,
  take: (item: RunItem) => void,
): Promise<Outcome<null>> {
  const job = await readRun(services, caller, part.jobId);
  if (!job.ok) return job;
  const ref = jobRef(caller.principal.organizationId, part.jobId);
  const subscription = services.system.subscribe(ref, 0, { head: job.value.lastSeq });
  const reading = new RunTranslation(job.value, part);
  try {
    for (;;) {
      const items = subscription.take() ?? (await subscription.nextPage());
      for (const item of items.flatMap((one) => reading.itemsOf(one))) {
        take(item);
        if (endingOf(item) === "now") return ok(null);
      }
      if (items.length === 0) return ok(null);
    }
  } catch (err) {
    services.log.error({ err, jobId: part.jobId }, "a job's events could not be read");
    return refuse(SHARD_UNAVAILABLE);
  } finally {
    subscription.close();
  }
}

async function readToEnd(
  subscription: Subscription,
  reading: RunTranslation,
  take: (item: RunItem) => void,
): Promise<boolean> {
  let halt: RunItem | null = null;
  for (;;) {
    const known = subscription.take();
    if (known?.length === 0 && halt !== null) {
      take(halt);
      return true;
    }
    const items = known === null || known.length === 0 ? await subscription.next() : known;
    if (items.length === 0) return false;
    for (const item of items.flatMap((one) => reading.itemsOf(one))) {
      const ending = endingOf(item);
      if (item.kind === "resumed") halt = null;
      if (ending === "caught_up") halt = item;
      else take(item);
      if (ending === "now") return true;
    }
  }
}
