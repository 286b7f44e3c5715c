/**
 * A PostgreSQL URL, which may have several hosts: `postgres://user:password@a:5432,b:5432/database`. One of them
 * accepts writes; the driver finds it if `target_session_attrs` asks for it.
 */
import { isIP } from "node:net";

/** The values of `target_session_attrs` that the service can use. */
const WRITABLE: readonly string[] = ["read-write", "primary"];

interface Parted {
  readonly before: string;
  readonly hosts: readonly string[];
  readonly after: string;
}

function splitPostgresUrl(text: string): Parted {
  const [, before = "", hosts = "", after = ""] = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/i.exec(text) ?? [];
  return { before, hosts: hosts.split(","), after };
}

/** The address with its first host only, because `URL` supports just one. */
const single = ({ before, hosts, after }: Parted): string => `${before}${hosts[0]}${after}`;

export function isPostgresUrl(text: string): boolean {
  const address = splitPostgresUrl(text);
  const { hosts } = address;
  const url = URL.parse(single(address));
  if (url === null || !["postgres:", "postgresql:"].includes(url.protocol) || url.hostname === "") return false;
  if (hosts.length === 1) return true;
  return hosts.every(isHost) && WRITABLE.includes(url.searchParams.get("target_session_attrs") ?? "");
}

/** Whether the address names several hosts, so that fail-over is expected. */
export const hasSeveralHosts = (text: string): boolean => splitPostgresUrl(text).hosts.length > 1;

/** The hosts, for messages. */
export const hostsOf = (text: string): string => splitPostgresUrl(text).hosts.join(",");

/** Edits the address except for its hosts. */
export function withUrl(text: string, edit: (url: URL) => void): string {
  const address = splitPostgresUrl(text);
  const url = new URL(single(address));
  edit(url);
  const edited = splitPostgresUrl(url.href);
  return `${edited.before}${address.hosts.join(",")}${edited.after}`;
}

/**
 * One of several hosts: a name or an IPv4 address, with an optional port. The driver supports no IPv6 addresses here.
 */
function isHost(text: string): boolean {
  const [host = "", port, ...rest] = text.split(":");
  const isPort = port === undefined || (/^\d{1,5}$/.test(port) && Number(port) > 0 && Number(port) < 65_536);
  return rest.length === 0 && isPort && (isIP(host) === 4 || /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/i.test(host));
}
