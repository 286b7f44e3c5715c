/** Paths of the service that several of its parts name. */

/** The authorization server (MCP-2). */
export const AUTHORIZE_PATH = "/oauth/authorize";
export const TOKEN_PATH = "/oauth/token";
export const REGISTER_PATH = "/oauth/register";
export const REVOKE_PATH = "/oauth/revoke";
export const INTROSPECT_PATH = "/oauth/introspect";

/** The service as a client of other authorization servers (ACC-2): its own document, and where people come back. */
export const CLIENT_DOCUMENT_PATH = "/oauth/client.json";
/** The page of a connection is this path and its id (ACC-8). */
export const CONNECTIONS_PATH = "/connections";
export const CONNECTION_CALLBACK_PATH = `${CONNECTIONS_PATH}/callback`;

/** The resources that tokens are issued for, as paths of the service: the current surface, and the MCP endpoint. */
export const API_RESOURCE = "";
export const MCP_RESOURCE = "/mcp";

/** The keys that verify who acts (ACC-13). */
export const IDENTITY_KEYS_PATH = "/.well-known/jwks.json";

/** The console, where people are led after signing in. */
export const CONSOLE_PATH = "/app";

/** The page for an invitation (AUTH-18). The key is in the query, which no log shows. */
export const INVITATION_PATH = "/invitation";

export const invitationLink = (organizationId: string, invitationId: string, key: string): string =>
  `${INVITATION_PATH}?organization=${organizationId}&invitation=${invitationId}&key=${key}`;

/** The page for one approval (REACH-6). The key is in the query, which no log shows. */
export const APPROVALS_PATH = "/approvals";

export const approvalPath = (approvalId: string): string => `${APPROVALS_PATH}/${approvalId}`;

export const approvalLink = (
  of: Readonly<Record<"approvalId" | "organizationId" | "noticeId" | "key", string>>,
): string => `${approvalPath(of.approvalId)}?organization=${of.organizationId}&notice=${of.noticeId}&key=${of.key}`;

/** The page that explains each error code, and where an error's `type` leads (ERR-1). */
export const ERRORS_PATH = "/api/errors";

export const errorUrl = (appUrl: string, code: string): string => `${appUrl}${ERRORS_PATH}#error-${code}`;
