/** What counts as a secret in a log line: values of fields with secret names, and texts that look like a secret. */
import { CREDENTIAL_SCHEMES, OWN_TOKENS, PROVIDER_KEYS } from "../../actors/secret-shapes.ts";

const SECRET_NAMES =
  "authorization|proxy-authorization|cookie|set-cookie|x-api-key|password|passphrase|secret|client_?secret|api_?key|token|(?:access|refresh|id)_?token|database_?url";
const SECRET_FIELD_NAME = new RegExp(`^(?:${SECRET_NAMES})$`, "i");
const SECRET_FIELD = new RegExp(`"(${SECRET_NAMES})":(?:"(?:[^"\\\\]|\\\\.)*"|\\[[^\\]]*\\])`, "gi");
/** Our tokens, keys of providers, credentials of headers. The match stops at the end of a JSON string. */
const SECRET_TEXT = new RegExp(
  // Codes and refresh tokens contain dots. Other keys must be long: names of constraints begin with `pk_` too.
  `\\b(${OWN_TOKENS}|sk-)[\\w.-]{8,}|\\b(${PROVIDER_KEYS})[\\w-]{20,}|\\b(${CREDENTIAL_SCHEMES}) +[\\w.~+/=-]+`,
  "gi",
);
const URL_PASSWORD = /(\/\/[^\s:/@"\\]*):[^\s/@"\\]+@/g;

/** Replaces the whole value of a field with a secret name. */
export const REDACTED = "[redacted]";

/** Whether a field of this name is secret, whatever its text looks like. */
export const isSecretName = (name: string): boolean => SECRET_FIELD_NAME.test(name);

/** `text` without secrets; a JSON line stays one. */
export const redact = (text: string): string => redactText(text.replace(SECRET_FIELD, `"$1":"${REDACTED}"`));

/** The text of one value without secrets; it does not look at fields within it. */
export function redactText(text: string): string {
  const shown = text.replace(SECRET_TEXT, hideMatch);
  // Most texts have no URL, and running this expression on all would double the cost.
  return shown.includes("//") ? shown.replace(URL_PASSWORD, `$1:${REDACTED}@`) : shown;
}

const hideMatch = (_match: string, own?: string, key?: string, scheme?: string): string =>
  `${own ?? key ?? `${scheme} `}${REDACTED}`;
