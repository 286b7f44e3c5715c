/**
 * Why a tool server gave no access. The message is for the person who wants the connection: whole sentences, names of
 * hosts and of OAuth's closed lists, and never what a server has written itself.
 */
import { SmallFetchFailed } from "../../egress/small-fetch.ts";
import * as oauth from "oauth4webapi";

/**
 * `away`: a server cannot be reached or fails; try again later. `refused`: the person or the authorization server said
 * no. `unsupported`: a server lacks what a safe connection needs. `untrusted`: an answer breaks the standards, or
 * belongs to something else.
 */
export type AuthorizationFaultKind = "away" | "refused" | "unsupported" | "untrusted";

export class AuthorizationFault extends Error {
  override readonly name = "AuthorizationFault";
  readonly kind: AuthorizationFaultKind;
  /** The error of OAuth that an authorization server answered with; null if there is none. */
  readonly oauthError: string | null;

  constructor(kind: AuthorizationFaultKind, message: string, oauthError: string | null = null) {
    super(message);
    this.kind = kind;
    this.oauthError = oauthError;
  }
}

/** Statuses of a server that may answer otherwise in a moment. */
export const mayPassSoon = (status: number): boolean => status === 408 || status === 425 || status === 429;

/** A server's own error, if it is one word as the standard has them; else null. */
const oauthWord = (error: string): string | null => (/^[a-z_]{1,64}$/.test(error) ? error : null);

const PASSING_ERRORS = ["temporarily_unavailable", "server_error", "slow_down"];

const OAUTH_WORDS: Readonly<Record<string, string>> = {
  access_denied: "access was denied",
  invalid_grant: "the authorization is not valid any more",
  invalid_client: "it does not know this service as a client",
  unauthorized_client: "it does not allow this service to do that",
  invalid_scope: "it does not know a scope that was asked for, or does not grant it",
  invalid_target: "it issues no tokens for this tool server",
  invalid_redirect_uri: "it does not accept the address that people return to",
  invalid_client_metadata: "it does not accept the description of this service",
};

/** The fault of an error in the words of OAuth. */
function oauthFault(host: string, error: string): AuthorizationFault {
  const word = oauthWord(error);
  if (word !== null && PASSING_ERRORS.includes(word))
    return new AuthorizationFault("away", `${host} cannot do this now. Try again in a moment.`, word);
  const known = word !== null && Object.hasOwn(OAUTH_WORDS, word) ? OAUTH_WORDS[word] : undefined;
  const words = known ?? (word === null ? "it gave no usable reason" : `its error is ${word}`);
  return new AuthorizationFault("refused", `${host} refused: ${words}.`, word);
}

const FETCH_WORDS: Readonly<Record<string, string>> = {
  invalid_url: "has an address that cannot be requested",
  https_required: "is not reached by https, and the operator has not allowed that",
  blocked_address: "is not on the public internet, and the operator has not allowed it",
  // Nobody must learn which names resolve on the internal network.
  dns_error: "is not on the public internet, and the operator has not allowed it",
  tls_error: "has no valid certificate for its name",
  too_large: "sent an answer that is too long",
  timeout: "did not answer in time",
};
const UNTRUSTED_FETCHES = ["invalid_url", "https_required", "blocked_address", "dns_error", "tls_error", "too_large"];

/** The fault of a request without a usable answer. */
export function fetchFault({ host, reason }: SmallFetchFailed): AuthorizationFault {
  const words = FETCH_WORDS[String(reason)] ?? "cannot be reached now";
  const kind = UNTRUSTED_FETCHES.includes(String(reason)) ? "untrusted" : "away";
  return new AuthorizationFault(kind, `${host} ${words}.`);
}

/** The result of `work`, whose errors become faults. `step` completes "… is not …": what the server answered. */
export async function asFault<T>(host: string, step: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AuthorizationFault) throw error;
    if (error instanceof SmallFetchFailed) throw fetchFault(error);
    if (error instanceof oauth.ResponseBodyError) {
      throw mayPassSoon(error.status) ? oauthFault(host, "temporarily_unavailable") : oauthFault(host, error.error);
    }
    if (error instanceof oauth.AuthorizationResponseError) throw oauthFault(host, error.error);
    if (error instanceof oauth.WWWAuthenticateChallengeError) {
      throw mayPassSoon(error.status)
        ? oauthFault(host, "temporarily_unavailable")
        : oauthFault(host, "invalid_client");
    }
    // Whatever else the library throws is about the form of an answer.
    if (error instanceof Error) throw new AuthorizationFault("untrusted", `${step} of ${host} is not valid.`);
    throw error;
  }
}
