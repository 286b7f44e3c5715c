/**
 * Where a request may go (HOOK-11). A URL becomes a destination in two steps, both without a packet to the
 * host: its form is checked, then its name is resolved once and EVERY address is checked. One address that is
 * not public refuses the whole host, because the next answer may list the addresses in another order.
 *
 * Guarantees: a destination has at least one address; each is the canonical text of exactly the address that
 * was checked; a host written as an address never goes to the resolver.
 */
import { lookup } from "node:dns/promises";
import { type IpAddress, isGlobal, parseAddress } from "./address.ts";
import type { AllowList } from "./allow-list.ts";
import { type EgressFailure, egressFailed } from "./failure.ts";

/** All addresses of a host; rejects if it has none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export interface ResolvedDestination {
  readonly kind: "destination";
  readonly url: URL;
  /** Checked, IPv4 first, canonical, without brackets. */
  readonly addresses: readonly string[];
  /** The name that the certificate must match; null if the host is an address. */
  readonly serverName: string | null;
  /** An operator has opened it: EGRESS_ALLOW names its host, its origin, or a network with all of its addresses. */
  readonly isOpened: boolean;
}

export interface DestinationRules {
  readonly allow: AllowList;
  readonly production: boolean;
  readonly resolve: Resolve;
}

const MAX_URL_CHARS = 8_192;
/** Characters that URL parsers silently drop or reinterpret. */
const AMBIGUOUS = /[\p{Cc}\s\\]/u;
/** The scheme ends at the first colon: a pattern that tried each colon would take quadratic time on a URL of colons. */
const USER_INFO = /^[^/?#:]*:\/*[^/?#]*@/;
/** Labels of at most 63 characters, 253 in all; underscores are allowed, because they occur. */
const HOST_NAME =
  /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** The system's resolver, which also reads the hosts file. */
export const systemResolve: Resolve = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);

/** The URL in canonical form, or why it cannot be a destination. */
export function parseUrl(text: string): URL | EgressFailure {
  if (text.length > MAX_URL_CHARS || AMBIGUOUS.test(text) || USER_INFO.test(text)) return egressFailed("invalid_url");
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return egressFailed("invalid_url");
  if (url.username + url.password !== "" || url.port === "0") return egressFailed("invalid_url");
  const host = urlHost(url);
  // The URL parser has turned a host that ends in a number into an address, or rejected it.
  return parseAddress(host) !== null || HOST_NAME.test(host) ? url : egressFailed("invalid_url");
}

/** Checks the URL and the addresses of its host. Does not reject. */
export async function findDestination(
  text: string,
  rules: DestinationRules,
): Promise<ResolvedDestination | EgressFailure> {
  const target = targets.of(text);
  if (target.kind === "failed") return target;
  const { url, host, isName } = target;
  const { allow, production } = rules;
  const isOpenOrigin = allow.opensOrigin(url, host);
  // In production plain http is only for origins that name it.
  if (url.protocol === "http:" && production && !isOpenOrigin) return egressFailed("https_required");
  const texts = isName ? await rules.resolve(host).catch(() => []) : [host];
  if (texts.length === 0) return egressFailed("dns_error");
  const found = texts.map((address) => addresses.of(address)).filter((address) => address !== null);
  const isOpenName = isName && allow.opensHost(host);
  const isOpen = isOpenOrigin || isOpenName || found.every(({ address }) => allow.opensAddress(address));
  const isReachable = isOpen || found.every((it) => it.isGlobal || allow.opensAddress(it.address));
  // The resolver may have returned something that is not an address.
  if (found.length < texts.length || !isReachable) return egressFailed("blocked_address");
  if (url.protocol === "http:" && !isOpen) return egressFailed("https_required");
  return { kind: "destination", url, addresses: ipv4First(found), serverName: isName ? host : null, isOpened: isOpen };
}

/** A cache of values that depend on a text alone, for texts that repeat. */
class TextCache<T> {
  private readonly known = new Map<string, T>();
  private readonly read: (text: string) => T;

  constructor(read: (text: string) => T) {
    this.read = read;
  }

  of(text: string): T {
    const known = this.known.get(text);
    if (known !== undefined) return known;
    const value = this.read(text);
    if (this.known.size >= MAX_READ) this.known.clear();
    this.known.set(text, value);
    return value;
  }
}
/** Size of the cache of URLs and of addresses; with the longest URLs it takes 2 MiB. */
const MAX_READ = 256;

interface RequestTarget {
  readonly kind: "target";
  readonly url: URL;
  readonly host: string;
  /** False if the host is an address. */
  readonly isName: boolean;
}
const targets = new TextCache<RequestTarget | EgressFailure>((text) => {
  const url = parseUrl(text);
  if (!(url instanceof URL)) return url;
  const host = urlHost(url);
  return { kind: "target", url, host, isName: parseAddress(host) === null };
});

interface ReadAddress {
  readonly address: IpAddress;
  /** Canonical. */
  readonly text: string;
  readonly isGlobal: boolean;
}
const addresses = new TextCache<ReadAddress | null>((text) => {
  const address = parseAddress(text);
  return address === null ? null : { address, text: address.toString(), isGlobal: isGlobal(address) };
});

/** The host without the brackets of IPv6, and without a trailing dot, which does not change the host. */
const urlHost = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");

/** IPv4 first: a machine without IPv6 gets IPv6 addresses from the resolver too. */
function ipv4First(found: readonly ReadAddress[]): string[] {
  const texts = found.map(({ text }) => text);
  if (texts.length === 1) return texts;
  return [...new Set(texts)].sort((a, b) => Number(a.includes(":")) - Number(b.includes(":")));
}
