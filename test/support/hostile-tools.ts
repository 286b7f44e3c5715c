/** The tools of an agent against the hostile server: `web_fetch`, and one MCP server. */
import type { Toolbox, ToolResult } from "../../actors/job/ports.ts";
import type { AgentSnapshot } from "../../actors/job/schema.ts";
import { createEgress } from "../../src/egress/egress.ts";
import { HeldBytes } from "../../src/runner/held-bytes.ts";
import { mcpTools } from "../../src/runner/mcp/mcp-tools.ts";
import { createTools } from "../../src/runner/tools.ts";
import { webFetch } from "../../src/runner/tools/web-fetch.ts";
import { notFound } from "../../actors/fault.ts";
import { type Sandbox, STEP_CPU_MS } from "../../src/sandbox/sandbox.ts";
import { DEAF_HOST, OPENED_AT } from "./fake-tools.ts";
import { PAUSES } from "./pauses.ts";
import type { HostileServer } from "./hostile.ts";
import { testSandbox } from "./sandbox.ts";

export interface HostileTools {
  readonly box: Toolbox;
  /** Calls it; calls of one step share their budget. */
  call(name: string, input?: Readonly<Record<string, string>>, step?: number): Promise<ToolResult>;
  end(): void;
}

/** `attack`: of the MCP server, whose name is `bad`; null for none. */
export async function openHostileTools(
  server: HostileServer,
  attack: string | null,
  { organizationId = "org_1", sandbox = testSandbox as Sandbox, stepCpuMs = STEP_CPU_MS } = {},
): Promise<HostileTools> {
  const egress = createEgress({ allow: ["127.0.0.1"], production: false });
  const secrets = { read: async () => notFound("secret") };
  const context = { organizationId, userId: "usr_1", agentId: "agt_1", jobId: "job_1", missionId: null };
  const run = new AbortController();
  const tools = createTools([webFetch(egress, sandbox)], {
    pauses: PAUSES,
    stepCpuMs,
    sources: [mcpTools({ egress, sandbox, held: new HeldBytes(), secrets })],
  });
  const mcpServers = attack === null ? [] : [{ name: "bad", url: `${server.address}/mcp/${attack}` }];
  const agent = { allowedTools: ["web_fetch", "bad__*"], approvalTools: [], mcpServers };
  const box = await tools.open(agent as unknown as AgentSnapshot, context, run.signal);
  let calls = 0;
  return {
    box,
    call: (name, input = {}, step = 1) =>
      box.call(
        { name, input, idempotencyKey: `job_1:${step}:${calls++}`, openedAt: OPENED_AT, context, host: DEAF_HOST },
        run.signal,
      ),
    end: () => run.abort(),
  };
}
