/** What a tool server asks for when it refuses a call: RFC 6750 and RFC 9728 over `WWW-Authenticate`. */
import { SmallFetchFailed } from "../../egress/small-fetch.ts";
import * as oauth from "oauth4webapi";
import type { OAuthReach } from "./reach.ts";

/**
 * `unauthorized`: without a token, or with one that is not valid any more. `insufficient_scope`: the token is valid, and
 * the person must grant more (step-up).
 */
export interface AuthorizationChallenge {
  readonly kind: "unauthorized" | "insufficient_scope";
  /** The address of the resource's metadata. */
  readonly resourceMetadata?: string;
  /** The scopes that the call needs, with spaces between them. */
  readonly scope?: string;
}

/** A longer header is not read: the library's parser takes quadratic time. */
const MAX_CHALLENGE_CHARACTERS = 8_192;

/** The challenge of an answer; null if the answer asks for no authorization. Does not reject. */
export async function challengeIn(answer: {
  readonly status: number;
  readonly headers: Headers;
}): Promise<AuthorizationChallenge | null> {
  const { status, headers } = answer;
  if (status !== 401 && status !== 403) return null;
  const bearers = await bearerParameters(headers.get("www-authenticate") ?? "");
  const bearer = bearers.find(({ error }) => error === "insufficient_scope") ?? bearers[0];
  const isStepUp = bearer?.error === "insufficient_scope";
  if (status === 403 && !isStepUp) return null;
  const { resource_metadata: resourceMetadata, scope } = bearer ?? {};
  return {
    kind: isStepUp ? "insufficient_scope" : "unauthorized",
    ...(resourceMetadata === undefined ? {} : { resourceMetadata }),
    ...(scope === undefined ? {} : { scope }),
  };
}

/** The parameters of each Bearer challenge. The library shows them only in the error of a request. */
async function bearerParameters(header: string): Promise<readonly oauth.WWWAuthenticateChallengeParameters[]> {
  if (header === "" || header.length > MAX_CHALLENGE_CHARACTERS) return [];
  const refused = new Response(null, { status: 401, headers: { "www-authenticate": header } });
  try {
    await oauth.protectedResourceRequest("none", "GET", new URL("https://localhost"), undefined, undefined, {
      [oauth.customFetch]: () => Promise.resolve(refused),
    });
    return [];
  } catch (error) {
    if (!(error instanceof oauth.WWWAuthenticateChallengeError)) throw error;
    return error.cause.filter(({ scheme }) => scheme === "bearer").map(({ parameters }) => parameters);
  }
}

/** A request of MCP that changes nothing, so that a server without access control does nothing either. */
const MCP_PING = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
/** Statuses of a server that does not speak MCP there, and may refuse another request. */
const NOT_MCP = [404, 405, 406, 415];

/**
 * What a tool server asks for if it is asked without access; empty if it does not say, or cannot be reached. Its metadata
 * may be where only this answer tells.
 */
export async function askedChallenge(
  { fetch }: Pick<OAuthReach, "fetch">,
  resourceUrl: string,
): Promise<Pick<AuthorizationChallenge, "resourceMetadata" | "scope">> {
  const accept = "application/json, text/event-stream";
  try {
    const headers = { accept, "content-type": "application/json" };
    const answer = await fetch(resourceUrl, { method: "POST", headers, body: MCP_PING });
    const isOther = NOT_MCP.includes(answer.status);
    const last = isOther ? await fetch(resourceUrl, { method: "GET", headers: { accept } }) : answer;
    const { kind: _, ...asked } = (await challengeIn(last)) ?? { kind: null };
    return asked;
  } catch (error) {
    // Discovery finds the reason.
    if (error instanceof SmallFetchFailed) return {};
    throw error;
  }
}
