/**
 * Which replica owns which shard, as this process last read it. It may be stale: a former owner answers 421, and the
 * table is read again. Concurrent refreshes share one read.
 */
import type { Clock } from "../../actors/runtime/ports.ts";

export interface Owner {
  readonly id: string;
  /** Where the other replicas reach it. */
  readonly url: string;
}

/** The rows of the database: the live replicas, and the owner of each shard. */
export interface PlacementRows {
  readonly replicas: readonly Owner[];
  readonly owners: ReadonlyMap<number, string>;
}

export interface PlacementReader {
  read(): Promise<PlacementRows>;
}

/** Between two reads. */
const PLACEMENT_LOOK_MS = 15;

export class PlacementTable {
  private readonly reader: PlacementReader;
  private readonly clock: Pick<Clock, "monotonic" | "after">;
  /** Runs when a replica is no longer among the live ones. */
  private readonly onGone: (owner: Owner) => void;
  private replicas = new Map<string, Owner>();
  private owners: ReadonlyMap<number, string> = new Map();
  private looking: Promise<void> | null = null;
  private lookedAt = Number.NEGATIVE_INFINITY;

  constructor(reader: PlacementReader, clock: Pick<Clock, "monotonic" | "after">, onGone: (owner: Owner) => void) {
    this.reader = reader;
    this.clock = clock;
    this.onGone = onGone;
  }

  /** The owner of the shard; null if it has no live owner. */
  ownerOf(shard: number): Owner | null {
    const id = this.owners.get(shard);
    return id === undefined ? null : (this.replicas.get(id) ?? null);
  }

  get living(): readonly Owner[] {
    return [...this.replicas.values()];
  }

  /**
   * Reads the table again; resolves after a read that began after this call. Rejects if the database does not answer.
   */
  async refresh(): Promise<void> {
    // A read in flight may have begun before the change that the caller wants to see.
    if (this.looking !== null) await this.looking.catch(() => {});
    this.looking ??= this.look().finally(() => (this.looking = null));
    return this.looking;
  }

  private async look(): Promise<void> {
    const waitMs = this.lookedAt + PLACEMENT_LOOK_MS - this.clock.monotonic();
    if (waitMs > 0) await new Promise<void>((resolve) => this.clock.after(waitMs, resolve));
    this.lookedAt = this.clock.monotonic();
    const { replicas, owners } = await this.reader.read();
    const gone = this.living.filter(({ id }) => !replicas.some((replica) => replica.id === id));
    this.replicas = new Map(replicas.map((replica) => [replica.id, replica]));
    this.owners = owners;
    for (const owner of gone) this.onGone(owner);
  }
}
