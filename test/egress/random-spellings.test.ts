/** Random addresses in random spellings: none that is not public passes, and a public one stays what it is. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { createEgress } from "../../src/egress/egress.ts";

const notPublic4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "224.0.0.0/3",
];
const notPublic6 = [
  "::/64",
  "fc00::/7",
  "fe80::/10",
  "fec0::/10",
  "ff00::/8",
  "2002::/16",
  "2001::/23",
  "64:ff9b::/32",
  "4000::/2",
  "8000::/1",
];

/** An address in one of the networks, all bits behind the prefix free. */
const inside = (networks: readonly string[]) =>
  fc.tuple(fc.constantFrom(...networks), fc.uint8Array({ minLength: 16, maxLength: 16 })).map(([network, noise]) => {
    const [start, bits] = ipaddr.parseCIDR(network);
    const bytes = start.toByteArray().map((byte, index) => {
      const fixed = Math.max(0, Math.min(8, bits - index * 8));
      return byte | ((noise[index] ?? 0) & (0xff >> fixed));
    });
    return ipaddr.fromByteArray(bytes);
  });

const radix = fc.constantFrom<(part: number) => string>(
  String,
  (part) => `0x${part.toString(16)}`,
  (part) => `0X${part.toString(16).toUpperCase().padStart(10, "0")}`,
  (part) => `0${part.toString(8)}`,
);
const disguise = fc.constantFrom<(text: string) => string>(
  (text) => text,
  (text) => `${text}.`,
  (text) => text.replaceAll(".", "。"),
  (text) => text.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  (text) => text.replaceAll(/\d/g, (digit) => String.fromCodePoint(0x1d7ce + Number(digit))),
  (text) => text.replaceAll(/./gu, (sign) => `%${sign.charCodeAt(0).toString(16)}`),
);

/** One to four parts, each in a radix of its own, the whole in a disguise. */
const spelled4 = (networks: readonly string[]) =>
  fc
    .tuple(inside(networks), fc.integer({ min: 1, max: 4 }), fc.tuple(radix, radix, radix, radix), disguise)
    .map(([address, parts, write, dress]) => {
      const bytes = address.toByteArray();
      const last = bytes.slice(parts - 1).reduce((sum, byte) => sum * 256 + byte, 0);
      const numbers = [...bytes.slice(0, parts - 1), last];
      return {
        address: address.toString(),
        host: dress(numbers.map((number, index) => (write[index] ?? String)(number)).join(".")),
      };
    });

const embedded4 = fc
  .tuple(inside(notPublic4), fc.constantFrom("::ffff:", "::", "64:ff9b::", "::ffff:0:", "0:0:0:0:0:ffff:"))
  .map(([address, prefix]) => `[${prefix}${address.toString()}]`);
const spelled6 = fc.tuple(inside(notPublic6), fc.boolean(), fc.boolean()).map(([address, isLong, isUpper]) => {
  const text = isLong ? address.toNormalizedString() : address.toString();
  return `[${isUpper ? text.toUpperCase() : text}]`;
});

/** No resolver: an address that is taken for a name would ask it. */
const bare = createEgress({ allow: [], production: true, resolve: () => Promise.reject(new Error("asked")) });

test("[HOOK-11] every spelling of a private address is refused", async () => {
  const host = fc.oneof(
    spelled4(notPublic4).map((it) => it.host),
    embedded4,
    spelled6,
  );
  await fc.assert(
    fc.asyncProperty(host, async (text) => {
      expect(await bare.resolve(`https://${text}/`, { timeoutMs: 60_000 })).toEqual({
        kind: "failed",
        error: "blocked_address",
      });
    }),
    { numRuns: 3_000 },
  );
});

test("[HOOK-11] a public address is reached in any spelling", async () => {
  await fc.assert(
    fc.asyncProperty(spelled4(["8.0.0.0/8", "93.184.216.0/24", "185.0.0.0/8"]), async ({ address, host }) => {
      expect(await bare.resolve(`https://${host}/`, { timeoutMs: 60_000 })).toMatchObject({
        kind: "destination",
        addresses: [address],
        serverName: null,
      });
    }),
    { numRuns: 1_000 },
  );
});

test("[HOOK-11] a resolver's answer is checked like an address in a URL", async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(inside(notPublic4), inside(notPublic6)), fc.boolean(), async (address, isFirst) => {
      const answer = isFirst ? [address.toString(), "93.184.216.34"] : ["93.184.216.34", address.toString()];
      const egress = createEgress({ allow: [], production: true, resolve: async () => answer });
      expect(await egress.resolve("https://a.test/", { timeoutMs: 60_000 })).toEqual({
        kind: "failed",
        error: "blocked_address",
      });
    }),
    { numRuns: 1_000 },
  );
});
