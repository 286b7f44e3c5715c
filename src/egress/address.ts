/**
 * Which addresses belong to the public internet. Everything else is refused: unknown address families, ranges
 * and spellings count as not public.
 */
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** All public IPv6 addresses are in this range. */
const GLOBAL_V6: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("2000::"), 3];

/** Azure's platform agent: its address looks public, but the machine's host answers it. */
const AZURE_WIRE_SERVER = ipaddr.IPv4.parse("168.63.129.16");

/**
 * The address that a connection to `text` would reach, IPv4 unwrapped from its IPv6 mapping; null
 * where `text` is not one canonical address. A zone (`%eth0`) names an interface and is refused.
 */
export function parseAddress(text: string): IpAddress | null {
  return isIP(text) === 0 || text.includes("%") ? null : ipaddr.process(text);
}

/** Whether the address names the same machine for everybody on the internet. */
export function isGlobal(address: IpAddress): boolean {
  if (address.range() !== "unicast") return false;
  if (address instanceof ipaddr.IPv4) return !address.match(AZURE_WIRE_SERVER, 32);
  return address.match(GLOBAL_V6);
}
