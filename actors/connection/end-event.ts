/** The event of webhooks about a connection that no person has ended (ACC-10, ACC-15). */
import type { Tx } from "../runtime/actor.ts";
import { sendNews } from "../webhook/events.ts";
import { type Connection, type ConnectionEnd, connectionTable, OF_ORGANIZATION } from "./schema.ts";

/** Sends it with this commit, in which the connection ends. */
export function sendEnd(
  tx: Tx,
  { id, ownerId, resource, status }: Connection,
  { reason, message }: { readonly reason: ConnectionEnd | "member_removed"; readonly message: string },
): void {
  sendNews(tx, {
    type: "connection.ended",
    actor: { type: "system", id: "connections" },
    resource: { type: "connection", id, path: `/api/connections/${id}`, version: tx.versionAfter(connectionTable, id) },
    data: {
      id,
      status,
      owner: ownerId === OF_ORGANIZATION ? "organization" : "person",
      userId: ownerId === OF_ORGANIZATION ? null : ownerId,
      resource,
      reason,
      message,
    },
    changes: ["status"],
  });
}
