/** The proxy for programs without a network: what it lets out, what it refuses, and what it costs at most. */
import { afterEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEgress } from "../../src/egress/egress.ts";
import { openTunnels, type TunnelLimits } from "../../src/egress/tunnels.ts";
import { hostRules } from "../../src/settings/shell.ts";
import { until } from "../support/condition.ts";

const LIMITS: TunnelLimits = { connections: 2, bytes: 1_000_000, connectMs: 60_000 };
const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

/** Sends back what it gets. */
async function echo(): Promise<number> {
  const server: Server = createServer((socket) => {
    socket.on("error", () => {}).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  undo.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function proxyTo(hosts: readonly string[], limits = LIMITS, allow: readonly string[] = ["echo.test"]) {
  const folder = mkdtempSync(join(tmpdir(), "troupe-tunnel-"));
  const egress = createEgress({ allow, production: true, resolve: () => Promise.resolve(["127.0.0.1"]) });
  const path = join(folder, "proxy");
  const tunnels = await openTunnels(egress, { path, isAllowed: hostRules(hosts), limits });
  undo.push(
    () => rmSync(folder, { recursive: true }),
    () => egress.close(),
    () => tunnels.close(),
  );
  return { path, tunnels };
}

/** Sends a text, and answers what has come when it is closed, or when `enough` of it is there. */
function say(path: string, text: string, enough = /$^/): Promise<string> {
  return new Promise((resolve) => {
    let seen = "";
    const socket = connect(path);
    socket.on("error", () => {}).on("close", () => resolve(seen));
    socket.on("data", (chunk) => {
      seen += chunk.toString("latin1");
      if (enough.test(seen)) socket.destroy();
    });
    socket.write(text);
  });
}
const ask = (host: string): string => `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;

test("[WSP-17] bytes go both ways to an allowed host, including those after the head", async () => {
  const port = await echo();
  const { path } = await proxyTo([`echo.test:${port}`]);
  const answer = await say(path, `${ask(`echo.test:${port}`)}hello there`, /hello there/);
  expect(answer).toBe("HTTP/1.1 200 Connected\r\n\r\nhello there");
});

test("[WSP-17] a host that is not allowed, not a name, or without a public address is refused, with the reason", async () => {
  const port = await echo();
  const { path } = await proxyTo([`*.test:${port}`, `closed.test:1`], LIMITS, ["echo.test", "closed.test"]);
  for (const [text, status, why] of [
    [ask(`echo.example:${port}`), 403, `echo.example:${port} is not in SHELL_HOSTS`],
    [ask(`echo.test:${port === 443 ? 444 : 443}`), 403, "is not in SHELL_HOSTS"],
    [ask(`inside.test:${port}`), 502, "blocked_address"],
    [ask("closed.test:1"), 502, "connection_refused"],
    [ask(`127.0.0.1:${port}`), 403, "is not in SHELL_HOSTS"],
    [ask(`[::1]:${port}`), 501, "only CONNECT"],
    [`GET http://echo.test:${port}/ HTTP/1.1\r\n\r\n`, 501, "only CONNECT"],
    [`CONNECT echo.test:${port}@inside.test:1 HTTP/1.1\r\n\r\n`, 501, "only CONNECT"],
  ] as const) {
    const answer = await say(path, text);
    expect([text, answer.split("\r\n")[0]]).toEqual([text, `HTTP/1.1 ${status} Refused`]);
    expect(answer).toContain(why);
  }
  expect(await say(path, "x".repeat(20_000))).toBe("");
});

test("[WSP-17] connections and bytes are limited, and all end with the proxy", async () => {
  const port = await echo();
  const { path, tunnels } = await proxyTo([`echo.test:${port}`]);
  const opened = () =>
    new Promise<{ readonly closed: Promise<string> }>((resolve) => {
      const socket = connect(path);
      const closed = new Promise<string>((end) => socket.on("error", () => {}).on("close", () => end("closed")));
      socket.once("data", () => resolve({ closed })).write(ask(`echo.test:${port}`));
    });
  const held = [await opened(), await opened()];
  expect(await say(path, ask(`echo.test:${port}`))).toContain("503 Refused");
  await tunnels.close();
  expect(await Promise.all(held.map(({ closed }) => closed))).toEqual(["closed", "closed"]);

  const small = await proxyTo([`echo.test:${port}`], { ...LIMITS, bytes: 10_000 });
  const cut = await say(small.path, `${ask(`echo.test:${port}`)}${"x".repeat(9_000)}`);
  expect(cut.length).toBeLessThan(12_000);
  expect(await say(small.path, ask(`echo.test:${port}`))).toContain("used up");
});

test("[WSP-17] nothing is connected for a command that has ended while its host was looked up", async () => {
  let connected = 0;
  const server = createServer((socket) => {
    connected++;
    socket.on("error", () => {}).end("hello");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const folder = mkdtempSync(join(tmpdir(), "troupe-tunnel-"));
  const lookUps: (() => void)[] = [];
  const url = new URL(`https://echo.test:${port}/`);
  const found = {
    kind: "destination",
    url,
    addresses: ["127.0.0.1"],
    serverName: "echo.test",
    isOpened: true,
  } as const;
  const resolve = () => new Promise<typeof found>((end) => lookUps.push(() => end(found)));
  const path = join(folder, "proxy");
  const tunnels = await openTunnels(
    { resolve },
    { path, isAllowed: () => true, limits: { ...LIMITS, connections: 1 } },
  );
  undo.push(
    () => rmSync(folder, { recursive: true }),
    () => server.close(),
  );
  const cut = say(path, ask(`echo.test:${port}`));
  await until("the host is looked up", () => lookUps.length === 1);
  await tunnels.close();
  expect(await cut).toBe("");
  for (const end of lookUps) end();
  await Promise.resolve();
  // A connection of the proxy would have come before this one.
  await new Promise((heard) =>
    connect(port, "127.0.0.1")
      .on("error", () => {})
      .once("data", heard),
  );
  expect(connected).toBe(1);
});

test("[WSP-17] an entry allows a name, all names below one, or every host, at its port", () => {
  const isOpen = hostRules(["one.example", "*.below.example:8443", "Upper.Example"]);
  expect(isOpen("one.example", 443)).toBe(true);
  expect(isOpen("ONE.example.", 443)).toBe(true);
  expect(isOpen("one.example", 80)).toBe(false);
  expect(isOpen("two.one.example", 443)).toBe(false);
  expect(isOpen("a.b.below.example", 8443)).toBe(true);
  expect(isOpen("below.example", 8443)).toBe(false);
  expect(isOpen("notbelow.example", 8443)).toBe(false);
  expect(isOpen("upper.example", 443)).toBe(true);
  expect(hostRules(["*"])("any.example", 443)).toBe(true);
});
