/** The certificate must be right, and for the name that was asked for; connections are kept by name. */
import { afterEach, expect, test } from "bun:test";
import { type AddressInfo, createServer } from "node:net";
import { Deadline } from "../../src/egress/deadline.ts";
import { createTransport } from "../../src/egress/exchange.ts";
import { createEgress } from "../../src/egress/egress.ts";
import { createEgressWorld, type EgressWorld, get } from "../support/egress-world.ts";
import { createAuthority, selfSigned } from "../support/certificates.ts";
import { reply, type WireRequest } from "../support/wire-server.ts";

const TLS_ERROR = { kind: "failed", error: "tls_error" } as const;
const ok = ({ socket }: WireRequest): void => void socket.write(reply(200, {}, "ok"));

let world: EgressWorld;
const inWorld = (): EgressWorld => (world = createEgressWorld());
afterEach(() => world.end());

for (const [what, certificateOf] of [
  ["for another name", ({ authority }: EgressWorld) => authority.issue(["b.test"])],
  ["for the address and not for the name", ({ authority }: EgressWorld) => authority.issue(["127.0.0.1"])],
  ["for the name's parent only", ({ authority }: EgressWorld) => authority.issue(["test"])],
  ["that has expired", ({ authority }: EgressWorld) => authority.issue(["a.test"], { expired: true })],
  ["that it has signed itself", () => selfSigned(["a.test"])],
  ["of an authority that nobody knows", () => createAuthority("Nobody's authority").issue(["a.test"])],
] as const) {
  test(`[HOOK-11] a server with a certificate ${what} gets no request`, async () => {
    const { serve, client } = inWorld();
    const server = await serve(ok, { certificates: { "": certificateOf(world) } });
    expect(
      await client().request(get(`https://a.test:${server.port}/`, { headers: { authorization: "Bearer secret" } })),
    ).toEqual(TLS_ERROR);
    expect(server.requests).toEqual([]);
    expect(server.serverNames).toEqual(["a.test"]);
  });
}

test("[HOOK-11] without its own authority the client uses those of the system", async () => {
  const { serve } = inWorld();
  const server = await serve(ok);
  const egress = createEgress({ allow: ["127.0.0.1"], production: true, resolve: async () => ["127.0.0.1"] });
  expect(await egress.request(get(`https://a.test:${server.port}/`))).toEqual(TLS_ERROR);
});

test("[HOOK-11] a host that is an address needs a certificate for the address", async () => {
  const { serve, client, authority } = inWorld();
  const right = await serve(ok, { certificates: { "": authority.issue(["127.0.0.1"]) } });
  const wrong = await serve(ok, { certificates: { "": authority.issue(["a.test"]) } });
  expect(await client().request(get(`https://127.0.0.1:${right.port}/`))).toMatchObject({ status: 200 });
  expect(await client().request(get(`https://127.0.0.1:${wrong.port}/`))).toEqual(TLS_ERROR);
  expect(right.serverNames).toEqual([]);
});

test("[HOOK-11] a connection is kept for its name and never serves another one at the same address", async () => {
  const { serve, client, authority } = inWorld();
  const certificates = { "a.test": authority.issue(["a.test"]), "b.test": authority.issue(["b.test"]) };
  const server = await serve(ok, { certificates });
  const egress = client();
  for (const name of ["a.test", "a.test", "b.test", "a.test", "b.test"]) {
    expect(await egress.request(get(`https://${name}:${server.port}/`))).toMatchObject({ status: 200 });
  }
  expect(server.serverNames).toEqual(["a.test", "b.test"]);
  expect(server.connections).toBe(2);
  // The server answers each name that it does not know with the certificate of a.test.
  expect(await egress.request(get(`https://c.test:${server.port}/`))).toEqual(TLS_ERROR);
  expect(await egress.request(get(`https://127.0.0.1:${server.port}/`))).toEqual(TLS_ERROR);
  expect(server.requests).toHaveLength(5);
});

test("[HOOK-11] two clients share no connections, and neither do they with plain fetch", async () => {
  const { serve, client, authority } = inWorld();
  const server = await serve(ok);
  const url = `https://a.test:${server.port}/`;
  await client().request(get(url));
  await client().request(get(url));
  await fetch(`https://127.0.0.1:${server.port}/`, { tls: { ca: authority.cert, serverName: "a.test" } });
  expect(server.connections).toBe(3);
});

test("[HOOK-11] a server that speaks no TLS is a tls_error", async () => {
  const { client } = inWorld();
  const server = createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  expect(await client().request(get(`https://a.test:${port}/`))).toEqual(TLS_ERROR);
  server.close();
});

test("[HOOK-11] the operator's authority is trusted for hosts that the operator has allowed, and for no others", async () => {
  const { serve, client, authority } = inWorld();
  const own = createAuthority("The operator's own");
  const servers = {
    opened: await serve(ok, { certificates: { "": own.issue(["a.test"]) } }),
    public: await serve(ok, { certificates: { "": authority.issue(["a.test"]) } }),
  };
  const allow = [`https://a.test:${servers.opened.port}`, `https://a.test:${servers.public.port}`];
  const egress = client({ allow, production: true, privateCa: own.cert });
  // Authorities of before still count.
  for (const server of [servers.opened, servers.public])
    expect(await egress.request(get(`https://a.test:${server.port}/`))).toMatchObject({ status: 200 });
  // The same server as a public one, whose address passes without being opened.
  const notOpened = createTransport({ privateCa: own.cert, ca: authority.cert });
  const destination = {
    kind: "destination",
    url: new URL(`https://a.test:${servers.opened.port}/`),
    addresses: ["127.0.0.1"],
    serverName: "a.test",
    isOpened: false,
  } as const;
  const deadline = new Deadline(60_000);
  expect(
    await notOpened.send(destination, { method: "GET", headers: {}, body: undefined, repeatable: true }, deadline),
  ).toEqual(TLS_ERROR);
  deadline.release();
  notOpened.close();
});
