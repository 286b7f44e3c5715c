/** Refusals of the service in words for the model: what went wrong and whether to try again. */
import type { Fault, FaultKind, FaultOf } from "../../../actors/fault.ts";

const LATER = "The service cannot do this now. Try again later.";

const WORDS: { readonly [K in FaultKind]: (fault: FaultOf<K>) => string } = {
  invalid_json: () => "The arguments are not valid.",
  invalid_cursor: () => "The cursor is not valid.",
  invalid_request: ({ errors }) =>
    `The arguments are not valid: ${errors.map(({ path, message }) => `${path.slice(1)}: ${message}`).join("; ")}`,
  unsupported_api_version: () => "This cannot be done.",
  unauthenticated: () => "This agent is not allowed to do this.",
  token_expired: () => "This agent is not allowed to do this.",
  insufficient_scope: () => "This agent is not allowed to do this.",
  owner_required: () => "Only an owner of the organization can do this.",
  not_found: ({ noun }) => `There is no such ${noun}.`,
  method_not_allowed: () => "This cannot be done.",
  unsupported_media_type: () => "This cannot be done.",
  payload_too_large: () => "The arguments are too large.",
  invalid_state: ({ message }) => message,
  chat_busy: () => "A turn is running in this chat.",
  approval_pending: () => "The job waits for a person's decision.",
  version_conflict: () => "The record has changed meanwhile. Read it again.",
  not_a_library_agent: () => "This is not a library agent.",
  invalid_idempotency_key: () => "The arguments are not valid.",
  idempotency_conflict: () => "This was asked before with other arguments.",
  idempotency_in_progress: () => LATER,
  invalid_event_type: () => "There is no such type of event.",
  invalid_url: ({ message }) => message,
  event_not_retained: () => "The event is not kept any more.",
  forbidden: ({ message }) => message,
  invalid_signature: () => "The address is not valid any more.",
  budget_exceeded: () => "The organization's token budget of this month is used up.",
  provider_error: ({ message }) => message,
  rate_limited: () => LATER,
  overloaded: () => LATER,
  unavailable: () => LATER,
  outcome_unknown: () => "It is not known whether this was done. Look before you try again.",
  shutting_down: () => LATER,
  timeout: () => LATER,
};

/** One sentence or two about a fault. */
export function faultWords<K extends FaultKind>(fault: FaultOf<K>): string;
export function faultWords(fault: Fault): string {
  const words: (fault: never) => string = WORDS[fault.kind];
  return words(fault as never);
}
