/** Clients of the MCP endpoint that others have written, for a caller of a test. */
import {
  Client as ModernClient,
  type ClientCapabilities,
  StreamableHTTPClientTransport as ModernTransport,
} from "@modelcontextprotocol/client";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Caller, Service } from "./service.ts";

/** `@modelcontextprotocol/sdk` 1.x: revision 2025-11-25. */
export async function legacyClient(
  { url }: Service,
  { token }: Caller,
  capabilities: ClientCapabilities = {},
): Promise<LegacyClient> {
  const client = new LegacyClient({ name: "legacy", version: "1.0.0" }, { capabilities });
  const transport = new LegacyTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  // Its types do not know `exactOptionalPropertyTypes`.
  await client.connect(transport as never);
  return client;
}

/** `@modelcontextprotocol/client` 2.x: the stateless revision 2026-07-28. */
export async function modernClient(
  { url }: Service,
  { token }: Caller,
  capabilities: ClientCapabilities = {},
): Promise<ModernClient> {
  const client = new ModernClient(
    { name: "modern", version: "1.0.0" },
    { capabilities, versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  const transport = new ModernTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  return client;
}

/** One message as HTTP; the headers that a client of 2025-11-25 sends, and more. */
export const postMcp = (
  { url }: Service,
  token: string | null,
  message: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: typeof message === "string" ? message : JSON.stringify(message),
  });

/** A request of JSON-RPC. */
export const rpc = (method: string, params: object = {}, id: string | number = 1) => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
});
