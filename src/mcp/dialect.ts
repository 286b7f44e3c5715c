/**
 * How the MCP endpoint refuses a request before it reads a message: like the current surface, with the address of
 * the document that says where tokens come from (RFC 9728). Clients find the sign-in through it.
 */
import type { Fault } from "../../actors/fault.ts";
import type { Dialect, Refusal } from "../http/answer/dialect.ts";
import { MCP_SCOPES } from "../http/contract/scopes.ts";
import { MCP_RESOURCE } from "../http/contract/paths.ts";

const MCP_METADATA_PATH = `/.well-known/oauth-protected-resource${MCP_RESOURCE}`;

/** `words`, plus the challenge of the endpoint at `appUrl()`. */
export function mcpDialect(words: Dialect, appUrl: () => string): Dialect {
  return {
    refusal: (fault, requestId) => withChallenge(words.refusal(fault, requestId), mcpChallenge(fault, appUrl())),
    bug: (requestId) => words.bug(requestId),
  };
}

const withChallenge = (refusal: Refusal, challenge: string | null): Refusal =>
  challenge === null ? refusal : { ...refusal, headers: { ...refusal.headers, "www-authenticate": challenge } };

/** The value of `WWW-Authenticate`; null for a refusal that another token would not avoid. */
function mcpChallenge(fault: Fault, appUrl: string): string | null {
  const metadata = `resource_metadata="${appUrl}${MCP_METADATA_PATH}"`;
  if (fault.kind === "insufficient_scope")
    return `Bearer error="insufficient_scope", scope="${["mcp", ...fault.required.filter((scope) => scope !== "mcp")].join(" ")}", ${metadata}`;
  if (fault.kind === "token_expired") return `Bearer error="invalid_token", ${metadata}`;
  if (fault.kind !== "unauthenticated") return null;
  return fault.reason.startsWith("no bearer token")
    ? `Bearer scope="${MCP_SCOPES.join(" ")}", ${metadata}`
    : `Bearer error="invalid_token", ${metadata}`;
}

/** Errors of the SDK that are the client's mistake; others have a JSON-RPC code instead. */
const MISTAKE = /^(?:Rejected|Unsupported) /;

/** Log fields for a message that the SDK refused: without a stack if the mistake is the client's. */
export const refusalFields = (err: Error): Readonly<Record<string, unknown>> =>
  "code" in err || MISTAKE.test(err.message) ? { reason: err.message } : { err };
