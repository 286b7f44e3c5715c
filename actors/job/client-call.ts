/** The calls of a job that wait for somebody, and those of its client in the form of events (JOB-17). Pure. */
import { isoTime, type JsonObject } from "../schema.ts";
import { eventArguments } from "./events.ts";
import { callsLeft } from "./open-calls.ts";
import type { Job } from "./schema.ts";
import { type ListedConnection, isOpenAuthorization, type OpenCall } from "./terms.ts";

/** How long a client has to send a result. After that the call has failed, and the job continues. */
export const CLIENT_RESULT_MS = 24 * 60 * 60 * 1_000;

/** The calls that wait for the client now; none while the job waits for something else. */
export const waitingCalls = (job: Job): readonly OpenCall[] =>
  job.status === "blocked" && job.blockedReason === "tool_result_required" ? callsLeft(job) : [];

/** Whether the call waits for somebody: an approval, a connection, or its client. */
export const isWaiting = ({ asks, isClient, lacks }: OpenCall): boolean =>
  asks || isClient === true || lacks !== undefined;

/** The connections that the job waits for, as events list them. */
export const requestsOf = ({ authorizations = [] }: Pick<Job, "authorizations">): ListedConnection[] =>
  authorizations
    .filter(isOpenAuthorization)
    .map(({ connectionId: id, name, resource, owner, scopes, link }) => ({ id, name, resource, owner, scopes, link }));

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
