/**
 * Tools that a client gives to one run. Their names are the client's own, and the model may know another tool by the
 * same name, or the name may be of a form that only tools of MCP servers have: then the model gets another name, and the
 * client its own.
 */
import { invalid, ok, type Outcome } from "../../../actors/fault.ts";
import type { AgentTool } from "../../../actors/job/connections.ts";
import type { Agent } from "../../../actors/organization/schema.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import type { Services } from "../../operations/services.ts";
import { TOOLS_BYTES } from "../../operations/usable-own-tools.ts";

/** A tool that the client runs, for this run only. */
export interface GivenTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

/** Characters that every provider accepts in a name. */
const CLIENT_TOOL_NAME = 64;
const CLIENT_TOOL_FORM = /^[A-Za-z0-9_-]{1,64}$/;
/** Tools of one run: as many as OpenAI takes. */
const CLIENT_TOOLS = 128;

/** Refuses tools that are too many or too long, which the run's job would keep, and names that no model takes. */
export function usableGivenTools(tools: readonly GivenTool[], field: string): Outcome<null> {
  if (tools.length > CLIENT_TOOLS)
    return invalid(`/${field}`, `${field} has ${tools.length} tools; a run has at most ${CLIENT_TOOLS} of its client`);
  const odd = tools.findIndex(({ name }) => !CLIENT_TOOL_FORM.test(name));
  if (odd >= 0)
    return invalid(`/${field}/${odd}/name`, "The name of a tool must be 1 to 64 letters, digits, `_` and `-`");
  const bytes = tools.reduce((sum, tool) => sum + Buffer.byteLength(JSON.stringify(tool)), 0);
  return bytes > TOOLS_BYTES
    ? invalid(`/${field}`, `The tools have ${bytes} bytes as JSON; those of a run have at most ${TOOLS_BYTES}`)
    : ok(null);
}

/** The client's tools, with names that no tool of the service or the agent has. */
export function clientTools(
  { tools }: Pick<Services, "tools">,
  agent: Pick<Agent, "tools">,
  given: readonly GivenTool[],
): AgentTool[] {
  if (given.length === 0) return [];
  const used = new Set([...tools, ...(agent.tools ?? [])].map(({ name }) => name));
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
