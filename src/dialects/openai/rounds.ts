/** The rounds of a run: how often it has waited for results of the client's tools, or for the client's decisions. */
import { ok, type Outcome } from "../../../actors/fault.ts";
import { isJsonObject } from "../../../actors/schema.ts";
import { lookUp } from "../../log/look-up.ts";
import type { Caller } from "../../http/request/caller.ts";
import type { Services } from "../../operations/services.ts";

/** Rounds of one run that are looked at: more than a run has steps. */
const MOST_ROUNDS = 1_000;

/** The events of a run that say where its rounds are. */
const ROUND_EVENTS = ["job.blocked", "approval.requested"];

/**
 * The number of the part that begins with the results of these calls, or with the decisions of these approvals; that of
 * the newest part if none asks for them. `countsApprovals`: whether the client decides them, so that they are rounds.
 */
export async function roundAfter(
  { jobs, log }: Pick<Services, "jobs" | "log">,
  { principal }: Pick<Caller, "principal">,
  jobId: string,
  callIds: readonly string[],
  countsApprovals: boolean,
): Promise<Outcome<number>> {
  const of = { organizationId: principal.organizationId, jobId, types: ROUND_EVENTS };
  const page = await lookUp(log, jobs.jobEvents(of, { after: 0, limit: MOST_ROUNDS }));
  if (!page.ok) return page;
  let rounds = 0;
  let asked: unknown[] = [];
  for (const { type, data } of page.value.records) {
    if (type === "approval.requested") {
      asked.push(data["approvalId"]);
      continue;
    }
    if (data["reason"] === "tool_result_required") {
      const calls = Array.isArray(data["toolCalls"]) ? data["toolCalls"] : [];
      asked.push(...calls.map((call) => (isJsonObject(call) ? call["id"] : null)));
    } else if (data["reason"] !== "approval_required" || !countsApprovals) continue;
    rounds++;
    if (callIds.some((id) => asked.includes(id))) return ok(rounds);
    asked = [];
  }
  return ok(rounds);
}
