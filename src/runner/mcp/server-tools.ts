/** Lists the tools of an MCP server for people who choose tools for an agent: connect, list, close. */
import type { McpServer } from "../../../actors/job/connections.ts";
import type { ActingAgent } from "../../../actors/job/ports.ts";
import { identityOf } from "../agent-identity.ts";
import { CpuBudget } from "../../sandbox/sandbox.ts";
import { MCP_CALL_MS, McpConnection } from "./connection.ts";
import { accessOf } from "./accessed-egress.ts";
import { failureOf } from "./failure.ts";
import { ResultBytes } from "./result-bytes.ts";
import { HeaderSecrets } from "./header-secrets.ts";
import { describedTool, type DescribedTool, type McpToolParts, shownBy, offerableTools } from "./mcp-tools.ts";

/** For connecting and listing: a person waits for it. */
const LIST_MS = 5_000;
/** Listed tools of one server; an agent that names more gets the first of those that it names. */
export const MAX_LISTED_TOOLS = 256;

export interface FoundServer {
  readonly tools: readonly DescribedTool[];
  readonly leftOut: number;
  /** Null if it answered. */
  readonly problem: string | null;
}

/** Never rejects. */
export async function serverTools(
  { egress, sandbox, held, secrets: reader, connections, identities, times = {} }: Omit<McpToolParts, "log" | "keeper">,
  by: ActingAgent,
  server: McpServer,
): Promise<FoundServer> {
  const { organizationId } = by;
  const secrets = new HeaderSecrets(reader, organizationId, server, identityOf(identities, server, by));
  const leaving = new AbortController();
  try {
    const { tools } = await McpConnection.open(
      server,
      {
        egress,
        secrets,
        access: accessOf(connections, by, server),
        times: { listMs: LIST_MS, callMs: MCP_CALL_MS, ...times },
        keeper: null,
        reading: {
          sandbox,
          held,
          results: new ResultBytes(held, organizationId, leaving.signal),
          organizationId,
          budget: new CpuBudget(),
        },
      },
      leaving.signal,
    );
    const fitting = offerableTools(tools)
      // A name that contains a secret cannot be shown, and masking it would make a different name.
      .filter(({ name }) => secrets.mask(name) === name)
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
