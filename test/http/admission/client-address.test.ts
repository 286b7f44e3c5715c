import { expect, test } from "bun:test";
import { ClientAddresses, NO_ADDRESS } from "../../../src/http/admission/client-address.ts";

const PROXIES = ["10.0.0.0/8", "192.0.2.7", "fd00::/8"];

function clientOf(peer: string | null, forwarded?: string, proxies: readonly string[] = PROXIES): string {
  const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
  const requestIP = () => (peer === null ? null : { address: peer, family: "IPv4" as const, port: 1 });
  return addressesOf(proxies).of(new Request("http://localhost/", { headers }), { requestIP });
}

/** The same for all who come: peers are remembered. */
function addressesOf(proxies: readonly string[]): ClientAddresses {
  const made = known.get(proxies) ?? new ClientAddresses(proxies);
  known.set(proxies, made);
  return made;
}
const known = new Map<readonly string[], ClientAddresses>();

test("[RATE-3] a remembered peer counts as before, whatever other peers have come since", () => {
  const before = ["203.0.113.9", "2001:db8:0:1::1", "10.0.0.1", null].map((peer) => clientOf(peer));
  for (let n = 0; n < 5_000; n++) clientOf(`172.${16 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`);
  const after = ["203.0.113.9", "2001:db8:0:1::1", "10.0.0.1", null].map((peer) => clientOf(peer));
  expect(after).toEqual(before);
  expect(clientOf("10.0.0.1", "198.51.100.1")).toBe(clientOf("198.51.100.1"));
  expect(clientOf("10.0.0.1", "198.51.100.2")).toBe(clientOf("198.51.100.2"));
});

test("[RATE-3] an IPv6 address counts by its /64, and a mapped IPv4 address as IPv4", () => {
  expect(clientOf("2001:db8:0:1::1")).toBe(clientOf("2001:db8:0:1:ffff:ffff:ffff:ffff"));
  expect(clientOf("2001:db8:0:1::1")).not.toBe(clientOf("2001:db8:0:2::1"));
  expect(clientOf("::ffff:203.0.113.9")).toBe(clientOf("203.0.113.9"));
  expect(clientOf("203.0.113.9")).not.toBe(clientOf("203.0.113.8"));
  expect(clientOf("fe80::1%eth0")).toBe(clientOf("fe80::2"));
  expect(clientOf(null)).toBe(NO_ADDRESS);
});

test("[RATE-3] X-Forwarded-For of a peer that is not a configured proxy is ignored", () => {
  const peer = clientOf("203.0.113.9");
  expect(clientOf("203.0.113.9", "198.51.100.1")).toBe(peer);
  expect(clientOf("10.0.0.1", "198.51.100.1", [])).toBe(clientOf("10.0.0.1", undefined, []));
});

test("[RATE-3] the client is the last address that is not a configured proxy, whatever it claims before", () => {
  const client = clientOf("198.51.100.1");
  for (const forwarded of [
    "198.51.100.1",
    "1.1.1.1, 198.51.100.1",
    "198.51.100.1, 10.0.0.2",
    "rubbish, 198.51.100.1 ,192.0.2.7,10.9.9.9",
    "198.51.100.1:4711",
    "::ffff:198.51.100.1, fd00::5",
    "198.51.100.1, [fd00::5]:443",
  ]) {
    expect(clientOf("10.0.0.1", forwarded)).toBe(client);
    expect(clientOf("::ffff:10.0.0.1", forwarded)).toBe(client);
  }
});

test("[RATE-3] a proxy without a readable header counts by its own address", () => {
  const proxy = clientOf("10.0.0.1");
  for (const forwarded of [undefined, "", "rubbish", "198.51.100.1, unknown", "1, 2", "198.51.100.1,"]) {
    expect(clientOf("10.0.0.1", forwarded)).toBe(proxy);
  }
  expect(clientOf("10.0.0.1", "198.51.100.1, rubbish, 10.0.0.2")).toBe(clientOf("10.0.0.2"));
});
