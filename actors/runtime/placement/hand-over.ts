/**
 * Hands shards over to another replica while this one keeps running (REP-2). The order keeps clients from noticing it,
 * and nothing waits for a lease:
 *
 *   effects stopped, rows kept ─▶ clients held ─▶ new commands refused ─▶ commits done ─▶ volatile state stored
 *        └── the shards are free ─▶ readers sent to the new owner, clients released, the others notified
 *
 * Effects stop first. They may take a while and may dispatch turns themselves; those must not wait for the new owner
 * while it waits for them.
 */
import type { LiveActor } from "../turns/live-actor.ts";
import type { LiveActors } from "../turns/live-actors.ts";
import type { Clock } from "../ports.ts";
import type { Effects } from "../outputs/effects.ts";
import type { FlushLane } from "../commit/flush.ts";
import type { Peers, Placement, ShardGrant } from "./placement.ts";
import type { Shards } from "./shards.ts";

/** An effect that does not stop within this time is left behind: its later reports are refused. */
const MOVED_EFFECTS_STOP_MS = 1_000;

/** How long a group that began earlier may still wait for records; after that it is refused. */
const GROUPS_END_MS = 2_000;

/** The parts of the system that a hand-over needs. */
export interface HandOverHost {
  readonly shards: Shards;
  readonly actors: LiveActors;
  readonly effects: Effects;
  readonly lanes: readonly FlushLane[];
  readonly clock: Pick<Clock, "after">;
  storeVolatile(actor: LiveActor, lastCommand: { readonly kind: string }): Promise<void>;
}

/**
 * Hands these shards over; `onReleased` runs when they are free. Rejects if the result is unknown because the placement
 * cannot be reached.
 */
export type HandOver = (grants: readonly ShardGrant[], onReleased: () => void) => Promise<void>;

export const handOver =
  (host: HandOverHost, placement: Pick<Placement, "release">, peers: Peers): HandOver =>
  async (grants, onReleased) => {
    const { actors, effects } = host;
    const shards = new Set(grants.map(({ shard }) => shard));
    effects.leaveShards(shards);
    await within(host.clock, MOVED_EFFECTS_STOP_MS, effects.drainedOf(shards));
    const letGo = await peers.holdClients(shards);
    try {
      host.shards.leave(grants);
      // Hurries patient groups, which would otherwise wait for the next batch.
      const answered = Promise.all([host.shards.answered(shards), settleLanes(host.lanes)]);
      await within(host.clock, GROUPS_END_MS, answered);
      await settleLanes(host.lanes);
      const last = actors.lastCommands().filter(({ actor }) => shards.has(actor.shard));
      await Promise.all(last.map(({ actor, lastCommand }) => host.storeVolatile(actor, lastCommand)));
      await placement.release(grants);
      onReleased();
      peers.announce();
    } finally {
      letGo();
    }
  };

const settleLanes = (lanes: readonly FlushLane[]): Promise<unknown> => Promise.all(lanes.map((lane) => lane.settled()));

/** Resolves when the work is done, or after the limit without it. */
export function within(clock: Pick<Clock, "after">, limitMs: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(limitMs, resolve);
    void work.then(() => {
      cancel();
      resolve();
    });
  });
}
