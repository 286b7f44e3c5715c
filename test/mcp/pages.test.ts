/** Clients of MCP in a page of another origin: a browser sends and shows only the headers that CORS allows. */
import { expect, test } from "bun:test";
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { sceneOfFile } from "../support/scene.ts";

const CONSOLE = "https://console.example";
const { service, owner } = sceneOfFile({ settings: { corsOrigins: [CONSOLE] } });

const names = (list: string | null): readonly string[] => (list ?? "").toLowerCase().split(/,\s*/);
/** Headers that need no leave (CORS-safelisted in the Fetch standard). */
const FREE_TO_SEND = ["accept"];
const FREE_TO_READ = ["cache-control", "content-type"];

/** `fetch` as a browser lets a page of the origin use it. */
async function fetchInPage(url: string | URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const method = init.method ?? "GET";
  const sent = [...headers.keys()].filter((name) => !FREE_TO_SEND.includes(name));
  if (sent.length > 0 || method === "DELETE") {
    const asked = { "access-control-request-method": method, "access-control-request-headers": sent.join(",") };
    const allowed = (await fetch(url, { method: "OPTIONS", headers: { ...asked, origin: CONSOLE } })).headers;
    if (!names(allowed.get("access-control-allow-methods")).includes(method.toLowerCase()))
      throw new TypeError(`CORS: ${method}`);
    const settable = names(allowed.get("access-control-allow-headers"));
    const refused = sent.filter((name) => !settable.includes(name));
    if (refused.length > 0) throw new TypeError(`CORS: ${refused.join()}`);
  }
  headers.set("origin", CONSOLE);
  const answer = await fetch(url, { ...init, headers });
  if (!["*", CONSOLE].includes(answer.headers.get("access-control-allow-origin") ?? "")) throw new TypeError("CORS");
  const exposed = [...FREE_TO_READ, ...names(answer.headers.get("access-control-expose-headers"))];
  const shown = [...answer.headers].filter(([name]) => exposed.includes(name));
  return new Response(answer.body, { status: answer.status, headers: shown });
}

test("[GEN-13] a page of a configured origin is a client of MCP, with a session and without one", async () => {
  const requestInit = { headers: { authorization: `Bearer ${owner.token}` } };
  const options = { requestInit, fetch: fetchInPage };
  const legacy = new LegacyClient({ name: "page", version: "1" });
  const transport = new LegacyTransport(new URL(`${service.url}/mcp`), options);
  await legacy.connect(transport as never);
  expect((await legacy.listTools()).tools.length).toBeGreaterThan(20);
  expect(transport.sessionId).toBeString();
  await transport.terminateSession();
  await legacy.close();
  const modern = new ModernClient(
    { name: "page", version: "1" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  await modern.connect(new ModernTransport(new URL(`${service.url}/mcp`), options));
  const listed = await modern.callTool({ name: "list_agents", arguments: {} });
  expect(listed.structuredContent).toMatchObject({ agents: expect.any(Array) });
  await modern.close();
});

test("[GEN-13] a page of a configured origin can read where to sign in, and which scope a token lacks", async () => {
  const read = async (token?: string): Promise<string | null> => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return (await fetchInPage(`${service.url}/mcp`, { headers })).headers.get("www-authenticate");
  };
  expect(await read()).toContain("resource_metadata=");
  expect(await read((await service.tokenFor(owner, { scopes: ["agents:read"] })).token)).toContain('scope="mcp"');
});
