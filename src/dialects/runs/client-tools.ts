/**
 * Tools that a client gives to one run. Their names are the client's own, and the model may know another tool by the
 * same name, or the name may be of a form that only tools of MCP servers have: then the model gets another name, and the
 * client its own.
 */
import type { AgentTool } from "../../../actors/job/connections.ts";
import type { Agent } from "../../../actors/organization/schema.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import type { Services } from "../../operations/services.ts";

/** A tool that the client runs, for this run only. */
export interface GivenTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

/** Characters that every provider accepts in a name. */
const CLIENT_TOOL_NAME = 64;

/** Names that tools of the service and of the agent have. */
export const takenNames = ({ tools }: Pick<Services, "tools">, agent: Pick<Agent, "tools">): ReadonlySet<string> =>
  new Set([...tools, ...(agent.tools ?? [])].map(({ name }) => name));

export function clientTools(given: readonly GivenTool[], taken: ReadonlySet<string>): AgentTool[] {
  const used = new Set(taken);
  const own = new Set(given.map(({ name }) => name));
  return given.map((tool) => {
    const isFree = !used.has(tool.name) && !tool.name.includes("__");
    const name = isFree ? tool.name : renamedTool(tool.name, (one) => used.has(one) || own.has(one));
    used.add(name);
    return { ...tool, name, kind: "client", ...(isFree ? {} : { clientName: tool.name }) };
  });
}

function renamedTool(name: string, isTaken: (name: string) => boolean): string {
  const plain = `client_${name.replaceAll(/_{2,}/g, "_")}`;
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? "" : `_${number}`;
    const candidate = plain.slice(0, CLIENT_TOOL_NAME - suffix.length) + suffix;
    if (!isTaken(candidate)) return candidate;
  }
}

/** The client's own names of its tools in a run, by the names that the model uses. */
export const clientNames = ({
  tools = [],
}: {
  readonly tools?: readonly AgentTool[] | undefined;
}): ReadonlyMap<string, string> =>
  new Map(
    tools.flatMap(({ kind, name, clientName = name }) => (kind === "client" ? [[name, clientName] as const] : [])),
  );
