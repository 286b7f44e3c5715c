/**
 * What looks like a credential in a text: one list for the log, which redacts it in each line, and for the words
 * of providers, which users see. Pieces of regular expressions, without groups.
 */

/** Beginnings of our own secrets: tokens, sessions, and the codes and refresh tokens of programs. */
export const OWN_TOKENS = "(?:pat|svc|ses|oat|oac|ort)_";
/** Beginnings of keys that providers and code hosts give out. */
export const PROVIDER_KEYS = "(?:sk|pk|rk|gsk|xai|ghp|gho|hf)[-_]";
/** Schemes of an `Authorization` header. */
export const CREDENTIAL_SCHEMES = "(?:bearer|basic)";
