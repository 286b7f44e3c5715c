/**
 * Where a request comes from (RATE-3): the peer of its connection, or the client that a configured proxy names in
 * `X-Forwarded-For`. That header is read from its end, where the nearest proxy wrote: the first address that is not
 * a configured proxy is the client; everything before it is only the client's claim. An IPv6 address counts as its
 * /64, because one client has all of that.
 */
import type { Server } from "bun";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { BoundedMap } from "../../../actors/bounded-map.ts";
import { forwarderOf } from "../request/forwarding.ts";
import { innerAddress } from "../request/inner-request.ts";

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

/** Parts of an IPv6 address that count, of its eight parts of 16 bits. */
const PREFIX_PARTS = 4;
/** The connection has ended, or there is none: all of these count as one client. */
export const NO_ADDRESS = "nowhere";

/** Size of the cache of peers: a lookup takes a tenth of the time of parsing the address. */
const MOST_PEERS = 4_096;

/** The other end of a connection. */
interface ConnectionPeer {
  /** The text that it counts as. */
  readonly name: string;
  /** Its address if it is a configured proxy, else null. */
  readonly proxy: Address | null;
}

export class ClientAddresses {
  private readonly proxies: readonly Network[];
  private readonly peers = new BoundedMap<ConnectionPeer>(MOST_PEERS);

  /** `proxies` are addresses and CIDR ranges, already validated by the configuration. */
  constructor(proxies: readonly string[]) {
    this.proxies = proxies.map(networkOf);
  }

  /** The client's address, as the text that it counts as. */
  of(request: Request, server: Pick<Server<unknown>, "requestIP"> | null): string {
    // The forwarding replica has already determined it.
    const client = server === null ? (forwarderOf(request)?.address ?? innerAddress(request)) : null;
    if (client !== null) return client;
    const text = server?.requestIP(request)?.address ?? "";
    const { name, proxy } = this.peers.get(text) ?? this.met(text);
    return proxy === null ? name : addressName(this.forwarded(request.headers.get("x-forwarded-for"), proxy));
  }

  private met(text: string): ConnectionPeer {
    const address = unwrapAddress(text);
    const proxy = address !== null && this.isProxy(address) ? address : null;
    const peer = { name: address === null ? NO_ADDRESS : addressName(address), proxy };
    this.peers.set(text, peer);
    return peer;
  }

  /** The client behind the proxies; if a proxy names nothing readable, that proxy counts as the client. */
  private forwarded(header: string | null, peer: Address): Address {
    let nearest = peer;
    for (const entry of header?.split(",").toReversed() ?? []) {
      const address = unwrapAddress(withoutPort(entry.trim()));
      if (address === null) return nearest;
      if (!this.isProxy(address)) return address;
      nearest = address;
    }
    return nearest;
  }

  private isProxy(address: Address): boolean {
    return this.proxies.some(([start, bits]) => address.kind() === start.kind() && address.match(start, bits));
  }
}

function networkOf(text: string): Network {
  const [start = "", bits] = text.split("/");
  if (bits !== undefined) return [ipaddr.parse(start), Number(bits)];
  const address = ipaddr.process(start);
  return [address, address.toByteArray().length * 8];
}

/** IPv4 is unwrapped from its IPv6 mapping; null if the text is not an address. */
function unwrapAddress(text: string): Address | null {
  const bare = text.replace(/%.*$/, "");
  return isIP(bare) === 0 ? null : ipaddr.process(bare);
}

/** Some proxies write `1.2.3.4:80` and `[::1]:80`. */
function withoutPort(text: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}

function addressName(address: Address): string {
  if (address instanceof ipaddr.IPv4) return address.toString();
  return address.parts
    .slice(0, PREFIX_PARTS)
    .map((part) => part.toString(16))
    .join(":");
}
