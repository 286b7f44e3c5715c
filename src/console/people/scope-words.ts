/** Scopes in words for people. */
import type { Scope } from "../../../sdk/typescript/troupe.ts";

/** In the order of a form. */
export const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  "agents:read": "read agents",
  "agents:write": "read and change agents",
  "chats:read": "read chats",
  "chats:write": "read and write in chats",
  "jobs:read": "read jobs and usage",
  "jobs:write": "read and decide jobs",
  "missions:read": "read missions",
  "missions:write": "read and change missions",
  "workspaces:read": "read workspaces and files",
  "workspaces:write": "read and change workspaces and files",
  "webhooks:read": "read webhooks",
  "webhooks:write": "read and change webhooks",
  "tokens:read": "read tokens and members",
  "tokens:write": "read and change tokens",
  "tasks:read": "read tasks",
  "tasks:write": "read and change tasks",
  "events:read": "read the feed of events",
  mcp: "use the MCP endpoint",
  "secrets:use": "name secrets in agents",
  "*": "do everything that you may do",
};

export const scopesInWords = (scopes: readonly Scope[]): string =>
  scopes.map((scope) => SCOPE_WORDS[scope] ?? scope).join(", ");
