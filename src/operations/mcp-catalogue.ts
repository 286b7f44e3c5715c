/** Port: the tools of agents' MCP servers, as they are listed for people (RUN-21). */
import type { McpServer } from "../../actors/job/connections.ts";
import type { ToolInfo } from "./tool-catalogue.ts";

/** What one server was found to have. */
export interface ServerTools {
  readonly server: string;
  /** By the names under which agents know them; none where the server cannot be used. */
  readonly tools: readonly ToolInfo[];
  /** Tools that are not among them: they are too many, or their schemas are too large. */
  readonly leftOut: number;
  /** Why the server cannot be used; null: it answered. */
  readonly problem: string | null;
  /** When it was asked, wall clock in ms. */
  readonly askedAt: number;
}

export interface McpCatalogue {
  /** Asks each server, unless it was asked lately. Never rejects: a server that does not answer is said. */
  toolsOf(organizationId: string, servers: readonly McpServer[]): Promise<readonly ServerTools[]>;
  /** The names of all tools of a server that was asked lately, without asking; null: they are not known. */
  namesOf(organizationId: string, server: McpServer): readonly string[] | null;
}
