/**
 * Ids of tool calls as OpenAI's clients get them: they name the job too, because a client sends back nothing else of the
 * run with a result.
 */
import { isIdOf } from "../../../actors/ids.ts";

const PREFIX = "call_";
/** Characters of the random part of a job's id. */
const JOB_CHARACTERS = 21;

/** `call_<random part of the job's id>_<id of the call>`. */
export const openAiCallId = (jobId: string, callId: string): string =>
  `${PREFIX}${jobId.slice("job_".length)}_${callId}`;

const APPROVAL_PREFIX = "mcpr_";

/** The same for an approval: `mcpr_<random part of the job's id>_<id of the approval>`. */
export const openAiApprovalId = (jobId: string, approvalId: string): string =>
  `${APPROVAL_PREFIX}${jobId.slice("job_".length)}_${approvalId}`;

/** The job and the approval; null if the id is of another service. */
export function approvalOfId(id: string): { readonly jobId: string; readonly approvalId: string } | null {
  const named = splitId(APPROVAL_PREFIX, id);
  return named === null ? null : { jobId: named.jobId, approvalId: named.rest };
}

/** The job and the call; null if the id is of another service. */
export function callOfId(id: string): { readonly jobId: string; readonly callId: string } | null {
  const named = splitId(PREFIX, id);
  return named === null ? null : { jobId: named.jobId, callId: named.rest };
}

function splitId(prefix: string, id: string): { readonly jobId: string; readonly rest: string } | null {
  const end = prefix.length + JOB_CHARACTERS;
  if (!id.startsWith(prefix) || id[end] !== "_") return null;
  const jobId = `job_${id.slice(prefix.length, end)}`;
  return isIdOf("job", jobId) ? { jobId, rest: id.slice(end + 1) } : null;
}
