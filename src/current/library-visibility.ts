/**
 * Refusals for a library agent that is not installed (AGT-2). Everybody sees it in the list, so a plain "not found"
 * would be wrong. Until it is installed no other verb works, and the refusal says so. Costs nothing if the agent was
 * found.
 */
import { type Outcome, refuse } from "../../actors/fault.ts";
import type { Principal } from "../../actors/organization/principal.ts";
import { organizationRef } from "../../actors/organization/schema.ts";
import type { Services } from "../operations/services.ts";
import { permittedActions } from "./record.ts";

/** The verbs on an entry that is not installed, by its state. */
export const WHILE_NOT_INSTALLED = { available: ["install"], uninstalled: ["install", "restore"] } as const;

/** The outcome; if the agent was not found because it is not installed, a refusal that says so. */
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
  // Installed meanwhile.
  if (status === "installed") return outcome;
  return refuse({
    kind: "invalid_state",
    status,
    allowedActions: permittedActions(by, "agents:write", WHILE_NOT_INSTALLED[status]),
    message: "This agent of the library is not installed",
  });
}
