/**
 * The audit (AUTH-17): who signed in, and who made, used or revoked which credential, from which address. An entry is
 * written in the commit of the change that it records, so neither exists without the other.
 */
import { ok } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import type { NewAuditEntry, Origin } from "./people-protocol.ts";
import type { OrganizationProtocol } from "./protocol.ts";
import { auditTable } from "./schema.ts";

/** No user of this organization: the operator, at the machine. */
export const OPERATOR: Origin = { userId: null, tokenId: null, address: null };

export function noteInAudit(tx: Tx, entry: NewAuditEntry, { userId, tokenId, address }: Origin): void {
  tx.create(auditTable, { id: tx.id("aud"), ...entry, userId, tokenId, address });
}

export const auditCommandHandlers = {
  note(tx, { entry, origin }) {
    noteInAudit(tx, entry, origin);
    return ok(null);
  },
} satisfies Partial<Handlers<OrganizationProtocol>>;
