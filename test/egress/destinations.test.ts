/** Which names and schemes may be reached, and that what was checked is what is connected to. */
import { afterEach, expect, test } from "bun:test";
import { createEgress } from "../../src/egress/egress.ts";
import { egressFailed } from "../../src/egress/failure.ts";
import { createEgressWorld, type EgressWorld, get } from "../support/egress-world.ts";
import { reply, type WireRequest } from "../support/wire-server.ts";

const PUBLIC = "93.184.216.34";
const ok = ({ socket }: WireRequest): void => void socket.write(reply(200, {}, "ok"));

let world: EgressWorld;
const inWorld = (names: Readonly<Record<string, readonly string[]>> = {}): EgressWorld =>
  (world = createEgressWorld(names));
afterEach(() => world.end());

/** Says the first answer once, then the second for ever. */
function rebinding(first: string, second: string) {
  const asked: string[] = [];
  const resolve = async (host: string): Promise<readonly string[]> => [asked.push(host) === 1 ? first : second];
  return { asked, resolve };
}

test("[HOOK-11] a name that leads first to an allowed and then to a private address is resolved once", async () => {
  const { serve, client } = inWorld();
  const canary = await serve(ok);
  const { asked, resolve } = rebinding("127.0.0.2", "127.0.0.1");
  const egress = client({ allow: ["127.0.0.2"], resolve });
  // Nobody listens at the first address: asking again, or trying what the name says now, would succeed.
  expect(await egress.request(get(`https://a.test:${canary.port}/`))).toEqual(egressFailed("connection_refused"));
  expect(asked).toEqual(["a.test"]);
  expect(await egress.request(get(`https://a.test:${canary.port}/`))).toEqual(egressFailed("blocked_address"));
  expect(canary.connections).toBe(0);
});

test("[HOOK-11] a kept connection does not serve a name that now resolves elsewhere", async () => {
  const { serve, client } = inWorld();
  const server = await serve(ok);
  const { resolve } = rebinding("127.0.0.1", "127.0.0.2");
  const egress = client({ allow: ["127.0.0.1"], resolve });
  expect(await egress.request(get(`https://a.test:${server.port}/`))).toMatchObject({ status: 200 });
  expect(await egress.request(get(`https://a.test:${server.port}/`))).toEqual(egressFailed("blocked_address"));
  expect(server.requests).toHaveLength(1);
});

for (const [what, addresses] of [
  ["a good address before a bad one", ["127.0.0.1", "127.0.0.3"]],
  ["a bad address before a good one", ["127.0.0.3", "127.0.0.1"]],
  ["what is no address at all", ["127.0.0.1", "a.test"]],
  ["an address with a zone", ["127.0.0.1", "2606:2800::1%lo"]],
] as const) {
  test(`[HOOK-11] a name with ${what} is refused as a whole`, async () => {
    const { serve, client } = inWorld({ "mixed.test": addresses });
    const server = await serve(ok);
    expect(await client().request(get(`https://mixed.test:${server.port}/`))).toEqual(egressFailed("blocked_address"));
    expect(server.connections).toBe(0);
  });
}

test("[HOOK-11] a name without an address is a dns_error", async () => {
  const { client } = inWorld({ "empty.test": [] });
  expect(await client().request(get("https://empty.test/"))).toEqual(egressFailed("dns_error"));
  expect(await client({ resolve: async () => [] }).request(get("https://a.test/"))).toEqual(egressFailed("dns_error"));
});

test("[HOOK-11] the system's resolver is used by default, and its answer is checked", async () => {
  const { client } = inWorld();
  const egress = createEgress({ allow: ["localhost"], production: true });
  expect(await egress.resolve("https://localhost/", { timeoutMs: 60_000 })).toMatchObject({
    kind: "destination",
    serverName: "localhost",
  });
  expect(await createEgress({ allow: [], production: true }).request(get("https://localhost:1/"))).toEqual(
    egressFailed("blocked_address"),
  );
  expect(await client().resolve("https://a.test/", { timeoutMs: 60_000 })).toMatchObject({ addresses: ["127.0.0.1"] });
});

