/**
 * Patterns of credentials in a text: one list for the log, which redacts them in each line, and for messages of
 * providers, which users see. Pieces of regular expressions, without groups.
 */

/** Prefixes of our own secrets: tokens, sessions, and the codes and refresh tokens of programs. */
export const OWN_TOKENS = "(?:pat|svc|ses|oat|oac|ort)_";
/** Prefixes of keys that providers and code hosts issue. */
export const PROVIDER_KEYS = "(?:sk|pk|rk|gsk|xai|ghp|gho|hf)[-_]";
/** Schemes of an `Authorization` header. */
export const CREDENTIAL_SCHEMES = "(?:bearer|basic)";
