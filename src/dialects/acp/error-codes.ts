/** Errors of JSON-RPC, and the codes that ACP has for them. */
import type { JsonObject } from "../../../actors/schema.ts";

export const PARSE_ERROR = -32_700;
export const INVALID_ACP_REQUEST = -32_600;
export const UNKNOWN_METHOD = -32_601;
export const INVALID_ACP_PARAMS = -32_602;
export const ACP_INTERNAL_ERROR = -32_603;
export const AUTH_REQUIRED = -32_000;
export const RESOURCE_NOT_FOUND = -32_002;
/** The service refuses for a reason that the protocol has no code for. */
export const ACP_REFUSED = -32_001;

export interface AcpError {
  readonly code: number;
  readonly message: string;
  readonly data?: JsonObject;
}

/** `data.code` of a prompt whose stream was lost: the same prompt once more finds its run. */
export const RUN_INTERRUPTED = "interrupted";

/** Whether the answer says that the token is no longer accepted. */
export const isUnauthorized = ({ code }: AcpError): boolean => code === AUTH_REQUIRED;
