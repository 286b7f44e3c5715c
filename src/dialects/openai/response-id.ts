/**
 * Ids of responses. A response is a part of a run: the first one begins it, and each later one begins with the results of
 * the client's tools. So its id names the job and the part.
 */
import { isIdOf } from "../../../actors/ids.ts";

const RESPONSE_ID = /^resp_([A-Za-z0-9_-]{21})(?:\.(\d{1,6}))?$/;

export interface ResponsePart {
  readonly jobId: string;
  /** How many times results of the client's tools came before. */
  readonly afterRounds: number;
}

export const randomPart = (jobId: string): string => jobId.slice("job_".length);

export const responseId = ({ jobId, afterRounds }: ResponsePart): string =>
  `resp_${randomPart(jobId)}${afterRounds === 0 ? "" : `.${afterRounds}`}`;

/** Null if it is no id of a response. */
export function partOfResponse(id: string): ResponsePart | null {
  const found = RESPONSE_ID.exec(id);
  const jobId = `job_${found?.[1] ?? ""}`;
  return found !== null && isIdOf("job", jobId) ? { jobId, afterRounds: Number(found[2] ?? 0) } : null;
}
