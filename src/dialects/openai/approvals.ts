/** Decisions about calls of the agent's tools, by clients of Responses: `mcp_approval_response` items. */
import { openApprovals } from "../../../actors/job/machine.ts";
import { invalid, type Outcome } from "../../../actors/fault.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import type { Change, Commit } from "../../http/commit/commit.ts";
import { readRun } from "../runs/followed-run.ts";
import type { ProtocolServices } from "../runs/protocol.ts";
import { answerRun, type RunAnswer } from "../runs/run-answers.ts";
import { approvalOfId, openAiApprovalId } from "./call-id.ts";
import { followedPart } from "./response-facts.ts";
import type { InputDecision } from "./response-input.ts";
import { roundAfter } from "./rounds.ts";

const STRAY = "This decision belongs to no call of this service that waits for one";

/** Commits the decisions; the response that begins with them is the next part of their run. */
export async function decideCalls(
  services: ProtocolServices,
  change: Change,
  decisions: readonly InputDecision[],
  more: JsonObject,
): Promise<Outcome<Commit>> {
  const [first] = decisions;
  const named = decisions.map(({ requestId }) => approvalOfId(requestId));
  const jobId = named[0]?.jobId;
  if (jobId === undefined || named.some((one) => one?.jobId !== jobId)) return invalid(`/${first?.field}`, STRAY);
  const job = await readRun(services, change, jobId);
  if (!job.ok) return job.fault.kind === "not_found" ? invalid(`/${first?.field}`, STRAY) : job;
  const { endsAtApprovals = false } = followedPart(job.value, { jobId, afterRounds: 0 });
  const asked = new Set(job.value.approvals.map(({ id }) => id));
  const answers: RunAnswer[] = [];
  for (const [at, { isApproved, reason: comment, field }] of decisions.entries()) {
    const approvalId = named[at]?.approvalId ?? "";
    if (!endsAtApprovals || !asked.has(approvalId)) return invalid(`/${field}`, STRAY);
    answers.push({ kind: "approval", approvalId, isApproved, comment, arguments: null });
  }
  const ids = answers.map((answer) => (answer.kind === "approval" ? answer.approvalId : ""));
  const open = openApprovals(job.value).map(({ id }) => id);
  const missing = open.some((id) => ids.includes(id)) ? open.filter((id) => !ids.includes(id)) : [];
  if (missing.length > 0)
    return invalid(
      `/${first?.field}`,
      `The run waits for all of its decisions; missing: ${missing.map((id) => openAiApprovalId(jobId, id)).join(", ")}`,
    );
  const afterRounds = await roundAfter(services, change, jobId, ids, true);
  if (!afterRounds.ok) return afterRounds;
  const { chatId } = job.value;
  return answerRun(
    services,
    change,
    { job: job.value, answers },
    { ...more, jobId, chatId, afterRounds: afterRounds.value },
  );
}
