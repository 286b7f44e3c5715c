/**
 * The errors of the current surface (ERR-1, ERR-2): `{type, code, error, message, status, request_id, details}`.
 * `error-codes.ts` has the statuses.
 */
import { cutText } from "../../actors/cut-text.ts";
import { spentWords } from "../../actors/usage/schema.ts";
import type { Fault } from "../../actors/fault.ts";
import type { JsonObject } from "../../actors/schema.ts";
import { EVENT_SOURCES, EVENT_TYPES } from "../../actors/webhook/events.ts";
import { API_RESOURCE, errorUrl } from "../http/contract/paths.ts";
import { contentRange, type Dialect, entryOf, type RefusalTable, retryAfter } from "../http/answer/dialect.ts";
import { didYouMean } from "../../actors/near-name.ts";
import { ERROR_CODES, type ErrorCode } from "./error-codes.ts";

interface Words {
  readonly message: string;
  readonly details?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

const words = (message: string, more: Pick<Words, "details" | "headers"> = {}): Words => ({ message, ...more });
const FAMILIES = [...new Set(EVENT_TYPES.map((type) => `${type.split(".")[0]}.*`))];
/** Types and families, as in event filters. */
const EVENT_FILTERS = [...EVENT_TYPES, ...FAMILIES];
/** Excluded sources, as in event filters. */
const EXCLUSIONS = EVENT_SOURCES.map((source) => `!${source}`);
function unknownType(given: string): string {
  if (EVENT_FILTERS.includes(given))
    return `\`${given}\` is a family; only an exact type is possible here, such as \`${typesOf(given)[0]}\``;
  const shown = `\`${cutText(given, 64)}\``;
  if (given.startsWith("!") && !EXCLUSIONS.includes(given))
    return `Unknown source ${shown}${didYouMean(given, EXCLUSIONS) || `; there are \`${EXCLUSIONS.join("`, `")}\``}`;
  return `Unknown event type or family ${shown}${didYouMean(given, EVENT_FILTERS) || typesLike(given)}`;
}
const typesOf = (family: string): string[] => EVENT_TYPES.filter((type) => type.startsWith(`${family.split(".")[0]}.`));
/** For a type without a similar name: the types of its family, or the families if that is unknown. */
function typesLike(given: string): string {
  const ofFamily = given.includes(".") ? typesOf(given) : [];
  const [which, types] = ofFamily.length === 0 ? ["the families are", FAMILIES] : ["there are", ofFamily];
  return `; ${which} \`${types.join("`, `")}\``;
}
const tooLarge = (limitBytes: number): string => `Too large: the limit is ${limitBytes} bytes`;
const later = (retryAfterMs: number) => ({ headers: retryAfter(retryAfterMs) });

