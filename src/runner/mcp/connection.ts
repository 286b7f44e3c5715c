/** One MCP server for one run: connect, list its tools, call them, close. */
import { characterStart } from "../../../actors/cut-text.ts";
import type { ToolResult } from "../../../actors/job/ports.ts";
import type { McpServer } from "../../../actors/job/connections.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import type { ReducedCall, ReducedResource } from "../../sandbox/jobs/mcp-answer.ts";
import type { RunningTool } from "../tools/tool.ts";
import type { McpReading } from "./answer-reader.ts";
import type { Egress } from "../../egress/egress.ts";
import { accessedEgress, type ServerAccess } from "./accessed-egress.ts";
import { egressFetch } from "./egress-fetch.ts";
import { ConnectionLacking, failureOf, sandboxFailure, SessionEnded } from "./failure.ts";
import type { HeaderSecrets } from "./header-secrets.ts";
import { type FileKeeper, keptFiles } from "./kept-files.ts";
import type { MCPClient } from "@ai-sdk/mcp";

/** For connecting and listing together: the run waits for it before its first model call. */
export const MCP_LIST_MS = 15_000;
/** For one call. Well under the time limit of a job, so that the model can still do something else (RUN-3). */
export const MCP_CALL_MS = 120_000;
/**
 * Of one raw answer: the longest image as base64, and what is around it. Its text is cut to the limit of a tool's result
 * afterwards.
 */
const MAX_RAW_ANSWER_BYTES = 7.5 * 1024 * 1024;
/** Pages of a list of tools. */
const MAX_PAGES = 10;

/** Tools of a server's list; the agent's own list names some of them. */
const MAX_TOOLS = 2_000;
/** Dropped from the end of a result that the sandbox has cut: a secret that was cut in two would not be found. */
const DOUBTFUL_CHARS = 16_384;

/** A tool as its server lists it. */
export type ListedTool = Awaited<ReturnType<MCPClient["listTools"]>>["tools"][number];

/** Our own tool, which reads what results link to. */
const READ_RESOURCE = "read_resource";
const RESOURCE_READER: ListedTool = {
  name: READ_RESOURCE,
  description: "Reads a resource of this MCP server by its URI, such as one that a tool result names or links to.",
  inputSchema: {
    type: "object",
    properties: { uri: { type: "string", description: "The URI, exactly as the server gave it" } },
    required: ["uri"],
  },
  annotations: { readOnlyHint: true },
};

export interface McpTimes {
  readonly listMs: number;
  readonly callMs: number;
}

/** The run that makes a call. */
export type CallRun = Pick<RunningTool, "signal" | "budget" | "host" | "context">;

/** How to reach servers and read their answers. */
export interface McpWay {
  /** Keeps images and files of results; null where no tool is called. */
  readonly keeper: FileKeeper | null;
  readonly egress: Egress;
  readonly secrets: HeaderSecrets;
  /** The access to a server with `auth`; null: it has none. */
  readonly access: ServerAccess | null;
  readonly times: McpTimes;
  readonly reading: McpReading;
}

export class McpConnection {
  /** The client of the session; a promise while a new session is started. */
  private client: Promise<MCPClient>;
  private readonly server: McpServer;
  private readonly way: McpWay;
  /** The end of the run. */
  private readonly end: AbortSignal;

  /** Whether `read_resource` is ours: the server has resources, and no tool of that name. */
  private readonly readsResources: boolean;

  private constructor(
    client: MCPClient,
    server: McpServer,
    { way, end, readsResources }: { readonly way: McpWay; readonly end: AbortSignal; readonly readsResources: boolean },
  ) {
    this.client = Promise.resolve(client);
    this.readsResources = readsResources;
    this.server = server;
    this.way = way;
    this.end = end;
  }

  /** Connects and lists the tools. Closes when `signal` aborts. Throws `McpFailure`. */
  static async open(
    server: McpServer,
    way: McpWay,
    signal: AbortSignal,
  ): Promise<{ readonly connection: McpConnection; readonly tools: readonly ListedTool[] }> {
    const { secrets, times } = way;
    try {
      const client = await connectClient(server, way, signal);
      const options = { signal, timeout: times.listMs };
      const tools: ListedTool[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < MAX_PAGES; page++) {
        const listed = await client.listTools({ ...(cursor === undefined ? {} : { params: { cursor } }), options });
        tools.push(...listed.tools);
        // A server that gives a cursor again would be listed in a circle.
        if (listed.nextCursor === cursor) break;
        cursor = listed.nextCursor;
        if (cursor === undefined || tools.length >= MAX_TOOLS) break;
      }
      const { resources } = client.initializeResult.capabilities;
      const readsResources = resources !== undefined && tools.every(({ name }) => name !== READ_RESOURCE);
      if (readsResources) tools.push(RESOURCE_READER);
      return { connection: new McpConnection(client, server, { way, end: signal, readsResources }), tools };
    } catch (cause) {
      throw failureOf(cause, (text) => secrets.mask(text));
    }
  }

