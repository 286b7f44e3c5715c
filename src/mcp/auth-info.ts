/** The caller of a message, in the place that the SDK has for the facts of a token. */
import type { Caller } from "../http/request/caller.ts";

/** The only revision with batches, and without links to resources; clients that name no revision use it. */
export const OLDEST_REVISION = "2025-03-26";

/** Whether clients of the revision know links to resources. */
export const hasLinks = (revision: string | null = null): boolean => (revision ?? OLDEST_REVISION) !== OLDEST_REVISION;

/** `callKey` is the key of work that the call begins. */
export const authInfoOf = (caller: Caller, { headers }: Pick<Request, "headers">, callKey: string | null = null) => ({
  token: "",
  clientId: caller.principal.tokenId,
  scopes: [...caller.principal.scopes],
  extra: { caller, callKey, hasLinks: hasLinks(headers.get("mcp-protocol-version")) },
});
