/** Variables of the environment that change where `fetch` goes, or whom it trusts, change nothing here. */
import { afterEach, expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { createEgressWorld, type EgressWorld } from "../support/egress-world.ts";
import { reply, type WireRequest } from "../support/wire-server.ts";

const CHILD = fileURLToPath(new URL("../support/egress-child.ts", import.meta.url));
const ok = ({ socket }: WireRequest): void => void socket.write(reply(200, {}, "direct"));

let world: EgressWorld;
afterEach(() => world.end());

async function results(urls: readonly string[], env: Readonly<Record<string, string>>): Promise<unknown> {
  const argument = JSON.stringify({ ca: world.authority.cert, urls });
  const child = Bun.spawn([process.execPath, CHILD, argument], {
    env: { PATH: "/usr/bin:/bin", ...env },
    stdout: "pipe",
    stderr: "inherit",
  });
  return JSON.parse(await new Response(child.stdout).text());
}

test("[HOOK-11] proxy variables are ignored", async () => {
  world = createEgressWorld();
  const proxy = await world.servePlain(({ socket }) => void socket.end(reply(200, {}, "by the proxy")));
  const [secure, plain] = [await world.serve(ok), await world.servePlain(ok)];
  const address = `http://127.0.0.1:${proxy.port}`;
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => [name, name.toLowerCase()]);
  const env = { ...Object.fromEntries(names.map((name) => [name, address])), NO_PROXY: "", no_proxy: "" };
  const urls = [`https://a.test:${secure.port}/`, `http://a.test:${plain.port}/`, `https://127.0.0.1:${secure.port}/`];
  expect(await results(urls, env)).toEqual(["200 direct", "200 direct", "200 direct"]);
  expect(proxy.connections).toBe(0);
});

test("[HOOK-11] NODE_TLS_REJECT_UNAUTHORIZED is ignored", async () => {
  world = createEgressWorld();
  const server = await world.serve(ok, { certificates: { "": world.authority.issue(["b.test"]) } });
  expect(await results([`https://a.test:${server.port}/`], { NODE_TLS_REJECT_UNAUTHORIZED: "0" })).toEqual([
    "tls_error",
  ]);
  expect(server.requests).toEqual([]);
});
