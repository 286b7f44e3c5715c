/** Scopes: words of RFC 6749 with spaces between them. */
import { wordsIn } from "./metadata.ts";

const SCOPE_WORD = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/;
/** Scopes that are asked for at once. */
const MAX_SCOPES = 200;
const OFFLINE_ACCESS = "offline_access";

/** The scopes of a text, each once. */
export const scopesOf = (text: string): string[] => grantableScopes(text.slice(0, MAX_SCOPES * 257).split(" "));

/** The scopes in a list from outside, each once. */
export const grantableScopes = (list: unknown): string[] =>
  [...new Set(wordsIn(list)?.filter((word) => SCOPE_WORD.test(word)))].slice(0, MAX_SCOPES);

/** What was granted before, and what a call needs in addition (step-up): a person loses nothing by granting more. */
export const joinedScopes = (former: readonly string[], more: readonly string[]): string[] =>
  grantableScopes([...former, ...more]);

/**
 * Asks for a refresh token where the server has a scope for it. Where nothing is asked for the server grants its default
 * scopes, which one scope alone would replace.
 */
export const withOfflineAccess = (asked: readonly string[], supported: readonly string[] | undefined): string[] =>
  asked.length > 0 && supported?.includes(OFFLINE_ACCESS) === true ? joinedScopes(asked, [OFFLINE_ACCESS]) : [...asked];

/** Whether the person must be asked for their consent again: OpenID Connect grants offline access only then. */
export const needsConsent = (scopes: readonly string[]): boolean => scopes.includes(OFFLINE_ACCESS);
