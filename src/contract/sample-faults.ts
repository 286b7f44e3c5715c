/** A fault of each kind, for the examples of the contract. Total: a kind without its sample does not compile. */
import type { FaultKind, FaultOf } from "../../actors/fault.ts";

const JOB = "job_V1StGXR8_Z5jdHi6B-myT";
const retryAfterMs = 1_000;

export const SAMPLE_FAULTS: { readonly [K in FaultKind]: Omit<FaultOf<K>, "kind"> } = {
  invalid_json: { message: "Invalid JSON in request body" },
  invalid_cursor: {},
  invalid_request: { errors: [{ path: "/name", message: "Missing required field: name" }] },
  unsupported_api_version: { supported: ["2026-11-01"] },
  unauthenticated: { reason: "no token" },
  token_expired: {},
  insufficient_scope: { required: ["agents:write"] },
  owner_required: {},
  not_found: { noun: "agent" },
  method_not_allowed: { allow: ["GET", "HEAD", "OPTIONS"] },
  unsupported_media_type: { expected: "application/json" },
  payload_too_large: { limitBytes: 1_048_576 },
  invalid_state: { status: "completed", allowedActions: ["iterate"], message: "The job is completed" },
  chat_busy: { status: "working", allowedActions: ["send_message"], jobId: JOB },
  approval_pending: { status: "blocked", allowedActions: ["approve", "cancel"], jobId: JOB },
  version_conflict: { version: 4 },
  not_a_library_agent: {},
  invalid_signature: {},
  invalid_idempotency_key: {},
  idempotency_conflict: {},
  idempotency_in_progress: { retryAfterMs },
  invalid_event_type: { unknown: ["agents.*"] },
  invalid_url: { message: "The URL must be https" },
  event_not_retained: {},
  forbidden: { message: "Only its creator may make an agent private" },
  budget_exceeded: { retryAfterMs },
  provider_error: { message: "The model's provider could not be reached" },
  rate_limited: { retryAfterMs },
  overloaded: { retryAfterMs },
  unavailable: { retryAfterMs },
  outcome_unknown: { retryAfterMs },
  shutting_down: { retryAfterMs },
  timeout: { message: "The execution ran out of time" },
};
