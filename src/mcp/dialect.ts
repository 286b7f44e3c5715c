/**
 * How the MCP endpoint refuses a request before it reads a message: as the current surface does, and with the address
 * of the document that says where tokens come from (RFC 9728), which is how a client finds the way to sign in.
 */
import type { Fault } from "../../actors/fault.ts";
import type { Dialect, Refusal } from "../http/request/dialect.ts";
import { MCP_SCOPES } from "../http/contract/mcp-scopes.ts";
import { MCP_RESOURCE } from "../http/contract/oauth-paths.ts";

const METADATA_PATH = `/.well-known/oauth-protected-resource${MCP_RESOURCE}`;

/** `words` with the challenge of the endpoint at `appUrl()`. */
export function mcpDialect(words: Dialect, appUrl: () => string): Dialect {
  return {
    refusal: (fault, requestId) => challenged(words.refusal(fault, requestId), challengeOf(fault, appUrl())),
    bug: (requestId) => words.bug(requestId),
  };
}

const challenged = (refusal: Refusal, challenge: string | null): Refusal =>
  challenge === null ? refusal : { ...refusal, headers: { ...refusal.headers, "www-authenticate": challenge } };

/** What `WWW-Authenticate` says; null for a refusal that no token changes. */
function challengeOf(fault: Fault, appUrl: string): string | null {
  const metadata = `resource_metadata="${appUrl}${METADATA_PATH}"`;
  if (fault.kind === "insufficient_scope")
    return `Bearer error="insufficient_scope", scope="${["mcp", ...fault.required.filter((scope) => scope !== "mcp")].join(" ")}", ${metadata}`;
  if (fault.kind === "token_expired") return `Bearer error="invalid_token", ${metadata}`;
  if (fault.kind !== "unauthenticated") return null;
  return fault.reason.startsWith("no bearer token")
    ? `Bearer scope="${MCP_SCOPES.join(" ")}", ${metadata}`
    : `Bearer error="invalid_token", ${metadata}`;
}

/** Errors of the SDK that are a client's mistake; some have a code of JSON-RPC instead. */
const MISTAKE = /^(?:Rejected|Unsupported) /;

/** What the log has of a message that the SDK refused: a client's mistake has no stack. */
export const refusalFields = (err: Error): Readonly<Record<string, unknown>> =>
  "code" in err || MISTAKE.test(err.message) ? { reason: err.message } : { err };
