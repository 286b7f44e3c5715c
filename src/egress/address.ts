/**
 * Which addresses belong to the public internet. What is not known to be public is not: an address
 * family, a range or a spelling that nobody thought of is refused.
 */
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Everything that is public in IPv6 is in here. */
const GLOBAL_V6: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("2000::"), 3];

/** The platform's own agent at Azure: public by its number, answered by the machine's host. */
const AZURE_WIRE_SERVER = ipaddr.IPv4.parse("168.63.129.16");

/**
 * The address that a connection to `text` would reach, IPv4 unwrapped from its IPv6 mapping; null
 * where `text` is not one canonical address. A zone (`%eth0`) names an interface and is refused.
 */
export function parseAddress(text: string): Address | null {
  return isIP(text) === 0 || text.includes("%") ? null : ipaddr.process(text);
}

/** Whether everybody on the internet means the same machine by this address. */
export function isGlobal(address: Address): boolean {
  if (address.range() !== "unicast") return false;
  if (address instanceof ipaddr.IPv4) return !address.match(AZURE_WIRE_SERVER, 32);
  return address.match(GLOBAL_V6);
}
