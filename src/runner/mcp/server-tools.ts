/** What tools an MCP server has, for those who choose some for an agent: connected, listed and left. */
import type { McpServer } from "../../../actors/job/connections.ts";
import { CpuBudget } from "../../sandbox/cpu-budget.ts";
import { LEFT_OUT } from "../../sandbox/jobs/mcp-reduction.ts";
import { MCP_CALL_MS, McpConnection } from "./connection.ts";
import { failureOf } from "./failure.ts";
import { HeaderSecrets } from "./header-secrets.ts";
import { describedTool, type DescribedTool, type McpParts, shownBy } from "./mcp-tools.ts";

/** For connecting and listing: a person waits for it. */
const LIST_MS = 5_000;
/** Tools of one server that are listed; an agent that names more gets the first of those that it names. */
export const MAX_LISTED_TOOLS = 256;

export interface FoundServer {
  readonly tools: readonly DescribedTool[];
  readonly leftOut: number;
  /** Null: it answered. */
  readonly problem: string | null;
}

/** Never rejects. */
export async function serverTools(
  { egress, sandbox, held, secrets: reader, times = {} }: Omit<McpParts, "log">,
  organizationId: string,
  server: McpServer,
): Promise<FoundServer> {
  const secrets = new HeaderSecrets(reader, organizationId, server);
  const leaving = new AbortController();
  try {
    const { tools } = await McpConnection.open(
      server,
      {
        egress,
        secrets,
        times: { listMs: LIST_MS, callMs: MCP_CALL_MS, ...times },
        reading: { sandbox, held, organizationId, budget: new CpuBudget() },
      },
      leaving.signal,
    );
    const fitting = tools
      // A name with a secret in it cannot be shown, nor be another one.
      .filter(({ _meta: meta, name }) => meta?.[LEFT_OUT] !== true && secrets.mask(name) === name)
      .slice(0, MAX_LISTED_TOOLS);
    const described = fitting.map((tool) => describedTool(server.name, tool, shownBy(secrets)));
    return { tools: described, leftOut: tools.length - fitting.length, problem: null };
  } catch (cause) {
    const why = failureOf(cause, (text) => secrets.mask(text)).message;
    return { tools: [], leftOut: 0, problem: `The MCP server ${server.name} cannot be used: ${why}.` };
  } finally {
    leaving.abort();
  }
}