test("[HOOK-11] the next address is tried where the first refuses, and the request is made once", async () => {
  const { serve, client } = inWorld({ "a.test": ["127.0.0.2", "127.0.0.1"] });
  const server = await serve(ok);
  const result = await client({ allow: ["127.0.0.0/8"] }).request(
    get(`https://a.test:${server.port}/`, { method: "POST", body: "once" }),
  );
  expect(result).toMatchObject({ kind: "response", status: 200 });
  expect(server.requests.map(({ line }) => line)).toEqual(["POST / HTTP/1.1"]);
});

test("[HOOK-11] IPv4 is tried before IPv6, and an address is tried once", async () => {
  const { client } = inWorld({ "both.test": ["2606:2800::1", PUBLIC, "2606:2800::1", "::ffff:93.184.216.34"] });
  expect(await client().resolve("https://both.test/", { timeoutMs: 60_000 })).toMatchObject({
    addresses: [PUBLIC, "2606:2800::1"],
  });
});

test("[HOOK-11] an allowed host allows its addresses only for that name", async () => {
  const { serve, client } = inWorld();
  const server = await serve(ok);
  const egress = client({ allow: ["A.test"], production: true });
  expect(await egress.request(get(`https://a.test:${server.port}/`))).toMatchObject({ status: 200 });
  expect(await egress.request(get(`https://A.TEST.:${server.port}/`))).toMatchObject({ status: 200 });
  expect(await egress.request(get(`https://sub.a.test:${server.port}/`))).toEqual(egressFailed("blocked_address"));
  expect(await egress.request(get(`https://127.0.0.1:${server.port}/`))).toEqual(egressFailed("blocked_address"));
});

test("[HOOK-11] an allowed network allows its addresses and no others", async () => {
  const { client } = inWorld();
  const egress = client({ allow: ["10.1.0.0/16", "fd00:1::/32", "192.168.1.1"] });
  const check = async (host: string) => (await egress.resolve(`https://${host}/`, { timeoutMs: 60_000 })).kind;
  for (const host of ["10.1.0.1", "0xa010001", "[::ffff:10.1.255.255]", "[fd00:1:ffff::1]", "192.168.1.1"])
    expect([host, await check(host)]).toEqual([host, "destination"]);
  for (const host of ["10.2.0.1", "10.0.255.255", "[fd00:2::1]", "192.168.1.2", "[64:ff9b::10.1.0.1]"])
    expect([host, await check(host)]).toEqual([host, "failed"]);
});

test("[HOOK-11] plain http reaches an allowed host only outside production", async () => {
  const { servePlain, client } = inWorld({ "a.test": ["127.0.0.1"], "public.test": [PUBLIC] });
  const server = await servePlain(ok);
  const url = `http://a.test:${server.port}/`;
  expect(await client({ allow: ["a.test"] }).request(get(url))).toMatchObject({ status: 200 });
  expect(await client({ allow: ["127.0.0.0/8"] }).request(get(url))).toMatchObject({ status: 200 });
  expect(await client({ allow: ["a.test"], production: true }).request(get(url))).toEqual(
    egressFailed("https_required"),
  );
  expect(await client({ allow: [] }).request(get(url))).toEqual(egressFailed("blocked_address"));
  expect(await client().request(get("http://public.test/"))).toEqual(egressFailed("https_required"));
  expect(server.requests.map(({ headers }) => headers["host"])).toEqual([
    `a.test:${server.port}`,
    `a.test:${server.port}`,
  ]);
  expect(server.connections).toBe(2);
});

test("[HOOK-11] a plain connection is kept for its name only", async () => {
  const { servePlain, client } = inWorld();
  const server = await servePlain(ok);
  const egress = client();
  for (const name of ["a.test", "a.test", "b.test"]) {
    expect(await egress.request(get(`http://${name}:${server.port}/`))).toMatchObject({ status: 200 });
  }
  expect(server.connections).toBe(2);
});

