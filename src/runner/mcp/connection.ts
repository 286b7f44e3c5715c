/** One MCP server for one run: connected, asked for its tools, called, and left. */
import type { MCPClient } from "@ai-sdk/mcp";
import type { ToolResult } from "../../../actors/job/ports.ts";
import type { McpServer } from "../../../actors/job/schema.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import type { Egress } from "../../egress/egress.ts";
import { egressFetch } from "./egress-fetch.ts";
import { failureOf } from "./failure.ts";
import type { HeaderSecrets } from "./header-secrets.ts";
import { resultText } from "./result-text.ts";

/** For connecting and listing together: the run waits for it before its first model call. */
export const MCP_LIST_MS = 15_000;
/** For one call. Well under the time of a job, so that the model can still do something else (RUN-3). */
export const MCP_CALL_MS = 120_000;
/** Of one answer as it comes; its text is cut to the limit of a tool's result afterwards. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** Pages of a list of tools. */
const MAX_PAGES = 10;

/** A tool as its server tells it. */
export type ListedTool = Awaited<ReturnType<MCPClient["listTools"]>>["tools"][number];

export interface McpTimes {
  readonly listMs: number;
  readonly callMs: number;
}

export class McpConnection {
  private readonly client: MCPClient;
  private readonly secrets: HeaderSecrets;
  private readonly times: McpTimes;

  private constructor(client: MCPClient, secrets: HeaderSecrets, times: McpTimes) {
    this.client = client;
    this.secrets = secrets;
    this.times = times;
  }

  /** Connects and lists. Closed when `signal` aborts. Throws `McpFailure`. */
  static async open(
    server: McpServer,
    { egress, secrets, times }: { readonly egress: Egress; readonly secrets: HeaderSecrets; readonly times: McpTimes },
    signal: AbortSignal,
  ): Promise<{ readonly connection: McpConnection; readonly tools: readonly ListedTool[] }> {
    const limits = { timeoutMs: times.callMs + times.listMs, maxResponseBytes: MAX_ANSWER_BYTES };
    const fetch = egressFetch(egress, () => secrets.headers(), limits);
    const options = { signal, timeout: times.listMs };
    try {
      // Loaded by the first run that needs it: most services never do, and a start should not wait for it.
      const { createMCPClient } = await import("@ai-sdk/mcp");
      const client = await createMCPClient({
        transport: { type: "http", url: server.url, redirect: "error", fetch: fetch as typeof globalThis.fetch },
        initializationOptions: options,
        clientName: "troupe",
      });
      const close = (): void => void client.close().catch(() => {}); // nobody waits for it any more
      if (signal.aborted) close();
      signal.addEventListener("abort", close, { once: true });
      const tools: ListedTool[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < MAX_PAGES; page++) {
        const listed = await client.listTools({ ...(cursor === undefined ? {} : { params: { cursor } }), options });
        tools.push(...listed.tools);
        cursor = listed.nextCursor;
        if (cursor === undefined) break;
      }
      return { connection: new McpConnection(client, secrets, times), tools };
    } catch (cause) {
      throw failureOf(cause, (text) => secrets.mask(text));
    }
  }

  /** Never rejects. Secrets that the server has echoed are masked. */
  async call(name: string, input: JsonObject, signal: AbortSignal): Promise<ToolResult> {
    const mask = (text: string): string => this.secrets.mask(text);
    try {
      const options = { signal, timeout: this.times.callMs };
      const { content, isError } = resultText(await this.client.callTool({ name, arguments: input, options }));
      return { content: mask(content), isError };
    } catch (cause) {
      return { content: `The MCP server did not do it: ${failureOf(cause, mask).message}.`, isError: true };
    }
  }
}
