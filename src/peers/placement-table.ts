/**
 * Who owns which shard, as this process last read it. It may be old: an owner that has moved says so (421), and
 * then it is read again. However many ask, one look is under way at a time.
 */
import type { Clock } from "../../actors/runtime/clock.ts";

export interface Owner {
  readonly id: string;
  /** Where the other replicas reach it. */
  readonly url: string;
}

/** What the database says: the living replicas, and of each shard the owner. */
export interface PlacementRows {
  readonly replicas: readonly Owner[];
  readonly owners: ReadonlyMap<number, string>;
}

export interface PlacementReader {
  read(): Promise<PlacementRows>;
}

/** Between two looks. */
const LOOK_MS = 15;

export class PlacementTable {
  private readonly reader: PlacementReader;
  private readonly clock: Pick<Clock, "monotonic" | "after">;
  /** Runs when a replica is not among the living any more. */
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

  /** The owner of the shard, or null where there is none that lives. */
  ownerOf(shard: number): Owner | null {
    const id = this.owners.get(shard);
    return id === undefined ? null : (this.replicas.get(id) ?? null);
  }

  get living(): readonly Owner[] {
    return [...this.replicas.values()];
  }

  /** Looks again; resolves with what was read after the call. Rejects when the database does not answer. */
  async refresh(): Promise<void> {
    // A look that is under way may have read before what the caller wants to see.
    if (this.looking !== null) await this.looking.catch(() => {});
    this.looking ??= this.look().finally(() => (this.looking = null));
    return this.looking;
  }

  private async look(): Promise<void> {
    const waitMs = this.lookedAt + LOOK_MS - this.clock.monotonic();
    if (waitMs > 0) await new Promise<void>((resolve) => this.clock.after(waitMs, resolve));
    this.lookedAt = this.clock.monotonic();
    const { replicas, owners } = await this.reader.read();
    const gone = this.living.filter(({ id }) => !replicas.some((replica) => replica.id === id));
    this.replicas = new Map(replicas.map((replica) => [replica.id, replica]));
    this.owners = owners;
    for (const owner of gone) this.onGone(owner);
  }
}