test.each(["http", "https"])(
  "[HOOK-11] a request that must not be repeated is not sent again when a kept connection of %s breaks",
  async (scheme) => {
    const { serve, servePlain, client } = inWorld();
    const answer = (request: WireRequest): void =>
      request.line.startsWith("GET") ? ok(request) : void request.socket.end();
    const server = await (scheme === "http" ? servePlain(answer) : serve(answer));
    const egress = client();
    const url = `${scheme}://a.test:${server.port}/`;
    for (const method of ["POST", "PUT", "PATCH", "DELETE"] as const) {
      expect(await egress.request(get(url))).toMatchObject({ status: 200 });
      expect(await egress.request(get(url, { method }))).toEqual(egressFailed("connection_reset"));
    }
    const changes = server.requests.map(({ line }) => line.split(" ")[0]).filter((method) => method !== "GET");
    expect(changes).toEqual(["POST", "PUT", "PATCH", "DELETE"]);
    const { connections } = server;
    for (const repeatable of [true, true, false]) await egress.request(get(url, { repeatable }));
    expect(server.connections - connections).toBe(1);
  },
);

test("[HOOK-11] a refused request is logged with its host, for the operator", async () => {
  const { client } = inWorld();
  const lines: object[] = [];
  const egress = createEgress(
    { allow: [], production: true, resolve: async () => ["10.0.0.1"] },
    { info: (details) => lines.push(details) },
  );
  await egress.request(get("https://mcp.internal/a?key=secret"));
  expect(lines).toEqual([{ host: "mcp.internal" }]);
  await client().request(get("https://10.0.0.1/"));
});

test("[HOOK-11] headers of the connection are not the caller's", async () => {
  const { serve, client } = inWorld();
  const server = await serve(ok);
  const egress = client();
  const url = `https://a.test:${server.port}/`;
  for (const headers of [
    { Host: "b.test" },
    { "content-length": "1" },
    { "Transfer-Encoding": "chunked" },
    { connection: "upgrade" },
    { "accept-encoding": "gzip" },
    { "Proxy-Authorization": "x" },
    { expect: "100-continue" },
    { "x-a": "a\r\nx-b: b" },
    { "x a": "b" },
    { "x-a": "\u{1f600}" },
  ]) {
    expect([headers, await egress.request(get(url, { headers }))]).toEqual([headers, egressFailed("invalid_header")]);
  }
  expect(server.connections).toBe(0);
  await egress.request(get(url, { headers: { Accept: "text/plain", "X-Key": "k" } }));
  expect(server.requests[0]?.headers).toMatchObject({
    accept: "text/plain",
    "x-key": "k",
    host: `a.test:${server.port}`,
    "accept-encoding": "identity",
  });
});

test("[HOOK-11] an entry with a scheme allows exactly this scheme, host and port, in production too", async () => {
  const { servePlain, serve, client } = inWorld();
  const [plain, secure] = [await servePlain(ok), await serve(ok)];
  const allow = [
    `http://Tools.test:${plain.port}`,
    `https://a.test:${secure.port}`,
    "http://127.0.0.1",
    "http://[::1]:81",
  ];
  const egress = client({ allow, production: true });
  expect(await egress.request(get(`http://tools.test:${plain.port}/`))).toMatchObject({ status: 200 });
  expect(await egress.request(get(`http://tools.test.:${plain.port}/`))).toMatchObject({ status: 200 });
  expect(await egress.request(get(`https://a.test:${secure.port}/`))).toMatchObject({ status: 200 });
  const resolved = (url: string) => egress.resolve(url, { timeoutMs: 60_000 });
  expect(await resolved("http://127.0.0.1/x")).toMatchObject({ kind: "destination", isOpened: true });
  expect(await resolved("http://[::1]:81/x")).toMatchObject({ kind: "destination", isOpened: true });
  for (const [url, error] of [
    [`http://other.test:${plain.port}/`, "https_required"],
    ["http://tools.test/", "https_required"],
    ["http://127.0.0.1:81/", "https_required"],
    [`http://a.test:${secure.port}/`, "https_required"],
    [`https://tools.test:${plain.port}/`, "blocked_address"],
    ["https://a.test/", "blocked_address"],
    ["https://127.0.0.1/", "blocked_address"],
  ] as const)
    expect([url, await resolved(url)]).toEqual([url, egressFailed(error)]);
});
