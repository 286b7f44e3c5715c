/** What is secret in a line of the log: values of fields that are named as secrets, and texts that look like one. */
import { CREDENTIAL_SCHEMES, OWN_TOKENS, PROVIDER_KEYS } from "../../actors/secret-shapes.ts";

const SECRET_NAMES =
  "authorization|proxy-authorization|cookie|set-cookie|x-api-key|password|passphrase|secret|client_?secret|api_?key|token|(?:access|refresh|id)_?token|database_?url";
const SECRET_NAME = new RegExp(`^(?:${SECRET_NAMES})$`, "i");
const SECRET_FIELD = new RegExp(`"(${SECRET_NAMES})":(?:"(?:[^"\\\\]|\\\\.)*"|\\[[^\\]]*\\])`, "gi");
/** Tokens of ours, keys of providers, credentials of headers. Stops at what ends a JSON string. */
const SECRET_TEXT = new RegExp(
  // Codes and refresh tokens have dots. Of other keys only long ones: names of constraints begin with `pk_` too.
  `\\b(${OWN_TOKENS}|sk-)[\\w.-]{8,}|\\b(${PROVIDER_KEYS})[\\w-]{20,}|\\b(${CREDENTIAL_SCHEMES}) +[\\w.~+/=-]+`,
  "gi",
);
const URL_PASSWORD = /(\/\/[^\s:/@"\\]*):[^\s/@"\\]+@/g;

/** What is logged instead of the whole value of a field that is named as a secret. */
export const REDACTED = "[redacted]";

/** Whether a field of this name has a secret, whatever its text looks like. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name);

/** `text` without secrets; a JSON line stays one. */
export const redact = (text: string): string => redactText(text.replace(SECRET_FIELD, `"$1":"${REDACTED}"`));

/** The text of one value without secrets; fields within it are not looked at. */
export function redactText(text: string): string {
  const shown = text.replace(SECRET_TEXT, hidden);
  // Most texts have none, and looking for it by the expression costs as much as all the rest.
  return shown.includes("//") ? shown.replace(URL_PASSWORD, `$1:${REDACTED}@`) : shown;
}

const hidden = (_match: string, own?: string, key?: string, scheme?: string): string =>
  `${own ?? key ?? `${scheme} `}${REDACTED}`;
