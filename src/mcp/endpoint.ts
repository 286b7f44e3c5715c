/**
 * Messages of MCP over Streamable HTTP, in both eras on one path (MCP-1):
 *
 *   POST /mcp ─ Host, Origin ─┬─ 2025-03-26 … 2025-11-25 ─▶ transport of one message
 *                             └─ 2026-07-28              ─▶ stateless handler
 *
 * Neither keeps anything between two messages.
 */
import {
  createMcpHandler,
  isLegacyRequest,
  type McpHttpHandler,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { isDeeper } from "../../actors/json-shape.ts";
import { MAX_JSON_DEPTH } from "../../actors/clean-text.ts";
import { ok, type Outcome, refuse } from "../../actors/fault.ts";
import type { Input } from "../http/contract/operation.ts";
import { MCP_RESOURCE } from "../http/contract/oauth-paths.ts";
import type { Caller } from "../http/request/caller.ts";
import type { McpOperations } from "./operations.ts";
import { type Allowed, originFault } from "./origin.ts";
import { mcpServer, type ServerParts } from "./server.ts";
import { scopeFault } from "./tool-call.ts";

/** Silence on a stream after which a comment shows that the connection lives. */
const KEEP_ALIVE_MS = 10_000;
/** A stream may be silent for so long before the connection is closed. */
const QUIET_SECONDS = 30;

type Message = Input<McpOperations["sendMcpMessage"]>;

export interface EndpointParts extends ServerParts {
  readonly allowed: () => Allowed;
}

export class McpEndpoint {
  private readonly parts: EndpointParts;
  private readonly modern: McpHttpHandler;

  constructor(parts: EndpointParts) {
    this.parts = parts;
    this.modern = createMcpHandler(
      (context) => mcpServer(parts, { caller: callerIn(context.authInfo), era: "modern" }),
      {
        legacy: "reject",
        keepAliveMs: KEEP_ALIVE_MS,
        onerror: (err) => parts.services.log.info({ err }, "a message of MCP was refused"),
      },
    );
  }

  /** Answers one message. */
  async take(caller: Caller, { headers, body }: Message): Promise<Outcome<Response>> {
    const forwarded = new Headers(
      Object.entries(headers).flatMap(([name, value]): [string, string][] =>
        value === undefined ? [] : [[name, value]],
      ),
    );
    const foreign = originFault(forwarded, this.parts.allowed());
    if (foreign !== null) return refuse(foreign);
    const parsed = messageIn(body.bytes);
    if (parsed === undefined) return ok(rpcError(400, -32_700, "Parse error: the body is no JSON"));
    const lacking = this.lackingScope(caller, parsed);
    if (lacking !== null) return refuse(lacking);
    forwarded.set("content-type", "application/json");
    const url = this.parts.allowed().appUrl + MCP_RESOURCE;
    const request = new Request(url, { method: "POST", headers: forwarded, signal: caller.signal });
    caller.keepOpen(QUIET_SECONDS);
    return ok(
      (await isLegacyRequest(request, parsed))
        ? await this.legacy(caller, request, parsed)
        : await this.modern.fetch(request, { parsedBody: parsed, authInfo: authInfoOf(caller) }),
    );
  }

  /** A tool that the token does not allow is refused before anything else, so that a client can ask for the scope. */
  private lackingScope(caller: Caller, parsed: unknown) {
    const { method, params } = (Array.isArray(parsed) ? {} : parsed) as {
      readonly method?: unknown;
      readonly params?: { readonly name?: unknown };
    };
    const tool = method === "tools/call" ? this.parts.tools.get(String(params?.name)) : undefined;
    return tool === undefined ? null : scopeFault(tool, caller);
  }

  /** Answers are JSON; only calls that wait for a job are streams. */
  private async legacy(caller: Caller, request: Request, parsed: unknown): Promise<Response> {
    const server = mcpServer(this.parts, { caller, era: "legacy" });
    const transport = new WebStandardStreamableHTTPServerTransport({
      enableJsonResponse: !this.isWaiting(parsed),
      keepAliveMs: KEEP_ALIVE_MS,
    });
    await server.connect(transport);
    return transport.handleRequest(request, { parsedBody: parsed });
  }

  /** Whether the message calls a tool that waits for a job. */
  private isWaiting(parsed: unknown): boolean {
    return [parsed].flat().some((message) => {
      const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } };
      const runs = method === "tools/call" ? this.parts.tools.get(String(params?.name))?.spec.runs : undefined;
      return runs === "wait" || runs === "execute";
    });
  }
}

/** The JSON in a body; undefined where there is none that we take. */
function messageIn(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (isDeeper(text, MAX_JSON_DEPTH)) return undefined;
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

const rpcError = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status });

/** The SDK hands on who asks as what it knows of a token. */
const authInfoOf = (caller: Caller) => ({
  token: "",
  clientId: caller.principal.tokenId,
  scopes: [...caller.principal.scopes],
  extra: { caller },
});

function callerIn(authInfo: { readonly extra?: Readonly<Record<string, unknown>> } | undefined): Caller {
  return authInfo?.extra?.["caller"] as Caller;
}
