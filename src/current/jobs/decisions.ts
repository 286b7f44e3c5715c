/** What people and clients answer a job: approve, cancel, results of tools (JOB-2, JOB-3, JOB-17). */
import { type InputError, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { openApprovals } from "../../../actors/job/machine.ts";
import type { ClientResult } from "../../../actors/job/protocol.ts";
import { type Job, jobRef } from "../../../actors/job/schema.ts";
import { chatAfter } from "../../../actors/job/transitions.ts";
import { following } from "../../../actors/runtime/turns/members.ts";
import type { JsonObject, Static } from "../../../actors/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { visibleText } from "../../../actors/visible-text.ts";
import { done, type JoinedAnswer } from "../../http/commit/commit.ts";
import { withinResult } from "../../http/contract/limits.ts";
import type { Caller } from "../../http/request/caller.ts";
import { decidingSteps } from "../../operations/deciding.ts";
import { checkedArguments, fittingArguments } from "../../operations/fitting-arguments.ts";
import { operation } from "../../operations/operation.ts";
import type { Services } from "../../operations/services.ts";
import { awaitRecord, POLL_QUERY } from "../long-poll.ts";
import { jobParams } from "../path-ids.ts";
import { comingStanding, jobStanding } from "../standing.ts";
import { doneIf } from "../updating.ts";
import { visibleJob } from "../work-visibility.ts";
import { ApproveBody, ToolResultsBody } from "./schema.ts";
import { JobView, jobView, ReceiptView, receiptView } from "./view.ts";

export const decisionOperations = {
  approveJob: operation(
    {
      method: "POST",
      path: "/api/jobs/{id}/approve",
      scope: "jobs:write",
      summary: "Approve a reviewed job, or approve or deny waiting tool calls",
      description: "Without an id it applies to all waiting calls, or to the review. A denial emits `job.denied`.",
      params: jobParams,
      body: ApproveBody,
      isBodyOptional: true,
      answers: { 200: JobView },
      errors: ["forbidden", "invalid_state"],
      emits: "job.approved",
    },
    async (services, change, { params, body }) => {
      const found = await visibleJob(services, change.principal, params.id);
      if (!found.ok) return found;
      const job = found.value;
      const {
        approval_id: approvalId = null,
        tool_call_id: toolCallId = null,
        decision = "approve",
        comment = null,
      } = body;
      // Arguments of a denial are refused as a whole, not field by field.
      const given = decision === "deny" ? undefined : body.arguments;
      const fitting =
        given === undefined
          ? ok(null)
          : await fittingArguments(services, change.principal, job, {
              given,
              approvalId,
              toolCallId,
              field: "arguments",
            });
      if (!fitting.ok) return fitting;
      const standing = await comingStanding(services, change.principal, job);
      const checked = fitting.value === null ? {} : checkedArguments(fitting.value);
      const command = {
        decision,
        approvalId,
        toolCallId,
        arguments: body.arguments ?? null,
        comment,
        inGroup: true as const,
        ...checked,
      };
      // Job and chat in one commit: once answered, both show the decision.
      const [read, people, decide] = decidingSteps(change.principal, job.id, command);
      const steps = [read, people, decide, (replies: readonly unknown[]) => chatAfter(replies.at(-1) as Job)] as const;
      // A client that waits for the approval event must not see a denial as one.
      const emitted = decision === "deny" ? ({ emits: "job.denied" } as const) : {};
      return change.commit(steps, (before, [, , after]) => ({
        ...done(jobView(after, change.principal, { standing })),
        // One of several approvals decides nothing yet.
        ...(openApprovals(before).length > 0 && openApprovals(before).length === openApprovals(after).length
          ? { emits: null }
          : emitted),
      }));
    },
  ),

  cancelJob: operation(
    {
      method: "POST",
      path: "/api/jobs/{id}/cancel",
      scope: "jobs:write",
      summary: "Cancel running work",
      description: "With `wait` it returns when the job has stopped, with the seq of its last event.",
      params: jobParams,
      query: { wait: POLL_QUERY.wait },
      answers: { 200: ReceiptView },
      errors: ["invalid_state"],
      emits: "job.cancelled",
    },
    {
      run: async (services, change, { params, query }) => {
        const job = await visibleJob(services, change.principal, params.id);
        if (!job.ok) return job;
        const standing = await comingStanding(services, change.principal, job.value);
        const ref = jobRef(change.principal.organizationId, params.id);
        const read = ask(ref, { kind: "read_job" });
        const steps = following([read, ask(ref, { kind: "cancel", inGroup: true })], ([, after]) => chatAfter(after));
        // A second cancel is answered, and changes nothing.
        const isSame = ([before, after]: readonly [Job, Job, ...unknown[]]): boolean =>
          before.version === after.version;
        return query.wait === 0
          ? change.commit(steps, (_, replies) =>
              doneIf(!isSame(replies), receiptView(replies[1], change.principal, standing)),
            )
          : change.begin(steps, ({ id }) => ({ jobId: id, waitSeconds: query.wait }), isSame);
      },
      join: joinCancelled,
    },
  ),

  sendToolResults: operation(
    {
      method: "POST",
      path: "/api/jobs/{id}/tool-results",
      scope: "jobs:write",
      summary: "Send the results of tools that the client runs",
      description:
        "For the calls in `requested_tool_calls`. Send one result per call; the job continues once every call has a result.",
      params: jobParams,
      body: ToolResultsBody,
      answers: { 200: JobView },
      errors: ["forbidden", "invalid_state"],
      emits: "job.tool_results",
    },
    async (services, change, { params, body }) => {
      const { principal } = change;
      const job = await visibleJob(services, principal, params.id);
      if (!job.ok) return job;
      const { results } = body;
      const errors = errorsOf(results);
      if (errors.length > 0) return refuse({ kind: "invalid_request", errors });
      for (const [i, { content, error }] of results.entries()) {
        const fits = withinResult(content ?? error ?? "", `results/${i}/${error === undefined ? "content" : "error"}`);
        if (!fits.ok) return fits;
      }
      const answers = results.map(({ tool_call_id: toolCallId, content, error }): ClientResult => ({
        toolCallId,
        content: visibleText(error ?? content ?? ""),
        isError: error !== undefined,
      }));
      const command = { kind: "tool_results", by: principal.userId, results: answers } as const;
      return change.commit([ask(jobRef(principal.organizationId, params.id), command)], (after) =>
        done(jobView(after, principal)),
      );
    },
  ),
};

/** The receipt, when the job has stopped or the wait is over. */
async function joinCancelled(services: Services, caller: Caller, work: JsonObject): Promise<Outcome<JoinedAnswer>> {
  const { jobId, waitSeconds } = work as { readonly jobId: string; readonly waitSeconds: number };
  const ref = jobRef(caller.principal.organizationId, jobId);
  const watched = { ref, read: () => services.system.dispatch(ref, { kind: "read_job" }) };
  const isReached = (job: Job): boolean => job.status !== "cancelling";
  // A cancellation must not be refused for lack of room: without room for a waiting reader it answers at once.
  const hasRoom = services.streams.room(caller.principal.organizationId).ok;
  const job = await awaitRecord(services, caller, watched, { waitSeconds: hasRoom ? waitSeconds : 0, isReached });
  if (!job.ok) return job;
  const standing = await jobStanding(services, caller.principal, job.value);
  return ok({ ...done(receiptView(job.value, caller.principal, standing)), isFinal: isReached(job.value) });
}

function errorsOf(given: Static<typeof ToolResultsBody>["results"]): InputError[] {
  return given.flatMap(({ tool_call_id: id, content, error }, i) => {
    if ((content === undefined) === (error === undefined))
      return [{ path: `/results/${i}`, message: `Field results.${i} must have either content or error` }];
    const isTwice = given.slice(0, i).some((other) => other.tool_call_id === id);
    return isTwice
      ? [{ path: `/results/${i}/tool_call_id`, message: `The call ${id} has two results in this request` }]
      : [];
  });
}
