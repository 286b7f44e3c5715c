/**
 * Where a request comes from (RATE-3): the peer of its connection, or what a configured proxy says of
 * it in `X-Forwarded-For`. That header is read from its end, where the nearest proxy has written: the
 * first address that is not a configured proxy is the client, and whatever stands before it is only
 * what that client claims. Of an IPv6 address the /64 counts: who has one has all of it.
 */
import type { Server } from "bun";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { BoundedMap } from "../../../actors/bounded-map.ts";
import { forwardedFor } from "./forwarding.ts";

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

/** What counts for an IPv6 address, of its eight parts of 16 bits. */
const PREFIX_PARTS = 4;
/** The connection has ended, or there is none: all of those are one. */
export const NOWHERE = "nowhere";

/** Peers that are remembered: to look one up takes a tenth of the time of reading its address. */
const MOST_PEERS = 4_096;

/** Who is at the other end of a connection. */
interface Peer {
  /** What it counts as. */
  readonly name: string;
  /** Its address where it is a configured proxy, else null. */
  readonly proxy: Address | null;
}

export class ClientAddresses {
  private readonly proxies: readonly Network[];
  private readonly peers = new BoundedMap<Peer>(MOST_PEERS);

  /** `proxies` are addresses and CIDR ranges that the configuration has checked. */
  constructor(proxies: readonly string[]) {
    this.proxies = proxies.map(networkOf);
  }

  /** The client's address, as a text that is the same for all that count as one. */
  of(request: Request, server: Pick<Server<unknown>, "requestIP"> | null): string {
    // Another replica has already said who it is.
    const client = server === null ? forwardedFor(request) : null;
    if (client !== null) return client;
    const text = server?.requestIP(request)?.address ?? "";
    const { name, proxy } = this.peers.get(text) ?? this.met(text);
    return proxy === null ? name : nameOf(this.forwarded(request.headers.get("x-forwarded-for"), proxy));
  }

  private met(text: string): Peer {
    const address = addressOf(text);
    const proxy = address !== null && this.isProxy(address) ? address : null;
    const peer = { name: address === null ? NOWHERE : nameOf(address), proxy };
    this.peers.set(text, peer);
    return peer;
  }

  /** What the proxies say; the nearest one that says nothing readable is taken for the client. */
  private forwarded(header: string | null, peer: Address): Address {
    let nearest = peer;
    for (const entry of header?.split(",").toReversed() ?? []) {
      const address = addressOf(withoutPort(entry.trim()));
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

/** IPv4 is unwrapped from its IPv6 mapping; null where the text is no address. */
function addressOf(text: string): Address | null {
  const bare = text.replace(/%.*$/, "");
  return isIP(bare) === 0 ? null : ipaddr.process(bare);
}

/** `1.2.3.4:80` and `[::1]:80` as some proxies write them. */
function withoutPort(text: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}

function nameOf(address: Address): string {
  if (address instanceof ipaddr.IPv4) return address.toString();
  return address.parts
    .slice(0, PREFIX_PARTS)
    .map((part) => part.toString(16))
    .join(":");
}
