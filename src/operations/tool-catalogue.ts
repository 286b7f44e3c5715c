/** Port: the tools that come with the service, as agents get them (RUN-11). */
import type { JsonObject } from "../../actors/schema.ts";
import type { McpServer } from "../../actors/job/connections.ts";

/**
 * Which agents have a tool: every agent, those whose `allowed_tools` name it, agents in jobs of missions, or the one
 * agent that declares it.
 */
export const AVAILABILITIES = ["always", "granted", "missions", "agent"] as const;

export interface ToolInfo {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly inputSchema: JsonObject;
  readonly availability: (typeof AVAILABILITIES)[number];
  /** Whether the tool only reads. */
  readonly isReadOnly: boolean;
}

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

/** For whom servers are asked: with a person's own connection, they may show each person other tools. */
export interface CatalogueReader {
  readonly organizationId: string;
  /** Null: nobody in particular, so no list that belongs to a person is found. */
  readonly userId: string | null;
  /** The agent whose servers they are: servers may take its identity. */
  readonly agentId?: string | undefined;
}

/** The tools of agents' MCP servers, as people see them in lists (RUN-21). */
export interface McpCatalogue {
  /** Asks each server, unless it was asked recently. Never rejects: `problem` says why a server did not answer. */
  toolsOf(
    by: CatalogueReader & { readonly userId: string },
    servers: readonly McpServer[],
  ): Promise<readonly ServerTools[]>;
  /** The names of all tools of a server, if it was asked recently; null if it was not. Asks nothing. */
  namesOf(by: CatalogueReader, server: McpServer): readonly string[] | null;
}
