/** Port: the tools of agents' MCP servers, as people see them in lists (RUN-21). */
import type { McpServer } from "../../actors/job/connections.ts";
import type { ToolInfo } from "./tool-catalogue.ts";

/** The tools that one server has listed. */
export interface ServerTools {
  readonly server: string;
  /** Tools under the names that agents see; empty if the server cannot be used. */
  readonly tools: readonly ToolInfo[];
  /** Tools left out because there are too many or their schemas are too large. */
  readonly leftOut: number;
  /** Why the server cannot be used; null if it answered. */
  readonly problem: string | null;
  /** When the server was asked, wall clock in ms. */
  readonly askedAt: number;
}

export interface McpCatalogue {
  /** Asks each server, unless it was asked recently. Never rejects: `problem` says why a server did not answer. */
  toolsOf(organizationId: string, servers: readonly McpServer[]): Promise<readonly ServerTools[]>;
  /** The names of all tools of a server, if it was asked recently; null if it was not. Asks nothing. */
  namesOf(organizationId: string, server: McpServer): readonly string[] | null;
}
