/** The tokens that say which agent acts for whom (ACC-12), for tool servers that ask for them. */
import type { ToolServerAuth } from "../../actors/job/connections.ts";
import type { ActingAgent, AgentIdentities } from "../../actors/job/ports.ts";

/** The value of the header that carries a token. */
export const identityHeader = (token: string): string => `Bearer ${token}`;

/**
 * The tokens for a server or tool at this address, which is the audience unless `auth` names another one; null if it
 * asks for none.
 */
export function identityOf(
  identities: AgentIdentities | undefined,
  { url, auth }: { readonly url: string; readonly auth?: ToolServerAuth },
  by: ActingAgent,
): (() => string) | null {
  if (identities === undefined || auth?.type !== "identity") return null;
  return () => identities.tokenFor(auth.audience ?? url, by);
}
