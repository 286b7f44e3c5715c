/** Refusals in OpenAI's shape: `{error: {message, type, param, code}}`. */
import type { Dialect } from "../../http/answer/dialect.ts";
import { rewordedDialect } from "../runs/protocol.ts";

export interface OpenAiError {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
}

/** Limits that waiting does not lift: clients show these, and do not retry. */
const SPENT_CODES: ReadonlySet<string> = new Set(["budget_exceeded", "quota_exceeded"]);
/** Codes that OpenAI's clients know. */
const KNOWN_CODES: Readonly<Record<string, string>> = {
  unauthenticated: "invalid_api_key",
  token_expired: "invalid_api_key",
  budget_exceeded: "insufficient_quota",
  quota_exceeded: "insufficient_quota",
  rate_limited: "rate_limit_exceeded",
  invalid_request: "invalid_value",
};

function errorType(status: number, code: string): string {
  if (SPENT_CODES.has(code)) return "insufficient_quota";
  if (status === 401) return "authentication_error";
  if (status === 403) return "permission_error";
  if (status === 429) return "rate_limit_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
}

/** `/messages/0/content` as `messages[0].content`. */
const paramOf = (path: string): string =>
  path
    .split("/")
    .slice(1)
    .map((part, at) => (/^\d+$/.test(part) ? `[${part}]` : at === 0 ? part : `.${part}`))
    .join("");

export const openAiDialect = (words: Dialect): Dialect =>
  rewordedDialect(words, ({ status, code, message, errors, fault }) => {
    const isModel = fault?.kind === "not_found" && fault.noun === "agent";
    const [first] = errors;
    const error: OpenAiError = {
      message: isModel
        ? "The model does not exist, or this token may not use it: GET /openai/v1/models lists them"
        : message,
      type: errorType(status, code),
      param: isModel ? "model" : first === undefined || first.path === "" ? null : paramOf(first.path),
      code: isModel ? "model_not_found" : (KNOWN_CODES[code] ?? code),
    };
    // OpenAI's SDKs repeat a 409 and a 429; these are the same each time.
    const isFinal = status === 409 || SPENT_CODES.has(code);
    return { body: { error }, ...(isFinal ? { headers: { "x-should-retry": "false" } } : {}) };
  });
