/** The headers of requests and responses, as components of the contract (RATE-2, IDEM-2, VER-1, VER-3). */
import { SUPPORTED_VERSIONS } from "../http/contract/deprecation.ts";
import type { JsonSchema } from "./json-schema.ts";

interface ContractHeader {
  readonly description: string;
  /** Present on every response that names it; omitted: only on some of them. */
  readonly required?: true;
  readonly schema: JsonSchema;
}

const header = (type: "string" | "integer", description: string, example: string | number): ContractHeader => ({
  description,
  schema: { type, examples: [example] },
});

const always = (...given: Parameters<typeof header>): ContractHeader => ({ ...header(...given), required: true });

const RESPONSE_HEADERS: Readonly<Record<string, ContractHeader>> = {
  "x-request-id": always(
    "string",
    "The request id; a valid one that you send is returned",
    "req_V1StGXR8_Z5jdHi6B-myT",
  ),
  "Api-Version": always("string", "The version of the API that answered", SUPPORTED_VERSIONS[0] ?? ""),
  "X-RateLimit-Limit": always("integer", "Requests allowed per window", 3_000),
  "X-RateLimit-Remaining": always("integer", "Requests that are left in the window", 2_999),
  "X-RateLimit-Reset": always("integer", "When the window ends, in Unix seconds", 1_761_998_400),
  "X-RateLimit-Burst": always("integer", "Requests that may arrive at once", 3_000),
  "X-RateLimit-Window": always("integer", "The length of a window in seconds", 60),
  "X-RateLimit-Scope": always("string", "The identity that requests are counted for", "authenticated-identity"),
  "RateLimit-Limit": always("integer", "Requests allowed per window", 3_000),
  "RateLimit-Remaining": always("integer", "Requests that are left in the window", 2_999),
  "RateLimit-Reset": always("integer", "Seconds until the window ends", 42),
  "RateLimit-Policy": always("string", "`<limit>;w=<seconds of the window>`", "3000;w=60"),
  "Idempotency-Status": header("string", "With an idempotency key: `created`, or `replayed`", "created"),
  ETag: always(
    "string",
    "Entity tag of the content. Sent in `If-None-Match`, it is answered with 304 until the content changes",
    '"V1StGXR8_Z5jdHi6B-myTg"',
  ),
  "Cache-Control": always("string", "How the content may be cached", "public, max-age=300"),
  "Accept-Ranges": header("string", "Units of `Range` requests", "bytes"),
  "Content-Range": header("string", "Which part of the file it is", "bytes 0-1023/4096"),
  "Content-Disposition": header("string", "File name for saving", 'attachment; filename="q3.md"'),
  "X-Row-Count": always("integer", "Rows of the result", 2),
  "X-Truncated": always("string", "Whether there are more rows: `true` or `false`", "false"),
  "Retry-After": header("integer", "Seconds to wait before retrying", 1),
  "WWW-Authenticate": header(
    "string",
    "How to authenticate: the address of the resource metadata (RFC 9728), or the missing scope",
    'Bearer error="insufficient_scope", scope="agents:write"',
  ),
  Deprecation: header("string", "Since when the operation is deprecated (RFC 9745)", "@1814400000"),
  Sunset: header("string", "When it will be gone (RFC 8594)", "Sun, 02 Jan 2028 00:00:00 GMT"),
  Link: header("string", "What explains it and what replaces it", '</api/deprecation-policy>; rel="deprecation"'),
};

/** Headers of deprecated operations only. */
const OF_DEPRECATION = ["Deprecation", "Sunset", "Link"];

/** The headers that the document needs. */
export const headerComponents = (hasDeprecation: boolean): Record<string, ContractHeader> =>
  Object.fromEntries(
    Object.entries(RESPONSE_HEADERS).filter(([name]) => hasDeprecation || !OF_DEPRECATION.includes(name)),
  );

