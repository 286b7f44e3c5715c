/** The calls of a job that wait for the result of its client, and what readers see of them (JOB-17). Pure. */
import { isoTime, type JsonObject } from "../schema.ts";
import type { Job } from "./schema.ts";
import type { OpenCall } from "./terms.ts";

/** How long a client has to send a result. After that the call has failed, and the job goes on. */
export const CLIENT_RESULT_MS = 24 * 60 * 60 * 1_000;
/** Characters of arguments that events have: longer ones are in the job's record. */
const TOLD_CHARACTERS = 4_096;

/** The calls that wait for the client now; none while something else is waited for. */
export const waitingCalls = ({ status, blockedReason, openCalls }: Job): readonly OpenCall[] =>
  status === "blocked" && blockedReason === "tool_result_required" ? openCalls : [];

/** When the wait for this call's result is over. */
export const expiryOf = ({ createdAt }: Job, { requestedAt }: OpenCall): string =>
  isoTime(Date.parse(requestedAt ?? createdAt) + CLIENT_RESULT_MS);

/** The call as events tell it. */
export const toldCall = ({
  id,
  name,
  arguments: given,
}: OpenCall): { id: string; name: string; arguments?: JsonObject } => ({
  id,
  name,
  ...(JSON.stringify(given).length > TOLD_CHARACTERS ? {} : { arguments: given ?? {} }),
});
