/**
 * A turn group on its way to the database: what it writes, whom it concerns, and what happens when
 * its commit is known. It is the unit of atomicity: the flush splits, releases and breaks groups,
 * never parts of one.
 */
import type { Cell } from "./cell.ts";
import type { CellDraft } from "./draft.ts";
import type { ShardWrites, Writes } from "./store.ts";

/** How a group ended. */
export type Ending =
  /** Its writes are durable: everything of it may leave. */
  | { readonly kind: "committed" }
  /** Certainly not stored, and it alone was at fault. */
  | { readonly kind: "broken"; readonly code: string; readonly cause: unknown }
  /** Certainly not stored: it stood on a broken group. It may run again from the start. */
  | { readonly kind: "undercut" }
  /** Certainly not stored, and no group was at fault: the server could not do it now. */
  | { readonly kind: "unavailable" }
  /** Certainly not stored: the shard is not ours at this epoch. */
  | { readonly kind: "fenced" }
  /** Nobody knows yet. */
  | { readonly kind: "unknown" };

/** The store certainly refused this group's rows, and no other group's: a bug in a turn. */
export class GroupBroken extends Error {
  override readonly name = "GroupBroken";
}

let pushed = 0;

export class TurnGroup implements ShardWrites {
  readonly shard: number;
  readonly epoch: number;
  readonly writes: Writes;
  readonly drafts: readonly CellDraft[];
  readonly bytes: number;
  /** Later groups have higher numbers; a read that saw two groups waits for the later one. */
  readonly order = ++pushed;
  private readonly conclude: (ending: Ending) => void;
  /** Reads that saw this group's changes, in order. */
  private followers: ((ending: Ending) => void)[] = [];

  constructor(
    place: { readonly shard: number; readonly epoch: number },
    content: { readonly writes: Writes; readonly drafts: readonly CellDraft[]; readonly bytes: number },
    conclude: (ending: Ending) => void,
  ) {
    this.shard = place.shard;
    this.epoch = place.epoch;
    this.writes = content.writes;
    this.drafts = content.drafts;
    this.bytes = content.bytes;
    this.conclude = conclude;
    for (const draft of this.drafts) {
      draft.cell.lastPending = this;
      for (const [key, record] of draft.overlay) draft.cell.changed(key, record, this);
    }
  }

  get cells(): readonly Cell[] {
    return this.drafts.map((d) => d.cell);
  }

  /** Whether it was computed on a state that is no longer true. */
  get isUndercut(): boolean {
    return this.drafts.some((d) => d.cell.dead);
  }

  follow(run: (ending: Ending) => void): void {
    this.followers.push(run);
  }

  /** Called exactly once. Outputs leave in the order of the turns: this group's, then its followers'. */
  end(ending: Ending): void {
    for (const draft of this.drafts) {
      if (draft.cell.lastPending === this) draft.cell.lastPending = null;
      if (ending.kind === "committed") for (const key of draft.overlay.keys()) draft.cell.committed(key, this);
      else draft.cell.dead = true;
    }
    this.conclude(ending);
    const followers = this.followers;
    this.followers = [];
    const inherited: Ending = ending.kind === "broken" ? { kind: "undercut" } : ending;
    for (const run of followers) run(inherited);
  }
}
