/** Results of the client's tools: they continue a run that waits for them (JOB-17). */
import { invalid, type Outcome } from "../../../actors/fault.ts";
import { waitingCalls } from "../../../actors/job/client-call.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import type { ListHead } from "../../../actors/page.ts";
import type { StoredEvent } from "../../../actors/runtime/store.ts";
import { PAGE_EVENTS } from "../../../actors/runtime/streams/subscription.ts";
import type { Change, Commit } from "../../http/commit/commit.ts";
import { withinResult } from "../../http/contract/limits.ts";
import type { Services } from "../../operations/services.ts";
import { readRun } from "./followed-run.ts";
import { answerRun, type RunAnswer } from "./run-answers.ts";

/** The result of a call. */
export type GivenResult = Extract<RunAnswer, { readonly kind: "result" }>;

export interface GivenResults {
  readonly jobId: string;
  readonly results: readonly GivenResult[];
  /** The client's name of a call, for refusals. */
  readonly nameOf: (callId: string) => string;
}

/**
 * Commits the results; the part of the run that follows is `{jobId, afterCalls}`. Results that the run has already are
 * left out, so that a retry joins it. The results must be all that the run waits for: until it has them, it says nothing
 * that a client could follow.
 */
export async function giveResults(
  services: Services,
  change: Change,
  { jobId, results, nameOf }: GivenResults,
  more: JsonObject = {},
): Promise<Outcome<Commit>> {
  for (const { content, field } of results) {
    const fits = withinResult(content, field);
    if (!fits.ok) return fits;
  }
  const { principal } = change;
  const job = await readRun(services, change, jobId);
  if (!job.ok) return job;
  const { chatId } = job.value;
  const afterCalls = results.map(({ callId }) => callId);
  const waiting = new Set(waitingCalls(job.value).map(({ id }) => id));
  const isFresh = results.some(({ callId }) => waiting.has(callId));
  const answered = isFresh ? null : await answeredCalls(services, principal.organizationId, jobId);
  const stray = answered === null ? undefined : results.find(({ callId }) => !answered.all.has(callId));
  if (stray !== undefined) return invalid(`/${stray.field}`, "This result belongs to no call that waits for it");
  const missing = [...waiting].filter((id) => !afterCalls.includes(id));
  const isOfThisWait = answered === null || afterCalls.some((id) => answered.ofThisWait.has(id));
  if (isOfThisWait && missing.length > 0)
    return invalid(
      `/${results[0]?.field}`,
      `The run waits for all of its results; missing: ${missing.map(nameOf).join(", ")}`,
    );
  return answerRun(services, change, { job: job.value, answers: results }, { ...more, jobId, chatId, afterCalls });
}

/** Ids of the calls of a run that have their results: all, and those since it last began to wait. */
async function answeredCalls({ jobs }: Services, organizationId: string, jobId: string) {
  const all = new Set<unknown>();
  const ofThisWait = new Set<unknown>();
  for (let after: number | null = 0; after !== null;) {
    const of = { organizationId, jobId, types: ["transcript.event", "job.blocked"] };
    const page: ListHead<StoredEvent> = await jobs.jobEvents(of, { after, limit: PAGE_EVENTS });
    for (const { type, data } of page.records) {
      if (type === "job.blocked") ofThisWait.clear();
      else for (const ids of [all, ofThisWait]) ids.add(data["toolUseId"]);
    }
    after = page.hasMore ? page.last : null;
  }
  return { all, ofThisWait };
}
