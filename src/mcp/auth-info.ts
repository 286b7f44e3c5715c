/** Whose message it is, in the place where the SDK hands on what it knows of a token. */
import type { Caller } from "../http/request/caller.ts";

/** The one revision that has batches, and no links to resources; it is also that of clients that name none. */
export const OLDEST_REVISION = "2025-03-26";

/** `callKey` names what a call begins. */
export const authInfoOf = (caller: Caller, { headers }: Pick<Request, "headers">, callKey: string | null = null) => ({
  token: "",
  clientId: caller.principal.tokenId,
  scopes: [...caller.principal.scopes],
  extra: { caller, callKey, hasLinks: (headers.get("mcp-protocol-version") ?? OLDEST_REVISION) !== OLDEST_REVISION },
});
