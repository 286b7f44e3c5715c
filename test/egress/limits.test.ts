/** What a hostile or broken server can cost: time until the deadline, and never more bytes than the limits. */
import { afterEach, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { RESPONSE_HEAD_BYTES } from "../../src/egress/exchange.ts";
import { egressFailed } from "../../src/egress/failure.ts";
import { until } from "../support/condition.ts";
import { createEgressWorld, type EgressWorld, get } from "../support/egress-world.ts";
import { type Answer, drip, pour, reply, type WireServer } from "../support/wire-server.ts";

const MIB = 1024 * 1024;
/** What buffers between the two ends may hold besides what was asked for. */
const BUFFERS = 16 * MIB;
const HEAD = "HTTP/1.1 200 OK\r\n";

let world: EgressWorld;
afterEach(() => world.end());

async function against(answer: Answer) {
  world = createEgressWorld();
  const server = await world.serve(answer);
  return { server, egress: world.client(), url: `https://a.test:${server.port}/` };
}

const gone = (server: WireServer): Promise<void> =>
  until("the connection is closed", () => server.closed === server.connections);
const limits = (timeoutMs: number, maxResponseBytes = 64 * 1024) => ({ limits: { timeoutMs, maxResponseBytes } });

for (const [what, answer] of [
  ["says nothing", () => {}],
  ["stalls within the head", ({ socket }) => void socket.write(`${HEAD}x-a: `)],
  ["drips its head", drip(`${HEAD}x-a: `)],
  ["drips its body", drip(`${HEAD}content-length: 100000\r\n\r\n`)],
  ["drips a body without a length", drip(`${HEAD}\r\n`)],
  [
    "says only that it will",
    (request, server) => pour(request, server, Buffer.from("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(100))),
  ],
] as const satisfies readonly (readonly [string, Answer])[]) {
  test(`[HOOK-11] a server that ${what} is disconnected at the deadline`, async () => {
    const { server, egress, url } = await against(answer);
    expect(await egress.request(get(url, limits(100)))).toEqual(egressFailed("timeout"));
    await gone(server);
  });
}

test("[HOOK-11] a resolver that does not answer is given up at the deadline", async () => {
  await against(() => {});
  const egress = world.client({ resolve: () => Promise.withResolvers<never>().promise });
  expect(await egress.request(get("https://a.test/", limits(20)))).toEqual(egressFailed("timeout"));
  expect(await egress.resolve("https://a.test/", { timeoutMs: 20 })).toEqual(egressFailed("timeout"));
});

test("[HOOK-11] one deadline covers all redirects together", async () => {
  const { server, egress, url } = await against(({ socket }) =>
    setTimeout(() => socket.write(reply(302, { location: "/" })), 60),
  );
  const request = { ...get(url), limits: { timeoutMs: 100, maxResponseBytes: 1, maxRedirects: 1_000 } };
  expect(await egress.request(request)).toEqual(egressFailed("timeout"));
  await gone(server);
});

test("[HOOK-11] a gzip bomb of 50 MiB costs only its compressed size and is not unpacked", async () => {
  const bomb = gzipSync(Buffer.alloc(50 * MIB));
  const { server, egress, url } = await against(
    ({ socket }) => void socket.write(reply(200, { "content-encoding": "gzip" }, bomb)),
  );
  const whole = await egress.request(get(url, limits(60_000, MIB)));
  expect(whole).toMatchObject({ kind: "response", truncated: false });
  expect(whole.kind === "response" && Buffer.compare(whole.body, bomb)).toBe(0);
  const cut = await egress.request(get(url, limits(60_000, 1_000)));
  expect(cut.kind === "response" && { length: cut.body.length, truncated: cut.truncated }).toEqual({
    length: 1_000,
    truncated: true,
  });
  expect(server.requests.map(({ headers }) => headers["accept-encoding"])).toEqual(["identity", "identity"]);
});

for (const [what, head, piece] of [
  ["without an end", `${HEAD}\r\n`, Buffer.alloc(65_536, "a")],
  [
    "in chunks without an end",
    `${HEAD}transfer-encoding: chunked\r\n\r\n`,
    Buffer.from(`10000\r\n${"a".repeat(65_536)}\r\n`),
  ],
  ["of a terabyte", `${HEAD}content-length: 1099511627776\r\n\r\n`, Buffer.alloc(65_536, "a")],
] as const) {
  test(`[HOOK-11] of a body ${what} the limit is read, and the connection closed`, async () => {
    const { server, egress, url } = await against((request, it) => {
      request.socket.write(head);
      pour(request, it, piece);
    });
    const result = await egress.request(get(url, limits(60_000, 16 * 1024)));
    expect(result).toMatchObject({ kind: "response", truncated: true });
    expect(result.kind === "response" && result.body.length).toBe(16 * 1024);
    await gone(server);
    expect(server.poured).toBeLessThan(BUFFERS);
  });
}

test("[HOOK-11] a body of exactly the limit is complete, and one of one byte more is cut", async () => {
  const { egress, url } = await against(
    ({ line, socket }) => void socket.write(reply(200, {}, "a".repeat(line.includes("more") ? 101 : 100))),
  );
  const of = async (path: string) => {
    const result = await egress.request(get(url + path, limits(60_000, 100)));
    return result.kind === "response" && { length: result.body.length, truncated: result.truncated };
  };
  expect(await of("exact")).toEqual({ length: 100, truncated: false });
  expect(await of("more")).toEqual({ length: 100, truncated: true });
});

test("[HOOK-11] a head up to the limit is accepted, and a larger one refused", async () => {
  const { egress, url } = await against(({ line, socket }) => {
    const size = RESPONSE_HEAD_BYTES - "content-length2x".length + (line.includes("more") ? 1 : 0);
    socket.write(reply(200, { x: "a".repeat(size) }, "ok"));
  });
  expect(await egress.request(get(`${url}exact`))).toMatchObject({ status: 200 });
  expect(await egress.request(get(`${url}more`))).toEqual(egressFailed("too_large"));
});

for (const [what, piece] of [
  ["one header", "a".repeat(65_536)],
  ["headers", `x-a: ${"a".repeat(1_000)}\r\n`.repeat(60)],
] as const) {
  test(`[HOOK-11] an endless head of ${what} is given up early`, async () => {
    const { server, egress, url } = await against((request, it) => {
      request.socket.write(`${HEAD}x: `);
      pour(request, it, Buffer.from(piece));
    });
    expect(await egress.request(get(url))).toEqual(egressFailed(what === "headers" ? "invalid_response" : "too_large"));
    await gone(server);
    expect(server.poured).toBeLessThan(BUFFERS);
  });
}

for (const [what, bytes, error] of [
  ["no HTTP", "SSH-2.0-OpenSSH_9.2\r\n\r\n", "invalid_response"],
  ["two lengths", `${HEAD}content-length: 2\r\ncontent-length: 3\r\n\r\nok`, "invalid_response"],
  ["a negative length", `${HEAD}content-length: -1\r\n\r\n`, "invalid_response"],
  [
    "another protocol",
    "HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n",
    "invalid_response",
  ],
  ["a body that ends early", `${HEAD}content-length: 100\r\n\r\nshort`, "connection_reset"],
  ["nothing, and closes", "", "connection_reset"],
] as const) {
  test(`[HOOK-11] an answer of ${what} is a failure`, async () => {
    const { egress, url } = await against(({ socket }) => void socket.end(bytes));
    expect(await egress.request(get(url, limits(2_000)))).toEqual(egressFailed(error));
  });
}

test("[HOOK-6] a refused and a reset connection have different errors", async () => {
  const { server, egress, url } = await against(({ socket }) => void socket.resetAndDestroy());
  expect(await egress.request(get(url))).toEqual(egressFailed("connection_reset"));
  await server.stop();
  expect(await egress.request(get(url))).toEqual(egressFailed("connection_refused"));
});
