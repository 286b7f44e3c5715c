/** A replica that takes up what a former owner left: messages to actors that note them, and effects. */
import { ok } from "../../actors/fault.ts";
import type { AnyDefinition, Tx } from "../../actors/runtime/actor.ts";
import { shardOf } from "../../actors/runtime/placement/placement.ts";
import { type EffectRow, type MessageRow, noWrites } from "../../actors/runtime/store.ts";
import { ORG } from "./ledger-replica.ts";
import { Replica, type ReplicaOptions, World } from "./replica.ts";

export const HEIR_SHARD = shardOf(ORG);
const ref = (id: string, organizationId = ORG) => ({ kind: "list", organizationId, id });
const addressed = (id: string) => ({ organizationId: ORG, actorKind: "list", actorId: id });
export const undoneMessage = (i: number, to = `a${i % 7}`, kind = "note"): MessageRow => ({
  ...addressed(to),
  id: `amg_${i}`,
  command: { kind, i } as { kind: string },
});
export const undoneEffect = (i: number): EffectRow => ({
  ...addressed("a"),
  id: `eff_${String(i).padStart(6, "0")}`,
  kind: "work",
  intent: {},
});

/** Actors that note the numbers that they are sent. Only those named `shut…` have a record. */
function lists() {
  const noted = new Map<string, number[]>();
  const definition: AnyDefinition = {
    kind: "list",
    needs: ({ id }) => (id.startsWith("shut") ? [{ table: "chat", id }] : []),
    handlers: {
      note: (tx: Tx, { i }: { readonly i: number }) => {
        noted.set(tx.self.id, [...(noted.get(tx.self.id) ?? []), i]);
        return ok(null);
      },
      tell: (tx: Tx, { i, to, pad }: { readonly i: number; readonly to: string; readonly pad?: string }) => {
        tx.send(ref(to, tx.self.organizationId), { kind: "note", i, pad } as { kind: string });
        return ok(null);
      },
      begin: (tx: Tx) => ok(tx.effect(tx.self, "work", {})),
      fall: () => {
        throw new Error("a bug in a turn");
      },
    },
  };
  return { definition, noted };
}

/** A replica that is about to take up these rows. */
export function heir(
  rows: { readonly messages?: readonly MessageRow[]; readonly effects?: readonly EffectRow[] },
  effects: ReplicaOptions["effects"] = {},
) {
  const world = new World();
  const writes = { ...noWrites(), messages: [...(rows.messages ?? [])], effects: [...(rows.effects ?? [])] };
  world.database.commit([{ shard: HEIR_SHARD, epoch: 0, writes }], new Set([HEIR_SHARD]));
  const { definition, noted } = lists();
  const replica = new Replica<Record<string, never>>(world, { definitions: [definition], effects });
  const ask = (id: string, command: object, organizationId = ORG) =>
    replica.system.dispatchGroup([{ ref: ref(id, organizationId), command: command as { kind: string } }]);
  return { world, replica, noted, ask };
}

/** From now on commits of the replica are stored and not answered, until the returned function is called. */
export function withholdAnswers({ store }: Pick<Replica<Record<string, never>>, "store">): () => void {
  const answer = Promise.withResolvers<void>();
  const flush = store.flush.bind(store);
  store.flush = async (...asked) => {
    const committed = await flush(...asked);
    await answer.promise;
    return committed;
  };
  return () => answer.resolve();
}
