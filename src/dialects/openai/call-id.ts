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

/** The job and the call; null if the id is of another service. */
export function callOfId(id: string): { readonly jobId: string; readonly callId: string } | null {
  const end = PREFIX.length + JOB_CHARACTERS;
  if (!id.startsWith(PREFIX) || id[end] !== "_") return null;
  const jobId = `job_${id.slice(PREFIX.length, end)}`;
  return isIdOf("job", jobId) ? { jobId, callId: id.slice(end + 1) } : null;
}
