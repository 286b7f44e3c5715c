/** Scopes in words for people (AUTH-3). */
import { SCOPES } from "../../actors/organization/principal.ts";

const SCOPE_NOUN_WORDS: Readonly<Record<string, string>> = {
  agents: "agents",
  chats: "chats",
  jobs: "jobs",
  missions: "missions",
  workspaces: "workspaces and files",
  webhooks: "webhooks",
  tokens: "tokens",
  tasks: "tasks",
};
const OTHERS: Readonly<Record<string, string>> = {
  "events:read": "read the feed of events",
  "secrets:use": "name the organization's secrets in agents",
  mcp: "use the MCP endpoint",
  "*": "do everything that you may do",
};

/** "read and change chats" */
export function consentWords(scope: string): string {
  const [noun = "", verb] = scope.split(":");
  const other = OTHERS[scope];
  if (other !== undefined) return other;
  const named = SCOPE_NOUN_WORDS[noun] ?? noun;
  if (verb === "read") return `read ${named}`;
  return verb === "write" ? `read and change ${named}` : scope;
}

/** The scopes that a form offers, in their order. */
export const OFFERED_SCOPES: readonly { readonly scope: string; readonly words: string }[] = SCOPES.map((scope) => ({
  scope,
  words: consentWords(scope),
}));
