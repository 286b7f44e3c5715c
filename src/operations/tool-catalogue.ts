/** Port: the tools that come with the service, as agents get them (RUN-11). */
import type { JsonObject } from "../../actors/schema.ts";

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
