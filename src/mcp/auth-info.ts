/** The caller of a message, in the place that the SDK has for the facts of a token. */
import type { AuthInfo, ServerContext } from "@modelcontextprotocol/server";
import type { Caller } from "../http/request/caller.ts";
import type { Toolset } from "./toolsets.ts";

/** The only revision with batches, and without links to resources; clients that name no revision use it. */
export const OLDEST_REVISION = "2025-03-26";

/** Whether clients of the revision know links to resources. */
export const hasLinks = (revision: string | null = null): boolean => (revision ?? OLDEST_REVISION) !== OLDEST_REVISION;

/** The handler's view of the request that brought its message. */
export interface MessageFacts {
  readonly caller: Caller;
  /** The key of work that the call begins; null: a new one. */
  readonly callKey: string | null;
  /** Whether the client knows links to resources. */
  readonly hasLinks: boolean;
  readonly toolset: Toolset;
  /** Whether the list of tools is left empty, because the endpoint puts it into the JSON of the answer. */
  readonly leavesTools: boolean;
}

type GivenFacts = Pick<MessageFacts, "caller" | "toolset"> & Partial<MessageFacts>;

export const authInfoOf = ({ headers }: Pick<Request, "headers">, given: GivenFacts): AuthInfo => {
  const { principal } = given.caller;
  const links = hasLinks(headers.get("mcp-protocol-version"));
  const facts: MessageFacts = { callKey: null, leavesTools: false, hasLinks: links, ...given };
  return { token: "", clientId: principal.tokenId, scopes: [...principal.scopes], extra: { facts } };
};

const factsInAuth = (authInfo: AuthInfo | undefined): MessageFacts => authInfo?.extra?.["facts"] as MessageFacts;

/** Who has sent the message of a server that is still to be made. */
export const callerInAuth = (authInfo: AuthInfo | undefined): Caller => factsInAuth(authInfo).caller;

export const factsIn = (context: ServerContext): MessageFacts => factsInAuth(context.http?.authInfo);
