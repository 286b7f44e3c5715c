/**
 * What is said of an agent of the library that is not installed (AGT-2). Everybody sees it in the list,
 * so it is not missing; but before it is installed nothing else can be done with it, and who tries is
 * told so. Costs nothing where the agent was found.
 */
import { type Outcome, refuse } from "../../actors/fault.ts";
import type { Principal } from "../../actors/organization/principal.ts";
import { organizationRef } from "../../actors/organization/schema.ts";
import type { Services } from "../operations/services.ts";
import { permitted } from "./record.ts";

/** The verbs that the state of an entry leaves while it is not installed. */
export const WHILE_NOT_INSTALLED = { available: ["install"], uninstalled: ["install", "restore"] } as const;

/** The outcome; where the agent was not found because it is not installed, the refusal that says so. */
export async function unlessNotInstalled<T>(
  { system, library }: Pick<Services, "system" | "library">,
  by: Principal,
  agentId: string,
  outcome: Outcome<T>,
): Promise<Outcome<T>> {
  const isMissing = !outcome.ok && outcome.fault.kind === "not_found" && outcome.fault.noun === "agent";
  if (!isMissing || library.find(by.organizationId, agentId) === null) return outcome;
  const record = await system.dispatch(organizationRef(by.organizationId), { kind: "read_library_agent", agentId });
  if (!record.ok) return record;
  const status = record.value?.installState ?? "available";
  // Somebody has installed it since.
  if (status === "installed") return outcome;
  return refuse({
    kind: "invalid_state",
    status,
    allowedActions: permitted(by, "agents:write", WHILE_NOT_INSTALLED[status]),
    message: "This agent of the library is not installed",
  });
}
