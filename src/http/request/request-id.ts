/** The name of a request, in its response and in its log line (ERR-1). */
import { newId } from "../../../actors/ids.ts";

const VALID = /^[A-Za-z0-9_-]{8,128}$/;

/** The caller's own id where it is a valid one, else a new one. */
export const requestIdOf = (request: Request): string => givenRequestId(request) ?? newId("req");

/** The caller's own id; null where it has none, or none that is valid. */
export function givenRequestId(request: Request): string | null {
  const given = request.headers.get("x-request-id");
  return given !== null && VALID.test(given) ? given : null;
}
