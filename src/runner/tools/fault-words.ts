/** Refusals of the service in words for the model: what went wrong and whether to retry. */
import { spentWords } from "../../../actors/usage/schema.ts";
import type { Fault, FaultKind, FaultOf } from "../../../actors/fault.ts";

const TRY_LATER = "The service cannot do this now. Try again later.";

const FAULT_WORDS: { readonly [K in FaultKind]: (fault: FaultOf<K>) => string } = {
  invalid_json: () => "The arguments are not valid.",
  invalid_cursor: () => "The cursor is not valid.",
  invalid_request: ({ errors }) =>
    `The arguments are not valid: ${errors.map(({ path, message }) => `${path.slice(1)}: ${message}`).join("; ")}`,
  invalid_schedule: ({ errors }) => `The schedule is not valid: ${errors.map(({ message }) => message).join("; ")}`,
  unsupported_api_version: () => "This cannot be done.",
  unauthenticated: () => "This agent is not allowed to do this.",
  token_expired: () => "This agent is not allowed to do this.",
  insufficient_scope: () => "This agent is not allowed to do this.",
  organization_suspended: () => "The operator of the service has suspended this organization.",
  owner_required: () => "Only an owner of the organization can do this.",
  not_found: ({ noun }) => `There is no such ${noun}.`,
  method_not_allowed: () => "This cannot be done.",
  unsupported_media_type: () => "This cannot be done.",
  upload_offset_mismatch: () => "The part of the upload begins at the wrong byte.",
  range_not_satisfiable: () => "The file is shorter than that.",
  payload_too_large: () => "The arguments are too large.",
  invalid_state: ({ message }) => message,
  chat_busy: () => "A turn is running in this chat.",
  approval_pending: () => "The job waits for a person's decision.",
  version_conflict: () => "The record has changed in the meantime. Read it again.",
  secret_in_use: () => "The secret is in use.",
  not_a_library_agent: () => "This is not a library agent.",
  invalid_idempotency_key: () => "The arguments are not valid.",
  idempotency_conflict: () => "This request was made before with different arguments.",
  idempotency_in_progress: () => TRY_LATER,
  invalid_event_type: () => "Unknown event type.",
  invalid_url: ({ message }) => message,
  invalid_path: ({ message }) => message,
  read_only_violation: ({ message }) => message,
  path_exists: ({ message }) => message,
  share_expired: () => "The share has expired.",
  event_not_retained: () => "The event is no longer retained.",
  forbidden: ({ message }) => message,
  invalid_signature: () => "The signed address is invalid or has expired.",
  budget_exceeded: ({ of }) => `${spentWords(of)}.`,
  quota_exceeded: ({ quota, limit }) =>
    `The organization has reached its quota of ${quota.replaceAll("_", " ")} (${limit}).`,
  provider_error: ({ message }) => message,
  rate_limited: () => TRY_LATER,
  overloaded: () => TRY_LATER,
  storage_full: () => TRY_LATER,
  unavailable: () => TRY_LATER,
  outcome_unknown: () => "It is unknown whether this was done. Check before you try again.",
  shutting_down: () => TRY_LATER,
  timeout: () => TRY_LATER,
  request_timeout: () => TRY_LATER,
};

/** One sentence or two about a fault. */
export function faultWords<K extends FaultKind>(fault: FaultOf<K>): string;
export function faultWords(fault: Fault): string {
  const words: (fault: never) => string = FAULT_WORDS[fault.kind];
  return words(fault as never);
}
