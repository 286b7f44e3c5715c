/** The id of a request, in its response and in its log line (ERR-1). */
import { newId } from "../../../actors/ids.ts";

const VALID = /^[A-Za-z0-9_-]{8,128}$/;

/** The caller's own id if it is valid, else a new one. */
export const requestIdOf = (request: Request): string => givenRequestId(request) ?? newId("req");

/** The caller's own id; null if it is absent or invalid. */
export function givenRequestId(request: Request): string | null {
  const given = request.headers.get("x-request-id");
  return given !== null && VALID.test(given) ? given : null;
}
