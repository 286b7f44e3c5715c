/** Withdraws invitations (AUTH-18): for an owner, with the removal of a person, and before a newer one of the address. */
import type { Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { noteInAudit } from "./audit.ts";
import type { Origin } from "./people-protocol.ts";
import { type Invitation, invitationTable, type Member } from "./schema.ts";

/** Whether it can still be accepted. */
export const isOpenInvitation = ({ status, expiresAt }: Invitation, { now }: Tx): boolean =>
  status === "pending" && expiresAt > isoTime(now);

export function withdraw(tx: Tx, invitation: Invitation, origin: Origin): Invitation {
  noteInAudit(tx, { action: "invitation.revoked", subjectId: invitation.id, detail: invitation.email }, origin);
  return tx.update<Invitation>(invitationTable, { ...invitation, status: "revoked" });
}

/** Withdraws those of these that are still open; they were looked up before the turn. */
export function withdrawOpen(tx: Tx, ids: readonly string[], origin: Origin): void {
  for (const id of ids) {
    const invitation = tx.read(invitationTable, id);
    if (invitation !== null && isOpenInvitation(invitation, tx)) withdraw(tx, invitation, origin);
  }
}

/** Whether the person was removed after this invitation was made. Such an invitation does not let them back in. */
export const isOutlived = ({ removals = 0 }: Invitation, { status, removal = 0 }: Member): boolean =>
  status === "removed" && removals < removal;
