/** EGRESS_ALLOW: hosts, networks and origins that an operator has opened although they are not public. */
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { type IpAddress, parseAddress } from "./address.ts";

export interface AllowList {
  /** Whether this name is opened, whatever it resolves to. Pass it in lower case, without a trailing dot. */
  opensHost(name: string): boolean;
  /** Whether exactly this scheme, host and port are opened. `host` as for `opensHost`, or an address. */
  opensOrigin(url: URL, host: string): boolean;
  /** Whether this address is in an opened network, by whatever name it is reached. */
  opensAddress(address: IpAddress): boolean;
}

/** `entries` are host names, addresses, CIDR ranges and origins, already validated by the configuration. */
export function createAllowList(entries: readonly string[]): AllowList {
  const hosts = new Set<string>();
  const origins = new Set<string>();
  const networks: [IpAddress, number][] = [];
  for (const entry of entries) {
    if (entry.includes("://")) {
      const url = new URL(entry);
      origins.add(allowedOrigin(url, url.hostname));
      continue;
    }
    const [start = "", bits] = entry.split("/");
    if (isIP(start) === 0) hosts.add(entry.toLowerCase());
    else networks.push(bits === undefined ? wholeAddress(start) : [ipaddr.parse(start), Number(bits)]);
  }
  return {
    opensHost: (name) => hosts.has(name),
    opensOrigin: (url, host) => origins.size > 0 && origins.has(allowedOrigin(url, host)),
    opensAddress: (address) =>
      networks.some(([start, bits]) => address.kind() === start.kind() && address.match(start, bits)),
  };
}

/** Brackets of IPv6 do not count. */
const allowedOrigin = ({ protocol, port }: URL, host: string): string =>
  `${protocol}//${host.replace(/^\[(.*)\]$/, "$1")}:${port}`;

function wholeAddress(text: string): [IpAddress, number] {
  const address = parseAddress(text) ?? ipaddr.parse(text);
  return [address, address.toByteArray().length * 8];
}
