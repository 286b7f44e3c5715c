/**
 * Where the requests of an organization are served: here, or at another replica. Counts the requests in flight here, so
 * that a shard is handed over between requests and never during one (REP-2):
 *
 *   here ──hold──▶ those under way end, new ones wait ──the shard has moved──▶ there
 */
import type { Clock } from "../../actors/runtime/ports.ts";
import { SHARD_COUNT, shardOf } from "../../actors/runtime/placement/placement.ts";
import type { Owner, PlacementTable } from "./placement-table.ts";

/** How long a request waits for an owner: a hand-over takes milliseconds, a take-over from a dead process about a second. */
export const OWNER_WAIT_MS = 8_000;
/** Between two look-ups of an owner. */
const OWNER_LOOK_MS = 25;
/** How long a hand-over waits for requests in flight. Longer ones are refused with a Retry-After. */
export const UNDER_WAY_MS = 1_000;

export type RoutedPlace = { readonly kind: "here" } | { readonly kind: "there"; readonly owner: Owner };
const HERE: RoutedPlace = { kind: "here" };

export interface RoutingParts {
  /** This replica's id. */
  readonly self: string;
  readonly table: PlacementTable;
  readonly clock: Pick<Clock, "monotonic" | "after">;
  readonly serves: (organizationId: string) => boolean;
}

export class Routing {
  private readonly parts: RoutingParts;
  /** The number of holds on each shard. */
  private readonly held = new Int32Array(SHARD_COUNT);
  private readonly underWay = new Int32Array(SHARD_COUNT);
  /** Holds that wait for requests in flight. */
  private readonly holding = new Set<() => void>();
  /** Pending look-ups of owners. */
  private readonly looking = new Set<() => void>();

  constructor(parts: RoutingParts) {
    this.parts = parts;
  }

  /** The place, if it is known without a look-up; otherwise null. */
  placeNow(organizationId: string): RoutedPlace | null {
    const shard = shardOf(organizationId);
    if (this.held[shard] === 0 && this.parts.serves(organizationId)) return HERE;
    const owner = this.parts.table.ownerOf(shard);
    return owner === null || owner.id === this.parts.self ? null : { kind: "there", owner };
  }

  /** The place, looked up until `untilMs` on the monotonic clock; null if there is none by then. */
  async placeOf(
    organizationId: string,
    untilMs = this.parts.clock.monotonic() + OWNER_WAIT_MS,
  ): Promise<RoutedPlace | null> {
    for (;;) {
      const place = this.placeNow(organizationId);
      if (place !== null) return place;
      if (this.parts.clock.monotonic() >= untilMs) return null;
      await this.lookAgain(untilMs);
    }
  }

  /**
   * Resolves when something may have changed: another replica said so, or the table was read again. Resolves at
   * `untilMs` at the latest, because the database may not answer.
   */
  lookAgain(untilMs: number): Promise<void> {
    const { clock, table } = this.parts;
    return new Promise((resolve) => {
      let cancel = (): void => {};
      const end = (): void => {
        cancel();
        this.looking.delete(end);
        resolve();
      };
      const look = (): void => {
        cancel = clock.after(untilMs - clock.monotonic(), end);
        void table
          .refresh()
          .catch(() => {})
          .then(end);
      };
      cancel = clock.after(Math.min(OWNER_LOOK_MS, untilMs - clock.monotonic()), look);
      this.looking.add(end);
    });
  }

  /** The table was read, or shards became ours: pending look-ups of owners continue. */
  wake(): void {
    for (const wake of this.looking) wake();
  }

  /** Counts a request that is served here, until the returned function runs. */
  begin(organizationId: string): () => void {
    const shard = shardOf(organizationId);
    this.underWay[shard]!++;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.underWay[shard]!--;
      if (this.held[shard]! > 0) for (const look of this.holding) look();
    };
  }

  /** Holds new requests of these shards; resolves when none is in flight, or after a second. */
  async hold(shards: ReadonlySet<number>): Promise<() => void> {
    for (const shard of shards) this.held[shard]!++;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        this.holding.delete(look);
        cancel();
        resolve();
      };
      const look = (): void => {
        if (![...shards].some((shard) => this.underWay[shard]! > 0)) end();
      };
      const cancel = this.parts.clock.after(UNDER_WAY_MS, end);
      this.holding.add(look);
      look();
    });
    return () => {
      for (const shard of shards) this.held[shard]!--;
    };
  }
}