/** The headers of a response, by reference. */
export const headerReferences = (names: readonly string[]): Record<string, { $ref: string }> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Headers on every response of the surface. */
export const STANDING: Readonly<Record<"current" | "v1", readonly string[]>> = {
  current: [
    "x-request-id",
    "Api-Version",
    ...Object.keys(RESPONSE_HEADERS).filter((name) => /^(?:X-)?RateLimit-/.test(name)),
  ],
  v1: ["x-request-id"],
};

/**
 * The example of an optional parameter, marked so that the reference's client proposes it without sending it: filters
 * would find nothing, and a key that was used before is refused.
 */
export function leftOut(schema: JsonSchema): JsonSchema {
  const { examples, default: preset, enum: words } = schema as { readonly [keyword: string]: unknown };
  const value = (examples as unknown[] | undefined)?.[0] ?? preset ?? (words as unknown[] | undefined)?.[0];
  return value === undefined ? {} : { examples: { default: { value, "x-disabled": true } } };
}

const headerParameter = (name: string, description: string, schema: JsonSchema) =>
  ({ name, in: "header", required: false, description, schema }) as const;

/** Parameters that requests share. */
export const PARAMETERS = {
  IdempotencyKey: headerParameter(
    "Idempotency-Key",
    "Makes a repeated request run once: the same key with the same input returns the first answer, for 24 hours",
    { type: "string", minLength: 1, maxLength: 255, examples: ["3f0e5f5c-6f0c-4a5e-9f43-0d8f4f6d7a11"] },
  ),
  IfMatch: headerParameter(
    "If-Match",
    "The `version` that you have read: 409 `version_conflict` if the record was changed since",
    { type: "string", examples: ["3"] },
  ),
  ApiVersion: headerParameter("Api-Version", "The version of the API that you expect; default: the newest", {
    type: "string",
    enum: SUPPORTED_VERSIONS,
  }),
  IfNoneMatch: headerParameter("If-None-Match", "The `ETag` that you have: 304 if it is still the same", {
    type: "string",
    examples: ['"V1StGXR8_Z5jdHi6B-myTg"'],
  }),
  Range: headerParameter("Range", "One part of the file, as `bytes=<first>-<last>`: 206 with these bytes", {
    type: "string",
    examples: ["bytes=0-1023"],
  }),
  IfRange: headerParameter(
    "If-Range",
    "The `ETag` of the file that you have a part of. If the file has changed, the whole file is sent",
    { type: "string", examples: ['"V1StGXR8_Z5jdHi6B-myTg"'] },
  ),
  ContentRange: headerParameter(
    "Content-Range",
    "Which bytes of the whole content the body has; `bytes */<size>` asks how many have arrived",
    { type: "string", examples: ["bytes 0-8388607/268435456"] },
  ),
  ReprDigest: headerParameter(
    "Repr-Digest",
    "SHA-256 of the whole content in base64; content with another digest is refused. Required with `Content-Range`",
    { type: "string", examples: ["sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"] },
  ),
  McpProtocolVersion: headerParameter("MCP-Protocol-Version", "The revision of MCP that the client speaks", {
    type: "string",
    examples: ["2025-11-25"],
  }),
  McpSessionId: headerParameter(
    "Mcp-Session-Id",
    "Id of the session, from the header of the same name in the response to `initialize`",
    { type: "string" },
  ),
  McpMethod: headerParameter("Mcp-Method", "The `method` of the message, from revision 2026-07-28 on", {
    type: "string",
    examples: ["tools/call"],
  }),
  McpName: headerParameter("Mcp-Name", "The tool, prompt or resource of the message, from revision 2026-07-28 on", {
    type: "string",
    examples: ["execute_agent"],
  }),
  LastEventId: headerParameter(
    "Last-Event-ID",
    "The id of the last event that the client has: the stream resumes after it",
    { type: "string", examples: ["12.480"] },
  ),
} as const;
