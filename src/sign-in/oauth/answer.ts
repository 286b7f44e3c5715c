/**
 * Answers of the endpoints for programs, in the format of OAuth (RFC 6749, 5.2). Programs in browsers may read them.
 */

const OAUTH_HEADERS = {
  "cache-control": "no-store",
  pragma: "no-cache",
  "access-control-allow-origin": "*",
  "x-content-type-options": "nosniff",
};

export type OAuthError =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "invalid_scope"
  | "invalid_target"
  | "invalid_redirect_uri"
  | "invalid_client_metadata"
  | "unauthorized_client"
  | "unsupported_grant_type"
  | "temporarily_unavailable";

export const oauthAnswer = (body: object, status = 200): Response =>
  Response.json(body, { status, headers: OAUTH_HEADERS });

/** Success without a body (RFC 7009). */
export const oauthDone = (): Response => new Response(null, { headers: OAUTH_HEADERS });

/** The answer to a CORS preflight: what a page of another origin may send. */
export const oauthPreflight = (): Response =>
  new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "POST, OPTIONS",
      "access-control-allow-headers": "Content-Type, Authorization, MCP-Protocol-Version",
      "access-control-max-age": "3600",
      allow: "POST, OPTIONS",
    },
  });

export function oauthRefusal(error: OAuthError, description: string, retryAfterMs?: number): Response {
  const status = error === "invalid_client" ? 401 : error === "temporarily_unavailable" ? 503 : 400;
  const answer = oauthAnswer({ error, error_description: description }, retryAfterMs === undefined ? status : 429);
  if (retryAfterMs !== undefined)
    answer.headers.set("retry-after", String(Math.max(1, Math.ceil(retryAfterMs / 1_000))));
  return answer;
}
