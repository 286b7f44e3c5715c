/** A real MCP server over HTTP, on the official SDK: its tools do what tests need, and it notes what it hears. */
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  type ReadResourceResult,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";

export interface McpServerUnderTest {
  readonly url: string;
  readonly port: number;
  /** Names of the tools that were called, in order. */
  readonly calls: string[];
  /** Calls that were called off while they ran. */
  readonly cancelled: string[];
  /** `authorization` of each request. */
  readonly authorizations: (string | null)[];
  /** How often its tools were listed. */
  readonly listings: () => number;
  /** Sessions that are open. */
  readonly sessions: ReadonlyMap<string, object>;
  stop(): Promise<void>;
}

/** What a tool is called with: its arguments, the headers of the request, and the end of the call. */
export interface McpCall {
  readonly input: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
  readonly signal: AbortSignal;
}

export interface McpTool extends Partial<Tool> {
  readonly name: string;
  run(call: McpCall): CallToolResult | Promise<CallToolResult>;
}

export const textResult = (text: string): CallToolResult => ({ content: [{ type: "text", text }] });

interface McpServerOptions {
  /** May answer a request before the server sees it. */
  readonly refuse?: (request: Request) => Response | null;
  readonly json?: boolean;
  /** What reading a resource answers; absent: the server has none. */
  readonly resource?: (uri: string) => ReadResourceResult["contents"];
  /** Changes the results that the server sends; only with `json`. */
  readonly rewrite?: (result: Record<string, unknown>) => object;
}

export function startMcpServer(
  tools: readonly McpTool[],
  { refuse, json = false, rewrite, resource }: McpServerOptions = {},
): McpServerUnderTest {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const calls: string[] = [];
  const cancelled: string[] = [];
  const authorizations: (string | null)[] = [];
  let listings = 0;

  async function open(): Promise<WebStandardStreamableHTTPServerTransport> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
      enableJsonResponse: json,
    });
    const server = new Server(
      { name: "test", version: "1.0.0" },
      {
        capabilities: { tools: {}, ...(resource === undefined ? {} : { resources: {} }) },
      },
    );
    if (resource !== undefined)
      server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => ({ contents: resource(params.uri) }));
    server.setRequestHandler(ListToolsRequestSchema, () => {
      listings++;
      return { tools: tools.map((tool) => ({ inputSchema: { type: "object" as const }, ...tool, run: undefined })) };
    });
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, requestInfo }) => {
      const tool = tools.find(({ name }) => name === params.name);
      if (tool === undefined) throw new Error("no such tool");
      calls.push(tool.name);
      signal.addEventListener("abort", () => cancelled.push(tool.name), { once: true });
      const headers = new Headers(requestInfo?.headers as Record<string, string>);
      return tool.run({ input: params.arguments ?? {}, headers, signal });
    });
    await server.connect(transport);
    return transport;
  }

  const listener = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      authorizations.push(request.headers.get("authorization"));
      const refused = refuse?.(request) ?? null;
      if (refused !== null) return refused;
      const session = sessions.get(request.headers.get("mcp-session-id") ?? "");
      const answer = await (session ?? (await open())).handleRequest(request);
      if (rewrite === undefined || !(answer.headers.get("content-type") ?? "").includes("json")) return answer;
      const message = (await answer.json()) as { result?: Record<string, unknown> };
      const changed = message.result === undefined ? message : { ...message, result: rewrite(message.result) };
      return Response.json(changed, { status: answer.status, headers: answer.headers });
    },
  });
  const port = listener.port ?? 0;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    port,
    calls,
    cancelled,
    authorizations,
    listings: () => listings,
    sessions,
    stop: () => listener.stop(true),
  };
}
