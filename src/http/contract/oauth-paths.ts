/** Paths of the authorization server (MCP-2). */
export const AUTHORIZE_PATH = "/oauth/authorize";
export const TOKEN_PATH = "/oauth/token";
export const REGISTER_PATH = "/oauth/register";
export const REVOKE_PATH = "/oauth/revoke";
export const INTROSPECT_PATH = "/oauth/introspect";

/** The resources that tokens are issued for, as paths of the service: the current surface, and the MCP endpoint. */
export const API_RESOURCE = "";
export const MCP_RESOURCE = "/mcp";
