/**
 * The actor of reach: one for each organization. Approvals reach people through it, by mail and by messengers, and
 * people hear how they ended (REACH-1 to REACH-9). It is an actor of its own, so that nothing here delays or fails a
 * job. It decides nothing about an approval: links lead to a page whose decision is one of the job.
 */
import { notFound, ok, refuse } from "../fault.ts";
import type { ActorDefinition, Handlers, RecordKey } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { MESSENGERS_LIMIT, noticeCommandHandlers } from "./notices.ts";
import type { ReachCommand, ReachProtocol } from "./protocol.ts";
import { type Messenger, questionTable, reachTable } from "./schema.ts";

/** `hasMail`: whether the operator has set a mail server, which is the same on every replica. */
export const reachActor = (hasMail: boolean): ActorDefinition<ReachProtocol> => ({
  kind: "reach",
  needs: ({ id }, command) => [{ table: reachTable.name, id }, ...questionsOf(command)],
  handlers: { ...messengerHandlers, ...noticeCommandHandlers(hasMail) },
});

const questionsOf = (command: ReachCommand): readonly RecordKey[] =>
  "approvalId" in command ? [{ table: questionTable.name, id: command.approvalId }] : [];

const messengerHandlers = {
  list_messengers: (tx) => ok(tx.read(reachTable, tx.self.id)?.messengers ?? []),

  add_messenger(tx, { by, input }) {
    const book =
      tx.read(reachTable, tx.self.id) ?? tx.create(reachTable, { id: tx.self.id, messengers: [], window: null });
    if (book.messengers.length >= MESSENGERS_LIMIT) {
      const message = `An organization has at most ${MESSENGERS_LIMIT} messengers: delete one first`;
      return refuse({ kind: "invalid_state", status: "full", allowedActions: [], message });
    }
    const messenger: Messenger = {
      id: tx.id("mgr"),
      ...input,
      createdBy: by,
      createdAt: isoTime(tx.now),
      lastSuccessAt: null,
      lastFailureAt: null,
    };
    tx.update(reachTable, { ...book, messengers: [...book.messengers, messenger] });
    return ok(messenger);
  },

  remove_messenger(tx, { messengerId }) {
    const book = tx.read(reachTable, tx.self.id);
    const messenger = book?.messengers.find(({ id }) => id === messengerId);
    if (book === null || messenger === undefined) return notFound("messenger");
    tx.update(reachTable, { ...book, messengers: book.messengers.filter(({ id }) => id !== messengerId) });
    return ok(messenger);
  },

  reseal_messengers(tx, { resealed }) {
    const book = tx.read(reachTable, tx.self.id);
    const fresh = new Map(resealed.map(({ former, sealed }) => [former, sealed]));
    const count = book?.messengers.filter(({ sealedUrl }) => fresh.has(sealedUrl)).length ?? 0;
    if (book === null || count === 0) return ok(0);
    const messengers = book.messengers.map((messenger) => ({
      ...messenger,
      sealedUrl: fresh.get(messenger.sealedUrl) ?? messenger.sealedUrl,
    }));
    tx.update(reachTable, { ...book, messengers });
    return ok(count);
  },
} satisfies Partial<Handlers<ReachProtocol>>;
