/**
 * Makes a provider's own words fit for users: one short line without anything that could be a key, an address or a
 * path. Providers quote keys and URLs in their messages, and proxies quote internal hosts. Masking too much costs a
 * word; masking too little leaks.
 */
import { cutText, shortText } from "../../actors/cut-text.ts";
import { cleanText } from "../../actors/clean-text.ts";
import { CREDENTIAL_SCHEMES, OWN_TOKENS, PROVIDER_KEYS } from "../../actors/secret-shapes.ts";
import { visibleText } from "../../actors/visible-text.ts";

/** Characters of a provider's message that are shown. */
export const MAX_PROVIDER_WORDS = 200;
/** Characters that are examined; the patterns below are linear, and this keeps them cheap. */
const MAX_LOOKED_AT = 2_000;
const HIDDEN_MASK = "[hidden]";

const TOP_LEVEL =
  "com|net|org|io|ai|dev|app|co|cloud|local|localdomain|internal|intranet|lan|home|corp|svc|cluster|test|example";
const PATTERNS: readonly RegExp[] = [
  // An address with a scheme, an e-mail address.
  /\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'<>]+/gi,
  /[^\s@"'<>]{1,64}@[^\s@"'<>]{1,200}/g,
  // Paths of a machine or of an API.
  /\b[a-z]:\\[^\s"']+/gi,
  /(?<![\w/])~?(?:\/[\w.@+-]+)+\/?/g,
  // Keys: by scheme, by prefix, by shape (a long run that mixes letters and digits), by their JWT head.
  new RegExp(`\\b${CREDENTIAL_SCHEMES}\\s+[^\\s"']{4,}`, "gi"),
  new RegExp(`\\b(?:${PROVIDER_KEYS}|${OWN_TOKENS}|(?:api|key|token|secret)[-_])[\\w*.-]{4,}`, "gi"),
  /\b(?:AIza|AKIA|eyJ)[\w.-]{8,}/g,
  /(?=[A-Za-z+/=]{0,200}\d)(?=[0-9+/=]{0,200}[A-Za-z])[A-Za-z0-9+/=]{20,}/g,
  // Hosts: numbers, known ends, and anything with a port.
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g,
  /\[[0-9a-f:.]*:[0-9a-f:.]*\](?::\d+)?/gi,
  new RegExp(`\\b(?:[a-z0-9-]{1,63}\\.){1,8}(?:${TOP_LEVEL})(?::\\d+)?\\b`, "gi"),
  /\blocalhost(?::\d+)?\b/gi,
  /\b[a-z0-9.-]{1,100}:\d{4,5}\b/gi,
];

/**
 * `text` without these secrets, in the forms in which a server may echo them: as they are, in JSON, in a URL, in
 * base64. It is for text that is shown whole, so nothing else is masked.
 */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  let masked = text;
  for (const secret of secrets) {
    const base64 = Buffer.from(secret).toString("base64").replace(/=+$/, "");
    for (const form of new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), base64]))
      masked = masked.replaceAll(form, HIDDEN_MASK);
  }
  return masked;
}

/** `words` as one masked line of at most `MAX_PROVIDER_WORDS` characters; `secrets` are hidden wherever they occur. */
export function maskWords(words: string, secrets: readonly string[]): string {
  let text = cleanText(cutText(words, MAX_LOOKED_AT));
  for (const secret of secrets) if (secret.length >= 4) text = text.replaceAll(secret, HIDDEN_MASK);
  // The first line only: the others are often a stack trace.
  text = (text.trim().split(/[\r\n]/, 1)[0] ?? "").replace(/\p{Cc}+/gu, " ");
  for (const pattern of PATTERNS) text = text.replace(pattern, HIDDEN_MASK);
  return shortText(visibleText(text), MAX_PROVIDER_WORDS);
}
