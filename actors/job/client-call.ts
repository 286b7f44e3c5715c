/** The calls of a job that wait for a result from its client, and their form in events (JOB-17). Pure. */
import { isoTime, type JsonObject } from "../schema.ts";
import { eventArguments } from "./events.ts";
import type { Job } from "./schema.ts";
import type { OpenCall } from "./terms.ts";

/** How long a client has to send a result. After that the call has failed, and the job continues. */
export const CLIENT_RESULT_MS = 24 * 60 * 60 * 1_000;

/** The calls that wait for the client now; none while the job waits for something else. */
export const waitingCalls = ({ status, blockedReason, openCalls }: Job): readonly OpenCall[] =>
  status === "blocked" && blockedReason === "tool_result_required" ? openCalls : [];

/** The deadline for this call's result. */
export const expiryOf = ({ createdAt }: Job, { requestedAt }: OpenCall): string =>
  isoTime(Date.parse(requestedAt ?? createdAt) + CLIENT_RESULT_MS);

/** The call as events show it. */
export function eventCall({ id, name, arguments: given }: OpenCall): {
  id: string;
  name: string;
  arguments?: JsonObject;
} {
  const shown = eventArguments(given ?? {});
  return { id, name, ...(shown === null ? {} : { arguments: shown }) };
}
