/** The organization or person a command is about, and refusals in words. */
import type { Fault, Outcome } from "../../actors/fault.ts";
import { newId } from "../../actors/ids.ts";
import { operatorFor } from "../../actors/organization/principal.ts";
import type { Directory } from "../../actors/organization/directory.ts";
import type { Organization } from "../../actors/organization/schema.ts";
import { AdminRefused } from "./arguments.ts";
import type { AdminArguments, AdminParts } from "../service/admin-door.ts";
import type { CommandAnswer } from "./command-answer.ts";

import { localCaller } from "../http/request/caller.ts";
import type { LocalInput } from "../http/input/local-input.ts";

export type AdminCommand = (parts: AdminParts, given: AdminArguments) => Promise<string | CommandAnswer>;

export function valueOrRefuse<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new AdminRefused(adminFaultWords(outcome.fault));
  return outcome.value;
}

/** Makes a change by its operation, for a user of an organization; answers with what the operation shows. */
export async function changeByOperation<T>(
  { invoke }: AdminParts,
  operation: string,
  { organizationId, userId, ...input }: LocalInput & { readonly organizationId: string; readonly userId: string },
): Promise<T> {
  return valueOrRefuse(await invoke(operation, localCaller(operatorFor(organizationId, userId)), input)) as T;
}

function adminFaultWords(fault: Fault): string {
  if (fault.kind === "not_found") return `There is no such ${fault.noun}`;
  if (fault.kind === "invalid_request") return fault.errors.map((e) => e.message).join("; ");
  if (fault.kind === "invalid_state") return fault.message;
  if (fault.kind === "owner_required") return "Only owners can have service tokens: make the user an owner first";
  return `Refused: ${fault.kind.replaceAll("_", " ")}; try again in a moment`;
}

export async function organizationOf(directory: Directory, given: AdminArguments): Promise<Organization> {
  const organizations = await directory.listOrganizations();
  const wanted = given.options["org"];
  if (wanted === undefined && organizations.length === 1) return organizations[0]!;
  if (organizations.length === 0) throw new AdminRefused("There is no organization yet: make one with org create");
  if (wanted === undefined) throw new AdminRefused("There is more than one organization: choose one with --org");
  const found = organizations.find((o) => o.id === wanted);
  if (found === undefined) throw new AdminRefused(`There is no organization ${wanted}`);
  return found;
}

export async function findMember(directory: Directory, organization: Organization, email: string) {
  const members = await directory.listMembers(organization.id);
  const found = members.find((m) => m.status === "active" && m.email.toLowerCase() === email.toLowerCase());
  if (found === undefined) throw new AdminRefused(`${email} is not a member of ${organization.name}`);
  return found;
}

/** The person with this address: the same person in every organization. */
export async function findPerson(directory: Directory, email: string): Promise<string> {
  const [known] = await directory.findMembers(email);
  return known?.id ?? newId("usr");
}
