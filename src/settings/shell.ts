/** What the operator lets commands of agents reach (WSP-17): `name`, `*.name` for all below it, or `*`, and a port. */
import { isIP } from "node:net";

export const SHELL_HOSTS_SETTING = {
  env: "SHELL_HOSTS",
  default: [] as string[],
  allowed:
    "host names, *.name for all below one, or * for every public host, each with an optional :port, separated by commas",
};

/** The port where an entry has none. */
const HTTPS_PORT = 443;
const NAME = String.raw`[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?`;
const RULE = new RegExp(String.raw`^(\*|(?:\*\.)?${NAME}(?:\.${NAME})*)(?::([1-9]\d{0,4}))?$`, "i");

interface HostRule {
  /** Lower case; of `*.name` it is `.name`. */
  readonly text: string;
  readonly kind: "any" | "below" | "exact";
  readonly port: number;
}

/** The entry as a rule; null where it is none. Addresses are none: certificates are for names. */
function readRule(entry: string): HostRule | null {
  const [, host, port] = RULE.exec(entry) ?? [];
  if (host === undefined || isIP(host) !== 0 || Number(port ?? 0) > 65_535) return null;
  const text = host.toLowerCase();
  const kind = text === "*" ? "any" : text.startsWith("*.") ? "below" : "exact";
  return { kind, text: text.replace(/^\*/, ""), port: Number(port ?? HTTPS_PORT) };
}

export const isHostRule = (entry: string): boolean => readRule(entry) !== null;

/** Whether one of the entries opens this host at this port. `*.name` does not open `name` itself. */
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
