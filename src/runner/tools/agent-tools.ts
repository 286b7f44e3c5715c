/**
 * An agent's own tools (RUN-12, RUN-13): always on for that agent, and invisible to others. The arguments of each call
 * are checked against the tool's schema before anything else.
 */
import type { AgentTool } from "../../../actors/job/connections.ts";
import { Lanes } from "../../sandbox/lanes.ts";
import { argumentFault } from "./argument-check.ts";
import { callHttp, type HttpToolParts } from "./http-tool.ts";
import { failure, type Tool, type ToolSource } from "./tool.ts";

/** Requests in flight, of one organization and in all: each may hold an answer in memory. */
const REQUESTS_OF_ORGANIZATION = 16;
const REQUESTS = 128;

export type AgentToolParts = Omit<HttpToolParts, "gate">;

export function agentTools(given: AgentToolParts): ToolSource {
  const parts: HttpToolParts = { ...given, gate: new Lanes(REQUESTS, REQUESTS_OF_ORGANIZATION) };
  return {
    find: ({ tools = [] }) =>
      Promise.resolve({
        tools: tools.map((tool) => agentTool(parts, tool)),
        missing: { required: [], optional: [] },
        notes: [],
        whyMissing: () => null,
      }),
  };
}

function agentTool(parts: HttpToolParts, { name, description, inputSchema, http }: AgentTool): Tool {
  const faultOf: Tool["faultOf"] = (input, { organizationId, signal, budget }) =>
    argumentFault(parts.sandbox, {
      organizationId,
      schema: inputSchema,
      input,
      signal,
      ...(budget === undefined ? {} : { budget }),
    });
  const own = { name, description, inputSchema, access: "safe", reads: "own_work", faultOf } as const;
  return {
    ...own,
    // A client's tool runs nothing here, so a repeat is safe.
    safeToRepeat: http?.repeatable ?? true,
    ...(http === undefined ? { isClient: true } : {}),
    async call(input, run) {
      const { context, signal, budget } = run;
      const fault = await faultOf(input, { organizationId: context.organizationId, signal, budget });
      if (fault !== null) return failure(fault);
      if (http === undefined) return failure("The client runs this tool, and this call did not reach it.");
      return callHttp(parts, { name, http, inputSchema }, { input, run });
    },
  };
}
