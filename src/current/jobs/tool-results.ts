/** Accepts results of tools that the client runs (JOB-17). */
import { type InputError, type Outcome, refuse } from "../../../actors/fault.ts";
import type { ClientResult } from "../../../actors/job/protocol.ts";
import { type Job, jobRef } from "../../../actors/job/schema.ts";
import type { Static } from "../../../actors/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { visibleText } from "../../../actors/visible-text.ts";
import { withinResult } from "../../http/contract/limits.ts";
import { type Change, type Commit, done } from "../../http/commit/commit.ts";
import type { ToolResultsBody } from "./schema.ts";
import { jobView } from "./view.ts";

type Given = Static<typeof ToolResultsBody>["results"];

export async function sendToolResults(
  change: Change,
  job: Job,
  { results: given }: Static<typeof ToolResultsBody>,
): Promise<Outcome<Commit>> {
  const errors = errorsOf(given);
  if (errors.length > 0) return refuse({ kind: "invalid_request", errors });
  for (const [i, { content, error }] of given.entries()) {
    const fits = withinResult(content ?? error ?? "", `results/${i}/${error === undefined ? "content" : "error"}`);
    if (!fits.ok) return fits;
  }
  const results = given.map(({ tool_call_id: toolCallId, content, error }): ClientResult => ({
    toolCallId,
    content: visibleText(error ?? content ?? ""),
    isError: error !== undefined,
  }));
  const { principal } = change;
  const command = { kind: "tool_results", by: principal.userId, results } as const;
  return change.commit([ask(jobRef(principal.organizationId, job.id), command)], (after) =>
    done(jobView(after, principal)),
  );
}

function errorsOf(given: Given): InputError[] {
  return given.flatMap(({ tool_call_id: id, content, error }, i) => {
    if ((content === undefined) === (error === undefined))
      return [{ path: `/results/${i}`, message: `Field results.${i} must have either content or error` }];
    const isTwice = given.slice(0, i).some((other) => other.tool_call_id === id);
    return isTwice
      ? [{ path: `/results/${i}/tool_call_id`, message: `The call ${id} has another result in this request` }]
      : [];
  });
}
