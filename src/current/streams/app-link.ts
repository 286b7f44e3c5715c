/** The signed address of a job's stream (SSE-9), for callers who may read the job. */
import { hasScope, type Principal } from "../../../actors/organization/principal.ts";
import { signedAddress, type SigningParts } from "../../http/admission/signed-address.ts";

/** A fresh address, or null for callers who may not read jobs. */
export const appLink = (parts: SigningParts, jobId: string, by: Principal): string | null =>
  hasScope(by.scopes, "jobs:read") ? signedAddress(parts, `/mcp-app/jobs/${jobId}/events`, by) : null;
