/**
 * The hosts that the operator lets commands of agents reach (WSP-17): `name`, `*.name` for all subdomains, or `*`, with
 * an optional port.
 */
import { isIP } from "node:net";

/** The default port of an entry. */
const HTTPS_PORT = 443;
const HOST_LABEL = String.raw`[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?`;
const RULE = new RegExp(String.raw`^(\*|(?:\*\.)?${HOST_LABEL}(?:\.${HOST_LABEL})*)(?::([1-9]\d{0,4}))?$`, "i");

interface HostRule {
  /** In lower case; `.name` for `*.name`. */
  readonly text: string;
  readonly kind: "any" | "below" | "exact";
  readonly port: number;
}

/** Parses an entry; null if it is invalid. IP addresses are invalid, because certificates are for names. */
function readRule(entry: string): HostRule | null {
  const [, host, port] = RULE.exec(entry) ?? [];
  if (host === undefined || isIP(host) !== 0 || Number(port ?? 0) > 65_535) return null;
  const text = host.toLowerCase();
  const kind = text === "*" ? "any" : text.startsWith("*.") ? "below" : "exact";
  return { kind, text: text.replace(/^\*/, ""), port: Number(port ?? HTTPS_PORT) };
}

export const isHostRule = (entry: string): boolean => readRule(entry) !== null;

/** A test of whether one of the entries allows this host and port. `*.name` does not allow `name` itself. */
export function hostRules(entries: readonly string[]): (host: string, port: number) => boolean {
  const rules = entries.map(readRule).filter((rule) => rule !== null);
  return (host, port) => {
    const name = host.toLowerCase().replace(/\.$/, "");
    return rules.some(
      (rule) =>
        rule.port === port &&
        (rule.kind === "any" || (rule.kind === "exact" ? name === rule.text : name.endsWith(rule.text))),
    );
  };
}
