/**
 * Whether another replica is dead (REP-6). Both must hold: nothing listens at its address, and the lock that it holds
 * in PostgreSQL while it lives is free. Then its lease is ended early. A replica that is only silent (paused, or cut
 * off) keeps its lease to the end, because it may still be answering clients.
 */
import type { Clock } from "../../actors/runtime/ports.ts";
import { within } from "../../actors/runtime/placement/hand-over.ts";
import { LEASE_RENEW_MS } from "../../actors/runtime/placement/placement.ts";
import type { PeersLog } from "../log/port.ts";
import type { PeerClient } from "./peer-client.ts";
import type { Owner, PlacementTable } from "./placement-table.ts";

export interface LivenessParts {
  readonly self: string;
  readonly table: PlacementTable;
  readonly client: Pick<PeerClient, "isNobodyThere">;
  readonly clock: Pick<Clock, "monotonic" | "after">;
  /** Ends the lease of a replica whose lock is free. Resolves with whether it did. */
  readonly bury: (id: string) => Promise<boolean>;
  /** A replica is dead: its shards can be claimed now. */
  readonly onDeath: () => void;
  readonly log: PeersLog;
}

export class Liveness {
  private readonly parts: LivenessParts;
  private readonly looking = new Map<string, Promise<void>>();
  private cancel: () => void = () => {};

  constructor(parts: LivenessParts) {
    this.parts = parts;
  }

  /** Checks the other replicas periodically, even without requests for them. */
  start(): void {
    this.cancel = this.parts.clock.after(LEASE_RENEW_MS, () => {
      void this.round().finally(() => this.start());
    });
  }

  stop(): void {
    this.start = () => {};
    this.cancel();
  }

  /**
   * A call to the replica failed. Resolves when the replica has been checked, or at `untilMs` on the monotonic clock;
   * never rejects.
   */
  async suspect(owner: Owner, untilMs = Number.POSITIVE_INFINITY): Promise<void> {
    const { clock, table } = this.parts;
    // It has left, or is known to be dead: its shards are free.
    if (!table.living.some(({ id }) => id === owner.id)) return;
    const looked = this.lookAfter(owner);
    await (untilMs === Number.POSITIVE_INFINITY ? looked : within(clock, untilMs - clock.monotonic(), looked));
  }

  private lookAfter(owner: Owner): Promise<void> {
    const known = this.looking.get(owner.id);
    if (known !== undefined) return known;
    const look = this.look(owner)
      .catch((err: unknown) => this.parts.log.warn({ err, replica: owner.id }, "a replica could not be checked"))
      .finally(() => this.looking.delete(owner.id));
    this.looking.set(owner.id, look);
    return look;
  }

  private async round(): Promise<void> {
    const { table, self } = this.parts;
    await table.refresh().catch(() => {});
    await Promise.all(table.living.filter(({ id }) => id !== self).map((owner) => this.suspect(owner)));
  }

  private async look(owner: Owner): Promise<void> {
    const { client, bury, onDeath, log, self } = this.parts;
    if (owner.id === self || !(await client.isNobodyThere(owner)) || !(await bury(owner.id))) return;
    log.warn({ replica: owner.id, address: owner.url }, "a replica is dead: its shards are taken");
    onDeath();
  }
}
