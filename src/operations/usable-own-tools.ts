/**
 * Validates the tools that a caller gives to an agent (RUN-12): their names must be unused, and their schemas
 * usable.
 */
import { type InputError, ok, type Outcome, refuse } from "../../actors/fault.ts";
import type { AgentTool } from "../../actors/job/connections.ts";
import type { Services } from "./services.ts";
import { usableSchema } from "./usable-schema.ts";

/** Argument names that every provider accepts. */
const ARGUMENT = /^[A-Za-z0-9_.-]{1,64}$/;

/** Bytes of the schemas of all tools of an agent: every model call sends them. */
export const TOOLS_BYTES = 128 * 1024;

export async function usableOwnTools(
  services: Pick<Services, "argumentChecks" | "tools">,
  organizationId: string,
  tools: readonly AgentTool[],
): Promise<Outcome<null>> {
  const bytes = tools.reduce((sum, { inputSchema }) => sum + Buffer.byteLength(JSON.stringify(inputSchema)), 0);
  if (bytes > TOOLS_BYTES) {
    const message = `The input schemas of the tools have ${bytes} bytes as JSON; all of an agent have at most ${TOOLS_BYTES}`;
    return refuse({ kind: "invalid_request", errors: [{ path: "/tools", message }] });
  }
  const errors = tools.flatMap((_, i) => nameErrors(services, tools, i));
  if (errors.length > 0) return refuse({ kind: "invalid_request", errors });
  for (const [i, { inputSchema: schema }] of tools.entries()) {
    const path = `/tools/${i}/input_schema`;
    const usable = await usableSchema(services, organizationId, { schema, path });
    if (!usable.ok) return usable;
    const odd = Object.keys((schema["properties"] ?? {}) as object).filter((name) => !ARGUMENT.test(name));
    const message = "Names of arguments are up to 64 letters, digits, `_`, `.` and `-`";
    const [first] = odd;
    if (first !== undefined)
      return refuse({ kind: "invalid_request", errors: [{ path: `${path}/properties/${first}`, message }] });
  }
  return ok(null);
}

function nameErrors({ tools }: Pick<Services, "tools">, own: readonly AgentTool[], i: number): InputError[] {
  const name = own[i]?.name ?? "";
  const path = `/tools/${i}/name`;
  if (tools.some((tool) => tool.name === name))
    return [{ path, message: `\`${name}\` is a tool of the service: choose another name` }];
  if (name.includes("__")) return [{ path, message: "Names with `__` are reserved for tools of MCP servers" }];
  const isTaken = own.slice(0, i).some((tool) => tool.name === name);
  return isTaken ? [{ path, message: `Another tool is called \`${name}\` already` }] : [];
}
