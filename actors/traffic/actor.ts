/** The traffic actor, one for each organization: the state of its requests (RATE-1). */
import type { ActorDefinition, RecordKey } from "../runtime/actor.ts";
import { BURST_BOUNDS } from "../runtime/turns/mailbox.ts";
import { idempotencyHandlers } from "./idempotency.ts";
import { clientSessionHandlers } from "./client-sessions.ts";
import type { TrafficCommand, TrafficProtocol } from "./protocol.ts";
import { clientSessionsTable, idempotencyKeyTable, rateWindowTable } from "./schema.ts";
import { unspent, windowHandlers } from "./windows.ts";

export const trafficActor: ActorDefinition<TrafficProtocol> = {
  kind: "traffic",
  mailbox: BURST_BOUNDS,
  writesWhenFull: true,
  isUnordered: true,
  needs: (_ref, command) => trafficNeeds(command),
  handlers: { ...windowHandlers, ...idempotencyHandlers, ...clientSessionHandlers },
  beforeEviction: unspent,
};

function trafficNeeds(command: TrafficCommand): readonly RecordKey[] {
  switch (command.kind) {
    case "admit_request":
      return [{ table: rateWindowTable.name, id: command.identity }];
    case "give_back":
      return command.identities.map((id) => ({ table: rateWindowTable.name, id }));
    case "find_key":
    case "keep_key":
    case "release_key":
      return [command.claim, ...(command.claim.others ?? [])].map(({ keyId: id }) => ({
        table: idempotencyKeyTable.name,
        id,
      }));
    case "settle_key":
      return [{ table: idempotencyKeyTable.name, id: command.keyId }];
    case "find_session":
    case "end_session":
    case "subscribe":
    case "unsubscribe":
      return [{ table: clientSessionsTable.name, id: command.session.userId }];
  }
}