  /** Calls a tool. Never rejects. Secrets that the server echoes are masked. Calls of one step share the budget. */
  async call(name: string, input: JsonObject, run: CallRun): Promise<ToolResult> {
    const mask = (text: string): string => this.way.secrets.mask(text);
    this.way.reading.budget = run.budget;
    try {
      // Do not call if nothing can parse the answer.
      if (run.budget.isSpent) throw sandboxFailure("over_budget", "");
      const options = { signal: run.signal, timeout: this.way.times.callMs };
      const isRead = name === READ_RESOURCE && this.readsResources;
      const result = await this.asked<object>((client) =>
        isRead
          ? client.readResource({ uri: String(input["uri"]), options })
          : client.callTool({ name, arguments: input, options }),
      );
      const { text, cut, files, isError } = reducedForm(result);
      using found = this.way.reading.results.take(files);
      const tool = `${this.server.name}__${name}`;
      const kept = await keptFiles(found.files, { ...run, keeper: this.way.keeper, tool, mask });
      const shown =
        cut === null ? mask(text) : `${withoutEnd(mask(text))}\n[Cut: the server's answer has ${cut} bytes.]`;
      // The notes come first: the end of a long text is cut.
      const content = [...kept.notes, shown].join("\n");
      return { content, isError, ...(kept.blocks.length === 0 ? {} : { attachments: kept.blocks }) };
    } catch (cause) {
      const failure = failureOf(cause, mask);
      return {
        content: `The call to the MCP server failed: ${failure.message}.`,
        isError: true,
        ...(failure instanceof ConnectionLacking ? { lacks: failure.need } : {}),
      };
    }
  }

  /** Asks; where the server has ended the session, again in a new one, as the protocol demands. */
  private async asked<T>(ask: (client: MCPClient) => Promise<T>): Promise<T> {
    const used = this.client;
    try {
      return await ask(await used);
    } catch (cause) {
      if (!(failureOf(cause, (text) => text) instanceof SessionEnded)) throw cause;
      // Several calls of a step may find the session ended; only one of them starts a new one.
      if (this.client === used) this.begin(used);
      return await ask(await this.client);
    }
  }

  /** Begins a session in the place of this one, which the next call finds again if that fails. */
  private begin(former: Promise<MCPClient>): void {
    this.client = connectClient(this.server, this.way, this.end);
    this.client.catch(() => (this.client = former));
  }
}

const withoutEnd = (text: string): string => text.slice(0, characterStart(text, text.length - DOUBTFUL_CHARS));

/** A client in a new session, which is closed when `signal` aborts. */
async function connectClient(
  server: McpServer,
  { egress, secrets, access, times, reading }: McpWay,
  signal: AbortSignal,
): Promise<MCPClient> {
  const limits = { timeoutMs: times.callMs + times.listMs, maxResponseBytes: MAX_RAW_ANSWER_BYTES };
  const way = access === null ? egress : accessedEgress(egress, access, secrets);
  const fetch = egressFetch(way, () => secrets.headers(), { limits, reading });
  // The first run that needs it loads it: most services never do, and the start should not wait for it.
  const { createMCPClient } = await import("@ai-sdk/mcp");
  const client = await createMCPClient({
    transport: { type: "http", url: server.url, redirect: "error", fetch: fetch as typeof globalThis.fetch },
    initializationOptions: { signal, timeout: times.listMs },
    clientName: "troupe",
  });
  const close = (): void => void client.close().catch(() => {}); // nobody waits for it any more
  if (signal.aborted) close();
  signal.addEventListener("abort", close, { once: true });
  return client;
}

/** The sandbox's form of a result: one text, and the key of its files. */
function reducedForm(result: object) {
  const { content, contents, isError, _meta: meta } = result as Partial<ReducedCall & ReducedResource>;
  const text = (content ?? contents)?.[0]?.text;
  const files: unknown = meta?.files;
  return { text: typeof text === "string" ? text : "", cut: meta?.cut ?? null, files, isError: isError === true };
}
