/** The versions of the current surface's contract, by date (VER-1). */
import { type Fault, ok, type Outcome, refuse } from "../../../actors/fault.ts";

export const API_VERSION = "2026-11-01";
/** Supported versions, newest first. */
export const SUPPORTED_VERSIONS: readonly string[] = [API_VERSION];

const UNSUPPORTED: Fault = { kind: "unsupported_api_version", supported: SUPPORTED_VERSIONS };

/** Refuses a request for an unknown version. */
export function knownVersion(request: Request): Outcome<null> {
  const version = request.headers.get("api-version");
  return version === null || SUPPORTED_VERSIONS.includes(version) ? ok(null) : refuse(UNSUPPORTED);
}
