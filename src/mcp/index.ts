/** The MCP endpoint, mounted: its route, and the operations that only tools have. */
import { Elysia } from "elysia";
import { operationRoutes } from "../http/request/routes.ts";
import type { Surface } from "../http/request/surface.ts";
import type { Services } from "../operations/services.ts";
import type { EndpointParts, McpEndpoint } from "./endpoint.ts";
import { mcpExecuteOperations } from "./execute.ts";
import type { Describe } from "./json-schema.ts";
import { mcpOperations } from "./operations.ts";
import { type BoundTool, boundTool } from "./tool-schema.ts";
import { TOOLS } from "./tools.ts";

export interface McpParts extends Pick<EndpointParts, "invoke" | "refusal" | "allowed"> {
  readonly services: Services;
  /** Describes the fields whose schema has no description. */
  readonly describe: Describe;
}

export function mcpRoutes(surface: Surface, { services, describe, ...parts }: McpParts) {
  const operations = {
    ...services.facts.operations,
    executeAgent: mcpExecuteOperations.operations["executeAgent"]!.contract,
  };
  const tools = new Map<string, BoundTool>(TOOLS.map((spec) => [spec.name, boundTool(spec, operations, describe)]));
  let opened: Promise<McpEndpoint> | undefined;
  // Loaded with the first message: the protocol's SDK would be an eighth of a start.
  const endpoint = (): Promise<McpEndpoint> =>
    (opened ??= loadEndpoint().then(
      (loaded) => new loaded.McpEndpoint({ ...parts, services, tools, batches: surface.batches }),
      (cause: unknown) => {
        // The next message tries again: files may be missing for a moment, while they are replaced.
        opened = undefined;
        throw cause;
      },
    ));
  surface.operations.add(mcpExecuteOperations, services);
  const group = operationRoutes(surface, [mcpOperations], {
    take: async (...given) => (await endpoint()).take(...given),
    listen: async (...given) => (await endpoint()).listen(...given),
    end: async (...given) => (await endpoint()).end(...given),
  });
  return new Elysia({ name: "mcp" }).use(group);
}

/** Loads the SDK in two parts, between which the event loop turns: as one it blocks the loop for a tenth of a second. */
async function loadEndpoint(): Promise<typeof import("./endpoint.ts")> {
  await import("@modelcontextprotocol/server/validators/ajv");
  return import("./endpoint.ts");
}
