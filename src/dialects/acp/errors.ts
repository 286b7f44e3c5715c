/**
 * Refusals as errors of JSON-RPC. ACP and JSON-RPC have a code for a few of them; all others have one code, and
 * `data.code` says which one it is, in the words of the current surface.
 */
import type { FaultKind } from "../../../actors/fault.ts";
import type { Dialect } from "../../http/answer/dialect.ts";
import { rewordedDialect } from "../runs/protocol.ts";
import {
  ACP_INTERNAL_ERROR,
  ACP_REFUSED,
  AUTH_REQUIRED,
  INVALID_ACP_PARAMS,
  RESOURCE_NOT_FOUND,
} from "./error-codes.ts";

const RPC_CODES: Readonly<Partial<Record<FaultKind, number>>> = {
  invalid_json: INVALID_ACP_PARAMS,
  invalid_cursor: INVALID_ACP_PARAMS,
  invalid_request: INVALID_ACP_PARAMS,
  payload_too_large: INVALID_ACP_PARAMS,
  unsupported_media_type: INVALID_ACP_PARAMS,
  unauthenticated: AUTH_REQUIRED,
  token_expired: AUTH_REQUIRED,
  organization_suspended: AUTH_REQUIRED,
  not_found: RESOURCE_NOT_FOUND,
};

/** The dialect's bodies are errors without an envelope: the connection knows the request's id. */
export const acpDialect = (words: Dialect): Dialect =>
  rewordedDialect(words, ({ status, code, message, errors, requestId, fault }) => {
    const isBug = fault === null;
    const rpcCode = isBug ? ACP_INTERNAL_ERROR : (RPC_CODES[fault.kind] ?? ACP_REFUSED);
    const fields = errors.length === 0 ? {} : { errors: errors.map((one) => ({ ...one })) };
    return { body: { code: rpcCode, message, data: { code, status, ...fields, request_id: requestId } } };
  });
