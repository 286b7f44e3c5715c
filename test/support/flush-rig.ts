/** Group commit alone: a lane between turn groups that the tests make and a store that they answer for. */
import { ActorDraft } from "../../actors/runtime/turns/draft.ts";
import { type FlushHost, FlushLane, type LaneParts, type LaneTime } from "../../actors/runtime/commit/flush.ts";
import { TurnGroup } from "../../actors/runtime/commit/group.ts";
import { LiveActor } from "../../actors/runtime/turns/live-actor.ts";
import { type ActorStore, type FlushOutcome, noWrites, type ShardWrites } from "../../actors/runtime/store.ts";
import { FakeClock } from "./fake-clock.ts";
import { ledgerActor, ledgerRef } from "./ledger-actor.ts";
import { erased } from "./replica.ts";

const ALONE: LaneTime = { isShared: false, isOverShare: () => false, begin: () => 0, end: () => 0, charge() {} };
const definition = erased(ledgerActor());

/** A lane, the statements that it has sent, and the order in which its groups ended. */
export class FlushRig implements FlushHost {
  readonly epochs = new Map<number, number>([
    [1, 1],
    [2, 1],
  ]);
  readonly sent: string[] = [];
  readonly ended: string[] = [];
  readonly told: string[] = [];
  readonly lane: FlushLane;
  /** Names whose rows the store refuses. */
  readonly poison = new Set<string>();
  answer: (batch: readonly ShardWrites[]) => FlushOutcome | Promise<FlushOutcome> = (batch) => this.stored(batch);
  private readonly names = new Map<ShardWrites, string>();
  readonly clock = new FakeClock();

  constructor(parts: Partial<LaneParts> = {}) {
    const flush = async (batch: readonly ShardWrites[]): Promise<FlushOutcome> => {
      this.sent.push(this.namesOf(batch));
      return this.answer(batch);
    };
    this.lane = new FlushLane({ flush } as Partial<ActorStore> as ActorStore, this, {
      time: ALONE,
      tracing: null,
      clock: this.clock,
      ...parts,
    });
  }

  epochOf(shard: number): number | null {
    return this.epochs.get(shard) ?? null;
  }
  onUnknown(shards: ReadonlySet<number>): void {
    this.told.push(`unknown ${[...shards].join()} after ${this.ended.length}`);
    for (const shard of shards) this.epochs.delete(shard);
  }
  onFenced(shards: ReadonlySet<number>): void {
    this.told.push(`fenced ${[...shards].join()} after ${this.ended.length}`);
  }
  onBug(cause: unknown): void {
    this.told.push(`bug: ${(cause as Error).message}`);
  }
  onLaneFailed(cause: unknown): void {
    this.told.push(`failed: ${(cause as Error).message}`);
  }

  actor(id: string, shard = 1, organizationId = "org"): LiveActor {
    return new LiveActor(ledgerRef(organizationId, id), definition, { shard, epoch: 1 });
  }

  /** A group of one actor of the organization. */
  of(organizationId: string, name: string, bytes = 10): TurnGroup {
    return this.push(name, [this.actor(name, 1, organizationId)], { bytes });
  }

  push(
    name: string,
    actors: readonly LiveActor[],
    options: { shard?: number; epoch?: number; bytes?: number; isPatient?: boolean; hasGuessed?: boolean } = {},
  ): TurnGroup {
    const { shard = 1, epoch = 1, bytes = 10, ...more } = options;
    const drafts = actors.map((actor) => new ActorDraft(actor));
    const group = new TurnGroup(
      { shard, epoch },
      { writes: noWrites(), drafts, bytes, ...more },
      (result) => void this.ended.push(`${name} ${result.kind}`),
    );
    this.names.set(group, name);
    this.lane.push(group);
    return group;
  }

  namesOf(batch: readonly ShardWrites[]): string {
    return batch.map((group) => this.names.get(group)).join(" ");
  }

  /** What a store answers that refuses poisoned batches. */
  stored(batch: readonly ShardWrites[]): FlushOutcome {
    if (batch.some((group) => this.poison.has(this.names.get(group)!)))
      return { kind: "aborted", code: "23505", cause: null };
    return { kind: "answered", live: new Set(batch.map((group) => group.shard)) };
  }

  /** Holds the next statement; the answer lets it go. */
  hold(): () => void {
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    this.answer = async (batch) => {
      this.answer = (next) => this.stored(next);
      await opened;
      return this.stored(batch);
    };
    return () => open();
  }
}