const WORDS: RefusalTable<Words> = {
  invalid_json: ({ message, place = "" }) => words(message + place),
  invalid_cursor: () => words("Invalid cursor for this list"),
  invalid_request: ({ errors }) => {
    const list = errors.map(({ path, message }) => ({ path, message }));
    return words(errors[0]?.message ?? "Invalid request", { details: { errors: list } });
  },
  invalid_schedule: ({ errors }) => {
    const list = errors.map(({ path, message }) => ({ path, message }));
    return words(errors[0]?.message ?? "Invalid schedule", { details: { errors: list } });
  },
  unsupported_api_version: ({ supported }) =>
    words(`Unsupported Api-Version; supported: ${supported.join(", ")}`, {
      details: { supported },
    }),
  unauthenticated: ({ challenge }) =>
    challenge === undefined
      ? words("A valid bearer token is required")
      : words("The password of this share is missing or wrong", {
          headers: { "www-authenticate": challenge },
        }),
  token_expired: () => words("The token has expired"),
  insufficient_scope: ({ required }) =>
    words(`The token lacks the scope ${required.join(" or ")}`, {
      details: { required_scopes: required },
      headers: { "www-authenticate": `Bearer error="insufficient_scope", scope="${required.join(" ")}"` },
    }),
  organization_suspended: () => words("The operator of the service has suspended this organization"),
  owner_required: () => words("Only an owner of the organization may do this"),
  not_found: ({ noun, fields }) => {
    const missing = noun === "route" ? "Unknown path" : `No such ${noun.replaceAll("_", " ")}`;
    if (fields === undefined) return words(missing);
    const errors = fields.map((field) => ({
      path: `/${field}`,
      message: `Field ${field}: ${missing.replace("No", "no")}`,
    }));
    return words(errors[0]?.message ?? missing, { details: { errors } });
  },
  method_not_allowed: ({ allow }) =>
    words(`Method not allowed; use ${allow.join(", ")}`, {
      headers: { allow: allow.join(", ") },
    }),
  unsupported_media_type: ({ expected }) => words(`Content-Type must be ${expected}`),
  range_not_satisfiable: ({ bytes }) =>
    words(`The range begins past the end of the file, which has ${bytes} bytes`, {
      details: { bytes },
      headers: contentRange(bytes),
    }),
  upload_offset_mismatch: ({ offset }) =>
    words(
      `The upload has ${offset} bytes: the next part begins with byte ${offset}. If that is the whole content, \`Content-Range: bytes */${offset}\` without a body completes it`,
      {
        details: { offset },
      },
    ),
  payload_too_large: ({ limitBytes, field }) => {
    if (field === undefined) return words(tooLarge(limitBytes), { details: { limit_bytes: limitBytes } });
    const message = `Field ${field} is ${tooLarge(limitBytes).toLowerCase()}`;
    const errors = [{ path: `/${field}`, message }];
    return words(message, { details: { limit_bytes: limitBytes, errors } });
  },
  invalid_state: ({ status, allowedActions, message }) =>
    words(message, { details: { status, allowed_actions: allowedActions } }),
  chat_busy: ({ status, allowedActions, jobId }) =>
    words("A turn is running in this chat", {
      details: { status, allowed_actions: allowedActions, job_id: jobId },
    }),
  approval_pending: ({ status, allowedActions, jobId }) =>
    words(jobWaitWords(status, allowedActions), {
      details: { status, allowed_actions: allowedActions, job_id: jobId },
    }),
  version_conflict: ({ version }) => words("The record was changed since you read it", { details: { version } }),
  secret_in_use: ({ agents, workspaces, providers, others }) =>
    words("Agents, workspaces or provider keys use this secret; `force=true` deletes it anyway", {
      details: {
        agents: agents.map(({ id, name }) => ({ id, name })),
        workspaces: workspaces.map(({ id, name }) => ({ id, name })),
        providers,
        others,
      },
    }),
  not_a_library_agent: () => words("Only a library agent can be installed or uninstalled"),
  invalid_idempotency_key: () =>
    words(
      "Idempotency-Key must be one header of 1 to 255 printable ASCII characters; quote a key that contains a comma",
    ),
  idempotency_conflict: () => words("This idempotency key was already used with different input"),
  idempotency_in_progress: ({ retryAfterMs }) =>
    words("The first request with this key is still running", later(retryAfterMs)),
  invalid_event_type: ({ unknown, paths }) => {
    const errors = unknown.map((type, i) => ({ path: paths[i] ?? "", message: unknownType(type) }));
    return words(unknownType(unknown[0] ?? ""), { details: { unknown, errors } });
  },
  invalid_url: ({ message }) => words(message, { details: { errors: [{ path: "/url", message }] } }),
  invalid_path: ({ field, message }) => words(message, { details: { errors: [{ path: `/${field}`, message }] } }),
  read_only_violation: ({ message }) => words(message),
  path_exists: ({ path, message }) => words(message, { details: { path } }),
  share_expired: () => words("The share has expired, was revoked, or has reached its number of downloads"),
  event_not_retained: ({ oldest }) =>
    words("The event is no longer retained", {
      details: oldest === undefined ? {} : { oldest_sequence: oldest },
    }),
  forbidden: ({ message }) => words(message),
  invalid_signature: () => words("The signed address is invalid or has expired"),
  budget_exceeded: ({ of, retryAfterMs }) => words(spentWords(of), later(retryAfterMs)),
  quota_exceeded: ({ quota, limit, used }) =>
    words(`The organization has reached its quota of ${quota.replaceAll("_", " ")}`, {
      details: { quota, limit, used },
    }),
  provider_error: ({ message }) => words(message),
  rate_limited: ({ retryAfterMs }) => words("Too many requests; retry when the window ends", later(retryAfterMs)),
  overloaded: ({ retryAfterMs }) =>
    words("Too many requests, bodies or streams are open at once; retry later", later(retryAfterMs)),
  storage_full: ({ retryAfterMs }) =>
    words("The disk of the service is nearly full; reads still work", later(retryAfterMs)),
  unavailable: ({ retryAfterMs, message = "The service is temporarily unavailable" }) =>
    words(message, later(retryAfterMs)),
  outcome_unknown: ({ retryAfterMs }) =>
    words("The outcome is unknown; repeat with the same idempotency key", later(retryAfterMs)),
  shutting_down: ({ retryAfterMs }) => words("The service is restarting", later(retryAfterMs)),
  timeout: ({ message }) => words(message),
  request_timeout: () => words("The body of the request did not arrive in time"),
};

const METADATA_PATH = `/.well-known/oauth-protected-resource${API_RESOURCE}`;

/**
 * The challenge for a token (RFC 6750), which tells a program where to find the issuer (RFC 9728); null if no token
 * would help.
 */
function challengeOf(fault: Fault, appUrl: string): Readonly<Record<string, string>> | null {
  const isMissing = fault.kind === "unauthenticated" && fault.reason.startsWith("no bearer token");
  const isBad = fault.kind === "token_expired" || (fault.kind === "unauthenticated" && fault.challenge === undefined);
  if (!isMissing && !isBad) return null;
  const error = isMissing ? "" : `error="invalid_token", `;
  return { "www-authenticate": `Bearer ${error}resource_metadata="${appUrl}${METADATA_PATH}"` };
}

/**
 * The dialect of a service reached at `appUrl()`, a function because the address is known only once the port is
 * open.
 */
export function currentDialect(appUrl: () => string): Dialect {
  const refusal = (code: ErrorCode, { message, details = {}, headers = {} }: Words, requestId: string) => {
    const { status } = ERROR_CODES[code];
    const type = errorUrl(appUrl(), code);
    return { status, body: { type, code, error: code, message, status, request_id: requestId, details }, headers };
  };
  return {
    refusal: (fault, requestId) => {
      const worded = entryOf(WORDS, fault);
      const challenge = challengeOf(fault, appUrl());
      return refusal(
        fault.kind,
        challenge === null ? worded : { ...worded, headers: { ...worded.headers, ...challenge } },
        requestId,
      );
    },
    bug: (requestId) =>
      refusal("internal_error", words("Internal error; the operator finds it by the request id"), requestId),
  };
}

/** A refusal that is a part of an answer. */
export const refusalWords = (fault: Fault): { readonly code: ErrorCode; readonly message: string } => ({
  code: fault.kind,
  message: entryOf(WORDS, fault).message,
});

/** Why a job cannot take a message now. */
function jobWaitWords(status: string, actions: readonly string[]): string {
  if (status === "needs_review") return "The job waits for a review";
  if (actions.includes("approve")) return "The job waits for an approval";
  if (actions.includes("tool_results")) return "The job waits for results of tools that its client runs";
  return "The job is blocked until it is resumed";
}
