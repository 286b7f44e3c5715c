/** The operator's suspension of an organization: while it lasts, nobody acts in it (AUTH-11). */
import { refuse } from "../fault.ts";
import type { Tx } from "../runtime/actor.ts";
import { organizationTable } from "./schema.ts";

export const SUSPENDED = refuse({ kind: "organization_suspended" });

export function isSuspended(tx: Tx): boolean {
  const suspendedAt = tx.read(organizationTable, tx.self.id)?.suspendedAt;
  return suspendedAt !== undefined && suspendedAt !== null;
}
