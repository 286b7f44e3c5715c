/** Hosts that mean this machine or its network, in every spelling: nothing is sent to one of them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Egress } from "../../src/egress/egress.ts";
import { createEgressWorld, get } from "../support/egress-world.ts";
import { startWireServer, type WireServer } from "../support/wire-server.ts";

const world = createEgressWorld({
  localhost: ["127.0.0.1", "::1"],
  "sub.localhost": ["127.0.0.1"],
  "loopback.test": ["127.0.0.1"],
});
let canaries: readonly WireServer[] = [];
let closed: Egress;

beforeAll(async () => {
  closed = world.client({ allow: [] });
  const four = await world.servePlain(({ socket }) => socket.end());
  // A machine without IPv6 has nothing to reach there.
  const six = await startWireServer(({ socket }) => socket.end(), { host: "::1" }).catch(() => null);
  canaries = six === null ? [four] : [four, six];
});
afterAll(async () => {
  for (const canary of canaries) await canary.stop();
  await world.end();
});

/** Would reach a canary where they were connected to. */
const LOOPBACK = [
  "127.0.0.1",
  "127.1",
  "127.0.1",
  "2130706433",
  "0x7f000001",
  "0X7F000001",
  "017700000001",
  "0x7f.1",
  "0177.1",
  "0177.0.0.1",
  "0x7f.0x0.0x0.0x1",
  "127.0.0.0x1",
  "0300.0.0.1.",
  "00000177.00.00.01",
  "127.0.0.1.",
  "0",
  "0.0.0.0",
  "0x0",
  "00",
  "127.0.0.1%2e",
  "%31%32%37.0.0.1",
  "127%2e0%2e0%2e1",
  "①②⑦.0.0.1",
  "１２７.０.０.１",
  "127。0。0。1",
  "127．0．0．1",
  "127｡1",
  "𝟏𝟐𝟕.𝟎.𝟎.𝟏",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[0000:0000:0000:0000:0000:0000:0000:0001]",
  "[::]",
  "[::0.0.0.1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[0:0:0:0:0:FFFF:7F00:0001]",
  "[::127.0.0.1]",
  "[::ffff:0:127.0.0.1]",
  "[::ffff:0.0.0.0]",
  "localhost",
  "LOCALHOST",
  "localhost.",
  "ｌｏｃａｌｈｏｓｔ",
  "sub.localhost",
  "loopback.test",
  "l\u00adocalhost",
  "user@127.0.0.1",
  "@127.0.0.1",
  "a.test@127.0.0.1",
  "a.test:443@127.0.0.1",
  "a.test%40127.0.0.1",
  "127.0.0.1%00",
  "127.0.0.1\\a.test",
  "127.0.0.1\t",
  "[::1%25lo]",
  "[::1%lo]",
  "[fe80::1%25lo]",
  "1.127.0.0.1",
  "127.0.0.256",
  "127.0.0.1.0x1",
  "0x7f.0.0.1.",
  "127.0.0.1 a.test",
  "",
];

for (const host of LOOPBACK) {
  test(`[HOOK-11] nothing is sent to ${JSON.stringify(host)}`, async () => {
    for (const { port } of canaries) {
      for (const scheme of ["https", "http"]) {
        const result = await closed.request(get(`${scheme}://${host}:${port}/`));
        expect(result).toEqual({
          kind: "failed",
          error: expect.stringMatching(/^(blocked_address|invalid_url|dns_error)$/),
        });
      }
    }
    expect(canaries.map(({ connections }) => connections)).toEqual(canaries.map(() => 0));
  });
}

test("[HOOK-11] the canaries receive a request that is allowed to reach them", async () => {
  for (const [index, { port }] of canaries.entries()) {
    await world
      .client({ allow: ["127.0.0.1", "::1"] })
      .request(get(`http://${["127.0.0.1", "[::1]"][index]}:${port}/`));
  }
  expect(canaries.map(({ connections }) => connections)).toEqual(canaries.map(() => 1));
});

/** Other networks, of each kind that is not the public internet. Only checked: a connection would leave the machine. */
const ELSEWHERE = [
  "169.254.169.254",
  "0xa9fea9fe",
  "2852039166",
  "0251.0376.0251.0376",
  "[::ffff:169.254.169.254]",
  "[fd00:ec2::254]",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
  "10.0.0.1",
  "10.255.255.255",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.0.1",
  "192.168.257",
  "100.64.0.1",
  "100.127.255.255",
  "198.18.0.1",
  "198.19.255.255",
  "192.0.0.1",
  "192.0.2.1",
  "198.51.100.1",
  "203.0.113.1",
  "192.88.99.1",
  "224.0.0.1",
  "239.255.255.250",
  "240.0.0.1",
  "255.255.255.255",
  "0.1.2.3",
  "127.255.255.254",
  "[64:ff9b::10.0.0.1]",
  "[64:ff9b::7f00:1]",
  "[64:ff9b:1::10.0.0.1]",
  "[64:ff9b:1:ffff::1]",
  "[2002:7f00:1::]",
  "[2002:a00:1::1]",
  "[2001:0:7f00:1::1]",
  "[2001:0::1]",
  "[2001:2::1]",
  "[2001:10::1]",
  "[2001:5::1]",
  "[2001:1ff:ffff::1]",
  "[2001:20::1]",
  "[2001:db8::1]",
  "[3fff::1]",
  "[5f00::1]",
  "[fc00::1]",
  "[fd12:3456::1]",
  "[fe80::1]",
  "[febf::1]",
  "[fec0::1]",
  "[ff02::1]",
  "[ff0e::1]",
  "[100::1]",
  "[4000::1]",
  "[e000::1]",
  "[::10.0.0.1]",
  "[::2]",
  "[1::1]",
];

for (const host of ELSEWHERE) {
  test(`[HOOK-11] ${host} is not public`, async () => {
    expect(await closed.resolve(`https://${host}/`, { timeoutMs: 60_000 })).toEqual({
      kind: "failed",
      error: "blocked_address",
    });
  });
}

const MALFORMED = [
  "",
  "127.0.0.1",
  "https:",
  "https://",
  "ftp://a.test/",
  "file:///etc/passwd",
  "data:text/plain,x",
  "javascript:1",
  "blob:https://a.test/1",
  "s3://a/b",
  "ws://a.test/",
  "https://a.test:0/",
  "https://a.test:65536/",
  "https://a.test:-1/",
  "https://a.test:x/",
  "https://a.test\n.b/",
  "https://a.test/\r\nx: y",
  "ht\ttps://a.test/",
  " https://a.test/",
  "https://a test/",
  "https://a.test/a b",
  "https://a..test/",
  "https://-a.test/",
  "https://a\\b.test/",
  "https://user:pass@a.test/",
  "https://:@a.test/",
  "https:user@a.test/",
  "https://xn--/",
  `https://${"a".repeat(64)}.test/`,
  `https://a.test/${"a".repeat(8_192)}`,
  "https://a.test..",
  "https://[a.test]/",
  "https://a.test,b.test/",
  "https://*.test/",
];

for (const url of MALFORMED) {
  test(`[HOOK-11] ${JSON.stringify(url.slice(0, 60))} is not a URL to request`, async () => {
    expect(await closed.request(get(url))).toEqual({ kind: "failed", error: "invalid_url" });
  });
}
