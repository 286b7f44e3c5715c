/** Results of the client's tools: they continue a run that waits for them (JOB-17). */
import { invalid, type Outcome } from "../../../actors/fault.ts";
import { waitingCalls } from "../../../actors/job/client-call.ts";
import type { ClientResult } from "../../../actors/job/protocol.ts";
import { jobRef } from "../../../actors/job/schema.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import type { ListHead } from "../../../actors/page.ts";
import type { StoredEvent } from "../../../actors/runtime/store.ts";
import { PAGE_EVENTS } from "../../../actors/runtime/streams/subscription.ts";
import { ask } from "../../../actors/troupe.ts";
import { visibleText } from "../../../actors/visible-text.ts";
import type { Change, Commit } from "../../http/commit/commit.ts";
import { withinResult } from "../../http/contract/limits.ts";
import type { Services } from "../../operations/services.ts";
import { joinRun } from "./begin-run.ts";
import { readRun } from "./followed-run.ts";

/** The result of a call, and its field in the body. */
export interface GivenResult extends ClientResult {
  readonly field: string;
}

export interface GivenResults {
  readonly jobId: string;
  readonly results: readonly GivenResult[];
}

/**
 * Commits the results; the part of the run that follows is `{jobId, afterCalls}`. Results that the run has already are
 * left out, so that a retry joins it.
 */
export async function giveResults(
  services: Services,
  change: Change,
  { jobId, results }: GivenResults,
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
  const afterCalls = results.map(({ toolCallId }) => toolCallId);
  const begun = { ...more, jobId, chatId, afterCalls };
  const waiting = new Set(waitingCalls(job.value).map(({ id }) => id));
  const missing = results.filter(({ toolCallId }) => waiting.has(toolCallId));
  if (missing.length === 0) {
    const answered = await answeredCalls(services, principal.organizationId, jobId);
    const stray = results.find(({ toolCallId }) => !answered.has(toolCallId));
    if (stray !== undefined) return invalid(`/${stray.field}`, "This result belongs to no call that waits for it");
    return joinRun(change, begun);
  }
  const given = missing.map(({ toolCallId, content, isError }) => ({
    toolCallId,
    content: visibleText(content),
    isError,
  }));
  const command = { kind: "tool_results", by: principal.userId, results: given } as const;
  return change.begin([ask(jobRef(principal.organizationId, jobId), command)], () => begun);
}

/** Ids of the calls of a run that have their results. */
async function answeredCalls({ jobs }: Services, organizationId: string, jobId: string): Promise<ReadonlySet<unknown>> {
  const answered = new Set<unknown>();
  for (let after: number | null = 0; after !== null;) {
    const of = { organizationId, jobId, types: ["transcript.event"] };
    const page: ListHead<StoredEvent> = await jobs.jobEvents(of, { after, limit: PAGE_EVENTS });
    for (const { data } of page.records) answered.add(data["toolUseId"]);
    after = page.hasMore ? page.last : null;
  }
  return answered;
}
