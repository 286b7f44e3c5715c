/** A run with the tools of an MCP server on the official SDK, over the guarded client. */
import { notFound, ok } from "../../actors/fault.ts";
import type { Toolbox, ToolResult } from "../../actors/job/ports.ts";
import type { McpServer } from "../../actors/job/connections.ts";
import type { AgentSnapshot } from "../../actors/job/schema.ts";
import { createEgress, type EgressSettings } from "../../src/egress/egress.ts";
import { HeldBytes } from "../../src/runner/held-bytes.ts";
import { testSandbox } from "./sandbox.ts";
import { mcpTools } from "../../src/runner/mcp/mcp-tools.ts";
import { DEFAULT_RESULT_BYTES } from "../../actors/job/limits.ts";
import { createTools } from "../../src/runner/tools.ts";
import { DEAF_HOST, OPENED_AT } from "./fake-tools.ts";
import { PAUSES } from "./pauses.ts";
import { type McpServerUnderTest, type McpTool, startMcpServer, textResult } from "./mcp-server.ts";

export const SECRET = "s3cr3t/value+of=crm";
const CONTEXT = { organizationId: "org_1", userId: "usr_1", agentId: "agt_1", jobId: "job_1", missionId: null };
export const AUTHORIZATION = { name: "Authorization", secret: "crm", prefix: "Bearer " };

export const TOOLS: readonly McpTool[] = [
  { name: "echo", annotations: { readOnlyHint: true }, run: ({ input }) => textResult(JSON.stringify(input)) },
  {
    name: "headers",
    description: `Shows ${SECRET}`,
    run: ({ headers }) => {
      const heard = headers.get("authorization") ?? "none";
      return textResult([heard, JSON.stringify({ heard }), btoa(SECRET), encodeURIComponent(SECRET)].join("\n"));
    },
  },
  {
    name: "slow",
    run: ({ signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(textResult("late")))),
  },
  { name: "fails", run: () => ({ ...textResult(`bad ${SECRET}`), isError: true }) },
  {
    name: "throws",
    run: () => {
      throw new Error(`argument x is wrong, ${SECRET}`);
    },
  },
  { name: "huge", annotations: { idempotentHint: true }, run: () => textResult("x".repeat(DEFAULT_RESULT_BYTES + 1)) },
  { name: "endless", run: () => textResult("x".repeat(8 * 1024 * 1024)) },
  {
    name: "mixed",
    run: () => ({
      content: [
        { type: "text", text: "one" },
        { type: "audio", data: "AAAA", mimeType: "audio/wav" },
        { type: "resource", resource: { uri: "file:///a", text: "inside" } },
        { type: "resource", resource: { uri: "file:///c", blob: btoa("a,b"), mimeType: "text/csv" } },
        { type: "resource_link", uri: "file:///b", name: "b", mimeType: "image/png" },
      ],
    }),
  },
  { name: "structured", run: () => ({ content: [], structuredContent: { a: 1 } }) },
];

const started: McpServerUnderTest[] = [];
const runs: AbortController[] = [];
export async function endMcpServers(): Promise<void> {
  for (const run of runs.splice(0)) run.abort();
  for (const server of started.splice(0)) await server.stop();
}

export function serve(tools = TOOLS, options: Parameters<typeof startMcpServer>[1] = {}): McpServerUnderTest {
  const server = startMcpServer(tools, options);
  started.push(server);
  return server;
}

interface Opened {
  readonly box: Toolbox;
  readonly warnings: object[];
  end(): void;
  call(name: string, input?: object, signal?: AbortSignal): Promise<ToolResult>;
}

export async function open(
  servers: readonly McpServer[],
  { allowed = ["crm__*"], approval = [] as string[], egress = {} as Partial<EgressSettings>, times = {} } = {},
): Promise<Opened> {
  const run = new AbortController();
  runs.push(run);
  const warnings: object[] = [];
  const log = { warn: (details: object) => void warnings.push(details), error: () => {} };
  const client = createEgress({ allow: ["127.0.0.1"], production: false, ...egress });
  const secrets = { read: async (_: string, name: string) => (name === "crm" ? ok(SECRET) : notFound("secret")) };
  const tools = createTools([], {
    pauses: PAUSES,
    sources: [mcpTools({ sandbox: testSandbox, held: new HeldBytes(), egress: client, secrets, log, times })],
  });
  const agent = { allowedTools: allowed, approvalTools: approval, mcpServers: [...servers] };
  const box = await tools.open(agent as unknown as AgentSnapshot, CONTEXT, run.signal);
  const call: Opened["call"] = (name, input = {}, signal = run.signal) =>
    box.call(
      {
        name,
        input: { ...input },
        idempotencyKey: "job_1:1:0",
        openedAt: OPENED_AT,
        context: CONTEXT,
        host: DEAF_HOST,
      },
      signal,
    );
  return { box, warnings, end: () => run.abort(), call };
}

export const crm = (url: string, headers: McpServer["headers"] = []): McpServer => ({ name: "crm", url, headers });
export const namesOf = ({ box }: Opened): string[] => box.tools.map(({ name }) => name);
