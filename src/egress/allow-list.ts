/** EGRESS_ALLOW: hosts and networks that an operator has opened although they are not public. */
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { type Address, parseAddress } from "./address.ts";

export interface AllowList {
  /** Whether this name is opened, whatever it resolves to. Pass it in lower case, without a trailing dot. */
  opensHost(name: string): boolean;
  /** Whether this address is in an opened network, by whatever name it is reached. */
  opensAddress(address: Address): boolean;
}

/** `entries` are host names, addresses and CIDR ranges, already validated by the configuration. */
export function createAllowList(entries: readonly string[]): AllowList {
  const hosts = new Set<string>();
  const networks: [Address, number][] = [];
  for (const entry of entries) {
    const [start = "", bits] = entry.split("/");
    if (isIP(start) === 0) hosts.add(entry.toLowerCase());
    else networks.push(bits === undefined ? wholeAddress(start) : [ipaddr.parse(start), Number(bits)]);
  }
  return {
    opensHost: (name) => hosts.has(name),
    opensAddress: (address) =>
      networks.some(([start, bits]) => address.kind() === start.kind() && address.match(start, bits)),
  };
}

function wholeAddress(text: string): [Address, number] {
  const address = parseAddress(text) ?? ipaddr.parse(text);
  return [address, address.toByteArray().length * 8];
}
