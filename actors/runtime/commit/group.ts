/**
 * A turn group on its way to the database: its writes, its actors, and what happens when its commit's result is known.
 * It is the unit of atomicity: the flush splits, ends and breaks groups, never parts of one.
 */
import { assert } from "../../assert.ts";
import type { CommitResult, ShardWrites, Writes } from "../store.ts";
import type { LiveActor } from "../turns/live-actor.ts";
import type { ActorDraft } from "../turns/draft.ts";
import { isolate, type OnBug } from "../isolate.ts";

/** The store has certainly refused this group's rows, and no other group's: a bug in a turn. */
export class GroupBroken extends Error {
  override readonly name = "GroupBroken";
}

let pushed = 0;

export class TurnGroup implements ShardWrites {
  readonly shard: number;
  readonly epoch: number;
  /** The organization of all its actors. */
  readonly organizationId: string;
  readonly writes: Writes;
  readonly drafts: readonly ActorDraft[];
  readonly bytes: number;
  /** No caller waits for its commit, so it waits for the next batch (`FlushLane`). */
  readonly isPatient: boolean;
  /** Whether its turns have taken an actor to be new, so that the store may refuse it. */
  readonly hasGuessed: boolean;
  /** Set by its lane: call it when somebody waits for the group after all. */
  hurry: () => void = () => {};
  /** Later groups have higher numbers; a read that saw two groups waits for the later one. */
  readonly order = ++pushed;
  private readonly conclude: (result: CommitResult) => void;
  /** Reads that saw this group's changes, in order. */
  private followers: ((result: CommitResult) => void)[] = [];
  private ended = false;

  constructor(
    grant: { readonly shard: number; readonly epoch: number },
    content: {
      readonly writes: Writes;
      readonly drafts: readonly ActorDraft[];
      readonly bytes: number;
      readonly isPatient?: boolean;
      readonly hasGuessed?: boolean;
    },
    conclude: (result: CommitResult) => void,
  ) {
    this.shard = grant.shard;
    this.epoch = grant.epoch;
    this.writes = content.writes;
    this.drafts = content.drafts;
    this.organizationId =
      content.drafts[0]?.actor.ref.organizationId ?? content.writes.messages[0]?.organizationId ?? "";
    this.bytes = content.bytes;
    this.isPatient = content.isPatient === true;
    this.hasGuessed = content.hasGuessed === true;
    this.conclude = conclude;
    for (const draft of this.drafts) {
      draft.actor.lastPending = this;
      for (const [key, record] of draft.overlay) draft.actor.changed(key, record, this);
    }
  }

  get actors(): readonly LiveActor[] {
    return this.drafts.map((d) => d.actor);
  }

  /** Whether it was computed on a state that is no longer true. */
  get isEvicted(): boolean {
    return this.drafts.some((d) => d.actor.isEvicted);
  }

  get hasEnded(): boolean {
    return this.ended;
  }

  follow(run: (result: CommitResult) => void): void {
    this.followers.push(run);
    if (this.isPatient) this.hurry();
  }

  /**
   * Called exactly once. Outputs leave in the order of the turns: this group's, then its followers'. An exception in
   * one goes to `onBug` and stops no other.
   */
  end(result: CommitResult, onBug: OnBug): void {
    assert(!this.ended, "a group ends once (FL-3)");
    this.ended = true;
    for (const draft of this.drafts) {
      if (draft.actor.lastPending === this) draft.actor.lastPending = null;
      if (result.kind === "committed") for (const key of draft.overlay.keys()) draft.actor.committed(key, this);
      else draft.actor.isEvicted = true;
    }
    isolate(() => this.conclude(result), onBug);
    const followers = this.followers;
    this.followers = [];
    const inherited: CommitResult = result.kind === "broken" ? { kind: "evicted" } : result;
    for (const run of followers) isolate(() => run(inherited), onBug);
  }
}
