/**
 * The stream of a job for embedded pages (SSE-9): it is opened by a signed address instead of a token,
 * from any origin, without credentials. Whatever is wrong with the address, the answer is the same.
 */
import { isPassing, type Outcome, refuse } from "../../../actors/fault.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import { queryOf } from "../../http/exchange.ts";
import { operationRoutes } from "../../http/operation-routes.ts";
import type { Surface, Visit } from "../../http/surface.ts";
import type { CurrentParts } from "../parts.ts";
import { subjectOf } from "./app-link.ts";
import { streamRequest } from "./cursor.ts";
import { APP_STREAM_HEADERS, appStreamOperations } from "./operations.ts";
import { isJobId, streamOfJob } from "./routes.ts";

/** The longest life of a stream. */
const APP_STREAM_MS = 60 * 60_000;
const INVALID = refuse({ kind: "invalid_signature" });

export const appStreamRoutes = (current: Surface, parts: CurrentParts) =>
  operationRoutes(current, appStreamOperations, { streamSignedJobEvents: (visit) => appStream(parts, visit) });

async function appStream(parts: CurrentParts, visit: Visit): Promise<Outcome<Response>> {
  const { request, requestId, server } = visit;
  const jobId = visit.params["id"] ?? "";
  const subject = request.method === "GET" && isJobId(jobId) ? subjectOf(parts, jobId, queryOf(request.url)) : null;
  if (subject === null) return INVALID;
  const { organizationId, tokenId } = subject;
  const confirmed = await parts.system.dispatch(organizationRef(organizationId), { kind: "confirm_token", tokenId });
  if (!confirmed.ok) return isPassing(confirmed.fault) ? confirmed : INVALID;
  const asked = streamRequest(request);
  if (!asked.ok) return asked;
  // The address gives the stream alone: no verbs, and no further address.
  const by: Principal = { ...subject, role: "member", tokenKind: "personal", scopes: [] };
  const connection = {
    request,
    requestId,
    server,
    bearer: subject,
    lifeMs: APP_STREAM_MS,
    headers: APP_STREAM_HEADERS,
  };
  const opened = await streamOfJob(parts, connection, asked.value, { jobId, by });
  return !opened.ok && opened.fault.kind === "not_found" ? INVALID : opened;
}
